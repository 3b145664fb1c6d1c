r"""Contact that is lost: a complementarity in time.

With g(t) >= 0 the gap between head and wire, contact force and gap of the equations of `dynamics.line_operator.contact`

    f_k / k_c + C_p f_k + sum_j H_kj f_j - g_k = -z0_k - (what slack droppers add)_k,      f(t) >= 0,  f g = 0,

at as many instants, evenly over a period, as the force has harmonics. Where contact is lost the equations stay linear:
the force is zero there, and the gap whatever it needs for that. Harmonics then answer by the inverse of

    [ M  -E' ] [ f ]   [ right ]         M of all harmonics but the mean, E the instants that are lost,
    [ E   0  ] [ g ] = [ -mean ]         E' the harmonics of a gap at one instant.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.line_operator.contact import ContactSystem

__all__ = ["Opening", "UnilateralContact"]

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Bools = NDArray[np.bool_]
Complexes = NDArray[np.complexfloating[Any, Any]]

PULLS = 1.0e-6  # N: as little a negative force is rounding
TRIALS, PATIENT = 100, 20  # of sets of instants; from then on one instant changes at a time


@dataclass(frozen=True)
class Opening:
    """How instants of lost contact change what a squeeze of a dropper takes from the force.

    Attributes
    ----------
    seen : float array (lost, harmonic)
        Force at lost instants by positive harmonics, real and imaginary part of every number next to each other.
    closed : float array (lost, harmonic)
        Harmonics that a force at a lost instant is taken away by, likewise, the imaginary parts negative.
    """

    seen: Singles
    closed: Singles

    def taken(self, without: Singles) -> Singles:
        """What squeezes take away, by what they would where contact is kept (unknown, harmonic)."""
        return np.asarray(without - (without @ self.seen.T) @ self.closed, dtype=np.float32)


class UnilateralContact:
    """A contact that cannot pull.

    Parameters
    ----------
    kept : ContactSystem
        Equations of a contact that is never lost.

    Attributes
    ----------
    system : ContactSystem
        Equations of the force that was last asked for.
    opening : Opening or None
        None where contact is kept.
    found : bool
        Whether a set of lost instants was found that fits.
    held : bool
        Whether the contact pulls for now.
    """

    def __init__(self, kept: ContactSystem) -> None:
        self.kept = self.system = kept
        self.opening: Opening | None = None
        self.found, self.held = True, False
        K, P = kept.harmonics, len(kept.mean)
        count = 2 * K + 1
        one = np.exp(2j * np.pi / count * np.outer(np.arange(count), np.arange(-K, K + 1)))
        self._waves: Complexes = np.asarray(one if P == 1 else np.kron(np.eye(P), one), dtype=np.complex128)
        self._owner = np.repeat(np.eye(P), count, axis=0)

    def force(self, lifted: Complexes) -> Complexes:
        """Harmonics of the contact force [N] where something else lifts the wire (harmonic,) [m]."""
        force = self.kept.force(lifted)
        pressed = np.asarray((self._waves @ force).real, dtype=np.float64)
        if self.held or pressed.min() >= 0.0:
            self.system, self.opening, self.found = self.kept, None, True
            return force
        lost = self._lost(pressed)
        if not np.array_equal(lost, self.system.lost):
            self._open(lost)
        return self.system.force(lifted)

    def release(self, force: Complexes) -> bool:
        """Let the contact pull no longer; whether the force of one that pulls does (harmonic,) [N]."""
        held, self.held = self.held, False
        return held and bool((self._waves @ force).real.min() < 0.0)

    def gap(self, lifted: Complexes) -> Floats:
        """Gap between head and wire (instant,) [m]."""
        lost, out = self.system.lost, np.zeros(len(self._waves))
        if lost.any():
            pressed = (self._waves[lost] @ self.kept.force(lifted)).real
            out[lost] = np.linalg.solve(self._by_gap[np.ix_(lost, lost)], -pressed)
        return out

    @cached_property
    def _of_gap(self) -> Complexes:
        """Harmonics of the force but the mean by a gap at an instant (harmonic - 1, instant) [N/m]."""
        varying = self.kept.varying
        count = len(varying) // len(self.kept.mean)
        return np.asarray(self.kept.inverse @ self._waves[:, varying].conj().T / count)

    @cached_property
    def _by_gap(self) -> Floats:
        """Force at an instant by a gap at another one (instant, instant) [N/m]."""
        return np.asarray((self._waves[:, self.kept.varying] @ self._of_gap).real, dtype=np.float64)

    def _lost(self, pressed: Floats) -> Bools:
        """Instants at which contact is lost, by the force of a contact that pulls (instant,) [N]."""
        lost = pressed < 0.0
        for trial in range(TRIALS):
            gap = np.zeros(len(pressed))
            gap[lost] = np.linalg.solve(self._by_gap[np.ix_(lost, lost)], -pressed[lost])
            force = pressed + self._by_gap @ gap
            wanted = np.where(lost, gap > 0.0, force < -PULLS)
            changed = np.flatnonzero(wanted != lost)
            self.found = len(changed) == 0
            if self.found:
                break
            # all at once settles in a few trials; one at a time cannot go round in circles
            changed = changed if trial < PATIENT else changed[-1:]
            lost[changed] = wanted[changed]
        return lost

    def _open(self, lost: Bools) -> None:
        """Form the equations with contact lost at some instants."""
        kept, varying = self.kept, self.kept.varying
        own = np.linalg.inv(self._by_gap[np.ix_(lost, lost)])
        closed = self._of_gap[:, lost] @ own
        inverse = kept.inverse - closed @ (self._waves[np.ix_(lost, varying)] @ kept.inverse)
        opened = -closed @ self._owner[lost]
        self.system = replace(kept, inverse=inverse, opened=opened, lost=lost)
        above = kept.above
        seen, ahead = self._waves[np.ix_(lost, np.flatnonzero(varying)[above])], 2.0 * closed[above].T
        # the sweep's order: a product with cosines and sines is the real part of a sum over positive harmonics
        self.opening = Opening(_conjugate_parts(seen.conj()), _conjugate_parts(ahead))


def _conjugate_parts(values: Complexes) -> Singles:
    """Real and negative imaginary part of every number next to each other (..., 2 harmonic)."""
    return np.ascontiguousarray(values.conj().astype(np.complex64)).view(np.float32)
