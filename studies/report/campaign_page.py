"""The page of a campaign: what the search found, why it is better, and whether the long transient agrees."""

from __future__ import annotations

import math

from studies.report.charts import dropper_force_chart, force_chart, height_chart, search_chart
from studies.report.content import CampaignContent, Constraint, DesignTable, SpanResult
from studies.report.frame import number
from studies.report.line import contact_wire_chart, line_chart
from studies.report.parts import Chart, Fact, Page, Section, Table
from studies.report.tables import change_percent, provenance_table, run_table, statistics_table, value_text

__all__ = ["campaign_page"]

SIGMA = "contact_force_std_N"


def campaign_page(content: CampaignContent) -> Page:
    """Compose the page of a campaign."""
    results = tuple(r for r in (content.nominal, content.best) if r is not None)
    sections = (
        _force_section(content, results),
        Section("The line", charts=_present(line_chart(results), contact_wire_chart(results))),
        Section(
            "The search",
            charts=_present(search_chart(content.history)),
            tables=(_design_table(content.designs),),
        ),
        _limits_section(content, results),
        Section(
            "Where the input comes from",
            text=("Every value that went into the nominal line and the pantograph.",),
            tables=(provenance_table(content.provenance),),
        ),
        Section("The run", tables=(run_table(content.run),)),
        Section(
            "Run it again",
            text=("The same command continues a campaign that is not finished.",),
            command=content.run.command,
        ),
    )
    return Page(
        kicker="Optimisation of an overhead contact line",
        title=content.title,
        headline=_headline(content),
        facts=_facts(content),
        warnings=content.warnings,
        sections=tuple(s for s in sections if s.charts or s.tables or s.command),
    )


def _present(*charts: Chart | None) -> tuple[Chart, ...]:
    return tuple(c for c in charts if c is not None)


def _headline(content: CampaignContent) -> str:
    if content.best is None:
        return "No feasible design was found; the nominal line stands."
    before, after = content.nominal.statistics[SIGMA], content.best.statistics[SIGMA]
    if not after < before:
        return (
            f"No design better than the nominal was found: its standard deviation of the contact force is "
            f"{number(before, 2)} N, that of the best feasible trial {number(after, 2)} N."
        )
    gain = number(100.0 * (1.0 - after / before), 1)
    found = (
        f"The standard deviation of the contact force falls from {number(before, 2)} N with the nominal line "
        f"to {number(after, 2)} N with the best design, {gain} % less."
    )
    long = content.confirmation
    if long is None:
        return f"{found} The long transient has not confirmed it yet."
    if not math.isfinite(long.sigma_N):
        return f"{found} The long transient could not confirm it: {long.message}."
    differ = number(100.0 * abs(after / long.sigma_N - 1.0), 2)
    return f"{found} The long transient gives {number(long.sigma_N, 2)} N; the two differ by {differ} %."


def _facts(content: CampaignContent) -> tuple[Fact, ...]:
    before = content.nominal.statistics[SIGMA]
    facts = [Fact("σ of the nominal line", f"{value_text(before, 2)} N", "contact force, 20 Hz")]
    if content.best is None:
        return tuple(facts)
    after = content.best.statistics[SIGMA]
    trial = "" if content.best_trial is None else f"trial {content.best_trial}"
    facts += [
        Fact("σ of the best design", f"{number(after, 2)} N", trial),
        Fact("change", change_percent(after, before)),
    ]
    long = content.confirmation
    if long is not None and math.isfinite(long.sigma_N):
        spread = f"halves {number(long.first_half_N, 2)} and {number(long.second_half_N, 2)} N"
        facts.append(
            Fact(
                "σ by the long transient",
                f"{number(long.sigma_N, 2)} N",
                f"{long.spans_evaluated} spans, {spread}",
            )
        )
    return tuple(facts)


def _force_section(content: CampaignContent, results: tuple[SpanResult, ...]) -> Section:
    caption = (
        "One pantograph in steady state on the infinite line, over one span from support to support, "
        "filtered at 20 Hz without phase shift. Ticks at the upper edge are droppers."
    )
    return Section(
        "The contact force",
        charts=_present(force_chart(results, caption), height_chart(results)),
        tables=(statistics_table(tuple((r.label, r.statistics) for r in results)),),
    )


def _design_table(designs: DesignTable) -> Table:
    """Variables in rows; bounds, nominal and the best designs in columns."""
    digits = [_digits(unit) for unit in designs.units]
    sigma = (
        "σ",
        "",
        value_text(designs.nominal_sigma_N, 2),
        *(value_text(s, 2) for s in designs.sigma_N),
        "",
        "N",
    )
    rows = [
        (
            name,
            number(float(designs.lower[k]), digits[k]),
            number(float(designs.nominal[k]), digits[k]),
            *(number(float(v), digits[k]) for v in designs.designs[k]),
            number(float(designs.upper[k]), digits[k]),
            designs.units[k],
        )
        for k, name in enumerate(designs.names)
    ]
    n = len(designs.trials)
    return Table(
        title=f"Variables of the {n} best designs" if n > 1 else "Variables",
        columns=("variable", "lower", "nominal", *(f"trial {t}" for t in designs.trials), "upper", "unit"),
        rows=(*rows, sigma),
        align="l" + "r" * (n + 3) + "l",
        caption="Best feasible design first; lower and upper are the bounds of the search.",
    )


def _digits(unit: str) -> int:
    return {"m": 3, "mm": 1}.get(unit, 3)


def _limits_section(content: CampaignContent, results: tuple[SpanResult, ...]) -> Section:
    rows = tuple(
        (c.name, c.limit, value_text(c.nominal, 2), value_text(c.best, 2), _margin(c), c.unit)
        for c in content.constraints
    )
    table = Table(
        title="Limits and margins",
        columns=("held", "limit", "nominal", "best", "margin left", "unit"),
        rows=rows,
        align="llrrrl",
        caption="The margin is what the best design has left before it meets its limit, below 0 over it.",
    )
    chart = dropper_force_chart(results, _least_dropper_force(content.constraints))
    return Section("What is held", charts=_present(chart), tables=(table,) if rows else ())


def _margin(constraint: Constraint) -> str:
    return value_text(constraint.margin, 2)


def _least_dropper_force(constraints: tuple[Constraint, ...]) -> float | None:
    """Find the limit of the static dropper force, read back from value and margin."""
    for c in constraints:
        if "dropper force" in c.name and math.isfinite(c.best) and math.isfinite(c.margin):
            return round(c.best - c.margin, 6)
    return None
