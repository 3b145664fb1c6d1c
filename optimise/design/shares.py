"""Dropper variables of one line as shares of those of another, which may have another number of droppers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear

from catenary.errors import InputError
from optimise.design.dropper_space import DropperSpace

__all__ = ["ROUNDING", "from_shares", "shares"]

# of a variable's range: what rounding may leave between a line and the point that stands for it
ROUNDING = 1e-6


def shares(nominal: DropperSpace, droppers: DropperSpace) -> NDArray[np.float64]:
    """Weights of the nominal line's dropper variables in those of another line, shape (other, nominal).

    A dropper's rank is its number over the number of bays. A move vanishes at mid-span.
    """
    own, other = len(nominal.nominal.droppers.positions), len(droppers.nominal.droppers.positions)
    if own == other:
        return np.eye(len(nominal.variables))
    weights = np.zeros((len(droppers.variables), len(nominal.variables)))
    for row, column, new, old in (
        (0, 0, droppers.lifts, nominal.lifts),
        (droppers.lifts, nominal.lifts, droppers.moves, nominal.moves),
    ):
        rank = np.arange(1, new + 1) / (other + 1)
        knots = np.append(np.arange(1, old + 1) / (own + 1), [] if column == 0 and old == nominal.lifts else [0.5])
        for j in range(old):
            weights[row : row + new, column + j] = np.interp(rank, knots, np.eye(len(knots))[j])
    return weights


def from_shares(nominal: DropperSpace, droppers: DropperSpace, found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares of the nominal line's variables for those of another line, inside -1 to 1.

    Raises
    ------
    InputError
        If they are not a mixture of the nominal line's.
    """
    weights = shares(nominal, droppers)
    if not weights.size:
        return np.zeros(weights.shape[1])
    mixed = np.asarray(np.linalg.lstsq(weights, found)[0], dtype=np.float64)
    if np.abs(mixed).max(initial=0.0) > 1.0:
        mixed = lsq_linear(weights, found, (-1.0, 1.0), method="bvls").x
    missed = np.abs(weights @ mixed - found)
    if missed.max() > ROUNDING:
        name = droppers.variables[int(missed.argmax())].name
        raise InputError(
            [
                f"the line must be inside the design space: {name} of its {len(weights)} dropper variables is not "
                f"a mixture of the nominal line's {weights.shape[1]}"
            ]
        )
    return mixed
