"""State of a travelling window, and what one passage of a cell recorded."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynamics.travelling_window.layout import Motion

__all__ = ["SpanRecord", "WindowState"]

# a march beyond these [N, m] has run away, finite as its numbers may still be
LARGEST_FORCE, LARGEST_HEIGHT = 1.0e6, 20.0


@dataclass
class WindowState:
    """State of line and pantographs when the leading one stands at a support.

    Attributes
    ----------
    u, a, s : float array (dof, span + 1)
        Displacement [m], (2/dt) times momentum, and elastic force [N]; the last column holds the closing support.
    z, z_dot : float array (pantograph, mass)
        Heights [m] and velocities [m/s]; of a head that rolls its roll [rad] and rate last.
    applied_forces : float array (pantograph,)
        [N].
    control : float array (pantograph, memory)
        Memories of controllers; without any there is nothing to remember.
    """

    u: NDArray[np.float64]
    a: NDArray[np.float64]
    s: NDArray[np.float64]
    z: NDArray[np.float64]
    z_dot: NDArray[np.float64]
    applied_forces: NDArray[np.float64]
    control: NDArray[np.float64]

    def copy(self) -> WindowState:
        """Copy every array."""
        return replace(
            self,
            u=self.u.copy(),
            a=self.a.copy(),
            s=self.s.copy(),
            z=self.z.copy(),
            z_dot=self.z_dot.copy(),
            applied_forces=self.applied_forces.copy(),
            control=self.control.copy(),
        )


@dataclass(frozen=True)
class SpanRecord:
    """What one passage of a span recorded, at the end of every step.

    Attributes
    ----------
    forces, heights, heads, rolls, pitches : float array (pantograph, step)
        Contact forces [N], contact-wire heights at the contact points, the mean of a head's [m], head heights [m], and
        roll, in the sense of the leading one's cell, and pitch of heads that have it [rad].
    strip_forces : float array (pantograph, strip, step)
        Forces of all strips [N].
    uplift : float array (step, support, column)
        Displacement of the contact wire at the supports of a cell, in every cell of the window [m]; the last column
        holds the support that closes it.
    dropper_force : float array (step, dropper)
        Forces of the droppers of the span that the leading pantograph passes [N].
    slack_steps : int array (dropper, span)
        Steps that each dropper of the window ended slack.
    motion : Motion
        All that moved, where it was asked for.
    controls : float array (pantograph, step)
        Control forces [N]; without steps where there is no controller.
    every_dropper : float array (step, dropper, span)
        Forces of all droppers of the window [N]; without steps where they are not asked for.
    sweeps : int
        Largest number of Gauss-Seidel sweeps of a step.
    """

    forces: NDArray[np.float64]
    heights: NDArray[np.float64]
    heads: NDArray[np.float64]
    rolls: NDArray[np.float64]
    pitches: NDArray[np.float64]
    strip_forces: NDArray[np.float64]
    uplift: NDArray[np.float64]
    dropper_force: NDArray[np.float64]
    slack_steps: NDArray[np.int64]
    motion: Motion
    controls: NDArray[np.float64]
    every_dropper: NDArray[np.float64]
    sweeps: int

    @property
    def force(self) -> NDArray[np.float64]:
        """Contact force of the leading pantograph (step,) [N]."""
        return self.forces[0]

    @property
    def height(self) -> NDArray[np.float64]:
        """Contact-wire height at the leading pantograph (step,) [m]."""
        return self.heights[0]

    @property
    def head(self) -> NDArray[np.float64]:
        """Height of the leading pantograph's head (step,) [m]."""
        return self.heads[0]

    @property
    def ran_away(self) -> bool:
        """Whether force or wire left every physical bound, or are not numbers: what follows means nothing."""
        held = np.abs(self.forces).max() < LARGEST_FORCE and np.abs(self.heights).max() < LARGEST_HEIGHT
        return not (held and np.abs(self.uplift).max() < LARGEST_HEIGHT)
