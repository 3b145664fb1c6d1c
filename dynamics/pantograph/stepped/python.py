"""A pantograph that is a Python class of the user's, from outside."""

from __future__ import annotations

from dynamics.pantograph.stepped.device import SteppedDevice
from dynamics.pantograph.user_code import CodeError
from dynamics.spec.mechanics.stepped import PythonModelSpec

__all__ = ["PythonDevice"]


class PythonDevice(SteppedDevice):
    """A class in a process of its own; a context that ends it.

    Parameters
    ----------
    spec : PythonModelSpec
    applied_force : float
        [N].

    Raises
    ------
    CodeError
        If it cannot be used, fails, crashes, or does not answer in time; in one sentence that names its file.
    """

    error = CodeError
    to_check = "force and head of the class"

    def __init__(self, spec: PythonModelSpec, applied_force: float) -> None:
        told = spec.model_dump(include={"file", "sha256", "model", "parameters"})
        about = f"the class {spec.model} of {spec.file}"
        super().__init__(
            "dynamics.pantograph.stepped.python_process", about, spec, {**told, "applied_force": applied_force}
        )
