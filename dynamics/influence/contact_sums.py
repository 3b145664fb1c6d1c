"""Contact heights by contact forces, summed over angles: one lag for each pair of steps, hence products of matrices."""

from __future__ import annotations

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.influence.condensed import THREADS, CondensedCell, ContactBay
from dynamics.influence.heights import bay_answer, caused, turned

__all__ = ["THINNED", "Angles", "ContactSums"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]

EVERY, THINNED = slice(None), slice(None, None, 8)
BAYS = 10  # that make a block of columns: what their forces cause at one load stays in a processor's own memory


@dataclass(frozen=True)
class Angles:
    """Angles of a sum (angle,), their weights, and the loads' answers to them (angle, load, load).

    ``turned`` are their weights in the images, where those are wanted.
    """

    theta: Complexes
    weight: Complexes
    answers: Complexes
    turned: Complexes | None = None


class ContactSums:
    """Adds angles to the sums of contact heights by contact forces.

    Attributes
    ----------
    total : float array (step, step)
        Real parts of the sums.
    images, thinned : float array (some step, step), list of int arrays
        Their imaginary parts at every eighth step of a bay, and which of its rows are every bay's.
    """

    def __init__(self, cell: CondensedCell, total: Floats, images: tuple[Floats, list[Ints]]) -> None:
        self.cell, self.total, (self.images, self.thinned) = cell, total, images
        self.seen_by: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for number, bay in enumerate(cell.contact):
            for end, load in enumerate(bay.loads):
                self.seen_by[int(load)].append((number, end))

    def add(self, angles: Angles) -> None:
        """Add angles to the sums, and to the images where they have weights there."""
        bays, theta = self.cell.contact, angles.theta
        with ThreadPoolExecutor(THREADS) as pool:
            sides = list(pool.map(lambda bay: turned(self.cell, bay, theta), bays))
        taken = [self._taken(angles, left) for left, _ in sides]
        blocks = np.array_split(np.arange(len(bays)), max(2, len(bays) // BAYS))  # two, so that two threads have work
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(lambda block: self._add_block(angles, block, taken, [sides[b][1] for b in block]), blocks))
            list(pool.map(lambda number: self._add_own(angles, number), range(len(bays))))

    def _taken(self, angles: Angles, left: Complexes) -> Floats:
        """What a bay's heights take of its ends, those of the images behind them, (end, row, part and angle)."""
        of_end = left.transpose(2, 1, 0)
        weighted = [of_end * angles.weight]
        if angles.turned is not None:
            weighted.append(of_end[:, THINNED] * angles.turned)
        every = np.concatenate(weighted, axis=1)
        return np.concatenate([every.real, -every.imag], axis=2)

    def _add_block(self, angles: Angles, block: Ints, taken: list[Floats], rights: list[Complexes]) -> None:
        """Add what forces on a few bays cause everywhere."""
        bays = [self.cell.contact[b] for b in block]
        columns = np.concatenate([bay.steps for bay in bays])
        bounds = np.cumsum([0, *(len(bay.steps) for bay in bays)])
        ends, right = _side_by_side(bays, bounds, rights)
        begins = np.cumsum([0, *(rows.shape[1] for rows in taken)])
        found = np.zeros((begins[-1], len(columns)))
        moved = np.empty((2, len(angles.theta), len(columns)))
        for load, seen in self.seen_by.items():
            caused(angles.answers, load, ends, bounds, right, moved)
            for number, end in seen:
                found[begins[number] : begins[number + 1]] += taken[number][end] @ moved.reshape(-1, len(columns))
        for number, bay in enumerate(self.cell.contact):
            mine = found[begins[number] : begins[number + 1]]
            self.total[np.ix_(bay.steps, columns)] += mine[: len(bay.steps)]
            if angles.turned is not None:
                self.images[np.ix_(self.thinned[number], columns)] += mine[len(bay.steps) :]

    def _add_own(self, angles: Angles, number: int) -> None:
        """Add what a bay's own modes answer to forces on it."""
        bay = self.cell.contact[number]
        outputs = [(self.total, bay.steps, angles.weight, EVERY)]
        if angles.turned is not None:
            outputs.append((self.images, self.thinned[number], angles.turned, THINNED))
        for out, rows, weight, few in outputs:
            out[np.ix_(rows, bay.steps)] += bay_answer(self.cell, bay, few, angles.theta, weight)


def _side_by_side(bays: list[ContactBay], bounds: Ints, rights: list[Complexes]) -> tuple[Ints, Floats]:
    """Ends of bays among the loads (bay, end), and what forces give to them (part, angle, end, column).

    The number of ends is even and the same for all; those that a bay lacks get nothing.
    """
    most = max(len(bay.loads) for bay in bays)
    width = most + most % 2
    ends = np.zeros((len(bays), width), np.int64)
    out = np.zeros((2, len(rights[0]), width, bounds[-1]))
    for b, (bay, right) in enumerate(zip(bays, rights, strict=True)):
        ends[b, : len(bay.loads)] = bay.loads
        out[0, :, : len(bay.loads), bounds[b] : bounds[b + 1]] = right.real
        out[1, :, : len(bay.loads), bounds[b] : bounds[b + 1]] = right.imag
    return ends, out
