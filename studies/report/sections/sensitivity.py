"""Sections and charts on sensitivities: which inputs matter to which output, how surely, and what was left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from dynamics.adjoint.figures import SOFT
from dynamics.charts.numbers import number
from dynamics.charts.parts import Chart, Curve, Mark, Role, Stations
from optimise.evaluation.case_inputs import value_at
from optimise.parameter_study.sensitivity_indices import (
    CHECK_MISSED,
    OUTPUTS,
    GradientFigures,
    LocalFigures,
    MorrisFigures,
    Output,
    SobolFigures,
)
from optimise.parameter_study.sensitivity_result import SensitivityResult
from optimise.parameter_study.sweep_axes import axis_meaning, axis_unit, unmoved_text
from studies.report.content.pieces import Array
from studies.report.drawing.parts import Section, Table, present
from studies.report.sections.tables import marched_text, not_periodic_text, plus_minus, value_text

__all__ = ["bars", "inputs_table", "rows_chart", "sensitivity_summary", "study_headline", "study_sections",
           "study_warnings"]  # fmt: skip

INDEPENDENT = "Inputs are taken as independent, every value of a range as equally likely."


def sensitivity_summary(title: str, result: SensitivityResult) -> Section:
    """Section for a page of something else: pictures of the standard deviation alone, the tables of every output."""
    sections = study_sections(result)
    charts = tuple(chart for s in sections for chart in s.charts if chart.name.endswith(f"_{OUTPUTS[0].name}"))
    texts = tuple(text for s in sections for text in s.text)
    tables = (*(table for s in sections for table in s.tables), inputs_table(result, "What was varied"))
    return Section(title, text=(study_headline(result), *study_warnings(result), *texts), charts=charts, tables=tables)


def study_sections(result: SensitivityResult) -> tuple[Section, ...]:
    """Shares of the variance, elementary effects and derivatives, as far as the study has them."""
    shares = None if result.sobol is None else _sobol_section(result, result.sobol)
    effects = None if result.morris is None else _morris_section(result, result.morris)
    differences = None if result.local is None else _local_section(result, result.local)
    slopes = None if result.gradient is None else _gradient_section(result, result.gradient)
    return tuple(section for section in (shares, effects, differences, slopes) if section is not None)


def study_headline(result: SensitivityResult) -> str:
    """Say which inputs the standard deviation depends on most."""
    s, m = result.sobol, result.morris
    if s is not None and np.isfinite(s.total[0]).all():
        order = np.argsort(-s.total[0])[:3]
        ends = 100.0 * np.stack([s.total_low[0], s.total_high[0]], axis=1)
        most = ", ".join(
            f"{result.plan.names[i]} ({number(100.0 * s.total[0, i], 0)} %, {number(low, 0)} to {number(high, 0)} %)"
            for i, (low, high) in zip(order, ends[order], strict=True)
        )
        return (
            "Over these ranges the standard deviation of the contact force varies by "
            f"{value_text(s.deviation[0], 2)} N about {value_text(s.mean[0], 2)} N; most of it "
            f"comes from {most} (total Sobol indices with their intervals)."
        )
    if m is not None and np.isfinite(m.mean_absolute[0]).all():
        order = np.argsort(-m.mean_absolute[0])[:3]
        most = ", ".join(f"{result.plan.names[i]} ({number(m.mean_absolute[0, i], 1)} N)" for i in order)
        return f"The standard deviation of the contact force moves most with {most}, over their ranges."
    return "What the contact force does where one input moves a little and the others are held."


def study_warnings(result: SensitivityResult) -> tuple[str, ...]:
    """Say what is missing, left out or not periodic."""
    found = []
    missing = len(result.plan.values) - len(result.points)
    if missing:
        found.append(f"{missing} points are not evaluated yet; what needs them is not shown or counts less.")
    for name, figures in (("base samples", result.sobol), ("trajectories", result.morris)):
        if figures is not None and figures.left_out and result.failed:
            found.append(
                f"{figures.left_out} of {figures.groups} {name} miss a figure and are left out as a whole. What fails "
                "is seldom random: the indices are those of the part of the ranges that has figures."
            )
    points = result.points.values()
    idle = unmoved_text(result.case, result.plan.names, points)
    return (*found, *filter(None, [not_periodic_text(points), marched_text(points), idle]))


def _sobol_section(result: SensitivityResult, s: SobolFigures) -> Section:
    charts = [_indices_chart(result, s, k, output) for k, output in enumerate(OUTPUTS) if np.isfinite(s.total[k]).all()]
    outputs = range(len(OUTPUTS))
    rows = tuple((name, *(_index(s, k, i) for k in outputs)) for i, name in enumerate(result.plan.names))
    percent = f"{100.0 * result.spec.sobol.confidence:g} %"
    note = "– where the output does not vary." if not np.isfinite(s.total).all() else ""
    columns = ("input", *(o.name for o in OUTPUTS)), rows, "l" + "r" * len(OUTPUTS)
    table = Table("Total indices, first-order ones in brackets", *columns, note)
    spread = tuple(
        (o.meaning, f"{value_text(float(m), 2)} {o.unit}", f"{value_text(float(d), 2)} {o.unit}")
        for o, m, d in zip(OUTPUTS, s.mean, s.deviation, strict=True)
    )
    return Section(
        "Shares of the variance",
        text=(
            "First order: the share of the variance that goes when this input alone is known. Total: the share that "
            f"stays when all others are known; the two differ by what inputs do together. {INDEPENDENT} Estimators of "
            f"Saltelli et al. (2010) from {s.groups - s.left_out} base samples; bars are {percent} intervals of "
            f"{result.spec.sobol.resamples} bootstrap samples. Where they reach across zero or one another, the order "
            "of two inputs is not known.",
        ),
        charts=tuple(charts),
        tables=(table, Table("Over the ranges", ("output", "mean", "standard deviation"), spread, "lrr")),
    )


def _index(s: SobolFigures, k: int, i: int) -> str:
    total, first = s.total[k, i], s.first[k, i]
    return "–" if not np.isfinite(total) else f"{number(float(total), 3)} ({number(float(first), 3)})"


def _morris_section(result: SensitivityResult, m: MorrisFigures) -> Section:
    charts = tuple(
        _effects_chart(result, m, k, output) for k, output in enumerate(OUTPUTS) if np.any(m.mean_absolute[k] > 0.0)
    )
    return Section(
        "Screening",
        text=(
            "Elementary effects: what an output does when one input moves over a share of its range, scaled to the "
            f"whole range, at {m.groups - m.left_out} places (Morris 1991). Inputs on the right have a large effect; "
            "inputs high up act non-linearly or interact with others. A screening orders inputs roughly; it gives no "
            "shares of the variance.",
        ),
        charts=charts,
        tables=(_table("Mean size of the effects", m.mean_absolute, m.interval, result),),
    )


def _local_section(result: SensitivityResult, d: LocalFigures) -> Section:
    charts = present(*(_tornado_chart(result, d, k, output) for k, output in enumerate(OUTPUTS)))
    step = f"{100.0 * result.spec.local.step:g} %"
    slopes, errors = (x * (d.steps / result.spec.local.step) for x in (d.derivative, d.error))
    return Section(
        "Near the case's own values",
        text=(
            f"One input at a time, by {step} of its range either way, the others at the case's own values. Derivatives "
            "are extrapolated from differences at this step and at half of it; the step error is how far these two are "
            "apart. It stays large where an output is rough in an input, as maxima and slackening droppers are.",
        ),
        charts=charts,
        tables=(_table("Derivative times the range, with its step error", slopes, errors, result),),
    )


def _gradient_section(result: SensitivityResult, g: GradientFigures) -> Section:
    ranges = np.array([r.slope(value_at(result.case, name)) for name, r in result.spec.inputs.items()])
    text = (
        "Derivatives by the adjoint of the steady state, without a finite step; to first order they are exact while "
        "the same droppers go slack. The number after ± is the largest difference from the derivatives in half of the "
        "window, in steps half as long, and in two thirds of it, which cut off more of the waves that reach far, or of "
        "the operator's harmonics and samples; a derivative that does not exceed it counts as unknown. A march's mesh "
        f"is not in it. The program smooths extremes over {SOFT:g} N. Where a range is even in the logarithm, so is "
        "what is shown."
    )
    check = f"Check: a small step of all inputs down these slopes changes σ by {number(g.computed, 4)} N; they "
    failed = f", {CHECK_MISSED}" if g.missed else ""
    found = (f"{check}predict {number(g.expected, 4)} N{failed}.",) if np.isfinite(g.computed) else (g.message,)
    table = _table("Exact derivative times the range", g.derivative * ranges, g.error * ranges, result, judged=True)
    return Section("Exact derivatives", text=(text, *filter(None, found)), tables=(table,))


def _table(title: str, values: Array, errors: Array, result: SensitivityResult, *, judged: bool = False) -> Table:
    def cell(k: int, i: int) -> str:
        unknown = judged and abs(values[k, i]) <= errors[k, i]
        return f"unknown (± {number(errors[k, i], 2)})" if unknown else plus_minus(values[k, i], errors[k, i], 2)

    rows = tuple((name, *(cell(k, i) for k in range(len(OUTPUTS)))) for i, name in enumerate(result.plan.names))
    return Table(title, ("input", *(f"{o.name} [{o.unit}]" for o in OUTPUTS)), rows, "l" + "r" * len(OUTPUTS))


def inputs_table(result: SensitivityResult, title: str = "") -> Table:
    """Show every input that was varied: the case's own value and the range."""
    rows = tuple(
        (name, f"{value_at(result.case, name):g}", f"{r.low:g}", f"{r.high:g}", r.spacing, axis_unit(name))
        for name, r in result.spec.inputs.items()
    )
    return Table(title, ("input", "case", "low", "high", "uniform in", "unit"), rows, "lrrrlu")


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


def _indices_chart(result: SensitivityResult, s: SobolFigures, k: int, output: Output) -> Chart:
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


def _effects_chart(result: SensitivityResult, m: MorrisFigures, k: int, output: Output) -> Chart:
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


def _tornado_chart(result: SensitivityResult, d: LocalFigures, k: int, output: Output) -> Chart | None:
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
