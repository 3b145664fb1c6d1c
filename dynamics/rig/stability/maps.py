"""Maps of the loop's spectral radius over the highest frequency and a second quantity (Gil et al., figs 4 to 6)."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynamics.rig.loop.device import LumpedDevice
from dynamics.rig.loop.harmonics import harmonics_up_to
from dynamics.rig.loop.model import PeriodicModel
from dynamics.rig.loop.spec import LoopSettings
from dynamics.rig.stability.krylov import Tables, hessenbergs_span, hessenbergs_step
from dynamics.rig.stability.linear import DeviceResponse, LineResponse, blend_weights, device_response, line_response
from dynamics.rig.stability.spectrum import span_matrix, spectral_radius, step_matrix

__all__ = ["MapRow", "StabilityMap", "stability_map"]

Array = NDArray[np.float64]
DENSE = 48  # states: smaller maps are solved whole for every mu_c
KRYLOV = 36  # vectors
SURE = 1.1  # an estimate beyond it is that of an unstable loop; below, the map is solved whole
# LAPACK's eigenvalues wait for each other in threads, so that two processes share the rows; they take two seconds to
# start, and a map of fewer points is done before
PROCESSES, FEW_POINTS = 2, 400


@dataclass(frozen=True)
class MapRow:
    """One row of a map: the device and the delay that it is made with."""

    device: LumpedDevice
    delay_steps: int


@dataclass(frozen=True)
class StabilityMap:
    """Spectral radius with the best mu_c of the grid at every point.

    Attributes
    ----------
    settings : LoopSettings
        Strategy and compensation; delay, harmonics and mu_c are those of the points.
    rows : tuple of MapRow
        Device and delay by row.
    frequency : float array (column,)
        Highest frequency of the height [Hz].
    relaxations : tuple of float
        mu_c tried.
    radius, relaxation : float array (row, column)
        Smallest radius and its mu_c [-]; below 1 exact, beyond it as the Krylov space has it.
    dense : int
        Points times mu_c that were solved whole.
    """

    settings: LoopSettings
    rows: tuple[MapRow, ...]
    frequency: Array
    relaxations: tuple[float, ...]
    radius: Array
    relaxation: Array
    dense: int


def stability_map(
    model: PeriodicModel,
    settings: LoopSettings,
    rows: Sequence[MapRow],
    frequency: Array,
    relaxations: Sequence[float],
    progress: Callable[[int, int], None] | None = None,
) -> StabilityMap:
    """Map the spectral radius; the rows of a large map are shared by two processes.

    A script that calls this for a large map needs the guard ``if __name__ == "__main__":``, since its processes import
    the script again.

    Parameters
    ----------
    model : PeriodicModel
        The line.
    settings : LoopSettings
        Strategy and compensation.
    rows : sequence of MapRow
        Devices and delays.
    frequency : float array (column,)
        Highest frequencies of the height [Hz].
    relaxations : sequence of float
        mu_c tried at every point.
    progress : callable, optional
        Called with the number of rows done and of all rows.
    """
    counts = np.array([harmonics_up_to(f, model.steps, model.dt) for f in frequency])
    line = line_response(model, int(counts.max()))
    grid = np.sort(np.array(relaxations, dtype=np.float64))
    radius, chosen, dense = np.empty((len(rows), len(counts))), np.empty((len(rows), len(counts))), 0
    work = _Work(line, model.steps, settings, counts, grid)
    for done, (i, found, whole) in enumerate(_solved(work, rows), start=1):
        best = found.argmin(axis=1)
        radius[i], chosen[i] = found[np.arange(len(counts)), best], grid[best]
        dense += whole
        if progress is not None:
            progress(done, len(rows))
    return StabilityMap(settings, tuple(rows), np.asarray(frequency), tuple(relaxations), radius, chosen, dense)


@dataclass(frozen=True)
class _Work:
    """Data shared by all rows of a map: line, steps a span, settings, harmonics by column, mu_c tried."""

    line: LineResponse
    steps: int
    settings: LoopSettings
    counts: NDArray[np.int64]
    grid: Array


def _solved(work: _Work, rows: Sequence[MapRow]) -> Iterator[tuple[int, Array, int]]:
    """Number of each row, its radii, and how many maps were solved whole, in the order in which they are done."""
    if len(rows) * len(work.counts) < FEW_POINTS:
        yield from ((i, *_row(work, row)) for i, row in enumerate(rows))
        return
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(PROCESSES, spawn, initializer=_leave_interrupts)
    try:
        waiting = {pool.submit(_row, work, row): i for i, row in enumerate(rows)}
        yield from ((waiting[future], *future.result()) for future in as_completed(waiting))
    finally:
        pool.shutdown(cancel_futures=True)


def _leave_interrupts() -> None:
    """Leave Ctrl-C to the process that waits for the rows."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _row(work: _Work, row: MapRow) -> tuple[Array, int]:
    """Radii of one row, (column, relaxation), and how many were solved whole."""
    line, counts, grid, device = work.line, work.counts, work.grid, row.device
    settings = work.settings.model_copy(update={"delay_steps": row.delay_steps})
    response = device_response(device, work.steps)
    found, dense = {}, 0
    by_span = settings.strategy == "span_by_span"
    most = span_matrix(line, response, settings.model_copy(update={"contact_relaxation": 1.0})) if by_span else None
    for count in sorted(set(counts.tolist())):
        part = LineResponse(line.basis[:, : 2 * count - 1], line.gain[: 2 * count - 1])
        if most is not None:
            whole, spaces = _span_maps(most, line.basis.shape[1], 2 * count - 1)
        else:
            whole, spaces = _step_maps(part, response, device, settings)
        found[count], solved = _radii(whole, spaces, grid)
        dense += solved
    return np.array([found[count] for count in counts.tolist()]), dense


def _radii(whole: Callable[[float], Array], spaces: Callable[[Array], Array | None], grid: Array) -> tuple[Array, int]:
    """Radii by mu_c, of which the smallest is exact where it is below 1; how many maps were solved whole.

    A Krylov space may miss the eigenvalue that decides, seldom but without a sign of it, and then shows a loop that
    runs away as one that settles; or put one too far out. So it only says in which order mu_c are tried: the one that
    looks best is solved whole, with its neighbours in the grid, until the best one and its neighbours have been.
    """
    H = spaces(grid)
    if H is None:
        return np.array([spectral_radius(whole(mu)) for mu in grid]), len(grid)
    endless = ~np.isfinite(H).all(axis=(1, 2))
    H[endless] = 0.0
    radii = np.abs(np.linalg.eigvals(H)).max(axis=1)
    radii[endless] = np.inf
    solved = np.zeros(len(grid), dtype=bool)
    while radii[best := int(radii.argmin())] < SURE:
        todo = [p for p in (best, best - 1, best + 1) if 0 <= p < len(grid) and not solved[p]]
        if not todo:
            break
        radii[todo[0]], solved[todo[0]] = spectral_radius(whole(float(grid[todo[0]]))), True
    return radii, int(solved.sum())


Maps = tuple[Callable[[float], Array], Callable[[Array], "Array | None"]]


def _span_maps(most: Array, table: int, r: int) -> Maps:
    """Span-by-span map with the first r of the table's harmonics by mu_c, and Krylov spaces of it for several."""
    keep = np.concatenate([np.arange(r), table + np.arange(r), np.arange(2 * table, len(most))])
    A = np.ascontiguousarray(most[np.ix_(keep, keep)])

    def whole(mu: float) -> Array:
        full = A.copy()
        full[r : 2 * r] *= mu
        full[np.arange(r, 2 * r), np.arange(r, 2 * r)] += 1.0 - mu
        return full

    def spaces(grid: Array) -> Array | None:
        return None if len(A) <= DENSE else hessenbergs_span(A, r, grid, _start(len(A)), KRYLOV)

    return whole, spaces


def _step_maps(line: LineResponse, response: DeviceResponse, device: LumpedDevice, settings: LoopSettings) -> Maps:
    """Step-by-step map by mu_c, and Krylov spaces of it for several, for which it is not formed."""
    N = line.basis.shape[0]
    station, _ = blend_weights(settings, N)
    tables = Tables(np.ascontiguousarray(line.basis[station]), np.ascontiguousarray(line.gain.T))
    free = replace(device, applied_force=0.0, unilateral=False)
    states = N + settings.delay_steps + 2 * len(device.spec.masses) + 2

    def whole(mu: float) -> Array:
        return step_matrix(line, response, settings.model_copy(update={"contact_relaxation": mu}))

    def spaces(grid: Array) -> Array | None:
        if states <= DENSE:
            return None
        return hessenbergs_step(tables, free.constants, free.state, grid, _start(states), KRYLOV)

    return whole, spaces


def _start(states: int) -> Array:
    """First vector of a Krylov space: all states in it, the same one every time."""
    return np.random.default_rng(1).normal(size=states)
