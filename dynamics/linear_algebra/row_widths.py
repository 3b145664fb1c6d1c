"""Widths of the rows that `dynamics.linear_algebra.vector_rows` works on, in chunks of LANES numbers.

A kernel takes the number of chunks, so that one program serves windows of all lengths. Rows of few chunks have code of
their own in it: there a tuple of as many integers stands for the number, and its length is known as the code is made.
Longer rows are worked through in blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType

from catenary.kernels.compiled import kernel

__all__ = ["BLOCK", "LANES", "Lanes", "row_lanes", "widths_apart"]

LANES = {"float64": 8, "float32": 16}
Lanes = tuple[int, ...] | int
"""How many chunks a row has; as many integers where that is known as the code is made."""
# chunks of the longest row that has code of its own, and of the blocks in which longer ones are worked through
BLOCK = 4


def row_lanes(width: int, number: str) -> int:
    """How many chunks a row of ``width`` numbers of a type has, by the type's name."""
    return width // LANES[number]


def widths_apart(**options: object) -> Callable[[FunctionType], Callable[..., None]]:
    """Make a kernel of a function, whose first argument says how long rows are, with code apart for each short width.

    Only other kernels call it, with the number of chunks.
    """

    def made(function: FunctionType) -> Callable[..., None]:
        part = kernel(**options)(function)

        @kernel(**options)
        def chosen(lanes, *arguments):
            if lanes == 1:
                part((0,), *arguments)
            elif lanes == 2:
                part((0, 0), *arguments)
            elif lanes == 3:
                part((0, 0, 0), *arguments)
            elif lanes == BLOCK:
                part((0, 0, 0, 0), *arguments)
            else:
                part(lanes, *arguments)

        return chosen

    return made
