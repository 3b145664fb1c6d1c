"""Maps of the loop's spectral radius over the highest frequency and a second quantity (001, figs 4 to 6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynamics.loop.device import LumpedDevice
from dynamics.loop.harmonics import harmonics_up_to
from dynamics.loop.krylov import hessenbergs_span, hessenbergs_step
from dynamics.loop.linear import LineResponse, blend_weights, device_response, line_response
from dynamics.loop.model import PeriodicModel
from dynamics.loop.spec import LoopSettings
from dynamics.loop.stability import span_matrix, spectral_radius, step_matrix

__all__ = ["MapRow", "StabilityMap", "stability_map"]

Array = NDArray[np.float64]
DENSE = 48  # states: smaller maps are solved whole
SIZES = (36, 90)  # Krylov vectors, tried in turn
LESS, AGREE = 0.8, 2.0e-4  # a smaller space must give the same radius, relative
THREADS = 2


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
        Smallest radius and its mu_c [-].
    dense : int
        Points times mu_c that the Krylov spaces did not settle and that were solved whole.
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
    """Map the spectral radius; rows run on two threads.

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
    grid = np.array(relaxations, dtype=np.float64)
    radius, chosen, dense = np.empty((len(rows), len(counts))), np.empty((len(rows), len(counts))), 0

    def one(i: int) -> tuple[int, Array, int]:
        row = settings.model_copy(update={"delay_steps": rows[i].delay_steps})
        return i, *_row(model, line, row, rows[i].device, (counts, grid))

    with ThreadPoolExecutor(THREADS) as pool:
        waiting = [pool.submit(one, i) for i in range(len(rows))]
        for done, future in enumerate(as_completed(waiting), start=1):
            i, found, whole = future.result()
            best = found.argmin(axis=1)
            radius[i], chosen[i] = found[np.arange(len(counts)), best], grid[best]
            dense += whole
            if progress is not None:
                progress(done, len(rows))
    return StabilityMap(settings, tuple(rows), np.asarray(frequency), tuple(relaxations), radius, chosen, dense)


def _row(
    model: PeriodicModel,
    line: LineResponse,
    settings: LoopSettings,
    device: LumpedDevice,
    axes: tuple[NDArray[np.int64], Array],
) -> tuple[Array, int]:
    """Radii of one row, (column, relaxation), and how many were solved whole."""
    counts, grid = axes
    response = device_response(device, model.steps)
    found, dense = {}, 0
    by_span = settings.strategy == "span_by_span"
    whole = span_matrix(line, response, settings.model_copy(update={"contact_relaxation": 1.0})) if by_span else None
    for count in sorted(set(counts.tolist())):
        part = LineResponse(line.basis[:, : 2 * count - 1], line.gain[: 2 * count - 1])
        if whole is not None:
            spaces = _span_spaces(whole, line.basis.shape[1], 2 * count - 1, grid)
        else:
            spaces = _step_spaces(part, device, settings, grid)
        radii = _settled(spaces)
        for p in np.flatnonzero(np.isnan(radii)):
            one = settings.model_copy(update={"contact_relaxation": float(grid[p])})
            radii[p] = spectral_radius((span_matrix if by_span else step_matrix)(part, response, one))
            dense += 1
        found[count] = radii
    return np.array([found[count] for count in counts.tolist()]), dense


def _settled(spaces: Callable[[int, NDArray[np.bool_]], Array | None]) -> Array:
    """Radii by mu_c from growing Krylov spaces; not a number where none settled."""
    radii: Array | None = None
    for size in SIZES:
        todo = np.isnan(radii) if radii is not None else np.array([True])
        if not todo.any():
            break
        H = spaces(size, todo)
        if H is None:
            break
        endless = ~np.isfinite(H).all(axis=(1, 2))
        H[endless] = 0.0
        big = np.abs(np.linalg.eigvals(H)).max(axis=1)
        less = int(LESS * H.shape[1])
        small = np.abs(np.linalg.eigvals(H[:, :less, :less])).max(axis=1)
        good = np.abs(big - small) <= AGREE * big
        big[endless] = np.inf
        if radii is None:
            radii = np.where(good, big, np.nan)
        else:
            radii[todo] = np.where(good, big, np.nan)
    assert radii is not None
    return radii


def _span_spaces(whole: Array, table: int, r: int, grid: Array) -> Callable[[int, NDArray[np.bool_]], Array | None]:
    """Krylov spaces of the span-by-span map with the first r of the table's harmonics."""
    keep = np.concatenate([np.arange(r), table + np.arange(r), np.arange(2 * table, len(whole))])
    A = np.ascontiguousarray(whole[np.ix_(keep, keep)])
    start = np.random.default_rng(1).normal(size=len(A))

    def make(size: int, todo: NDArray[np.bool_]) -> Array | None:
        chosen = grid[todo] if len(todo) == len(grid) else grid
        if len(A) <= DENSE or size >= len(A):
            full = np.repeat(A[None], len(chosen), axis=0)
            full[:, r : 2 * r] *= chosen[:, None, None]
            full[:, np.arange(r, 2 * r), np.arange(r, 2 * r)] += (1.0 - chosen)[:, None]
            return _padded(full)
        return hessenbergs_span(A, r, chosen, start, size)

    return make


def _padded(full: Array) -> Array:
    """Whole maps followed by zeros, so that a smaller space of them is the map itself."""
    n = full.shape[1]
    out = np.zeros((len(full), int(np.ceil(n / LESS)) + 1, int(np.ceil(n / LESS)) + 1))
    out[:, :n, :n] = full
    return out


def _step_spaces(
    line: LineResponse, device: LumpedDevice, settings: LoopSettings, grid: Array
) -> Callable[[int, NDArray[np.bool_]], Array | None]:
    """Krylov spaces of the step-by-step map."""
    N = line.basis.shape[0]
    station, _ = blend_weights(settings, N)
    tables = (np.ascontiguousarray(line.basis[station]), np.ascontiguousarray(line.gain.T))
    free = replace(device, applied_force=0.0, unilateral=False)
    states = N + settings.delay_steps + 2 * len(device.spec.masses) + 2
    start = np.random.default_rng(1).normal(size=states)

    def make(size: int, todo: NDArray[np.bool_]) -> Array | None:
        chosen = grid[todo] if len(todo) == len(grid) else grid
        return hessenbergs_step(tables, (free.constants, free.state), chosen, start, size)

    return make
