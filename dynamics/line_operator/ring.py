r"""Compiled passes over values on a ring: before a transform, and after it.

A real series is a sum over frequencies of the ring and their mirror images, -1 - n of frequency n. Two such series x, y
go through one complex transform as x + i y.

Legend: n frequency, M samples round the ring, c column, k harmonic above 0, t sample, p its place on the ring; own the
values of harmonics above 0, image those of the opposite harmonics, whose mirror image is that of ``own``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel

__all__ = ["OPTIONS", "at_samples", "both_sides", "laid_out", "paired", "parted", "spectra"]

Ints = NDArray[np.int64]
Floats = NDArray[np.floating[Any]]
Complexes = NDArray[np.complexfloating[Any, Any]]
OPTIONS: Any = {"error_model": "numpy", "nogil": True, "fastmath": {"contract", "nsz"}}


@kernel(**OPTIONS)
def both_sides(values: Complexes, waves: Complexes, ring: Complexes, poles: Complexes) -> None:
    """Add products of harmonics and their mirror images up on a ring, and fill in what poles have.

    Parameters
    ----------
    values, waves : complex array (omega, 2 harmonic)
        Of harmonics 1 to K, then -1 to -K; the ring's frequencies first.
    ring : complex array (M, harmonic)
        Zeros before.
    poles : complex array (pole, 2, harmonic)
        Sum of own and image, and i times their difference: factors of real and imaginary part of a pole's wave.
    """
    (M, K), count = ring.shape, values.shape[0] - poles.shape[0]
    for n in range(count):
        here, wave, own = values[n, :K], waves[n, :K], ring[n % M]
        for k in range(K):
            own[k] += here[k] * wave[k]
        here, wave, image = values[n, K:], waves[n, K:], ring[M - 1 - n % M]
        for k in range(K):
            other = here[k] * wave[k]
            image[k] += complex(other.real, -other.imag)
    for p in range(poles.shape[0]):
        here, wave, whole, across = values[count + p], waves[count + p], poles[p, 0], poles[p, 1]
        for k in range(K):
            one, other = here[k] * wave[k], np.conj(here[K + k] * wave[K + k])
            whole[k], across[k] = one + other, 1j * (one - other)


@kernel(**OPTIONS)
def at_samples(ring: Complexes, others: Complexes, place: Ints, turn: Complexes, out: Complexes, column: int) -> None:
    """Fill in a column of (sample, column, harmonic): a ring's values (M, harmonic) at places, turned, and others.

    Parameters
    ----------
    ring, others : complex array (M, harmonic), (sample, harmonic)
    place, turn : int and complex array (sample,)
        Places on the ring, and factors of what stands there.
    out : complex array (sample, column, harmonic)
    column : int
    """
    for t in range(place.size):
        here, other, to = ring[place[t]], others[t], out[t, column]
        for k in range(to.size):
            to[k] = turn[t] * here[k] + other[k]


@kernel(**OPTIONS)
def laid_out(values: Floats, place: Ints, turn: Complexes, ring: Complexes) -> None:
    """Lay turned series (sample, column) out at places on a ring, two to a column (M, pair); zeros before."""
    for t in range(place.size):
        for c in range(values.shape[1]):
            part = turn[t] * values[t, c]
            ring[place[t], c // 2] += part if c % 2 == 0 else 1j * part


@kernel(**OPTIONS)
def spectra(ring: Complexes, out: Complexes) -> None:
    """Part the transforms (M, pair) of two real series each: (M, column)."""
    M = ring.shape[0]
    for n in range(M):
        for c in range(out.shape[1]):
            own, image = ring[n, c // 2], np.conj(ring[M - 1 - n, c // 2])
            out[n, c] = 0.5 * (own + image) if c % 2 == 0 else -0.5j * (own - image)


@kernel(**OPTIONS)
def paired(values: Complexes, around: Complexes, count: int, ring: Complexes) -> None:
    """Lay values and their mirror images out on a ring, two series to a column.

    Parameters
    ----------
    values, around : complex array (omega, column), (M, column)
        Of which the first ``count`` stand on the ring one after another; and those that stand at its places.
    ring : complex array (M, pair)
        Zeros before.
    """
    M = ring.shape[0]
    for n in range(count + around.shape[0]):
        row, m = (values[n], n % M) if n < count else (around[n - count], n - count)
        for c in range(row.size):
            own, image = row[c], np.conj(row[c])
            ring[m, c // 2] += own if c % 2 == 0 else 1j * own
            ring[M - 1 - m, c // 2] += image if c % 2 == 0 else 1j * image


@kernel(**OPTIONS)
def parted(ring: Complexes, place: Ints, turn: Complexes, out: Floats) -> None:
    """Add real series, two to a column of a ring (M, pair), at places, turned, to (sample, column)."""
    for t in range(place.size):
        for c in range(out.shape[1]):
            found = turn[t] * ring[place[t], c // 2]
            out[t, c] += found.real if c % 2 == 0 else found.imag
