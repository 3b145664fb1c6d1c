"""Charts of a solution: contact force along the track with droppers and supports, and the uplift of the supports."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dynamics.charts.numbers import number
from dynamics.charts.parts import Chart, Curve, Level, Role, Stations

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dynamics.results.solution import PantographResult, Solution

__all__ = ["draw_run", "force_chart", "mean_level"]

# how long before and after its largest uplift a support is shown, in passages of a span
PERIODS_BEFORE, PERIODS_AFTER = 3.0, 7.0
# samples stand at the ends of steps: the first one lies a step behind a support, a share of the period [-]
LESS_THAN_A_SAMPLE = 0.005
# pantographs, the leading one first
ROLES: tuple[Role, ...] = ("best", "nominal", "other", "fourth")


def draw_run(solution: Solution) -> Figure:
    """Draw the contact force along the track and the uplift at the supports.

    Parameters
    ----------
    solution : Solution
        With figures, of any solver.
    """
    from dynamics.charts.drawing import charts_figure

    case = solution.case
    return charts_figure([_force_chart(solution), _uplift_chart(solution)], case.in_words)


def force_chart(
    curves: tuple[Curve, ...],
    stations: tuple[Stations, ...],
    x_range: tuple[float, float] | None,
    levels: tuple[Level, ...] = (),
) -> Chart:
    """Lay out contact forces [N] over the station of the pantograph [m], as runs and reports show them."""
    return Chart(
        name="contact_force",
        title="Contact force",
        caption="",
        x_label="Station of the pantograph",
        y_label="Contact force",
        curves=curves,
        stations=stations,
        x_range=x_range,
        levels=levels,
        height=0.46,
    )


def mean_level(mean_N: float) -> Level:
    """Mark the mean contact force [N]."""
    return Level(f"mean {number(mean_N, 1)} N", mean_N)


def _force_chart(solution: Solution) -> Chart:
    """Filtered force of every pantograph over the spans that count, that of the leading one as computed behind it."""
    raw = solution.leading
    curves = [Curve("as computed", *_from_support(solution, raw, raw.contact_force), "m", "N", "muted")]
    cutoff = solution.case.signal.cutoff_hz
    for k, one in enumerate(solution.pantographs):
        name = f"filtered at {cutoff:g} Hz" + (f", pantograph {k + 1}" if len(solution.pantographs) > 1 else "")
        passage = _from_support(solution, one, one.contact_force_filtered)
        curves.append(Curve(name, *passage, "m", "N", ROLES[k % len(ROLES)]))
    curves += _by_wire(solution)
    at = np.concatenate([one.position[one.evaluated] for one in solution.pantographs])
    low, high = float(at.min()), float(at.max())
    line, found = solution.case.line, solution.statistics
    levels = () if found is None else (mean_level(found.contact_force_mean_N), *_sigma_levels(solution))
    supports = _repeated(line.supports[:-1], line.period, low, high)
    droppers = _repeated(line.droppers.positions, line.period, low, high)
    stations = (Stations("supports", supports, full_height=True), Stations("droppers", droppers, "best"))
    return force_chart(tuple(curves), stations, (min(low, *supports), max(high, *supports)), levels)


def _by_wire(solution: Solution) -> list[Curve]:
    """Force of the leading pantograph on the contact wire of each tension section, where there are several."""
    kept, section = solution.histories, solution.case.catenary.section
    if kept is None or section is None:
        return []
    return [
        Curve(f"on section {own.name}", *_from_support(solution, solution.leading, force), "m", "N", ROLES[1 + w % 3])
        for w, (own, force) in enumerate(zip(section.tension_sections, kept.wire_force[:, 0].T, strict=False))
    ]


def _from_support(
    solution: Solution, one: PantographResult, force: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Stations [m] and a force [N] over the spans that count, with the sample before: it stands at their first support.

    A state that repeats has it at its end.
    """
    part = one.evaluated
    x, y = one.position[part], force[part]
    if part.start > 0:
        before = part.start - 1
        return np.insert(x, 0, one.position[before]), np.insert(y, 0, force[before])
    if not solution.repeats:
        return x, y
    return np.insert(x, 0, x[-1] - solution.case.line.period), np.insert(y, 0, y[-1])


def _sigma_levels(solution: Solution) -> tuple[Level, ...]:
    """Mark the mean plus and minus the standard deviation."""
    found = solution.statistics
    assert found is not None
    mean, sigma = found.contact_force_mean_N, found.contact_force_std_N
    label = f"mean ± standard deviation {number(sigma, 1)} N"
    return (Level(label, mean - sigma), Level(label, mean + sigma))


def _repeated(stations: Iterable[float], period: float, low: float, high: float) -> NDArray[np.float64]:
    """Stations of one period on all periods between two places [m]."""
    first, last = math.floor(low / period) - 1, math.ceil(high / period) + 1
    found = np.add.outer(period * np.arange(first, last + 1), list(stations)).ravel()
    return found[(found >= low - LESS_THAN_A_SAMPLE * period) & (found <= high + 1e-9 * period)]


def _uplift_chart(solution: Solution) -> Chart:
    """Rise of one support while the pantograph passes, or the largest while each span was passed."""
    uplift = 1e3 * np.asarray(solution.support_uplift, dtype=np.float64)
    if solution.repeats:
        case = solution.case
        after = case.time_step * (np.arange(float(uplift.size)) - int(np.argmax(uplift)))
        period = case.line.period / case.speed
        shown = (after >= -PERIODS_BEFORE * period) & (after <= PERIODS_AFTER * period)
        curve, x_label = Curve("uplift", after[shown], uplift[shown], "s", "mm"), "Time after the largest uplift"
    else:
        spans = np.arange(1.0, uplift.size + 1.0)
        ends = np.column_stack([np.zeros_like(uplift), uplift]).ravel()
        curve, x_label = Curve("uplift", np.repeat(spans, 2), ends, "", "mm", "best", "bars"), "Span that was passed"
    return Chart(
        name="uplift",
        title="Uplift of a support",
        caption="",
        x_label=x_label,
        y_label="Uplift of a support" if solution.repeats else "Largest uplift at supports",
        curves=(curve,),
        x_range=None if solution.repeats else (0.5, uplift.size + 0.5),
        height=0.26,
    )
