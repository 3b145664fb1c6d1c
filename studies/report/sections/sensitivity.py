"""Sections on sensitivities: which inputs matter to which output, how surely, and what was left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynamics.charts.numbers import number
from optimise.evaluation.case_inputs import value_at
from optimise.parameter_study.sensitivity_indices import OUTPUTS, LocalFigures, MorrisFigures, SobolFigures
from optimise.parameter_study.sensitivity_result import SensitivityResult
from optimise.parameter_study.sweep_axes import axis_unit
from studies.report.drawing.parts import Section, Table, present
from studies.report.sections.sensitivity_charts import effects_chart, indices_chart, tornado_chart
from studies.report.sections.tables import not_periodic_text, plus_minus, value_text

__all__ = ["inputs_table", "sensitivity_summary", "study_headline", "study_sections", "study_warnings"]

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
    shares = () if result.sobol is None else (_sobol_section(result, result.sobol),)
    effects = () if result.morris is None else (_morris_section(result, result.morris),)
    return (*shares, *effects, *(() if result.local is None else (_local_section(result, result.local),)))


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
    return (*found, *filter(None, [not_periodic_text(result.points.values())]))


def _sobol_section(result: SensitivityResult, s: SobolFigures) -> Section:
    charts = [indices_chart(result, s, k, output) for k, output in enumerate(OUTPUTS) if np.isfinite(s.total[k]).all()]
    outputs = range(len(OUTPUTS))
    rows = tuple((name, *(_index(s, k, i) for k in outputs)) for i, name in enumerate(result.plan.names))
    percent = f"{100.0 * result.spec.sobol.confidence:g} %"
    table = Table(
        "Total indices, first-order ones in brackets",
        ("input", *(o.name for o in OUTPUTS)),
        rows,
        "l" + "r" * len(OUTPUTS),
        "– where the output does not vary." if not np.isfinite(s.total).all() else "",
    )
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
        effects_chart(result, m, k, output) for k, output in enumerate(OUTPUTS) if np.any(m.mean_absolute[k] > 0.0)
    )
    return Section(
        "Screening",
        text=(
            "Elementary effects: what an output does when one input moves over a share of its range, scaled to the "
            f"whole range, at {m.groups - m.left_out} places (Morris 1991). To the right: matters. Above: acts "
            "unevenly or together with others. A screening orders inputs roughly; it gives no shares of the variance.",
        ),
        charts=charts,
        tables=(_table("Mean size of the effects", m.mean_absolute, m.interval, result),),
    )


def _local_section(result: SensitivityResult, d: LocalFigures) -> Section:
    charts = present(*(tornado_chart(result, d, k, output) for k, output in enumerate(OUTPUTS)))
    step = f"{100.0 * result.spec.local.step:g} %"
    scaled = d.steps / result.spec.local.step
    return Section(
        "Near the case's own values",
        text=(
            f"One input at a time, by {step} of its range either way, the others at the case's own values. Derivatives "
            "are extrapolated from differences at this step and at half of it; the step error is how far these two are "
            "apart. It stays large where an output is rough in an input, as maxima and slackening droppers are.",
        ),
        charts=charts,
        tables=(
            _table("Derivative times the range, with its step error", d.derivative * scaled, d.error * scaled, result),
        ),
    )


def _table(title: str, values: NDArray[np.float64], errors: NDArray[np.float64], result: SensitivityResult) -> Table:
    rows = tuple(
        (name, *(plus_minus(float(values[k, i]), float(errors[k, i]), 2) for k in range(len(OUTPUTS))))
        for i, name in enumerate(result.plan.names)
    )
    return Table(title, ("input", *(f"{o.name} [{o.unit}]" for o in OUTPUTS)), rows, "l" + "r" * len(OUTPUTS))


def inputs_table(result: SensitivityResult, title: str = "") -> Table:
    """Show every input that was varied: the case's own value and the range."""
    rows = tuple(
        (name, f"{value_at(result.case, name):g}", f"{r.low:g}", f"{r.high:g}", r.spacing, axis_unit(name))
        for name, r in result.spec.inputs.items()
    )
    return Table(title, ("input", "case", "low", "high", "uniform in", "unit"), rows, "lrrrlu")
