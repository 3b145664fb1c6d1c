"""Nodes of an integral over real frequencies that resolve the narrow peaks of a lightly damped line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.influence.condensed import CondensedCell
from dynamics.influence.heights import own_modes, turned

__all__ = ["panel_nodes"]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]

ORDER = 8
MAX_PANELS = 4000
PER_STEP = ("steps", "modes", "shares")
_GAUSS_X, _GAUSS_W = np.polynomial.legendre.leggauss(ORDER)


def panel_nodes(cell: CondensedCell, tolerance: float) -> tuple[Floats, Floats, float]:
    """Adaptive Gauss panels on 0 < theta < pi, halved until a few probed answers are integrated to tolerance.

    Returns the angles, their weights, and the error of the sum relative to the largest of the probed answers [-].
    """
    lags = np.array([0.0, 0.37 * cell.steps, 1.0 * cell.steps, 3.0 * cell.steps])

    def integrate(panels: Floats) -> Complexes:
        middle, half = panels.mean(axis=1), 0.5 * (panels[:, 1] - panels[:, 0])
        theta = middle[:, None] + half[:, None] * _GAUSS_X
        X = _probes(cell, theta.ravel() + 0.0j).reshape(*theta.shape, -1)
        turn = np.exp(1j * theta[:, :, None] * lags) * (_GAUSS_W * half[:, None])[:, :, None]
        return np.einsum("pgx,pgl->pxl", X, turn).reshape(len(panels), -1)

    edges = np.concatenate([[0.0], np.geomspace(2e-4, 1.0, 40), np.linspace(1.0, np.pi, 30)[1:]])
    open_panels = np.stack([edges[:-1], edges[1:]], axis=1)
    value = integrate(open_panels)
    scale = float(np.abs(value.sum(axis=0)).max())
    done: list[Floats] = []
    error = 0.0
    while len(open_panels):
        middle = open_panels.mean(axis=1)
        halves = np.stack(
            [np.stack([open_panels[:, 0], middle], axis=1), np.stack([middle, open_panels[:, 1]], axis=1)],
            axis=1,
        ).reshape(-1, 2)
        finer = integrate(halves)
        change = np.abs(finer.reshape(len(open_panels), 2, -1).sum(axis=1) - value).max(axis=1)
        good = (change < tolerance * scale) | (len(open_panels) + len(done) > MAX_PANELS)
        error += float(change[good].sum())
        done += list(halves.reshape(-1, 2, 2)[good].reshape(-1, 2))
        keep = np.repeat(~good, 2)
        open_panels, value = halves[keep], finer[keep]
    panels = np.array(done)
    half = 0.5 * (panels[:, 1] - panels[:, 0])
    theta = (panels.mean(axis=1)[:, None] + half[:, None] * _GAUSS_X).ravel()
    order = np.argsort(theta)
    return theta[order], (half[:, None] * _GAUSS_W).ravel()[order], error / scale


def _probes(cell: CondensedCell, theta: Complexes) -> Complexes:
    """Heights in the middle of two bays by forces there, stretches of two droppers by their squeezes, (angle, 8)."""
    X = cell.answers(theta)
    middles = []
    for bay in (cell.contact[0], cell.contact[len(cell.contact) // 2]):
        step = len(bay.steps) // 2
        middles.append(replace(bay, **{name: getattr(bay, name)[step : step + 1] for name in PER_STEP}))
    ends = [turned(cell, bay, theta) for bay in middles]
    found = [
        left[0] @ X[:, bay.loads][:, :, other.loads] @ right[1]
        for bay, left in zip(middles, ends, strict=True)
        for other, right in zip(middles, ends, strict=True)
    ]
    # the bays' own modes: poles that the ends' answers cancel
    for own, bay in ((0, middles[0]), (3, middles[1])):
        found[own] = found[own] + own_modes(cell, bay, theta)[:, None, None]
    split = X.shape[1] - cell.droppers
    some = [split, split + cell.droppers // 2]
    return np.concatenate(
        [np.stack(found, axis=1).reshape(len(theta), -1), X[:, some][:, :, some].reshape(len(theta), -1)], axis=1
    )
