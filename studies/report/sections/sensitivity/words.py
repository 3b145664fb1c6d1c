"""What a sensitivity study says in words, on page and console: what matters, how surely, what to beware of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynamics.charts.numbers import number, with_error
from optimise.evaluation.case_inputs import value_at
from optimise.parameter_study.sensitivity_indices import CHECK_MISSED, OUTPUTS, GradientFigures, SobolFigures, apart
from optimise.parameter_study.sensitivity_result import SensitivityResult
from optimise.parameter_study.sweep_axes import numerics_text, unmoved_text
from studies.report.content.pieces import Array
from studies.report.sections.tables import marched_text, not_periodic_text, plus_minus, value_text

__all__ = ["between", "console_lines", "study_headline", "study_warnings"]

# of fewer base samples the bootstrap's intervals are themselves rough
FEWEST_SAMPLES = 32
# inputs, or pairs of output and input, that a sentence names
SHOWN = 3


def study_headline(result: SensitivityResult) -> str:
    """Say which inputs the standard deviation depends on most, as far as their intervals tell."""
    s, m = result.sobol, result.morris
    if s is not None and np.isfinite(s.total[0]).all():
        return (
            "Over these ranges the standard deviation of the contact force varies by "
            f"{between(s.deviation[0], s.deviation_low[0], s.deviation_high[0], 2)} N about "
            f"{between(s.mean[0], s.mean_low[0], s.mean_high[0], 2)} N. Total Sobol indices with their intervals: "
            f"{_shares(result, s)}."
        )
    if m is not None and np.isfinite(m.mean_absolute[0]).all():
        effects = _effects(result, m.mean_absolute[0], m.interval[0])
        return f"Mean effects on the standard deviation of the contact force, over whole ranges: {effects}."
    return "What the contact force does where one input moves a little and the others are held."


def study_warnings(result: SensitivityResult) -> tuple[str, ...]:
    """Say what is missing, left out, not periodic, not certain or not physical."""
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
    points, names = result.points.values(), result.plan.names
    texts = not_periodic_text(points), marched_text(points), unmoved_text(result.case, names, points)
    return (*found, *filter(None, [*_doubts(result), *texts, numerics_text(names)]))


def console_lines(result: SensitivityResult) -> list[str]:
    """Inputs on which the standard deviation depends most, by each method, with intervals, and what to beware of."""
    lines, s, m = [], result.sobol, result.morris
    if s is not None and np.isfinite(s.total[0]).all():
        stays = "share of the variance of sigma that stays while all others are known (total index)"
        lines.append(f"{stays}: {_shares(result, s)}")
    if m is not None and np.isfinite(m.mean_absolute[0]).all():
        effects = _effects(result, m.mean_absolute[0], m.interval[0])
        lines.append(f"mean elementary effect on sigma over the range: {effects}")
    if result.gradient is not None:
        lines += _exact_lines(result, result.gradient)
    for name, figures in (("base samples", s), ("trajectories", m)):
        if figures is not None and figures.left_out:
            lines.append(f"{figures.left_out} of {figures.groups} {name} are left out: a point of each has no figures")
    return [*lines, *filter(None, [*_doubts(result), numerics_text(result.plan.names)])]


def between(value: float, low: float, high: float, digits: int) -> str:
    """Write a value with the ends of its interval; a dash where it is not known."""
    if not np.isfinite(value):
        return "–"
    return f"{value_text(float(value), digits)} ({value_text(float(low), digits)} to {value_text(float(high), digits)})"


def _shares(result: SensitivityResult, s: SobolFigures) -> str:
    """Largest total indices of sigma with their intervals, and whether their order is known."""
    share, low, high = (100.0 * x[0] for x in (s.total, s.total_low, s.total_high))
    texts = [f"{number(v, 0)} % ({number(a, 0)} to {number(b, 0)} %)" for v, a, b in zip(share, low, high, strict=True)]
    return _ranked(result.plan.names, share, texts, low, high)


def _effects(result: SensitivityResult, size: Array, interval: Array) -> str:
    """Largest elementary effects with their intervals, and whether their order is known."""
    texts = [f"{with_error(v, e, 2)} N" for v, e in zip(size, interval, strict=True)]
    return _ranked(result.plan.names, size, texts, size - interval, size + interval)


def _ranked(names: Sequence[str], values: Array, texts: Sequence[str], low: Array, high: Array) -> str:
    """Name the largest of some values, and those of which the place is not known, since intervals overlap."""
    order = np.argsort(-values)
    largest = ", ".join(f"{names[i]} {texts[i]}" for i in order[:SHOWN])
    # an interval that another one overlaps, where one of the two is among those that are named
    meet = (low[:, None] <= high) & (low <= high[:, None]) & ~np.eye(order.size, dtype=bool)
    meet[np.ix_(order[SHOWN:], order[SHOWN:])] = False
    unsure = [names[int(i)] for i in order if meet[i].any()]
    if not unsure:
        return largest
    if len(unsure) == order.size:
        return f"{largest}; the order of the inputs is not known, since these intervals overlap"
    more = len(unsure) - SHOWN - 1
    named = f"{', '.join(unsure[:SHOWN])} and {more + 1} more" if more > 0 else _listed(unsure)
    return f"{largest}; the order of {named} is not known, since their intervals overlap"


def _listed(names: Sequence[str]) -> str:
    first, last = names[:-1], names[-1]
    return f"{', '.join(first)} and {last}" if first else last


def _doubts(result: SensitivityResult) -> tuple[str, ...]:
    """Say where samples are too few to tell, and where derivatives contradict one another."""
    return tuple(filter(None, (_few_samples_text(result), _apart_text(result))))


def _few_samples_text(result: SensitivityResult) -> str:
    s = result.sobol
    if s is None or not np.isfinite(s.total[0]).all():
        return ""
    count, wide = s.groups - s.left_out, (s.total_low[0] <= 0.0) & (s.total_high[0] >= 1.0)
    if count >= FEWEST_SAMPLES and not wide.any():
        return ""
    nothing = [result.plan.names[i] for i in np.flatnonzero(wide)]
    rough = "so few that the intervals are themselves rough" if count < FEWEST_SAMPLES else "too few"
    said = f"of {_listed(nothing)} nothing is known, from 0 to 100 % of the variance" if nothing else ""
    tail = f": {said}" if said else ""
    return (
        f"{count} base samples count, {rough}{tail}; sensitivity.sobol.samples={2 * s.groups} or more, in a study of "
        "another name, tells more."
    )


def _apart_text(result: SensitivityResult) -> str:
    """Say which derivatives by differences and exact ones contradict each other; nothing where none do."""
    d, g = result.local, result.gradient
    if d is None or g is None:
        return ""
    distance = np.abs(d.derivative - g.derivative) / np.maximum(d.error + g.error, 1e-300)
    which = np.argwhere(apart(d, g))
    which = which[np.argsort(-distance[tuple(which.T)])]
    if not which.size:
        return ""

    def pair(k: int, i: int) -> str:
        name, r = result.plan.names[i], result.spec.inputs[result.plan.names[i]]
        per_range = r.slope(value_at(result.case, name))
        each = (plus_minus(x.derivative[k, i] * per_range, x.error[k, i] * abs(per_range), 2) for x in (d, g))
        return f"{OUTPUTS[k].name} by {name} ({' against '.join(each)} {OUTPUTS[k].unit} over the range)"

    more = f" and {len(which) - SHOWN} more" if len(which) > SHOWN else ""
    pairs = ", ".join(pair(int(k), int(i)) for k, i in which[:SHOWN])
    return (
        f"Derivatives by differences and exact ones differ by more than their errors together: {pairs}{more}. "
        "Differences see the mean slope over their steps, exact ones that of the place itself: a smaller "
        "sensitivity.local.step brings them together where the output is only rough."
    )


def _exact_lines(result: SensitivityResult, g: GradientFigures) -> list[str]:
    """Exact derivatives of sigma that exceed their errors, and what the check of them found."""
    names = result.plan.names
    if not g.known[0].any():
        return [f"no exact derivative of sigma is known: {g.message or 'in shorter windows they are others'}"]
    per_range = [r.slope(value_at(result.case, name)) for name, r in result.spec.inputs.items()]
    scaled, error = g.derivative[0] * per_range, g.error[0] * np.abs(per_range)
    certain = g.known[0] & (np.abs(scaled) > error)
    order = [i for i in np.argsort(-np.where(certain, np.abs(scaled), -1.0))[:SHOWN] if certain[i]]
    most = ", ".join(f"{names[i]} {with_error(scaled[i], error[i], 2, signed=True)} N" for i in order)
    lines = [f"exact derivative of sigma times the range: {most or 'none exceeds its error'}"]
    if g.missed:
        change = f"a small step down them changes sigma by {g.computed:.2g} N, they predict {g.expected:.2g} N"
        lines.append(f"{change}, {CHECK_MISSED}")
    return lines
