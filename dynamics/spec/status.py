"""How a solution ended, each outcome with its sentence."""

from __future__ import annotations

from enum import Enum

__all__ = ["Status"]


class Status(Enum):
    """Outcome of a solver; a failure is recorded with its message and never given a made-up number.

    NOT_PERIODIC is not a failure: no state repeats from span to span, and the figures are those of a long march.
    """

    OK = "ok"
    EQUILIBRIUM_FAILED = "form-finding did not converge"
    STATIC_SLACK = "a dropper is slack at rest"
    NO_ROOM = "the messenger wire hangs too low for a dropper"
    STEEP_ARM = "a steady arm stands upright"
    PUSHED_ARM = "a steady arm would buckle"
    BLOWN_OFF = "the wind blows the contact wire off the head"
    SLOW_WAVES = "the train is too fast for waves on the contact wire"
    NOT_PERIODIC = "not_periodic"
    NOT_SOLVED = "the line's operator found no steady state, and none is marched to with damping by component"
    MEAN_FORCE_NOT_HELD = "the mean contact force could not be held"
    STEP_NOT_CONVERGED = "a time step did not converge"
    DEVICE_FAILED = "code of the pantograph failed"
    DIVERGED = "the time integration ran away: the line is unstable at rest, or the step too long for it"

    @property
    def has_figures(self) -> bool:
        """Whether a solution that ended so has statistics."""
        return self in (Status.OK, Status.NOT_PERIODIC)
