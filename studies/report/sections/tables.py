"""Tables that pages are made of: statistics, designs, limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import numpy as np

from dynamics.charts.numbers import number, with_error
from dynamics.spec.case import CaseSpec
from dynamics.spec.checks.operator_scope import NOT_COVERED
from optimise.afterwards.confirm import Confirmation
from optimise.evaluation.objectives import Objective
from optimise.evaluation.outcome import Outcome, OutcomeStatus
from studies.report.content.pieces import Array, Constraint, DesignTable, SpanResult
from studies.report.drawing.parts import Table

__all__ = [
    "STATISTICS",
    "change_in",
    "change_percent",
    "confirmation_table",
    "constraint_table",
    "design_table",
    "dropper_table",
    "elasticity_table",
    "failure_table",
    "marched_text",
    "not_periodic_text",
    "objective_change",
    "plus_minus",
    "signed",
    "statistics_table",
    "train_text",
    "value_text",
]

# Keys of summary.json, their names, units and decimals, in reading order.
STATISTICS = (
    ("contact_force_std_N", "standard deviation σ", "N", 2),
    ("contact_force_std_0_5Hz_N", "σ, 0 to 5 Hz", "N", 2),
    ("contact_force_std_5_20Hz_N", "σ, 5 to 20 Hz", "N", 2),
    ("contact_force_mean_N", "mean", "N", 2),
    ("contact_force_max_N", "maximum", "N", 1),
    ("contact_force_min_N", "minimum", "N", 1),
    ("contact_force_statistical_max_N", "statistical maximum, mean + 3σ", "N", 1),
    ("contact_force_statistical_min_N", "statistical minimum, mean − 3σ", "N", 1),
    ("contact_loss_percent", "loss of contact", "%", 2),
    ("max_uplift_at_supports_mm", "largest uplift at supports", "mm", 1),
    ("contact_point_range_mm", "range of the contact point's height", "mm", 1),
    ("applied_force_N", "applied force", "N", 2),
)
# what may be near zero or below it, and the unit of its change
NEAR_ZERO = {"contact_force_min_N": "N", "contact_force_statistical_min_N": "N", "contact_loss_percent": "points"}
DECIMALS = {"m": 3, "mm": 1, "N": 1, "%": 2}
MOST_FAILURES = 30
LARGEST = "largest force"
DROPPER_COLUMNS: tuple[tuple[str, str, int, Callable[[SpanResult], Array]], ...] = (
    ("station", "m", 3, lambda r: r.dropper_x),
    ("height", "mm", 1, lambda r: np.zeros(0) if r.drawing is None else r.drawing.dropper_height),
    ("force", "N", 1, lambda r: r.dropper_force),
    (LARGEST, "N", 0, lambda r: r.dropper_force_max),
    ("cut length", "m", 4, lambda r: r.dropper_cut_length),
    ("loose by", "mm", 1, lambda r: r.dropper_gap),
    ("slack", "ms", 0, lambda r: r.dropper_slack_time),
)


def value_text(value: float | None, digits: int) -> str:
    """Write a number, or a dash where there is none."""
    return "–" if value is None or not math.isfinite(value) else number(value, digits)


def change_percent(value: float | None, reference: float | None) -> str:
    """Write a change in per cent with its sign; a dash where one is missing or the reference is zero."""
    if value is None or reference is None or abs(reference) < 1e-9 or not math.isfinite(value - reference):
        return "–"
    return signed(100.0 * (value / reference - 1.0), 1) + " %"


def change_in(unit: str, value: float | None, reference: float | None, digits: int) -> str:
    """Write a change in its unit with its sign, for what may be near zero or below it, where a ratio says nothing."""
    if value is None or reference is None or not math.isfinite(value - reference):
        return "–"
    return f"{signed(value - reference, digits)} {unit}"


def objective_change(objective: Objective, value: float, reference: float) -> str:
    """Write the change of an objective: in per cent where a ratio says anything, else in its unit."""
    if objective.relative:
        return change_percent(value, reference)
    return change_in(objective.unit, value, reference, objective.decimals)


def signed(value: float | None, digits: int) -> str:
    """Write a number with its sign; zero has none."""
    text = value_text(value, digits)
    return f"+{text}" if value is not None and round(value, digits) > 0 else text


def statistics_table(
    columns: tuple[tuple[str, Mapping[str, float]], ...],
    filter_note: str,
    errors: Mapping[str, Mapping[str, float | None]] | None = None,
    *,
    change: bool = True,
) -> Table:
    """Statistics of results side by side; of two with ``change``, the change from the first to the second.

    ``errors`` are estimated numerical errors by label and statistic.
    """
    two, known = change and len(columns) == 2, [(errors or {}).get(label, {}) for label, _ in columns]
    rows = []
    for key, name, unit, digits in STATISTICS:
        values = [statistics.get(key) for _, statistics in columns]
        if all(v is None for v in values):
            continue
        row = [name, *(plus_minus(v, own.get(key) or None, digits) for v, own in zip(values, known, strict=True)), unit]
        if two:
            (first, second), near_zero = values, NEAR_ZERO.get(key)
            row.append(change_in(near_zero, second, first, digits) if near_zero else change_percent(second, first))
        rows.append(tuple(row))
    heads = ("contact force", *(label for label, _ in columns), "unit", *(("change",) if two else ()))
    return Table(
        title="Statistics",
        columns=heads,
        rows=tuple(rows),
        align="l" + "r" * len(columns) + "l" + ("r" if two else ""),
        caption=f"{filter_note} Loss of contact is that of the raw force. The squares of the two bands add "
        "up to that of σ only roughly.".strip(),
    )


def plus_minus(value: float | None, error: float | None, digits: int, *, sign: bool = False) -> str:
    """Write a value with its error, where both are known, or a dash; a change has its sign."""
    return "–" if value is None or not math.isfinite(value) else with_error(value, error, digits, signed=sign)


def confirmation_table(confirmation: Confirmation, condition: str = "") -> Table:
    """Both designs by the campaign's solver and by the long transient; ``condition`` is the one that they are in."""
    solver = "by the search's solver" if condition else "on record"
    rows = tuple(
        (
            label,
            number(c.sigma_N, 2),
            plus_minus(c.sigma_transient_N, c.error, 2),
            signed(c.difference_percent, 2),
            signed(c.spread_percent, 2),
        )
        for label, c in (("nominal", confirmation.nominal), ("best", confirmation.best))
    )
    transient = plus_minus(confirmation.change_transient_percent, confirmation.change_error_percent, 1, sign=True)
    change = ("change [%]", signed(confirmation.change_percent, 1), transient, "", "")
    numerics = confirmation.best.numerics and (
        f", {confirmation.best.numerics}: ± is what they moved by from twice the step with two thirds of the elements "
        "and of the window, and half of the spread"
    )
    spread = (
        "Spans of a line that ends differ, and have no spread."
        if confirmation.whole_line and not any(c.spread_percent for c in (confirmation.nominal, confirmation.best))
        else f"The spread is that of the {confirmation.by}: first half of its evaluated spans against the second."
    )
    return Table(
        title=f"Confirmation by the {confirmation.by}" + (f", {condition}" if condition else ""),
        columns=("σ [N]", solver, confirmation.by, "difference [%]", "spread [%]"),
        rows=rows if confirmation.nominal.trial == confirmation.best.trial else (*rows, change),
        align="lrrrr",
        caption=f"The {confirmation.by} of both lines on the same numerics{numerics}. {spread}",
    )


def design_table(designs: DesignTable) -> Table:
    """Variables in rows, then what the search judged by; nominal and best designs in columns, bounds where known."""
    n, ends = len(designs.trials), np.isfinite([*designs.lower, *designs.upper]).any()
    columns = ("lower", "nominal", *(f"trial {t}" for t in designs.trials), "upper")
    rows = []
    for k, (name, unit) in enumerate(zip(designs.names, designs.units, strict=True)):
        values = (designs.lower[k], designs.nominal[k], *designs.designs[k], designs.upper[k])
        rows.append((name, *(value_text(float(v), DECIMALS.get(unit, 3)) for v in values), unit))
    for o, nominal, values in zip(designs.objectives, designs.nominal_values, designs.values, strict=True):
        digits = o.decimals
        rows.append((o.symbol, "", *(value_text(float(v), digits) for v in (nominal, *values)), "", o.unit))
    heads = ("variable", *columns, "unit")
    if not ends:
        heads, rows = (*heads[:1], *heads[2:-2], heads[-1]), [(*r[:1], *r[2:-2], r[-1]) for r in rows]
    return Table(
        title=f"Variables of the {n} best designs" if n > 1 else "Variables",
        columns=heads,
        rows=tuple(rows),
        align="l" + "r" * (len(heads) - 2) + "l",
        caption=designs.caption,
    )


def dropper_table(results: tuple[SpanResult, ...]) -> Table:
    """Show every dropper of each design: station, contact-wire height, static force, length to cut, time slack."""
    most = max(r.dropper_x.size for r in results)
    columns, texts = _dropper_names(results, most)
    for name, unit, digits, values_of in DROPPER_COLUMNS:
        for r in results:
            values = values_of(r)
            if values.size != r.dropper_x.size:
                continue
            label = f"\n{r.label}" if len(results) > 1 else ""
            columns.append(f"{name}{label}\n[{unit}]")
            errors = r.dropper_force_max_error if name == LARGEST else np.zeros(0)
            each = zip(values, errors if errors.size else np.full(values.size, np.nan), strict=True)
            told = ["–" if np.isnan(v) else with_error(float(v), float(error), digits) for v, error in each]
            texts.append([*told, *["–"] * (most - values.size)])
    return Table(
        title="Droppers",
        columns=tuple(columns),
        rows=tuple(zip(*texts, strict=True)),
        align="r" * len(columns),
        caption="Heights are those of the contact wire over the supports, forces those at rest, lengths "
        "those without load; the largest force is that while the train passes; "
        "a loose dropper is longer at rest than the distance between its clamps; slack is how long "
        "a dropper carries nothing while the train passes, as far ahead of it and behind it as waves are followed (one "
        "that hangs by next to nothing may be slack for longer); it has no meaning for one that hangs loose at rest.",
    )


def _dropper_names(results: tuple[SpanResult, ...], most: int) -> tuple[list[str], list[list[str]]]:
    """Columns that name every dropper: as the line does, or one after another where designs have others."""
    places = results[0].dropper_places
    if len(places) != most or any(r.dropper_places != places for r in results):
        others = max(r.dropper_x.size - r.main_droppers for r in results)
        return ["dropper"], [[str(k + 1) if k < others else f"main {k - others + 1}" for k in range(most)]]
    columns, texts = ["dropper"], [[f"{'main ' if p.main else ''}{p.number}" for p in places]]
    if len({p.span for p in places}) > 1:
        columns, texts = ["span", *columns], [[str(p.span) for p in places], *texts]
    if any(p.section for p in places):
        columns, texts = ["section", *columns], [[p.section for p in places], *texts]
    return columns, texts


def failure_table(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Table:
    """Show the first points that have no figures, each with the reason in its last cell."""
    more = f"The first {MOST_FAILURES} of {len(rows)}; all are in result.nc." if len(rows) > MOST_FAILURES else ""
    return Table("", columns, tuple(rows[:MOST_FAILURES]), "r" * (len(columns) - 1) + "l", more)


def train_text(case: CaseSpec) -> str:
    """Say which pantograph of a train the figures of a point are those of; nothing of one alone."""
    count = len(case.distances)
    return f"Of the {count} pantographs each figure is that of the one for which it is worst." if count > 1 else ""


def not_periodic_text(points: Iterable[Outcome]) -> str:
    """Say at how many points no state repeats from span to span; nothing where there is none."""
    marched = sum(p.status is OutcomeStatus.NOT_PERIODIC for p in points)
    text = f"At {marched} points no state repeats from span to span: their figures are those of a long march."
    return text if marched else ""


def marched_text(points: Collection[Outcome]) -> str:
    """Say how many points were marched since the operator does not cover them, and why; nothing where none was."""
    found = [p.message.partition(f"{NOT_COVERED}: ")[2] for p in points]
    reasons = dict.fromkeys(filter(None, found))
    marched = len(found) - found.count("")
    if not marched:
        return ""
    few = f"{marched} of {len(found)} points {'was' if marched == 1 else 'were'}"
    some = "All points were" if marched == len(found) else few
    more = "" if marched == len(found) else ", unlike those of the others; `message` in result.nc says which"
    return (
        f"{some} marched, since the operator does not cover them ({'; '.join(reasons)}): their figures have what a "
        f"march with this step and window leaves{more}."
    )


def elasticity_table(means: tuple[tuple[float, float], ...]) -> Table:
    """Show the span mean of the static elasticity at each load."""
    rows = tuple((number(load, 1), number(mean, 4)) for load, mean in means)
    caption = "Rise of the contact wire over the load that lifts it, with the droppers slack that it slackens."
    return Table("Static elasticity, span mean", ("load [N]", "span mean [mm/N]"), rows, "rr", caption)


def constraint_table(constraints: tuple[Constraint, ...]) -> Table:
    """Show every limit with the margin that the best design has left."""
    rows = tuple(
        (
            c.name,
            f"{c.sense} {number(c.limit, DECIMALS.get(c.unit, 2))}",
            *(value_text(v, DECIMALS.get(c.unit, 2)) for v in (c.nominal, c.best)),
            plus_minus(c.margin, c.error or None, DECIMALS.get(c.unit, 2)),
            c.unit,
        )
        for c in constraints
    )
    return Table(
        title="Limits and margins",
        columns=("quantity", "limit", "nominal", "best", "margin left", "unit"),
        rows=rows,
        align="llrrrl",
        caption="The margin is what the best design has left before it meets its limit.",
    )
