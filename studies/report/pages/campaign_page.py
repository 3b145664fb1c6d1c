"""The page of a campaign: what the search found, why it is better, and whether the long transient agrees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dynamics.charts.numbers import number, with_bound_units
from optimise.evaluation.verdict import SAME, UNKNOWN, WORSE
from optimise.search.history import search_chart
from optimise.spec.objective_names import name_parts
from studies.report.content.pieces import SpanResult
from studies.report.content.provenance import origin_sections
from studies.report.drawing.parts import Fact, Page, Section, Table, present
from studies.report.pages.campaign_lead import NO_ERROR, gain_verdict, gains_in_words, lead_section, off_design_in_words
from studies.report.readers.page_content import CampaignContent
from studies.report.sections.basins import basins_section
from studies.report.sections.charts import dropper_force_chart, force_chart, height_chart
from studies.report.sections.choice import designs_chart
from studies.report.sections.front import front_charts, front_table
from studies.report.sections.length_tolerance import tolerance_table
from studies.report.sections.line import contact_wire_chart, line_chart
from studies.report.sections.numerical_error import error_tables, objective_in_words, objective_table, sigma_with_error
from studies.report.sections.off_design import condition_table, error_charts, schedule_table, speed_chart
from studies.report.sections.scenario_tables import scenario_section
from studies.report.sections.tables import (
    STATISTICS,
    confirmation_table,
    constraint_table,
    design_table,
    dropper_table,
    objective_change,
    plus_minus,
    statistics_table,
    value_text,
)
from studies.report.sections.variable_importance import importance_sections

__all__ = ["campaign_page"]

# figures that are shown of each pantograph of a train
OF_TRAIN = ("contact_force_std_N", "contact_force_max_N", "contact_force_min_N", "contact_loss_percent")
OFF = "A design tuned at one speed and for exact heights may be worse elsewhere."
HOLDING = "Every design keeps the mean force, the bounds and the spacing; the rest are limits."
WORST = (
    " Uplift, dropper force at rest and loss of contact are the worst of all scenarios; their ± is taken in proportion "
    "from the case's own condition."
)


def campaign_page(content: CampaignContent) -> Page:
    """Compose the page of a campaign."""
    results = tuple(r for r in (content.nominal, content.best) if r is not None)
    cost = Table("", ("what it cost", ""), content.choice.cost, "lr")
    sections = (
        lead_section(content),
        _front_section(content),
        _choice_section(content),
        _force_section(content, results),
        _line_section(results),
        Section("The search", charts=present(search_chart(content.history)), tables=(cost,)),
        basins_section(content.choice.basins),
        *(() if content.choice.importance is None else importance_sections(content.choice.importance)),
        scenario_section(content.choice.scenarios),
        _off_design_section(content),
        _schedule_section(content),
        Section(
            "Limits of the search",
            text=(HOLDING + (WORST if content.condition else ""),),
            charts=present(dropper_force_chart(results, content.least_dropper_force_N)),
            tables=(constraint_table(content.constraints),) if content.constraints else (),
        ),
        *origin_sections(
            content.provenance,
            "Every value of the nominal line, of the pantograph and of the run.",
            content.run,
            "Where the campaign's folder still stands, the same command continues it.",
        ),
    )
    away = None if content.nothing_better else content.off_design
    elsewhere = () if away is None else (gains_in_words(away), off_design_in_words(away))
    return Page(
        kicker="Optimisation of an overhead contact line",
        title=content.title,
        headline=with_bound_units(" ".join(filter(None, (_headline(content), *elsewhere)))),
        facts=_facts(content),
        warnings=content.warnings,
        head=content.head,
        sections=tuple(s for s in sections if s.charts or s.tables or s.command),
    )


def _headline(content: CampaignContent) -> str:
    if content.best is None:
        return "No feasible design was found; the nominal line stands."
    o = content.designs.objectives[0]
    name = o.long_name.partition(",")[0]
    (before, after), sizes = content.designs.first_values, content.first_errors
    if content.nothing_better:
        found = f"No design better than the nominal line was found: its {name} is {number(before, 2)} {o.unit}."
        return f"{found} {_confirmed(content)}{_front_in_words(content)}"
    if not o.cost(after) < o.cost(before):
        return (
            f"No design better than the nominal line was found: its {name} is {number(before, 2)} {o.unit}, that of "
            f"the best feasible design {number(after, 2)} {o.unit}."
        )
    word = gain_verdict(content)
    if word in (SAME, WORSE):
        return (
            f"The {name} is {number(before, 2)} {o.unit} with the nominal line and {number(after, 2)} {o.unit} with "
            f"the best feasible design, which is {word}. {_confirmed(content)}{_front_in_words(content)}"
        )
    own = objective_in_words(content.confirmation, name_parts(o.name).base)
    unsure = word == UNKNOWN and (o.name == "sigma" or bool(own))
    found = (
        f"{'By the figures of the search the' if unsure else 'The'} {name} "
        f"{'rises' if o.maximised else 'falls'} from {plus_minus(before, sizes[0], 2)} {o.unit} with the nominal line "
        f"to {plus_minus(after, sizes[1], 2)} {o.unit} with the best design"
    )
    percent = f"{number(100.0 * abs(1.0 - after / before), 1)} %" if o.relative else ""
    gain = percent or f"{number(abs(after - before), 2)} {o.unit}"
    found += f", {gain} {'more' if o.maximised else 'less'}."
    if unsure:
        found += f" {NO_ERROR}"
    own = f" Its change by what confirms it: {own}." if own else ""
    return f"{found} {_confirmed(content)}{own}{_front_in_words(content)}"


def _doubt(content: CampaignContent) -> str:
    """Say that a change by the search's own figures is not one, or may not be; empty where it is confirmed."""
    word = gain_verdict(content)
    doubted = word in (SAME, WORSE) or (word == UNKNOWN and content.designs.objectives[0].name == "sigma")
    return f"by the figures of the search; {word}" if doubted else ""


def _front_in_words(content: CampaignContent) -> str:
    if content.front is None:
        return ""
    objectives, count = content.designs.objectives, len(content.front.trials)
    names = " and ".join(o.symbol for o in objectives)
    designs = "one design" if count == 1 else f"{count} designs"
    return f" The front of {names} has {designs}; this one is best in {objectives[0].symbol}."


def _confirmed(content: CampaignContent) -> str:
    """Say what the long transient gives for the best design, and how much the two differ."""
    if content.confirmation is None:
        return "The long transient has not confirmed it yet."
    long = content.confirmation.best
    if long.sigma_transient_N is None or long.difference_percent is None:
        return f"The {content.confirmation.by} could not confirm it: {long.message}."
    measure = ""
    if content.condition:
        measure = f"in the case's own conditions alone its σ is {number(long.sigma_N, 2)} N, "
    elif content.designs.objectives[0].name != "sigma":
        measure = f"a σ of {number(long.sigma_N, 2)} N stands on record, "
    confirmed = content.confirmation
    found = (
        f"{measure[:1].upper()}{measure[1:]}{'the' if measure else 'The'} {confirmed.by} gives "
        f"{plus_minus(long.sigma_transient_N, long.error, 2)} N for this design; the two differ by "
        f"{number(abs(long.difference_percent), 2)} %."
    )
    if confirmed.change_error_percent is None or long.trial == confirmed.nominal.trial:
        return found
    change = plus_minus(confirmed.change_transient_percent, confirmed.change_error_percent, 1, sign=True)
    words = {SAME: f"σ is {SAME}", WORSE: "σ is higher, not lower"}.get(confirmed.verdict, "")
    return f"{found} By it the change against the nominal line is {change} %{f': {words}' if words else ''}."


def _facts(content: CampaignContent) -> tuple[Fact, ...]:
    o, before = content.designs.objectives[0], float(content.designs.nominal_values[0])
    remark = "contact force, filtered" if o.unit == "N" else ""
    sizes = content.first_errors
    facts = [Fact(f"{o.symbol} of the nominal line", f"{plus_minus(before, sizes[0], 2)} {o.unit}", remark)]
    if content.best is None:
        return tuple(facts)
    if content.nothing_better:
        facts.append(Fact("designs that are better", "none", "the best design is the nominal line"))
    after = content.designs.first_values[1]
    best = f"{plus_minus(after, sizes[1], 2)} {o.unit}"
    if o.name == "sigma" and not content.condition:
        facts[0] = Fact(facts[0].label, sigma_with_error(before, content.errors.get("nominal")), facts[0].remark)
        best = sigma_with_error(after, content.errors.get("best"))
    trial = "" if content.best_trial is None else f"trial {content.best_trial}"
    if not content.nothing_better:
        facts += [
            Fact(f"{o.symbol} of the best design", best, trial),
            Fact("change", objective_change(o, after, before), _doubt(content)),
        ]
    if content.front is not None:
        names = " and ".join(p.symbol for p in content.designs.objectives)
        facts.append(Fact("designs of the front", str(len(content.front.trials)), f"none better in {names}"))
    if content.confirmation is not None and content.confirmation.best.sigma_transient_N is not None:
        long = content.confirmation
        change = long.change_transient_percent
        change_text = plus_minus(change, long.change_error_percent, 1, sign=True)
        compared = change is not None and not content.nothing_better
        remark = f"{change_text} % against the nominal line by the same" if compared else ""
        remark += f"{'; ' if remark else ''}{content.condition} alone" if content.condition else ""
        sigma = plus_minus(long.best.sigma_transient_N, long.best.error, 2)
        facts.append(Fact(f"σ by the {long.by}", f"{sigma} N", remark))
    return tuple(facts)


def _front_section(content: CampaignContent) -> Section:
    """Show what one objective costs in another; nothing where there is one objective or no feasible design."""
    front = content.front
    if front is None or not front.trials:
        return Section("The front")
    names = " and ".join(o.symbol for o in front.objectives)
    return Section(
        "The front",
        text=(f"Designs that no other feasible one equals in {names} and betters in one of them.",),
        charts=front_charts(front),
        tables=(front_table(front),),
    )


def _force_section(content: CampaignContent, results: tuple[SpanResult, ...]) -> Section:
    caption = f"{content.x_note} {content.filter_note} Ticks at the upper edge are droppers."
    tables = []
    if any(r.statistics for r in results):
        each = tuple((r.label, r.statistics) for r in results)
        tables.append(statistics_table(each, content.filter_note, content.figure_errors))
        if any(len(train) > 1 for train in content.trains.values()):
            tables.append(_train_table(content.trains))
    if content.confirmation is not None:
        tables.append(confirmation_table(content.confirmation, content.condition))
        others = None if content.nothing_better else objective_table(content.confirmation, content.condition)
        tables += [] if others is None else [others]
    tables += [table for name, error in content.errors.items() for table in error_tables(error, name)]
    alone = (
        f"Here the case's own condition alone: {content.condition}. Figures of the search, over all its scenarios, "
        "stand elsewhere on this page.",
    )
    return Section(
        "The contact force",
        text=alone if content.condition else (),
        charts=present(force_chart(results, caption), height_chart(results)),
        tables=tuple(tables),
    )


def _train_table(trains: Mapping[str, tuple[Mapping[str, Any], ...]]) -> Table:
    """Figures of every pantograph of a train under the nominal line and the best design."""
    shown = [row for row in STATISTICS if row[0] in OF_TRAIN]
    rows = tuple(
        (label, f"{k}", *(value_text(one.get(key), digits) for key, _, _, digits in shown))
        for label, train in trains.items()
        for k, one in enumerate(train, start=1)
    )
    heads = ("line", "pantograph", *(f"{name} [{unit}]" for _, name, unit, _ in shown))
    note = "The statistics above are, one by one, the worst of the train."
    return Table("Pantograph by pantograph", heads, rows, "lr" + "r" * len(shown), note)


def _line_section(results: tuple[SpanResult, ...]) -> Section:
    return Section(
        "The line",
        charts=present(line_chart(results), contact_wire_chart(results)),
        tables=(dropper_table(results),) if all(r.dropper_x.size for r in results) else (),
    )


def _choice_section(content: CampaignContent) -> Section:
    """Show what could be chosen and what was: the table of variables, and the best designs drawn."""
    choice = content.choice
    return Section(
        "What was varied, and what was not",
        text=tuple(filter(None, (choice.varied, choice.met, choice.held))),
        charts=(designs_chart(choice),),
        tables=(design_table(content.designs),),
    )


def _off_design_section(content: CampaignContent) -> Section:
    """Show both designs off the design point."""
    found = content.off_design
    if found is None:
        return Section("Off the design point")
    return Section(
        "Off the design point",
        text=(OFF,) if content.nothing_better else (OFF, off_design_in_words(found)),
        charts=present(speed_chart(found), *error_charts(found)),
        tables=(condition_table(found),),
    )


def _schedule_section(content: CampaignContent) -> Section:
    """Show the lengths to cut the best design's droppers to."""
    if content.schedule is None:
        return Section("For the fitter")
    text = "Droppers of the best design, unloaded, from wire axis to wire axis, clamps included."
    tolerances = () if content.tolerances is None else (tolerance_table(content.tolerances),)
    return Section("For the fitter", text=(text,), tables=(schedule_table(content.schedule), *tolerances))
