"""How a solution ended, each outcome with its sentence."""

from __future__ import annotations

from enum import Enum

__all__ = ["Status"]


class Status(Enum):
    """Outcome of a solver; anything but OK is recorded with its message and never given a made-up number."""

    OK = "ok"
    EQUILIBRIUM_FAILED = "form-finding did not converge"
    STATIC_SLACK = "a dropper is slack at rest"
    NOT_CONVERGED = "the steady state was not reached within the allowed number of spans"
    MEAN_FORCE_NOT_HELD = "the mean contact force could not be held"
    DIVERGED = "the time integration produced a number that is not finite"
