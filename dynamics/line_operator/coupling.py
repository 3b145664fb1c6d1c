"""How contact and slack droppers move each other: by harmonics of the contact force, at samples of droppers' time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.line_operator.answers import Answers
from dynamics.line_operator.contact import ContactSystem, station_phases
from dynamics.line_operator.local_time import LocalTime
from dynamics.line_operator.network import LineNetwork

__all__ = ["ContactCoupling", "answering", "contact_coupling"]

Singles = NDArray[np.float32]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]


@dataclass(frozen=True)
class ContactCoupling:
    """Stretches by harmonics of the forces, and harmonics that a squeeze takes away.

    Positive harmonics alone, since negative ones are conjugate to them, one pantograph's behind another's: real and
    imaginary part of every number next to each other, of what is taken the imaginary part negative.

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
        place = (time.sample[t] / samples + time.contour.before) * self.samples
        left = np.minimum(place.astype(np.int64), len(self.taken) - 2)
        share = (place - left).astype(np.float32)
        scale = np.float32(self.samples / samples)
        return _between(self.by_force, left, d, share, np.float32(1.0)), _between(self.taken, left, d, share, scale)


@kernel(error_model="numpy", nogil=True, fastmath={"contract", "nsz"})
def _between(values: Singles, left: Ints, d: Ints, share: Singles, scale: float) -> Singles:
    """Values (sample, dropper, harmonic) between two samples, times ``scale`` (unknown, harmonic)."""
    out = np.empty((left.size, values.shape[2]), np.float32)
    for a in range(left.size):
        here, there = values[left[a], d[a]], values[left[a] + 1, d[a]]
        low, high = scale * (np.float32(1.0) - share[a]), scale * share[a]
        for k in range(here.size):
            out[a, k] = low * here[k] + high * there[k]
    return out


def contact_coupling(system: tuple[LineNetwork, Answers, ContactSystem], time: LocalTime) -> ContactCoupling:
    """Form both at all samples; seven digits are more than samples and harmonics leave."""
    (network, a, contact), contour = system, time.contour
    K, count = contour.harmonics * contour.pantographs, a.stretch.shape[1]
    varying = np.flatnonzero(contact.varying)
    pairs = np.concatenate([varying[contact.above], varying[contact.below]])
    phases = np.ascontiguousarray(station_phases(network, contour)[:, pairs], np.complex64)
    by_force = (a.wave[:, pairs] * (a.weight / contour.speed)[:, None]).astype(np.complex64)
    by_squeeze = (a.seen[:, pairs] * (a.weight * time.hat / network.period)[:, None]).astype(np.complex64)
    stretch = np.ascontiguousarray(a.stretch.transpose(1, 0, 2), np.complex64)
    lifts = np.ascontiguousarray(a.by_squeeze.transpose(2, 0, 1), np.complex64)
    C = time.of_pairs(stretch, phases, by_force, time.sample)
    G = time.of_pairs(lifts, phases.conj(), by_squeeze, time.sample, opposed=True)
    taken = _side_by_side(G).reshape(-1, 2 * K) @ answering(contact)
    return ContactCoupling(round(contour.T / time.step), _side_by_side(C), taken.reshape(len(G), count, 2 * K))


def _side_by_side(values: NDArray[np.complex64]) -> Singles:
    """Real and imaginary part of every number next to each other (..., 2 harmonic)."""
    return np.ascontiguousarray(values).view(np.float32)


def answering(contact: ContactSystem) -> Singles:
    """Twice what the contact's equations answer to harmonics above 0, which act together with their conjugate images.

    From real and imaginary parts side by side to such ones (2 harmonic, 2 harmonic).
    """
    rows = contact.inverse[contact.above]
    own, image, K = rows[:, contact.above], rows[:, contact.below], len(rows)
    out = np.empty((K, 2, K, 2))
    out[:, 0, :, 0], out[:, 1, :, 0] = (own + image).real.T, (image - own).imag.T
    out[:, 0, :, 1], out[:, 1, :, 1] = -(own + image).imag.T, (image - own).real.T
    return (2.0 * out).reshape(2 * K, 2 * K).astype(np.float32)
