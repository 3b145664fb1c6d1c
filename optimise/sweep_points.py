"""The points of a sweep, divided into strands."""

from __future__ import annotations

import itertools
import math

from optimise.strand_task import StrandTask
from optimise.sweep_spec import SweepAxesSpec

__all__ = ["strands"]

SPEED = "speed_kmh"
# points that one strand may hold at most, and strands that are left at least where rows are put together
MOST_IN_STRAND, FEWEST_STRANDS = 100, 8


def strands(axes: SweepAxesSpec) -> list[StrandTask]:
    """All points of a sweep, each in one strand.

    Strands run along the longest axis, but not along the speed where another has more than one value: steady
    states at neighbouring speeds are less alike. In a large sweep a strand goes to and fro over several neighbouring
    rows of the next longest axis. The division depends on the axes alone.
    """
    values, shape, names = axes.values, axes.shape, list(axes.values)
    order = sorted(range(len(shape)), key=lambda k: (names[k] == SPEED or shape[k] == 1, -shape[k], k))
    along, beside = order[0], order[1] if len(order) > 1 else None
    across = [k for k in range(len(shape)) if k not in (along, beside)]
    rows_beside = shape[beside] if beside is not None and names[beside] != SPEED else 1
    together = max(1, min(MOST_IN_STRAND // shape[along], math.prod(shape) // shape[along] // FEWEST_STRANDS))
    tasks: list[StrandTask] = []
    speeds = [beside] if beside is not None and rows_beside == 1 else []
    for held in itertools.product(*(range(shape[k]) for k in (*across, *speeds))):
        for first in range(0, rows_beside, together):
            indices = []
            for row in range(first, min(first + together, rows_beside)):
                there = range(shape[along])
                for i in there if (row - first) % 2 == 0 else reversed(there):
                    at = dict(zip((*across, *speeds), held, strict=True)) | {along: i}
                    indices.append(tuple(at.get(k, row) for k in range(len(shape))))
            points = tuple(tuple(v[i] for v, i in zip(values.values(), index, strict=True)) for index in indices)
            places = tuple((point[along],) for point in points)
            tasks.append(StrandTask(len(tasks), tuple(indices), points, places))
    return tasks
