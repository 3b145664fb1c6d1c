"""Sections on sensitivities: shares of the variance, elementary effects, derivatives, each with its error."""

from __future__ import annotations

import numpy as np

from dynamics.adjoint.figures import SOFT
from dynamics.charts.numbers import number
from optimise.evaluation.case_inputs import value_at
from optimise.parameter_study.sensitivity_indices import (
    CHECK_MISSED,
    OUTPUTS,
    GradientFigures,
    LocalFigures,
    MorrisFigures,
    SobolFigures,
)
from optimise.parameter_study.sensitivity_result import SensitivityResult
from optimise.parameter_study.sweep_axes import axis_unit
from studies.report.content.pieces import Array
from studies.report.drawing.parts import Section, Table, present
from studies.report.sections.sensitivity.charts import effects_chart, indices_chart, tornado_chart
from studies.report.sections.sensitivity.words import between, study_headline, study_warnings
from studies.report.sections.tables import plus_minus

__all__ = ["inputs_table", "sensitivity_summary", "study_sections"]

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


def _sobol_section(result: SensitivityResult, s: SobolFigures) -> Section:
    charts = [indices_chart(result, s, k, output) for k, output in enumerate(OUTPUTS) if np.isfinite(s.total[k]).all()]
    outputs = range(len(OUTPUTS))
    rows = tuple((name, *(_index(s, k, i) for k in outputs)) for i, name in enumerate(result.plan.names))
    percent = f"{100.0 * result.spec.sobol.confidence:g} %"
    note = "– where the output does not vary." if not np.isfinite(s.total).all() else ""
    columns = ("input", *(o.name for o in OUTPUTS)), rows, "l" + "r" * len(OUTPUTS)
    table = Table("Total indices, first-order ones in brackets", *columns, note)
    spread = tuple(
        (
            f"{o.meaning} [{o.unit}]",
            between(s.mean[k], s.mean_low[k], s.mean_high[k], 2),
            between(s.deviation[k], s.deviation_low[k], s.deviation_high[k], 2),
            between(s.first_sum[k], s.first_sum_low[k], s.first_sum_high[k], 2),
        )
        for k, o in enumerate(OUTPUTS)
    )
    sums = "In brackets intervals as those of the indices. Where the sum is 1, inputs act one by one."
    heads = "output", "mean", "standard deviation", "sum of first-order indices"
    over = Table("Over the ranges", heads, spread, "lrrr", sums)
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
        tables=(table, over),
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
            f"whole range, at {m.groups - m.left_out} places (Morris 1991). Inputs on the right have a large effect; "
            "inputs high up act non-linearly or interact with others. A screening orders inputs roughly; it gives no "
            "shares of the variance.",
        ),
        charts=charts,
        tables=(_table("Mean size of the effects", m.mean_absolute, m.interval, result),),
    )


def _local_section(result: SensitivityResult, d: LocalFigures) -> Section:
    charts = present(*(tornado_chart(result, d, k, output) for k, output in enumerate(OUTPUTS)))
    step = f"{100.0 * result.spec.local.step:g} %"
    slopes, errors = (x * (d.steps / result.spec.local.step) for x in (d.derivative, d.error))
    return Section(
        "Near the case's own values",
        text=(
            f"One input at a time, by {step} of its range either way, the others at the case's own values. Derivatives "
            "are extrapolated from differences at this step and at half of it; the step error is how far these two are "
            "apart, and over the step the fourth difference of the five points: large where an output is rough in an "
            "input, as extremes are and where droppers slacken. It is an estimate from five points, no bound: "
            "exact derivatives (methods=[gradient]) have no step.",
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
    # what differences and effects of an output that is the same everywhere are, not a small number with an error
    level = [not judged and not (np.any(values[k]) or np.any(errors[k])) for k in range(len(OUTPUTS))]

    def cell(k: int, i: int) -> str:
        if level[k]:
            return "–"
        unknown = judged and abs(values[k, i]) <= errors[k, i]
        return f"unknown (± {number(errors[k, i], 2)})" if unknown else plus_minus(values[k, i], errors[k, i], 2)

    rows = tuple((name, *(cell(k, i) for k in range(len(OUTPUTS)))) for i, name in enumerate(result.plan.names))
    note = "– where the output does not vary." if any(level) else ""
    return Table(title, ("input", *(f"{o.name} [{o.unit}]" for o in OUTPUTS)), rows, "l" + "r" * len(OUTPUTS), note)


def inputs_table(result: SensitivityResult, title: str = "") -> Table:
    """Show every input that was varied: the case's own value and the range."""
    rows = tuple(
        (name, f"{value_at(result.case, name):g}", f"{r.low:g}", f"{r.high:g}", r.spacing, axis_unit(name))
        for name, r in result.spec.inputs.items()
    )
    return Table(title, ("input", "case", "low", "high", "uniform in", "unit"), rows, "lrrrlu")
