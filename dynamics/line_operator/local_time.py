r"""A dropper's own time: samples, and series on them from a contour's frequencies.

Time is 0 as the first pantograph passes the dropper. On the ring, omega_n = (n + 1/2) h
- i y0, a series comes by FFT over M samples around it, poles one by one.
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
from dynamics.line_operator.ring import at_samples, both_sides, laid_out, paired, parted, spectra

__all__ = ["LocalTime", "squeeze_spectrum", "waves_at"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Singles = NDArray[np.complex64]
Complexes = NDArray[np.complexfloating[Any, Any]]

AFTER = 0.5  # periods that are looked at behind those in which slack is sought
TAIL = 10  # times as far as the contour: a dropper between endless wires


class LocalTime:
    """Samples of a dropper's own time.

    Attributes
    ----------
    step : float
        [s].
    sample : int array (sample,)
        Numbers, 0 at time 0, from `Contour.before` periods before the first pantograph to `Contour.behind` and `AFTER`
        behind the last one.
    """

    def __init__(self, contour: Contour, samples: int, answers: Answers) -> None:
        self.contour, self.answers = contour, answers
        self.step, self.around = contour.T / samples, contour.images * samples
        after = contour.behind + AFTER + contour.train
        self.sample = np.arange(-round(contour.before * samples), round(after * samples) + 1)
        self.poles = answers.omega[answers.ring :]
        self._of_poles: dict[tuple[int, int, bool], Complexes] = {}
        self._turns: dict[tuple[int, int, bool], Complexes] = {}

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

    def pole_waves(self, sample: Ints, opposed: bool = False) -> Complexes:
        """exp(i omega t), or exp(-i omega t), of the poles at consecutive samples (sample, pole), kept."""
        key = int(sample[0]), len(sample), opposed
        if key not in self._of_poles:
            sign = -1j if opposed else 1j
            first = np.exp(sign * sample[0] * self.step * self.poles)
            self._of_poles[key] = _running_waves(first, np.exp(sign * self.step * self.poles), len(sample))
        return self._of_poles[key]

    def turn(self, sample: Ints, opposed: bool = False) -> Complexes:
        """exp(i omega_0 t), or exp(-i omega_0 t), of the ring's first frequency at consecutive samples, kept."""
        key = int(sample[0]), len(sample), opposed
        if key not in self._turns:
            sign = -1.0 if opposed else 1.0
            self._turns[key] = np.exp(sign * (1j * np.pi / self.around + self.contour.depth * self.step) * sample)
        return self._turns[key]

    def series(self, values: Complexes, sample: Ints, around: Complexes | None = None) -> Floats:
        """Sum of values times exp(i omega t) and its mirror image at consecutive samples (sample, column).

        Values are those of all frequencies (omega, column), and of all places ``around`` the ring (M, column).
        """
        ring, M, columns = self.answers.ring, self.around, values.shape[1]
        pairs = np.zeros((M, (columns + 1) // 2), np.complex128)
        paired(values, np.zeros((0, columns), np.complex128) if around is None else around, ring, pairs)
        of_poles = np.stack([2.0 * values[ring:].real, -2.0 * values[ring:].imag], axis=1).reshape(-1, columns)
        out = self.pole_waves(sample).view(np.float64) @ of_poles
        whole = scipy.fft.ifft(pairs, axis=0, norm="forward", overwrite_x=True)
        parted(whole, sample % M, self.turn(sample), out)
        return np.asarray(out)

    def running(self, values: Singles, sample: Ints) -> Singles:
        """Sum of values (omega, column) times exp(i omega t) at consecutive samples (sample, column)."""
        ring, M = self.answers.ring, self.around
        whole = scipy.fft.ifft(_folded(values[:ring], M), axis=0, norm="forward")[sample % M]
        whole = whole * self.turn(sample).astype(np.complex64)[:, None]
        whole += self.pole_waves(sample).astype(np.complex64) @ values[ring:]
        return np.asarray(whole, dtype=np.complex64)

    def of_pairs(
        self, values: Singles, phases: Singles, waves: Singles, sample: Ints, opposed: bool = False
    ) -> Singles:
        """Sum of fields of harmonics times exp(i omega t), or exp(-i omega t), and its mirror image.

        The mirror image of a harmonic is one of the opposite harmonic's: those above 0 are enough (sample, column, K),
        each summed over both sides of the ring. Column by column, so that all of one stays in a processor's cache.

        Parameters
        ----------
        values : complex array (column, omega, station)
        phases, waves : complex array (station, 2 harmonic), (omega, 2 harmonic)
            Of harmonics 1 to K, then -1 to -K; a field is the sum of values times phases, times a wave.
        sample : int array (sample,)
            Consecutive.
        opposed : bool
            Whether the sign of i omega t is turned.
        """
        (M, poles), K, place = (self.around, len(self.poles)), waves.shape[1] // 2, sample % self.around
        turn = self.turn(sample, opposed).astype(np.complex64)
        waved = self.pole_waves(sample, opposed).astype(np.complex64).view(np.float32)
        out = np.empty((len(sample), len(values), K), np.complex64)
        for column, one in enumerate(values):
            ring, of_poles = np.zeros((M, K), np.complex64), np.empty((poles, 2, K), np.complex64)
            both_sides(one @ phases, waves, ring, of_poles)
            if opposed:
                ring = scipy.fft.fft(ring, axis=0, overwrite_x=True)
            else:
                ring = scipy.fft.ifft(ring, axis=0, norm="forward", overwrite_x=True)
            others = (waved @ of_poles.reshape(2 * poles, K).view(np.float32)).view(np.complex64)
            at_samples(ring, others, place, turn, out, column)
        return out

    def sums(self, squeeze: Floats) -> tuple[Complexes, Complexes]:
        """Sums of sizes (sample, dropper) times exp(-i omega t), round the whole ring and at poles (omega, dropper)."""
        M, sample = self.around, self.sample  # fewer periods than the ring has
        pairs = np.zeros((M, (squeeze.shape[1] + 1) // 2), np.complex128)
        laid_out(squeeze, sample % M, self.turn(sample, True), pairs)
        around = np.empty((M, squeeze.shape[1]), np.complex128)
        spectra(scipy.fft.fft(pairs, axis=0, overwrite_x=True), around)
        of_poles = squeeze.T @ self.pole_waves(sample, True).view(np.float64)
        return around, of_poles.view(np.complex128).T

    def spectrum(self, sums: tuple[Complexes, Complexes], smooth: bool = True) -> Complexes:
        """Fourier transform of cubics, or hats, by the sums of their sizes: (omega, dropper) [N s]."""
        around, of_poles = sums
        one = self.cubic if smooth else self.hat
        return one[:, None] * np.concatenate([around[np.arange(self.answers.ring) % self.around], of_poles])

    def tails(self, network: LineNetwork, droppers: Ints) -> Floats:
        """What droppers between endless wires answer to their own hats beyond the contour (lag, dropper) [m/N]."""
        return self.beyond(isolated_stretch(network, droppers, self.far))

    def isolated(self, network: LineNetwork) -> Complexes:
        """Stretch of all droppers between endless wires beyond the contour's end (omega, dropper) [m/N]."""
        return isolated_stretch(network, np.arange(len(network.points.dropper)), self.far)

    @property
    def far(self) -> Complexes:
        """Frequencies beyond the contour's end (omega,) [rad/s]."""
        return self.contour.frequencies(self.answers.ring, TAIL * self.answers.ring)

    def beyond(self, values: Complexes) -> Floats:
        """Answers at all lags to hats by those at frequencies beyond the contour's end (lag, column)."""
        whole = scipy.fft.ifft(self.beyond_end(values), axis=0, norm="forward", overwrite_x=True)
        return np.asarray(2.0 * (whole[self.lags % self.around] * self.turn(self.lags)[:, None]).real)

    def beyond_end(self, values: Complexes) -> Complexes:
        """Answers to hats at frequencies beyond the contour's end, added up at their places on the ring (M, column)."""
        M, contour, hat = self.around, self.contour, squeeze_spectrum(self.far, self.step, False)
        folded = np.zeros((M, values.shape[1]), np.complex128)
        _fold(hat / (contour.images * contour.T), values, self.answers.ring, folded)
        return folded


def waves_at(
    contour: Contour, step: float, sample: Ints, others: Complexes, opposed: bool = False
) -> NDArray[np.complex128]:
    """exp(i omega t), or exp(-i omega t), at ascending samples (sample, omega): the ring's frequencies, then others.

    ``step`` is that of the samples [s].
    """
    sign = -1j if opposed else 1j
    first = np.exp(sign * (0.5 * contour.step - 1j * contour.depth) * step * sample)
    turn = np.exp(sign * contour.step * step * sample)
    out = np.empty((len(sample), contour.count + len(others)), np.complex128)
    if len(sample):
        begin, onward = np.exp(sign * step * sample[0] * others), np.exp(sign * step * others)
        _fill_waves(sample, (first, turn), (begin, onward), out)
    return out


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


@kernel(error_model="numpy", nogil=True, fastmath={"contract", "nsz"})
def _fill_waves(
    sample: Ints, ring: tuple[Complexes, Complexes], others: tuple[Complexes, Complexes], out: Complexes
) -> None:
    """Fill in waves (sample, omega) by products: of the ring from frequency to frequency, others from sample to sample.

    Of the ring the first one and what the next one differs by (sample,); of others the first sample's and what the next
    one's differs by (omega,). Four of the ring at a time, which do not wait for each other.
    """
    (first, turn), (begin, onward), now = ring, others, others[0].copy()
    count = out.shape[1] - begin.size
    for r in range(sample.size):
        for _ in range(sample[r] - sample[max(0, r - 1)]):
            for p in range(now.size):
                now[p] *= onward[p]
        one, row = turn[r], out[r]
        two = one * one
        four, a = two * two, first[r]
        b, c = a * one, a * two
        d, whole = b * two, count - count % 4
        for n in range(0, whole, 4):
            row[n], row[n + 1], row[n + 2], row[n + 3] = a, b, c, d
            a, b, c, d = a * four, b * four, c * four, d * four
        for n in range(whole, count):
            row[n] = a
            a *= one
        for p in range(now.size):
            row[count + p] = now[p]


@kernel(error_model="numpy", nogil=True, fastmath={"contract", "nsz"})
def _fold(factors: Complexes, values: Complexes, first: int, ring: Complexes) -> None:
    """Add values (omega, column), times factors (omega,), to a ring, from the place of number ``first`` on."""
    for n in range(values.shape[0]):
        row, m = values[n], (first + n) % ring.shape[0]
        for c in range(row.size):
            ring[m, c] += factors[n] * row[c]
