r"""A dropper's own time: samples, and series on them from a contour's frequencies.

Time is 0 as the pantograph passes the first support of the dropper's own span. On the ring omega_n = (n + 1/2) h - i y0
a series comes by FFT over M samples around the ring, poles one by one.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.fft
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.line_operator.answers import Answers, Contour
from dynamics.line_operator.isolated import isolated_stretch
from dynamics.line_operator.network import LineNetwork

__all__ = ["LocalTime", "squeeze_spectrum", "waves_at"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Singles = NDArray[np.complex64]
Complexes = NDArray[np.complexfloating[Any, Any]]

AFTER = 1.7  # periods that are looked at, from `Contour.before` on
TAIL = 10  # times as far as the contour: a dropper between endless wires


class LocalTime:
    """Samples of a dropper's own time.

    Attributes
    ----------
    step : float
        [s].
    sample : int array (sample,)
        Numbers, 0 at time 0, from `Contour.before` periods to `AFTER`.
    """

    def __init__(self, contour: Contour, samples: int, answers: Answers) -> None:
        self.contour, self.answers = contour, answers
        self.step, self.around = contour.T / samples, contour.images * samples
        self.sample = np.arange(-round(contour.before * samples), round(AFTER * samples) + 1)
        self.poles = answers.omega[answers.ring :]
        self._of_poles: dict[tuple[int, int, bool], Complexes] = {}

    @property
    def time(self) -> Floats:
        """Of every sample (sample,) [s]."""
        return np.asarray(self.sample * self.step, dtype=np.float64)

    @property
    def lags(self) -> Ints:
        """Samples from one to another (2 sample - 1,)."""
        return np.arange(1 - len(self.sample), len(self.sample))

    @cached_property
    def hat(self) -> Complexes:
        """Fourier transform of a hat function of one sample, at all frequencies (omega,) [s]."""
        return squeeze_spectrum(self.answers.omega, self.step, False)

    @cached_property
    def cubic(self) -> Complexes:
        """The same of the cubic of a sample (omega,) [s]."""
        return squeeze_spectrum(self.answers.omega, self.step, True)

    def _pole_waves(self, sample: Ints, opposed: bool = False) -> Complexes:
        """exp(i omega t), or exp(-i omega t), of the poles at consecutive samples (sample, pole), kept."""
        key = int(sample[0]), len(sample), opposed
        if key not in self._of_poles:
            sign = -1j if opposed else 1j
            first = np.exp(sign * sample[0] * self.step * self.poles)
            self._of_poles[key] = _running_waves(first, np.exp(sign * self.step * self.poles), len(sample))
        return self._of_poles[key]

    def _turn(self, sample: Ints, opposed: bool = False) -> Complexes:
        """exp(i omega_0 t), or exp(-i omega_0 t), of the ring's first frequency at samples (sample,)."""
        sign = -1.0 if opposed else 1.0
        return np.asarray(np.exp(sign * (1j * np.pi / self.around + self.contour.depth * self.step) * sample))

    def series(self, values: Complexes, sample: Ints) -> Floats:
        """Sum of values (omega, ...) times exp(i omega t) and its mirror image at consecutive samples (sample, ...)."""
        ring, M = self.answers.ring, self.around
        flat = values.reshape(len(values), -1)
        whole = scipy.fft.ifft(_folded(flat[:ring], M), axis=0, norm="forward")[sample % M]
        out = 2.0 * (whole * self._turn(sample)[:, None] + self._pole_waves(sample) @ flat[ring:]).real
        return out.reshape(len(sample), *values.shape[1:])

    def running(self, values: Singles, sample: Ints) -> Singles:
        """Sum of values (omega, column) times exp(i omega t) at consecutive samples (sample, column)."""
        ring, M = self.answers.ring, self.around
        whole = scipy.fft.ifft(_folded(values[:ring], M), axis=0, norm="forward")[sample % M]
        whole = whole * self._turn(sample).astype(np.complex64)[:, None]
        whole += self._pole_waves(sample).astype(np.complex64) @ values[ring:]
        return np.asarray(whole, dtype=np.complex64)

    def of_pairs(self, values: Singles, sample: Ints, opposed: bool = False) -> Singles:
        """Sum of values of harmonics (omega, column, -K to K) times exp(i omega t), or exp(-i omega t), and its image.

        The mirror image of a harmonic is one of the opposite harmonic's: those above 0 are enough (sample, column, K),
        each summed over both sides of the ring.
        """
        ring, M, K = self.answers.ring, self.around, values.shape[2] // 2
        own, image = values[:, :, K + 1 :], values[:, :, K - 1 :: -1].conj()
        both = np.zeros((M, values.shape[1], K), np.complex64)
        for start in range(0, ring, M):
            end = min(start + M, ring)
            both[: end - start] += own[start:end]
            both[::-1][: end - start] += image[start:end]  # frequencies -1 - n of the ring
        both = both.reshape(M, -1)
        found = scipy.fft.fft(both, axis=0) if opposed else scipy.fft.ifft(both, axis=0, norm="forward")
        found = found[sample % M] * self._turn(sample, opposed).astype(np.complex64)[:, None]
        waves = self._pole_waves(sample, opposed).astype(np.complex64)
        of_poles = np.concatenate([own[ring:], image[ring:]]).reshape(-1, found.shape[1])
        found += np.hstack([waves, waves.conj()]) @ of_poles
        return found.reshape(len(sample), -1, K)

    def spectrum(self, squeeze: Floats, smooth: bool = True) -> Complexes:
        """Fourier transform of cubics, or hats, of sizes (sample, dropper): (omega, dropper) [N s]."""
        M, sample = self.around, self.sample
        one = self.cubic if smooth else self.hat
        folded = np.zeros((M, squeeze.shape[1]), np.complex128)
        folded[sample % M] = squeeze * self._turn(sample, True)[:, None]  # fewer periods than the ring has
        ring = scipy.fft.fft(folded, axis=0)[np.arange(self.answers.ring) % M]
        return one[:, None] * np.concatenate([ring, self._pole_waves(sample, True).T @ squeeze])

    def tails(self, network: LineNetwork, droppers: Ints) -> Floats:
        """What droppers between endless wires answer to their own hats beyond the contour (lag, dropper) [m/N]."""
        return self.beyond(isolated_stretch(network, droppers, self.far))

    @property
    def far(self) -> Complexes:
        """Frequencies beyond the contour's end (omega,) [rad/s]."""
        return self.contour.frequencies(self.answers.ring, TAIL * self.answers.ring)

    def beyond(self, values: Complexes) -> Floats:
        """Answers at all lags to hats by those at frequencies beyond the contour's end (lag, column)."""
        M, contour, lags = self.around, self.contour, self.lags
        hat = squeeze_spectrum(self.far, self.step, False) / (contour.images * contour.T)
        first, end = self.answers.ring, TAIL * self.answers.ring
        values, folded = hat[:, None] * values, np.zeros((M, values.shape[1]), np.complex128)
        for start in range(0, end, M):
            low, high = max(start, first), min(start + M, end)
            if low < high:
                folded[low - start : high - start] += values[low - first : high - first]
        return 2.0 * (scipy.fft.ifft(folded, axis=0, norm="forward")[lags % M] * self._turn(lags)[:, None]).real


def waves_at(contour: Contour, time: Floats, others: Complexes) -> Complexes:
    """exp(i omega t) at times [s] (time, omega): frequencies of the ring, then others."""
    first = np.exp(1j * (0.5 * contour.step - 1j * contour.depth) * time)
    ring = _running_waves(first, np.exp(1j * contour.step * time), contour.count)
    return np.hstack([ring.T, np.exp(1j * np.outer(time, others))])


def squeeze_spectrum(omega: Complexes, step: float, smooth: bool) -> Complexes:
    """Fourier transform of a hat of one sample, or of its cubic, which keeps parabolas (omega,) [s].

    Keys 1981, eq. 15; ``step`` is that of the samples [s].
    """
    if not smooth:
        part = 0.5 * omega * step
        return np.asarray(step * (np.sin(part) / part) ** 2, dtype=np.complex128)
    w = omega * step
    half, whole = (np.sin(0.5 * w) / (0.5 * w)) ** 2, np.sin(w) / w
    cubic = 12.0 * (half - whole) - 4.0 * (3.0 * whole**2 - 2.0 * whole - np.sin(2.0 * w) / (2.0 * w))
    small = np.abs(w) < 0.05  # where the quotient loses its digits
    return np.asarray(step * np.where(small, 1.0, cubic / w**2), dtype=np.complex128)


def _folded(values: Complexes, around: int) -> Complexes:
    """Values (omega, column) by their places on a ring of so many samples."""
    out = np.zeros((around, values.shape[1]), values.dtype)
    for start in range(0, len(values), around):
        part = values[start : start + around]
        out[: len(part)] += part
    return out


@kernel(error_model="numpy")
def _running_waves(first: Complexes, turn: Complexes, count: int) -> Complexes:
    """First values (wave,) and those after one turn, two turns, ... by products (turn, wave)."""
    out, now = np.empty((count, first.size), np.complex128), first.copy()
    for row in range(count):
        for p in range(first.size):
            out[row, p] = now[p]
            now[p] *= turn[p]
    return out
