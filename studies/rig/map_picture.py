"""A stability map as a picture: spectral radius and best mu_c, unstable points white, the head's frequency in red."""

from __future__ import annotations

import io
from typing import Any, Literal

import numpy as np
from matplotlib.figure import Figure

from dynamics.charts.style import house_style
from dynamics.charts.ticks import log_ticks
from dynamics.rig.stability.maps import StabilityMap

__all__ = ["map_pictures"]

RED = "#c1121f"


def map_pictures(found: StabilityMap, line: str, over: Literal["stiffness", "delay"]) -> dict[str, bytes]:
    """Draw a map as ``png`` and as ``svg``, after figs 4 to 6 of Gil et al.; the same map gives the same bytes."""
    pictures = {}
    with house_style():
        figure = _figure(found, line, over)
        for kind, undated in (("png", {"Software": None}), ("svg", {"Date": None})):
            buffer = io.BytesIO()
            figure.savefig(buffer, format=kind, metadata=undated)
            pictures[kind] = buffer.getvalue()
    return pictures


def _figure(found: StabilityMap, line: str, over: Literal["stiffness", "delay"]) -> Figure:
    figure = Figure(figsize=(9.6, 4.4), dpi=150, facecolor="white", layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    stable = found.radius < 1.0
    grid = sorted(found.relaxations)
    if over == "stiffness":
        rows = 1e-3 * np.array([row.device.contact_stiffness for row in found.rows])
        label = "contact stiffness [kN/m]"
    else:
        rows = np.array([row.delay_steps for row in found.rows], dtype=float)
        label = "delay [steps]"
    low = float(found.radius[stable].min()) if stable.any() else 0.9
    # what lies near 1 matters most: colours by the distance from it
    shown = np.ma.masked_where(~stable, found.radius)
    best = np.ma.masked_where(~stable, _places(found, grid))
    panels: tuple[tuple[Any, Any, dict[str, Any]], ...] = (
        (left, shown, {"cmap": "viridis", "vmin": low, "vmax": 1.0}),
        (right, best, {"cmap": "cividis", "vmin": -0.5, "vmax": len(grid) - 0.5}),
    )
    for axes, values, style in panels:
        mesh = axes.pcolormesh(found.frequency, rows, values, shading="nearest", rasterized=True, **style)
        axes.set_yscale("log" if over == "stiffness" else "linear")
        axes.set_xlabel("highest frequency of the height [Hz]")
        axes.plot([row.device.head_frequency for row in found.rows], rows, color=RED, linewidth=1.5)
        axes.set_xlim(float(found.frequency[0]), float(found.frequency[-1]))
        axes.set_ylim(float(rows[0]), float(rows[-1]))  # a field's half beyond the ends would show delays below 0
        bar = figure.colorbar(mesh, ax=axes)
        bar.set_label("spectral radius (white: 1 and more)" if axes is left else "best mu_c of the grid")
        if axes is right:
            bar.set_ticks(range(len(grid)), labels=[f"{m:g}" for m in grid])
    left.set_ylabel(label)
    if over == "stiffness":
        at = log_ticks(float(rows[0]), float(rows[-1]))
        left.set_yticks(at, [f"{v:g}" for v in at])
        left.minorticks_off()
    first = found.rows[0]
    held = f"{first.device.contact_stiffness / 1e3:g} kN/m"
    fixed = f"delay {first.delay_steps} steps" if over == "stiffness" else held
    tried = ", ".join(f"{m:g}" for m in grid)
    figure.suptitle(
        f"{line}, {first.device.spec.name}, {found.settings.strategy.replace('_', ' ')}, {fixed}; mu_c tried: {tried}\n"
        "red: natural frequency of the head on its contact",
        fontsize=9,
    )
    return figure


def _places(found: StabilityMap, grid: list[float]) -> np.ndarray:
    """Best mu_c as its place in the grid."""
    return np.searchsorted(np.array(grid), found.relaxation - 1e-12).astype(float)
