"""Charts of sensitivities: shares of the variance with their intervals, elementary effects, one input at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from dynamics.charts.numbers import number
from dynamics.charts.parts import Chart, Curve, Mark, Role, Stations
from optimise.parameter_study.sensitivity_indices import LocalFigures, MorrisFigures, Output, SobolFigures
from optimise.parameter_study.sensitivity_result import SensitivityResult
from optimise.parameter_study.sweep_axes import axis_meaning, axis_unit
from studies.report.content.pieces import Array
from studies.report.sections.tables import plus_minus

__all__ = ["bars", "effects_chart", "indices_chart", "rows_chart", "tornado_chart"]


def rows_chart(
    about: tuple[str, str, str], x_label: str, curves: Iterable[Curve], x_range: tuple[float, float], names: list[str]
) -> Chart:
    """Lay out a chart of rows with names, the lowest first; ``about`` has its own name, title and caption."""
    height, rows = 0.08 + 0.05 * len(names), tuple(names)
    return Chart(*about, x_label, "", tuple(curves), x_range=x_range, pick="point", height=height, y_names=rows)


def bars(label: str, ends: tuple[float, Array], unit: str, role: Role, notes: Iterable[str]) -> tuple[Curve, Curve]:
    """Draw a bar in each row from one place to a value each, with a point that can be read at its end."""
    start, values = ends
    rows = np.arange(1.0, values.size + 1.0)
    x = np.stack([np.full(values.size, start), values], axis=1).ravel()
    bar = Curve(label, x, np.repeat(rows, 2), unit, "", role, "bars")
    return bar, Curve(label, values, rows, unit, "", role, "dots", tuple(notes))


def indices_chart(result: SensitivityResult, s: SobolFigures, k: int, output: Output) -> Chart:
    """Draw total and first-order indices of one output with their intervals, the largest at the top."""
    order = np.argsort(s.total[k])
    curves = []
    kinds: tuple[tuple[str, Array, Array, Array, Role, Mark], ...] = (
        ("total", s.total, s.total_low, s.total_high, "best", "dots"),
        ("first order", s.first, s.first_low, s.first_high, "nominal", "rings"),
    )
    for label, value, low, high, role, mark in kinds:
        y = np.arange(1.0, order.size + 1.0) + (0.14 if role == "best" else -0.14)
        ends = np.stack([low[k, order], high[k, order]], axis=1).ravel()
        notes = tuple(
            f"{result.plan.names[i]}, {label}: {number(value[k, i], 3)} "
            f"({number(low[k, i], 3)} to {number(high[k, i], 3)})"
            for i in order
        )
        curves.append(Curve("", ends, np.repeat(y, 2), "", "", role, "segments"))
        curves.append(Curve(label, value[k, order], y, "", "", role, mark, notes))
    low, high = min(0.0, float(min(c.x.min() for c in curves))), max(0.2, float(max(c.x.max() for c in curves)))
    caption = "Dots: total index; rings: first order; lines: intervals."
    about = f"sobol_{output.name}", f"What the {output.meaning} depends on", caption
    chart = rows_chart(about, "Share of the variance", curves, (low - 0.02, high + 0.03), _named(result, order))
    return replace(chart, stations=(Stations("zero", np.zeros(1), full_height=True),))


def _named(result: SensitivityResult, order: np.ndarray) -> list[str]:
    """Names of inputs from the lowest row to the highest."""
    return [axis_meaning(result.plan.names[i]) for i in order]


def effects_chart(result: SensitivityResult, m: MorrisFigures, k: int, output: Output) -> Chart:
    """Draw the size of the elementary effects against their spread."""
    size, spread = m.mean_absolute[k], m.spread[k]
    names = result.plan.names
    notes = tuple(
        f"{n}: {plus_minus(size[i], m.interval[k, i], 2)} {output.unit}, spread {number(spread[i], 2)} {output.unit}"
        for i, n in enumerate(names)
    )
    top = 1.1 * float(max(size.max(), spread.max()))
    short = tuple(n.removeprefix("catenary.").removeprefix("pantograph.") for n in names)
    effects = Curve("inputs", size, spread, output.unit, output.unit, "best", "dots", notes, short)
    line = Curve("spread as large as the effect", np.array([0.0, top]), np.array([0.0, top]), output.unit, output.unit,
                 "muted")  # fmt: skip
    axes = "Mean size of the effect over the range", "Standard deviation of the effects"
    caption = "Inputs on the right have a large effect; inputs high up act non-linearly or interact with others."
    about = f"morris_{output.name}", f"Elementary effects on the {output.meaning}", caption
    y_range = 0.0, 1.1 * float(max(spread.max(), 1e-12))
    return Chart(*about, *axes, (line, effects), x_range=(0.0, top), y_range=y_range, pick="point")


def tornado_chart(result: SensitivityResult, d: LocalFigures, k: int, output: Output) -> Chart | None:
    """Draw what an output does at both ends of every input's step, the widest at the top; None where nothing moves."""
    low, high, nominal = d.low[k], d.high[k], float(d.nominal[k])
    width = np.abs(high - low)
    known = np.flatnonzero(np.isfinite(width))
    if not np.isfinite(nominal) or not known.size or not width[known].max() > 0.0:
        return None
    order, curves = known[np.argsort(width[known])], []
    ends: tuple[tuple[str, Array, Role, str], ...] = (
        ("input lower", low, "nominal", "−"),
        ("input higher", high, "best", "+"),
    )
    for label, end, role, sign in ends:
        notes = (
            f"{result.plan.names[i]} {sign} {d.steps[i]:.4g} {axis_unit(result.plan.names[i])}: "
            f"{number(float(end[i]), 2)} {output.unit}"
            for i in order
        )
        curves += bars(label, (nominal, end[order]), output.unit, role, notes)
    reach = 1.08 * float(np.abs(np.concatenate([low[order], high[order]]) - nominal).max())
    caption = f"At the case's own values: {number(nominal, 2)} {output.unit}."
    about = f"tornado_{output.name}", f"One input at a time: {output.meaning}", caption
    x_label = output.meaning[0].upper() + output.meaning[1:]
    chart = rows_chart(about, x_label, curves, (nominal - reach, nominal + reach), _named(result, order))
    return replace(chart, stations=(Stations("own values", np.array([nominal]), full_height=True),))
