"""A pantograph that is an FMU, from outside."""

from __future__ import annotations

from dynamics.pantograph.fmu.archive import FmuError
from dynamics.pantograph.stepped.device import SteppedDevice
from dynamics.spec.mechanics.stepped import FmuSpec

__all__ = ["FmuDevice"]


class FmuDevice(SteppedDevice):
    """An FMU in a process of its own; a context that ends it.

    Parameters
    ----------
    spec : FmuSpec
    applied_force : float
        [N].

    Raises
    ------
    FmuError
        If it cannot be used, fails, crashes, or does not answer in time; in one sentence that names its file.
    """

    error = FmuError
    to_check = "fmu.force and fmu.height"

    def __init__(self, spec: FmuSpec, applied_force: float) -> None:
        told = spec.model_dump(include={"file", "sha256", "force", "height", "velocity"})
        told["values"] = {**spec.parameters, spec.applied: applied_force}
        super().__init__("dynamics.pantograph.fmu.process", f"the FMU {spec.file}", spec, told)
