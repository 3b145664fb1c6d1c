"""A controller that is a Python function, from outside: a process with a time limit that gives a force."""

from __future__ import annotations

from dynamics.pantograph.control.asked import AskedCode
from dynamics.pantograph.user_code import CodeError
from dynamics.spec.control.function import FunctionSpec

__all__ = ["AskedFunction"]


class AskedFunction(AskedCode):
    """A function in a process of its own; a context that ends it.

    Parameters
    ----------
    spec : FunctionSpec
    step : float
        Time between two questions [s].
    reference : float
        What is wanted of what the controller measures [N, m, m/s2].

    Raises
    ------
    CodeError
        If it cannot be used, fails, crashes, or does not answer in time; in one sentence that names its file.
    """

    error = CodeError

    def __init__(self, spec: FunctionSpec, step: float, reference: float) -> None:
        told = spec.model_dump(include={"file", "sha256", "function"})
        super().__init__(
            "dynamics.pantograph.control.function_process",
            f"the function {spec.function} of {spec.file}",
            spec.time_limit_s,
            {**told, "step": step, "reference": reference},
        )
