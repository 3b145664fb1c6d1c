"""What checks read of a case, which imports them."""

from __future__ import annotations

from typing import Protocol

from catenary.spec.line import CatenarySpec
from dynamics.spec.pantograph import PantographSpec
from dynamics.spec.solver import OpenLineSpec, PeriodicSpec
from dynamics.spec.train import BaseMotionSpec

__all__ = ["CheckedCase"]


class CheckedCase(Protocol):
    """A case as its checks read it: `dynamics.spec.case.CaseSpec`."""

    @property
    def catenary(self) -> CatenarySpec:
        """Line as it was given."""
        ...

    @property
    def line(self) -> CatenarySpec:
        """Line with every span and dropper of its period named."""
        ...

    @property
    def pantograph(self) -> PantographSpec:
        """Pantograph, the same for a whole train."""
        ...

    @property
    def solver(self) -> str:
        """Name of the solver."""
        ...

    @property
    def seeks_steady_state(self) -> bool:
        """Whether the state that repeats from period to period is wanted."""
        ...

    @property
    def on_open_line(self) -> bool:
        """Whether an open line is run."""
        ...

    @property
    def periodic(self) -> PeriodicSpec:
        """Settings of a steady state."""
        ...

    @property
    def open_line(self) -> OpenLineSpec:
        """Settings of an open line."""
        ...

    @property
    def base_motion(self) -> BaseMotionSpec | None:
        """Motion of the pantograph's base."""
        ...

    @property
    def speed(self) -> float:
        """Train speed [m/s]."""
        ...

    @property
    def distances(self) -> tuple[float, ...]:
        """Of every pantograph behind the leading one, its own 0 first [m]."""
        ...

    @property
    def slack_damping(self) -> str:
        """What damping a slack dropper keeps."""
        ...

    @property
    def run_fmu(self) -> bool:
        """Whether an FMU may run."""
        ...

    @property
    def run_python(self) -> bool:
        """Whether a function of the user's may run."""
        ...
