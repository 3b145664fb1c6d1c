"""The page of a sweep: heat maps over two inputs, curves over one, each at every value of the others; and failures."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import partial
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from catenary.linearised.rest_warnings import rest_warnings
from dynamics.charts.numbers import number, with_bound_units
from dynamics.charts.parts import Chart, Curve, HeatMap, Role
from optimise.parameter_study.sweep import SweepFolder
from optimise.parameter_study.sweep_axes import axis_meaning, axis_unit, unmoved_text
from optimise.parameter_study.sweep_result import Index, SweepResult
from studies.report.drawing.parts import Page, Section, Table
from studies.report.readers.given_input import points_origin
from studies.report.sections.tables import (
    failure_table,
    marched_text,
    not_periodic_text,
    plus_minus,
    train_text,
    value_text,
)
from studies.writing.sweep_ends import end_text

__all__ = ["ROLES", "SHOWN", "sweep_page"]

# statistic, name, unit, decimals; the first is drawn as a heat map for every value of the other axes
SHOWN = (
    ("contact_force_std_N", "Standard deviation of the contact force", "N", 2),
    ("contact_force_max_N", "Largest contact force", "N", 1),
    ("contact_force_min_N", "Smallest contact force", "N", 1),
    ("max_uplift_at_supports_mm", "Largest uplift at the supports", "mm", 1),
    ("contact_loss_percent", "Loss of contact", "%", 2),
)
ROLES: tuple[Role, ...] = tuple(role for role in get_args(Role) if role != "muted")
MOST_MAPS = 12
# steps between labelled values, at most
MOST_TICKS = 9


@dataclass(frozen=True)
class _Axis:
    """One axis as it is drawn: evenly in its values, or in the powers of ten where they are even in these alone."""

    name: str
    values: NDArray[np.float64]

    @property
    def logarithmic(self) -> bool:
        """Whether the values are even in their logarithm alone: over a short range they nearly are in both."""
        x = self.values
        if x.size < 4 or x[0] <= 0.0:
            return False
        steps, ratios = np.diff(x), x[1:] / x[:-1]
        even = 0.0 < steps.max() < 1.05 * steps.min()
        return bool(not even and ratios.min() > 1.05 and ratios.max() < 1.05 * ratios.min())

    @property
    def drawn(self) -> NDArray[np.float64]:
        return np.log10(self.values) if self.logarithmic else self.values

    @property
    def ticks(self) -> tuple[float, ...]:
        """Where the axis is labelled: at values that were evaluated, as far as their numbers do not meet."""
        x = self.drawn
        even = -(-(x.size - 1) // MOST_TICKS) or 1
        kept = [float(x[0])]
        for v in map(float, x[even::even]):
            if v - kept[-1] >= (x[-1] - x[0]) / (MOST_TICKS + 1):
                kept.append(v)
        return tuple(kept)

    @property
    def label(self) -> str:
        return axis_meaning(self.name)

    @property
    def unit(self) -> str:
        return axis_unit(self.name)

    @property
    def edges(self) -> tuple[float, float]:
        """Outer edges of the first and last cell."""
        x = self.drawn
        if x.size == 1:
            return float(x[0]) - 0.5, float(x[0]) + 0.5
        return float(x[0] - 0.5 * (x[1] - x[0])), float(x[-1] + 0.5 * (x[-1] - x[-2]))

    def at(self, k: int) -> str:
        return f"{axis_meaning(self.name).rpartition(': ')[2]} {self.values[k]:g} {self.unit}".rstrip()


def sweep_page(result: SweepResult) -> Page:
    """Compose the page of a sweep."""
    axes = [_Axis(name, np.array(values, dtype=float)) for name, values in result.sweep.values.items()]
    wide = sorted((k for k, a in enumerate(axes) if a.values.size > 1), key=lambda k: (-axes[k].values.size, k))
    has_figures = any(p.statistics for p in result.points.values())
    sections = []
    if has_figures and len(wide) >= 2:
        maps = _maps(result, axes, sorted(wide[:2]))
        sections.append(Section("Two inputs at once", charts=maps))
    if has_figures:
        sections += _curve_sections(result, axes, wide)
    sections.append(_assured(result, axes))
    broken = [(index, p) for index, p in sorted(result.points.items()) if not p.statistics]
    if broken:
        rows = [(*(f"{a.values[i]:g}" for a, i in zip(axes, index, strict=True)), p.reason) for index, p in broken]
        heads = (f"{a.name} [{a.unit}]" if a.unit else a.name for a in axes)
        sections.append(Section("Points without figures", tables=(failure_table((*heads, "reason"), rows),)))
    place = SweepFolder(result.path)
    sections += points_origin(place, result.case, result.sweep.values, result.points.values())
    return Page(
        kicker="Sweep over inputs",
        title=f"{result.sweep.name}: {result.case.catenary.name} with {result.case.pantograph.name}",
        headline=with_bound_units(f"{_headline(result, axes)} {train_text(result.case)}".rstrip()),
        warnings=(*_warnings(result), *rest_warnings(result.case.catenary)),
        sections=tuple(s for s in sections if s.charts or s.tables or s.command),
    )


def _maps(result: SweepResult, axes: list[_Axis], pair: list[int]) -> tuple[Chart, ...]:
    """One heat map of the standard deviation for every value of the other axes, on one scale of colours."""
    key, name, unit, _ = SHOWN[0]
    sigma = result.figures(key)
    across, up = axes[pair[0]], axes[pair[1]]
    others = [range(1) if k in pair else range(a.values.size) for k, a in enumerate(axes)]
    charts = []
    for held in itertools.islice(itertools.product(*others), MOST_MAPS):
        cut = tuple(slice(None) if k in pair else i for k, i in enumerate(held))
        values = sigma[cut].T
        if not np.isfinite(values).any():
            continue
        words, suffix = _held_in_words(axes, held, [k for k in range(len(axes)) if k not in pair])
        row, column = np.unravel_index(np.nanargmin(values), values.shape)
        lowest = Curve(
            "lowest", across.drawn[[column]], up.drawn[[row]], across.unit, up.unit, mark="rings",
            notes=(f"lowest: {number(float(values[row, column]), 2)} {unit}",),
        )  # fmt: skip
        charts.append(
            Chart(
                name=f"sigma_map{suffix}",
                title=f"{name}{words}",
                caption="One cell a point; grey where there are no figures.",
                x_label=across.label,
                y_label=up.label,
                curves=(lowest,),
                x_range=across.edges,
                y_range=up.edges,
                pick="cell",
                height=0.5,
                powers=(across.logarithmic, up.logarithmic),
                sampled=(across.ticks, up.ticks),
                heat=HeatMap("σ", unit, across.drawn, up.drawn, values, -np.inf, "", float(np.nanmin(values))),
            )
        )
    return tuple(charts)


def _curve_sections(result: SweepResult, axes: list[_Axis], wide: list[int]) -> list[Section]:
    """Curves over the longest axis, a section for every value of the axes beyond the second longest."""
    others = [range(1) if k in wide[:2] else range(a.values.size) for k, a in enumerate(axes)]
    every = list(itertools.product(*others))
    sections = []
    for held in every[:MOST_MAPS]:
        words, _ = _held_in_words(axes, held, wide[2:], "at ")
        sections.append(Section(f"One input at a time{words}", charts=_curves(result, axes, wide, held)))
    return sections


def _curves(result: SweepResult, axes: list[_Axis], wide: list[int], held: tuple[int, ...]) -> tuple[Chart, ...]:
    """Each statistic over the longest axis, a curve for each of a few values of the next, the others held."""
    along = wide[0] if wide else 0
    beside = wide[1] if len(wide) > 1 else None
    picked = [0]
    if beside is not None:
        count = min(len(ROLES), axes[beside].values.size)
        picked = [round(k) for k in np.linspace(0, axes[beside].values.size - 1, count)]
    words, suffix = _held_in_words(axes, held, wide[2:])
    charts = []
    for key, name, unit, _ in SHOWN:
        figures, curves = result.figures(key), []
        for role, i in zip(ROLES[1:] + ROLES[:1] if beside is None else ROLES, picked, strict=False):
            cut = tuple(slice(None) if k == along else i if k == beside else held[k] for k in range(len(axes)))
            y = figures[cut]
            known = np.isfinite(y)
            label = name if beside is None else axes[beside].at(i)
            if known.any():
                curves.append(Curve(label, axes[along].drawn[known], y[known], axes[along].unit, unit, role))
        if curves:
            charts.append(
                Chart(
                    name=f"{key}{suffix}",
                    title=f"{name}{words}",
                    caption="",
                    x_label=axes[along].label,
                    y_label=name,
                    curves=tuple(curves),
                    powers=(axes[along].logarithmic, False),
                    sampled=(axes[along].ticks, ()),
                )
            )
    return tuple(charts)


def _held_in_words(axes: list[_Axis], held: Index, which: list[int], lead: str = "") -> tuple[str, str]:
    """End of a title and of a file name that say at which values of some inputs a chart is drawn."""
    words = ", ".join(axes[k].at(held[k]) for k in sorted(which))
    return f", {lead}{words}" if words else "", "".join(f"_{held[k]}" for k in sorted(which))


def _warnings(result: SweepResult) -> tuple[str, ...]:
    missing = int(np.prod(result.sweep.shape)) - len(result.points)
    _, _, *further = sorted((1, 1, *result.sweep.shape), reverse=True)
    hidden = max(0, int(np.prod(further)) - MOST_MAPS)
    found = tuple(
        text
        for count, text in (
            (missing, f"{missing} points are not evaluated yet."),
            (hidden, f"{hidden} values of the further inputs are not drawn; all are in result.nc."),
            (result.failed, f"{result.failed} points have no figures; the reasons stand below."),
        )
        if count
    )
    points = result.points.values()
    idle = unmoved_text(result.case, tuple(result.sweep.values), points)
    return (*found, *filter(None, [not_periodic_text(points), marched_text(points), idle]))


def _at(axes: list[_Axis], index: Index) -> str:
    return ", ".join(a.at(i) for a, i in zip(axes, index, strict=True))


def _headline(result: SweepResult, axes: list[_Axis]) -> str:
    ends = result.ends()
    if ends is None:
        return "No point has figures."
    low, high = (f"{end.word} {end_text(end, partial(_at, axes))}" for end in ends)
    return f"The standard deviation of the contact force is {low}; {high}."


def _assured(result: SweepResult, axes: list[_Axis]) -> Section:
    """Show the refined points with their figures of the sweep."""
    sigma = result.figures(SHOWN[0][0])
    rows = tuple(
        (
            _at(axes, p.index),
            value_text(float(sigma[p.index]), 2),
            p.message if p.sigma_N is None else plus_minus(p.sigma_N, p.error_N, 2),
            "not estimated" if p.error_N is None else "",
        )
        for p in result.assured
    )
    caption = (
        "Every point, on numerics refined for it."
        if len(result.assured) == np.isfinite(sigma).sum()
        else "The points that lowest and highest rest on, on numerics refined for each. At all other points the error "
        "is not estimated (error_estimate=everywhere does so): their figures are those of the sweep's window, step and "
        "mesh."
    )
    columns = ("point", "σ of the sweep [N]", "σ refined [N]", "error")
    return Section("Refined points", tables=(Table("", columns, rows, "lrrl", caption),) if rows else ())
