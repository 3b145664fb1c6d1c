"""Designs one small step away along each variable, from which exact derivatives are formed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from catenary.spec.line import CatenarySpec
from optimise.design.space import DesignSpace
from optimise.design.train_space import TrainSpace, TrainValues, train_of

__all__ = ["neighbours_of", "trains_near"]

# step, of a range: small enough for first order, large enough for what form-finding leaves
NEAR = 1e-5


def neighbours_of(space: DesignSpace, values: Sequence[float]) -> tuple[tuple[CatenarySpec, float], ...]:
    """Lines one small step inwards along each variable of the line but counts, and the step, of its range.

    Raises
    ------
    ValueError
        If one of them is not a valid line.
    """
    count = len(space.variables) - (len(space.of_train) if isinstance(space, TrainSpace) else 0)
    whole = [j for j, variable in enumerate(space.variables[:count]) if not variable.integer]
    return tuple((space.spec_of(near), step) for near, step in _steps(space, values, whole))


def trains_near(space: DesignSpace, values: Sequence[float]) -> tuple[tuple[TrainValues, float], ...]:
    """Gains and distances one small step inwards along each variable of the train, and the step, of its range."""
    if not isinstance(space, TrainSpace):
        return ()
    count = len(space.variables)
    last = range(count - len(space.of_train), count)
    return tuple((train_of(space, near), step) for near, step in _steps(space, values, last))


def _steps(
    space: DesignSpace, values: Sequence[float], along: Sequence[int]
) -> Iterator[tuple[tuple[float, ...], float]]:
    """Points one small step inwards along some variables, and the step."""
    for j in along:
        variable = space.variables[j]
        width = variable.high - variable.low
        step = NEAR if values[j] - variable.low < 0.5 * width else -NEAR
        yield (*values[:j], values[j] + step * width, *values[j + 1 :]), step
