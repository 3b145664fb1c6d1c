"""What squeezes of droppers do to the stretches of each other, tabulated by the samples between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.fft
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.line_operator.answers import Answers
from dynamics.line_operator.local_time import LocalTime
from dynamics.line_operator.ring import OPTIONS

__all__ = ["BLOCK", "DropperKernels", "dropper_kernels"]

Singles = NDArray[np.float32]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]

BLOCK = 8  # samples of one dropper whose changes are passed on together


@dataclass(frozen=True)
class DropperKernels:
    """Stretches by unit hats.

    Attributes
    ----------
    droppers : int array (d,)
        Those that are tabulated.
    stretch : float array (d, d, BLOCK + lag)
        Stretch of the second by a hat of the first [m/N], `BLOCK` zeros before.
    """

    droppers: Ints
    stretch: Singles


def dropper_kernels(answers: Answers, time: LocalTime, droppers: Ints, ends: Complexes) -> DropperKernels:
    """Tabulate some droppers of a line.

    Parameters
    ----------
    answers : Answers
    time : LocalTime
    droppers : int array (d,)
    ends : complex array (M, dropper)
        What every dropper answers to its own hats beyond the contour, by places on the ring [m/N].
    """
    columns, poles, lags = len(droppers) ** 2, len(time.poles), time.lags
    rings = np.zeros(((columns + 1) // 2, time.around), np.complex64)
    of_poles = np.empty((columns, poles), np.complex64)
    _lay_out(answers.by_droppers, 2.0 * answers.weight * time.hat, droppers, 2.0 * ends, rings, of_poles)
    rings = scipy.fft.ifft(rings, axis=1, norm="forward", overwrite_x=True)
    by_poles = of_poles.view(np.float32) @ time.pole_waves(lags).astype(np.complex64).view(np.float32).T
    stretch = np.empty((columns, BLOCK + len(lags)), np.float32)
    _part(rings, by_poles, lags % time.around, time.turn(lags).astype(np.complex64), stretch)
    return DropperKernels(droppers, stretch.reshape(len(droppers), len(droppers), -1))


@kernel(**OPTIONS)
def _lay_out(answers, factors, droppers, ends, rings, poles):
    """Lay answers times half of their factors, and mirror images, out on rings (pair, M); conjugate ones of poles."""
    count, M = answers.shape[0] - poles.shape[1], rings.shape[1]
    for one in range(droppers.size):
        for other in range(droppers.size):
            c = one * droppers.size + other
            ring, way = rings[c // 2], np.complex64(1.0 if c % 2 == 0 else 1j)
            for n in range(count):
                own = np.complex64(0.5 * factors[n] * answers[n, droppers[other], droppers[one]])
                ring[n % M] += way * own
                ring[M - 1 - n % M] += way * np.conj(own)
            if one == other:
                for m in range(M):
                    own = np.complex64(0.5 * ends[m, droppers[one]])
                    ring[m] += way * own
                    ring[M - 1 - m] += way * np.conj(own)
            for p in range(poles.shape[1]):
                poles[c, p] = np.conj(factors[count + p] * answers[count + p, droppers[other], droppers[one]])


@kernel(**OPTIONS)
def _part(rings, others, place, turn, out):
    """Fill in real series, two to a ring (pair, M), at places, turned, and others (column, lag), behind zeros."""
    for c in range(out.shape[0]):
        ring, row, other = rings[c // 2], out[c, BLOCK:], others[c]
        out[c, :BLOCK] = 0.0
        for t in range(place.size):
            found = turn[t] * ring[place[t]]
            row[t] = other[t] + (found.real if c % 2 == 0 else found.imag)
