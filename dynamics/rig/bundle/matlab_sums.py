"""Sums over the numbers of pfem.mat that Octave and MATLAB can form as fast as they read them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ["matlab_sums"]

# load_bundle.m has the same; all that is added stays a whole number below 2^53, so that doubles hold it exactly
BLOCK = 2**18
PRIME = 2**26 - 5
TURNS = (65599, 4099)


def matlab_sums(arrays: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    """Two sums of each variable, (variable, 2): of its words of 16 bits, and of these times their place in a block.

    Words are those of little-endian doubles, first index fastest. From block to block a sum is turned by a factor,
    modulo a prime, so that the order of blocks counts too. Any word that is changed alone changes both.
    """
    return np.array([_sums(values) for values in arrays.values()], dtype=np.float64)


def _sums(values: NDArray[np.float64]) -> tuple[int, int]:
    words = np.frombuffer(np.asarray(values, dtype="<f8").tobytes(order="F"), dtype="<u2")
    plain = placed = 0
    for first in range(0, len(words), BLOCK):
        part = words[first : first + BLOCK].astype(np.int64)
        plain = (plain * TURNS[0] + int(part.sum())) % PRIME
        placed = (placed * TURNS[1] + int(part @ np.arange(1, len(part) + 1))) % PRIME
    return plain, placed
