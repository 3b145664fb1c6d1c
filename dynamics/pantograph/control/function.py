"""A controller that is a Python function, from outside: a process with a time limit that gives a force."""

from __future__ import annotations

import json

from dynamics.pantograph.control.function_process import ASK, REQUEST, STOP, FunctionError
from dynamics.pantograph.own_process import OwnProcess
from dynamics.spec.control.function import FunctionSpec

__all__ = ["AskedFunction"]


class AskedFunction(OwnProcess):
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
    FunctionError
        If it cannot be used, fails, crashes, or does not answer in time; in one sentence that names its file.
    """

    error = FunctionError
    stop = REQUEST.pack(STOP, *(0.0,) * 6)

    def __init__(self, spec: FunctionSpec, step: float, reference: float) -> None:
        about = f"the function {spec.function} of {spec.file}"
        super().__init__("dynamics.pantograph.control.function_process", about, spec.time_limit_s)
        told = spec.model_dump(include={"file", "sha256", "function"})
        try:
            self.ask(json.dumps({**told, "step": step, "reference": reference}).encode() + b"\n")
        except FunctionError:
            self.close()
            raise

    def force(self, t: float, measured: tuple[float, float, float, float, float]) -> float:
        """Force that it commands at a time [s] by what is measured there, as `MEASURED` lists it [N]."""
        return self.ask(REQUEST.pack(ASK, t, *measured))[0]
