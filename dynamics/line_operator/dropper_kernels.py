"""What squeezes of droppers do to the stretches of each other, tabulated by the samples between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.fft
from numpy.typing import NDArray

from dynamics.line_operator.answers import Answers
from dynamics.line_operator.local_time import LocalTime
from dynamics.line_operator.network import LineNetwork

__all__ = ["BLOCK", "DropperKernels", "dropper_kernels"]

Floats = NDArray[np.float64]
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
    tails : float array (lag, d)
        The part of a dropper's answer to itself that lies beyond the contour [m/N].
    """

    droppers: Ints
    stretch: Singles
    tails: Floats

    def tail_stretch(self, squeeze: Floats) -> Floats:
        """Stretch beyond the contour by squeezes of all samples of these droppers (sample, d) [m]."""
        size, spectrum = self._tails_spectrum
        count = len(squeeze)
        found = scipy.fft.irfft(spectrum * scipy.fft.rfft(squeeze, size, axis=0), size, axis=0)
        return np.asarray(found[count - 1 : 2 * count - 1])

    @cached_property
    def _tails_spectrum(self) -> tuple[int, Complexes]:
        """Length of a transform that holds tails and samples, and that of the tails."""
        size = scipy.fft.next_fast_len(len(self.tails) + (len(self.tails) + 1) // 2, real=True)
        return size, scipy.fft.rfft(self.tails, size, axis=0)


def dropper_kernels(network: LineNetwork, answers: Answers, time: LocalTime, droppers: Ints) -> DropperKernels:
    """Tabulate some droppers of a line."""
    among = answers.by_droppers[:, droppers[:, None], droppers] * (answers.weight * time.hat)[:, None, None]
    stretch = 2.0 * time.running(among.reshape(len(among), -1).astype(np.complex64), time.lags).real
    stretch = stretch.reshape(len(stretch), *among.shape[1:])
    at, tails = np.arange(len(droppers)), time.tails(network, droppers)
    stretch[:, at, at] += tails
    kernels = np.zeros((len(at), len(at), BLOCK + len(stretch)), np.float32)
    kernels[:, :, BLOCK:] = stretch.transpose(2, 1, 0)
    return DropperKernels(droppers, kernels, tails)
