"""Pictures of a solution: contact force along the track with droppers and supports, and the uplift of the supports."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dynamics.results.solution import Solution

__all__ = ["draw_run", "svg_of"]

INK, FAINT, ACCENT = "#1f4e79", "#9db4c8", "#b5532a"
# how long before and after its largest uplift a support is shown, in passages of a span
PERIODS_BEFORE, PERIODS_AFTER = 3.0, 7.0
# samples stand at the ends of steps: the first one lies a step behind a support, a share of the period [-]
LESS_THAN_A_SAMPLE = 0.005
# pantographs behind the first one, in this order
COLOURS = (INK, ACCENT, "#3b7d4f", "#7a5195")


def draw_run(solution: Solution) -> Figure:
    """Draw the contact force along the track and the uplift at the supports.

    Parameters
    ----------
    solution : Solution
        With figures, of any solver.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 6.0), layout="constrained")
    FigureCanvasAgg(figure)
    above, below = figure.subplots(2, 1, height_ratios=(2.0, 1.0))
    _draw_force(above, solution)
    _draw_uplift(below, solution)
    case = solution.case
    figure.suptitle(f"{case.catenary.name} with {case.pantograph.name} at {case.speed_kmh:g} km/h", fontsize=11)
    return figure


def svg_of(figure: Figure) -> str:
    """Figure as SVG to stand inside a page."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg")
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def _draw_force(axes: Axes, solution: Solution) -> None:
    """Filtered force of every pantograph over the spans that count, that of the leading one as computed behind it."""
    raw = solution.leading
    part = raw.evaluated
    axes.plot(raw.position[part], raw.contact_force[part], color=FAINT, linewidth=0.6, label="as computed")
    cutoff = solution.case.signal.cutoff_hz
    for k, one in enumerate(solution.pantographs):
        name = f"filtered at {cutoff:g} Hz" + (f", pantograph {k + 1}" if len(solution.pantographs) > 1 else "")
        force = one.contact_force_filtered[one.evaluated]
        axes.plot(one.position[one.evaluated], force, color=COLOURS[k % len(COLOURS)], linewidth=1.3, label=name)
    found = solution.statistics
    if found is not None:
        mean, sigma = found.contact_force_mean_N, found.contact_force_std_N
        axes.axhline(mean, color="#555555", linewidth=0.8, linestyle=":", label=f"mean {mean:.1f} N")
        axes.axhspan(mean - sigma, mean + sigma, color=INK, alpha=0.07, label=f"± standard deviation {sigma:.1f} N")
    stations = np.concatenate([one.position[one.evaluated] for one in solution.pantographs])
    _mark_line(axes, solution, float(stations.min()), float(stations.max()))
    axes.set_xlabel("position of the pantograph along the track [m]")
    axes.set_ylabel("contact force [N]")
    axes.legend(loc="upper right", ncols=3, fontsize=8, frameon=False)
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.18 * (high - low))  # room for the legend


def _mark_line(axes: Axes, solution: Solution, low: float, high: float) -> None:
    """Supports as lines, droppers as ticks along the lower edge."""
    line = solution.case.catenary
    supports, droppers = (
        _repeated(line.supports[:-1], line.period, low, high),
        _repeated(line.droppers.positions, line.period, low, high),
    )
    for k, station in enumerate(supports):
        axes.axvline(station, color="#333333", linewidth=0.9, linestyle="--", label=None if k else "support")
    edge = axes.get_xaxis_transform()  # heights as shares of the axes
    axes.plot(droppers, np.full(len(droppers), 0.015), transform=edge, marker="|", markersize=9, color="#333333",
              linestyle="none", label="dropper")  # fmt: skip
    room = 0.01 * (high - low)  # supports at the ends are seen whole
    axes.set_xlim(low - room, high + room)


def _repeated(stations: tuple[float, ...], period: float, low: float, high: float) -> NDArray[np.float64]:
    """Stations of one period on all periods between two places [m]."""
    first, last = math.floor(low / period) - 1, math.ceil(high / period) + 1
    found = np.add.outer(period * np.arange(first, last + 1), stations).ravel()
    return found[(found >= low - LESS_THAN_A_SAMPLE * period) & (found <= high + 1e-9 * period)]


def _draw_uplift(axes: Axes, solution: Solution) -> None:
    """Rise of one support while the pantograph passes, or the largest while each span was passed."""
    uplift = 1e3 * np.asarray(solution.support_uplift)
    if solution.repeats:
        case = solution.case
        after = case.time_step * (np.arange(uplift.size) - int(np.argmax(uplift)))
        period = case.catenary.period / case.speed
        shown = (after >= -PERIODS_BEFORE * period) & (after <= PERIODS_AFTER * period)
        axes.plot(after[shown], uplift[shown], color=INK, linewidth=1.2)
        axes.set_xlabel("time after the largest uplift [s]")
        axes.set_ylabel("uplift of a support [mm]")
    else:
        axes.bar(np.arange(1, uplift.size + 1), uplift, color=INK, width=0.7)
        axes.set_xlabel("span that was passed")
        axes.set_ylabel("largest uplift at supports [mm]")
    axes.margins(x=0.0)
    axes.axhline(0.0, color="#555555", linewidth=0.8)
