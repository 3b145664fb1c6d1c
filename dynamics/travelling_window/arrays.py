"""Arrays that a window is marched in: on cache lines, in one precision, and the sponge of its ends."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.linearised.cell import VerticalCell

__all__ = ["aligned", "in_precision", "sponge"]

SPONGE_DAMPING = 2.0
CACHE_LINE = 64


def sponge(
    cell: VerticalCell, spans: tuple[int, int, int], dt: float, number: np.dtype[Any]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Momentum factors per step (2, span + 1), and which of the two a dof has.

    ``spans`` are those behind the train, under it before the leading pantograph's, and ahead of it. The first row is 1
    around the pantographs, less in the outer half of the window; the second is 1: motion along the track keeps its
    momentum everywhere, since its waves are longer than the window, and the impedance at the ends absorbs them exactly.
    """
    (behind, train, ahead) = spans
    width = behind + train + ahead + 2
    back, front = max(1, behind // 2), max(1, (7 * ahead) // 12)
    alpha = np.zeros(width)
    alpha[:back] = SPONGE_DAMPING * ((back - np.arange(back)) / back) ** 2
    alpha[width - front :] = SPONGE_DAMPING * ((np.arange(front) + 2.0) / (front + 1.0)) ** 2
    kind = np.zeros(cell.n_dof, np.int64)
    kind[np.concatenate(cell.along)] = 1
    factors = aligned((2, width), number)
    factors[:] = np.exp(-alpha * dt), np.ones(width)
    return factors, kind


def aligned(shape: tuple[int, int], number: np.dtype[Any]) -> NDArray[Any]:
    """Zeros that begin on a cache line, so that no vector of a row lies across two."""
    size = shape[0] * shape[1] * number.itemsize
    raw = np.zeros(size + CACHE_LINE, np.uint8)
    at = -raw.ctypes.data % CACHE_LINE
    return raw[at : at + size].view(number).reshape(shape)


def in_precision(operators: object, number: np.dtype[Any]) -> Any:
    """Nested named tuples with their floating-point arrays in one precision."""
    if isinstance(operators, tuple):
        return type(operators)(*(in_precision(x, number) for x in operators))
    if isinstance(operators, np.ndarray) and operators.dtype == np.float64:
        return operators.astype(number, copy=False)
    return operators
