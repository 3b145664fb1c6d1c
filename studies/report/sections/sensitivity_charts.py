"""Charts of sensitivities: indices with their intervals, elementary effects, tornadoes."""

from __future__ import annotations

import numpy as np

from dynamics.charts.numbers import number
from dynamics.charts.parts import Chart, Curve, Role, Stations
from optimise.parameter_study.sensitivity_indices import LocalFigures, MorrisFigures, Output, SobolFigures
from optimise.parameter_study.sensitivity_result import SensitivityResult
from optimise.parameter_study.sweep_axes import axis_meaning, axis_unit
from studies.report.content.pieces import Array

__all__ = ["effects_chart", "height_of_rows", "indices_chart", "tornado_chart"]


def height_of_rows(count: int) -> float:
    """Height, over the width of the axes, of a chart whose y axis has names."""
    return 0.08 + 0.05 * count


def _named(result: SensitivityResult, order: np.ndarray) -> tuple[str, ...]:
    """Names of inputs from the lowest row to the highest."""
    return tuple(axis_meaning(result.plan.names[i]) for i in order)


def indices_chart(result: SensitivityResult, s: SobolFigures, k: int, output: Output) -> Chart:
    """Draw total and first-order indices of one output with their intervals, the largest at the top."""
    order = np.argsort(s.total[k])
    rows = np.arange(1.0, order.size + 1.0)
    curves = []
    kinds = (
        ("total", s.total, s.total_low, s.total_high, 0.14),
        ("first order", s.first, s.first_low, s.first_high, -0.14),
    )
    for (label, value, low, high, lift), role in zip(kinds, ("best", "nominal"), strict=True):
        y = rows + lift
        ends = np.stack([low[k, order], high[k, order]], axis=1).ravel()
        notes = tuple(
            f"{result.plan.names[i]}, {label}: {number(value[k, i], 3)} "
            f"({number(low[k, i], 3)} to {number(high[k, i], 3)})"
            for i in order
        )
        curves.append(Curve("", ends, np.repeat(y, 2), "", "", role, "segments"))
        mark = "dots" if role == "best" else "rings"
        curves.append(Curve(label, value[k, order], y, "", "", role, mark, notes))
    low, high = min(0.0, float(min(c.x.min() for c in curves))), max(0.2, float(max(c.x.max() for c in curves)))
    return Chart(
        name=f"sobol_{output.name}",
        title=f"What the {output.meaning} depends on",
        caption="Dots: total index; rings: first order; lines: intervals.",
        x_label="Share of the variance",
        y_label="",
        curves=tuple(curves),
        stations=(Stations("zero", np.zeros(1), full_height=True),),
        x_range=(low - 0.02, high + 0.03),
        pick="point",
        height=height_of_rows(order.size),
        y_names=_named(result, order),
    )


def effects_chart(result: SensitivityResult, m: MorrisFigures, k: int, output: Output) -> Chart:
    """Draw the size of the elementary effects against their spread."""
    size, spread = m.mean_absolute[k], m.spread[k]
    names = result.plan.names
    notes = tuple(
        f"{n}: {number(size[i], 2)} ± {number(m.interval[k, i], 2)} {output.unit}, spread {number(spread[i], 2)} "
        f"{output.unit}"
        for i, n in enumerate(names)
    )
    top = 1.1 * float(max(size.max(), spread.max()))
    short = tuple(n.removeprefix("catenary.").removeprefix("pantograph.") for n in names)
    effects = Curve("inputs", size, spread, output.unit, output.unit, "best", "dots", notes, short)
    line = Curve("spread as large as the effect", np.array([0.0, top]), np.array([0.0, top]), output.unit, output.unit,
                 "muted")  # fmt: skip
    return Chart(
        name=f"morris_{output.name}",
        title=f"Elementary effects on the {output.meaning}",
        caption="Right: matters. High: acts unevenly or together with others.",
        x_label="Mean size of the effect over the range",
        y_label="Standard deviation of the effects",
        curves=(line, effects),
        x_range=(0.0, top),
        y_range=(0.0, 1.1 * float(max(spread.max(), 1e-12))),
        pick="point",
    )


def tornado_chart(result: SensitivityResult, d: LocalFigures, k: int, output: Output) -> Chart | None:
    """Draw what an output does at both ends of every input's step, the widest at the top; None where nothing moves."""
    low, high, nominal = d.low[k], d.high[k], float(d.nominal[k])
    width = np.abs(high - low)
    known = np.flatnonzero(np.isfinite(width))
    if not np.isfinite(nominal) or not known.size or not width[known].max() > 0.0:
        return None
    order = known[np.argsort(width[known])]
    rows, curves = np.arange(1.0, order.size + 1.0), []
    ends: tuple[tuple[str, Array, Role], ...] = (("input lower", low, "nominal"), ("input higher", high, "best"))
    for label, end, role in ends:
        x, y = np.stack([np.full(order.size, nominal), end[order]], axis=1).ravel(), np.repeat(rows, 2)
        curves.append(Curve(label, x, y, output.unit, "", role, "bars"))
        sign = "−" if end is low else "+"
        notes = tuple(
            f"{result.plan.names[i]} {sign} {d.steps[i]:.4g} {axis_unit(result.plan.names[i])}: "
            f"{number(float(end[i]), 2)} {output.unit}"
            for i in order
        )
        curves.append(Curve(label, end[order], rows, output.unit, "", role, "dots", notes))
    reach = 1.08 * float(np.abs(np.concatenate([low[order], high[order]]) - nominal).max())
    return Chart(
        name=f"tornado_{output.name}",
        title=f"One input at a time: {output.meaning}",
        caption=f"At the case's own values: {number(nominal, 2)} {output.unit}.",
        x_label=output.meaning[0].upper() + output.meaning[1:],
        y_label="",
        curves=tuple(curves),
        stations=(Stations("own values", np.array([nominal]), full_height=True),),
        x_range=(nominal - reach, nominal + reach),
        pick="point",
        height=height_of_rows(order.size),
        y_names=_named(result, order),
    )
