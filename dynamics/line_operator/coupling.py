"""How contact and slack droppers move each other: by harmonics of the contact force, at samples of droppers' time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.line_operator.answers import Answers
from dynamics.line_operator.contact import ContactSystem, station_phases
from dynamics.line_operator.local_time import BEFORE, LocalTime
from dynamics.line_operator.network import LineNetwork

__all__ = ["ContactCoupling", "contact_coupling"]

Singles = NDArray[np.float32]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]


@dataclass(frozen=True)
class ContactCoupling:
    """Stretches by harmonics of the force, and harmonics that a squeeze takes away.

    Positive harmonics alone, real and imaginary parts side by side: negative ones are conjugate to them.

    Attributes
    ----------
    samples : int
        Of a dropper's own time, a period.
    by_force, taken : float arrays (sample, dropper, harmonic)
        [m/N], [-].
    """

    samples: int
    by_force: Singles
    taken: Singles

    def at(self, time: LocalTime, t: Ints, d: Ints) -> tuple[Singles, Singles]:
        """Both at some samples of a time that may be finer (sample, harmonic).

        On finer samples they come from the nearest two. That they are near is enough: what they miss is in the
        tensions that are looked at between sweeps.
        """
        samples = round(time.contour.T / time.step)
        if samples == self.samples:
            return self.by_force[t, d], self.taken[t, d]
        place = (time.sample[t] / samples + BEFORE) * self.samples
        left = np.minimum(place.astype(np.int64), len(self.taken) - 2)
        share = (place - left).astype(np.float32)[:, None]
        by_force, taken = (x[left, d] + share * (x[left + 1, d] - x[left, d]) for x in (self.by_force, self.taken))
        return by_force.astype(np.float32), (taken * (self.samples / samples)).astype(np.float32)


def contact_coupling(system: tuple[LineNetwork, Answers, ContactSystem], time: LocalTime) -> ContactCoupling:
    """Form both at all samples; seven digits are more than samples and harmonics leave."""
    (network, a, contact), contour = system, time.contour
    K = contour.harmonics
    by_force = (a.wave * (a.weight / contour.speed)[:, None]).astype(np.complex64)
    by_squeeze = (a.wave * (a.weight * time.hat / network.period)[:, None]).astype(np.complex64)
    inverse, phases = contact.inverse[K:].T.astype(np.complex64), station_phases(network, contour).astype(np.complex64)
    droppers = a.stretch.shape[1]
    out = np.empty((2, len(time.sample), droppers, 2 * K), np.float32)
    for d in range(droppers):
        C = time.running((a.stretch[:, d].astype(np.complex64) @ phases) * by_force, time.sample)
        rise = (a.by_squeeze[:, :, d].astype(np.complex64) @ phases.conj()) * by_squeeze
        G = time.running(rise, time.sample, opposed=True)
        C, G = C + C[:, ::-1].conj(), G + G[:, ::-1].conj()
        taken = 2.0 * G[:, contact.varying] @ inverse
        out[0, :, d] = np.hstack([C[:, K + 1 :].real, C[:, K + 1 :].imag])
        out[1, :, d] = np.hstack([taken.real, -taken.imag])
    return ContactCoupling(round(contour.T / time.step), out[0], out[1])
