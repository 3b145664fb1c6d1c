"""Forces that squeeze slack samples, and tensions that are not negative: a linear complementarity, matrix-free.

A unit squeeze of dropper e moves the tension of dropper d by k_d K_ed(t - t'), a row of a table that is contiguous in
time, and by what the contact answers, which needs no more numbers than the force has harmonics.

Legend: t, d sample and dropper of each unknown, in the order of time; C stretches by harmonics of the force, P the
harmonics that a squeeze takes away; real and imaginary parts side by side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.line_operator.coupling import ContactCoupling
from dynamics.line_operator.dropper_kernels import BLOCK, DropperKernels
from dynamics.line_operator.kernel import OPTIONS
from dynamics.line_operator.local_time import LocalTime

__all__ = ["ENOUGH", "SqueezeTables", "squeeze_tables", "sweep"]

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]

SWEEPS = 40
LEAST = 0.3  # share of a sweep's changes that is kept, at least
ENOUGH = 1.0e-2  # N: a sweep that changes no squeeze by more ends the search
RUNAWAY = 1.0e5  # N: no sweep that settles changes a squeeze by as much
STILL = 0.1  # times that: a change as small is left for the next sweep


class SqueezeTables(NamedTuple):
    """What squeezes of unknown samples do.

    Attributes
    ----------
    kernels : float array (dropper e, dropper d, BLOCK + lag)
        Stretch of d by a unit squeeze of e [m/N], BLOCK zeros before.
    by_force, taken : float arrays (unknown, harmonic)
        C and P.
    t, d : int arrays (unknown,)
        Sample and dropper, block by block, in each dropper by dropper.
    first, end : int arrays (dropper,)
        First sample of a dropper's tension that is looked at, and the one behind the last.
    stiffness : float array (dropper,)
        [N/m].
    """

    kernels: Singles
    by_force: Singles
    taken: Singles
    t: Ints
    d: Ints
    first: Ints
    end: Ints
    stiffness: Singles


def squeeze_tables(
    wanted: NDArray[np.bool_],
    kernels: DropperKernels,
    coupling: ContactCoupling,
    time: LocalTime,
    droppers: tuple[Floats, Ints],
) -> SqueezeTables:
    """Lay out the samples at which slack is allowed (sample, dropper), block by block in the line's time.

    ``droppers`` are their stiffness [N/m], and by how many samples later than the line's begins the time of each.
    """
    (stiffness, later), (t, d) = droppers, np.nonzero(wanted)
    order = np.lexsort((t, d, BLOCK * (t // BLOCK) + later[d]))
    t, d, some = t[order], d[order], wanted[:, kernels.droppers]
    first, end = some.argmax(axis=0), np.where(some.any(axis=0), len(some) - some[::-1].argmax(axis=0), 0)
    by_force, taken = coupling.at(time, t, d)
    local, hung = np.searchsorted(kernels.droppers, d), stiffness[kernels.droppers].astype(np.float32)
    return SqueezeTables(kernels.stretch, by_force, taken, t, local, first, end, hung)


@kernel(**OPTIONS)
def _product(x, y):
    """Scalar product, in sums side by side that a processor forms at once."""
    total = np.float32(0.0)
    for j in range(x.size):
        total += x[j] * y[j]
    return total


@kernel(**{**OPTIONS, "fastmath": {"contract", "nsz"}})
def _pass_on(tension, row, k, c):
    """Add to a dropper's tension what eight changes in a row bring: its own line of the table, shifted and summed.

    The loop runs from 0, so that the compiler knows that no index is negative: else it adds one number at a time. Sums
    are in the order that is written, so that they do not depend on where arrays lie in memory.
    """
    c0, c1, c2, c3, c4, c5, c6, c7 = k * c[0], k * c[1], k * c[2], k * c[3], k * c[4], k * c[5], k * c[6], k * c[7]
    for b in range(tension.size):
        tension[b] += (
            (c0 * row[b + 7] + c1 * row[b + 6]) + (c2 * row[b + 5] + c3 * row[b + 4])
            + (c4 * row[b + 3] + c5 * row[b + 2]) + (c6 * row[b + 1] + c7 * row[b])
        )  # fmt: skip


@kernel(**OPTIONS)
def _own_tension(tables):
    """Tension of every unknown by its own unit squeeze (unknown,)."""
    middle, own = (tables.kernels.shape[2] + BLOCK - 1) // 2, np.empty(tables.t.size, np.float32)
    for a in range(own.size):
        d = tables.d[a]
        by_contact = _product(tables.by_force[a], tables.taken[a])
        own[a] = 1.0 + tables.stiffness[d] * (tables.kernels[d, d, middle] - by_contact)
    return own


@kernel(**OPTIONS)
def _relax(tables, start, own, tension, squeeze, taken, changes, still):
    """Settle the samples of a dropper's block one after another; returns the next block, and the largest change."""
    t, d, k = tables.t, tables.d[start], tables.stiffness[tables.d[start]]
    kernel, middle = tables.kernels[d, d], (tables.kernels.shape[2] + BLOCK - 1) // 2
    end, largest = start, 0.0
    while end < t.size and tables.d[end] == d and t[end] // BLOCK == t[start] // BLOCK:
        end += 1
    changes[:] = 0.0
    for a in range(start, end):
        now = tension[d, t[a]] - k * _product(tables.by_force[a], taken)
        change = np.float32(max(0.0, squeeze[a] - now / own[a]) - squeeze[a])
        if not abs(change) < RUNAWAY:
            return end, np.inf
        if abs(change) < still:
            continue
        largest = max(largest, abs(change))
        squeeze[a] += change
        changes[t[a] % BLOCK] = change
        for j in range(taken.size):
            taken[j] += change * tables.taken[a, j]
        for b in range(start, end):
            tension[d, t[b]] += k * change * kernel[middle + t[b] - t[a]]
        tension[d, t[a]] += change
    return end, largest


@kernel(**OPTIONS)
def _swept(tables, own, tension, squeeze, taken, changes, still):
    """One sweep over all unknowns; returns the largest change."""
    kernels, t, d = tables.kernels, tables.t, tables.d
    middle, largest, a = (kernels.shape[2] + BLOCK - 1) // 2, 0.0, 0
    while a < squeeze.size:
        one, begin = d[a], BLOCK * (t[a] // BLOCK)
        a, moved = _relax(tables, a, own, tension, squeeze, taken, changes, still)
        if moved == np.inf:
            return moved
        if moved == 0.0:
            continue
        largest, kept = max(largest, moved), tension[one, begin : begin + BLOCK].copy()
        for e in range(tables.stiffness.size):
            first, end = tables.first[e], tables.end[e]
            row = kernels[one, e, middle - begin - BLOCK + 1 + first :]
            _pass_on(tension[e, first:end], row, tables.stiffness[e], changes)
        tension[one, begin : begin + BLOCK] = kept
    return largest


@kernel(**OPTIONS)
def _share(share, before, now):
    """Share of a sweep's changes to keep, by what two sweeps in a row wanted to change (Irons and Tuck 1969)."""
    away, along = 0.0, 0.0
    for a in range(now.size):
        turned = now[a] - before[a]
        away += turned * turned
        along += before[a] * turned
    return share if away == 0.0 else min(1.0, max(LEAST, -share * along / away))


@kernel(**OPTIONS)
def sweep(tables: SqueezeTables, tension: Singles, squeeze: Floats, enough: float) -> tuple[bool, bool]:
    """Projected Gauss-Seidel in the order of time, which brings tension (dropper, sample) and squeeze up to date.

    What droppers do depends on what they did before, so that some ten sweeps end it. Where sweeps overshoot (lines
    whose droppers are slack for most of a span), a share of each is kept. Returns whether they settled, and whether the
    squeezes ran away.

    Parameters
    ----------
    tables : SqueezeTables
    tension : float array (dropper, sample)
        [N]; at samples that are not unknowns it is not kept up.
    squeeze : float array (unknown,)
        [N].
    enough : float
        Largest change of the last sweep [N].
    """
    stiffness, t, d = tables.stiffness, tables.t, tables.d
    count, still = squeeze.size, STILL * enough
    taken, changes = np.zeros(tables.taken.shape[1], np.float32), np.zeros(BLOCK, np.float32)
    own, settled, share = _own_tension(tables), False, 1.0
    wanted = np.zeros(count)
    for k in range(SWEEPS):
        squeezed, tensed, took = squeeze.copy(), tension.copy(), taken.copy()
        largest = _swept(tables, own, tension, squeeze, taken, changes, still)
        if largest == np.inf:
            return False, True
        if largest < enough:
            settled = True
            break
        now = squeeze - squeezed
        if k > 0:
            share = _share(share, wanted, now)
        wanted = now
        if share < 1.0:
            rest = np.float32(1.0 - share)
            squeeze += (1.0 - share) * (squeezed - squeeze)
            tension += rest * (tensed - tension)
            taken += rest * (took - taken)
    for a in range(count):
        if squeeze[a] < still:
            squeeze[a] = 0.0
        tension[d[a], t[a]] -= stiffness[d[a]] * _product(tables.by_force[a], taken)
    return settled, False
