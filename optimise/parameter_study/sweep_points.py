"""The points of a sweep, divided into batches."""

from __future__ import annotations

import itertools
import math

from optimise.evaluation.job import Batch, Job
from optimise.spec.sweep import SweepAxesSpec

__all__ = ["sweep_batches"]

SPEED = "speed_kmh"
# points that one batch may hold at most; batches that there are at least, where rows are put together or cut, and
# points that a part of a row has at least
MOST_IN_BATCH, FEWEST_BATCHES, LEAST_IN_PART = 100, 8, 5


def sweep_batches(axes: SweepAxesSpec) -> list[Batch]:
    """All points of a sweep, each in one batch; a point is numbered by its place in the array.

    Batches run along the longest axis, but not along the speed where another has more than one value: steady
    states at neighbouring speeds are less alike. In a large sweep a batch goes back and forth over several neighbouring
    rows of the next longest axis; in one of few rows, each is cut into parts. The division depends on the axes alone.
    """
    values, shape, names = tuple(axes.values.values()), axes.shape, list(axes.values)
    order = sorted(range(len(shape)), key=lambda k: (names[k] == SPEED or shape[k] == 1, -shape[k], k))
    along, next_axis = order[0], order[1] if len(order) > 1 else None
    across = [k for k in range(len(shape)) if k not in (along, next_axis)]
    next_rows = shape[next_axis] if next_axis is not None and names[next_axis] != SPEED else 1
    rows = math.prod(shape) // shape[along]
    together = max(1, min(MOST_IN_BATCH // shape[along], rows // FEWEST_BATCHES))
    parts = _parts(shape[along], -(-FEWEST_BATCHES // rows) if together == 1 else 1)
    batches: list[Batch] = []
    speeds = [next_axis] if next_axis is not None and next_rows == 1 else []
    for held in itertools.product(*(range(shape[k]) for k in (*across, *speeds))):
        for first, there in itertools.product(range(0, next_rows, together), parts):
            indices = []
            for row in range(first, min(first + together, next_rows)):
                for i in there if (row - first) % 2 == 0 else reversed(there):
                    at = dict(zip((*across, *speeds), held, strict=True)) | {along: i}
                    indices.append(tuple(at.get(k, row) for k in range(len(shape))))
            batches.append(Batch(len(batches), tuple(_job(values, index, along) for index in indices)))
    return batches


def _job(axes: tuple[tuple[float, ...], ...], index: tuple[int, ...], along: int) -> Job:
    number = 0
    for axis, i in zip(axes, index, strict=True):
        number = number * len(axis) + i
    values = tuple(axis[i] for axis, i in zip(axes, index, strict=True))
    return Job(number, values=values, place=(values[along],))


def _parts(points: int, wanted: int) -> list[range]:
    """Parts of a row, of nearly equal length: as many as are wanted, or fewer where these would be short."""
    count = max(1, min(wanted, points // LEAST_IN_PART))
    ends = [k * points // count for k in range(count + 1)]
    return [range(begin, end) for begin, end in itertools.pairwise(ends)]
