"""A controller that is an FMU, from outside: a process with a time limit that gives a force."""

from __future__ import annotations

from dynamics.pantograph.control.asked import MEASURED, AskedCode
from dynamics.pantograph.fmu.archive import FmuError
from dynamics.spec.control.fmu import FmuControlSpec

__all__ = ["AskedFmu"]


class AskedFmu(AskedCode):
    """An FMU in a process of its own; a context that ends it.

    Parameters
    ----------
    spec : FmuControlSpec
    step : float
        Time between two questions [s].
    reference : float
        What is wanted of what the controller measures [N, m, m/s2].

    Raises
    ------
    FmuError
        If it cannot be used, fails, crashes, or does not answer in time; in one sentence that names its file.
    """

    error = FmuError

    def __init__(self, spec: FmuControlSpec, step: float, reference: float) -> None:
        told = spec.model_dump(include={"file", "sha256", "command"})
        values = spec.parameters if spec.reference is None else {**spec.parameters, spec.reference: reference}
        inputs = [getattr(spec, name) for name in MEASURED]
        super().__init__(
            "dynamics.pantograph.control.fmu_process",
            f"the FMU {spec.file}",
            spec.time_limit_s,
            {**told, "values": values, "inputs": inputs, "step": step},
        )
