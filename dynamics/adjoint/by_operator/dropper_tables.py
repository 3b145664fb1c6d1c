r"""What the equations of slack droppers need of a line at all frequencies, the same on any samples.

What a sample gets of harmonic k is a sum over frequencies of positive real part and over their mirror images,

    sum w F_k + conj(w F_-k) = sum Re(w) (F_k + conj F_-k) + Im(w) i (F_k - conj F_-k),

w the sample's wave: products of real numbers, half as many as those of F_k and F_-k by themselves.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.line_operator.contact import fields_at, station_phases
from dynamics.line_operator.isolated import isolated_slopes
from dynamics.line_operator.state import OperatorState

__all__ = ["DropperTables", "parted"]

Reals = NDArray[np.float32]
Complexes = NDArray[np.complexfloating[Any, Any]]


class DropperTables:
    """Tables of a state's droppers, formed once for all stages.

    Attributes
    ----------
    phases : complex array (station, contact)
        exp(i omega_k x_s / v) (station, contact).
    """

    def __init__(self, state: OperatorState) -> None:
        self._state = state
        self.phases = station_phases(state.network, state.contour)

    @cached_property
    def by_force(self) -> Reals:
        """Stretches by harmonics of the forces, for `parted` waves (dropper, part and omega, contact and part).

        Harmonics 0 to K of every pantograph.
        """
        a = self._state.answers
        field = a.wave * (a.weight / self._state.contour.speed)[:, None]
        return self._for_parts(a.stretch.transpose(1, 0, 2), self.phases, field)

    @cached_property
    def by_squeeze(self) -> Reals:
        """Rises of the wire under the pantographs by squeezes, likewise."""
        a = self._state.answers
        field = a.seen * (a.weight / self._state.network.period)[:, None]
        return self._for_parts(a.by_squeeze.transpose(2, 0, 1), self.phases.conj(), field)

    @cached_property
    def far(self) -> Complexes:
        """Answers of droppers between endless wires beyond the contour's end (6, omega, dropper), `isolated_slopes`."""
        network = self._state.network
        return isolated_slopes(network, np.arange(len(network.points.dropper)), self._state.local.far)

    def _for_parts(self, of_stations: Complexes, phases: Complexes, field: Complexes) -> Reals:
        """What `parted` waves are multiplied with: sums over stations (dropper, omega, station), times a field.

        Single precision is enough: the multipliers' equations are refined, and 1e-7 of C and G is lost.
        """
        whole = fields_at(of_stations.astype(np.complex64), phases.astype(np.complex64))
        return _split(whole, field.astype(np.complex64), self._state.contour.pantographs)


def parted(waves: Complexes) -> Reals:
    """Real parts of waves (row, omega), then their imaginary parts (row, part and omega)."""
    return np.hstack([waves.real, waves.imag], dtype=np.float32, casting="same_kind")


@kernel(error_model="numpy", nogil=True, fastmath={"contract", "nsz"})
def _split(whole: Complexes, field: Complexes, pantographs: int) -> Reals:
    """F_k + conj F_-k, then i (F_k - conj F_-k), real and imaginary part of every number next to each other."""
    droppers, count, contacts = whole.shape
    K = contacts // (2 * pantographs)
    out = np.empty((droppers, 2 * count, pantographs * (2 * K + 2)), np.float32)
    for d in range(droppers):
        for n in range(count):
            for p in range(pantographs):
                mean, first = p * (2 * K + 1) + K, p * (2 * K + 2)
                for k in range(K + 1):
                    above, below, j = mean + k, mean - k, first + 2 * k
                    ahead, behind = whole[d, n, above] * field[n, above], whole[d, n, below] * field[n, below]
                    out[d, n, j], out[d, n, j + 1] = ahead.real + behind.real, ahead.imag - behind.imag
                    out[d, count + n, j] = -(ahead.imag + behind.imag)
                    out[d, count + n, j + 1] = ahead.real - behind.real
    return out
