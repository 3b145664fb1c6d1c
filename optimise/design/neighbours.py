"""Lines one small step away from a design along each variable, by whose form-finding exact derivatives are formed."""

from __future__ import annotations

from collections.abc import Sequence

from catenary.spec.line import CatenarySpec
from optimise.design.space import DesignSpace

__all__ = ["neighbours_of"]

# step, of a range: small enough for first order, large enough for what form-finding leaves
NEAR = 1e-5


def neighbours_of(space: DesignSpace, values: Sequence[float]) -> tuple[tuple[CatenarySpec, float], ...]:
    """Lines one small step inwards along each variable but counts, and the step, of its range.

    Raises
    ------
    ValueError
        If one of them is not a valid line.
    """
    found = []
    for j, variable in enumerate(space.variables):
        if variable.integer:
            continue
        width = variable.high - variable.low
        step = NEAR if values[j] - variable.low < 0.5 * width else -NEAR
        found.append((space.spec_of((*values[:j], values[j] + step * width, *values[j + 1 :])), step))
    return tuple(found)
