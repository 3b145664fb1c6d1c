"""The page of one simulation: force, heights, the line and its droppers, statistics and provenance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dynamics.charts.numbers import number, with_bound_units
from studies.report.content.history_content import Histories
from studies.report.content.provenance import origin_sections
from studies.report.drawing.parts import Fact, Page, Section, Table, present
from studies.report.readers.page_content import SimulationContent
from studies.report.sections.assessment import assessment_table, missed_in_words
from studies.report.sections.charts import dropper_force_chart, elasticity_chart, force_chart, height_chart
from studies.report.sections.gradient import gradient_chart, gradient_table
from studies.report.sections.history.arm_charts import arm_charts
from studies.report.sections.history.charts import (
    force_history_chart,
    histogram_chart,
    pantograph_charts,
    point_charts,
    rms_chart,
    spectrum_chart,
)
from studies.report.sections.history.place_charts import dropper_extremes_chart, dropper_history_chart, uplift_chart
from studies.report.sections.length_tolerance import tolerance_table
from studies.report.sections.line import contact_wire_chart, line_chart
from studies.report.sections.numerical_error import error_tables, sigma_with_error
from studies.report.sections.tables import dropper_table, elasticity_table, plus_minus, statistics_table, value_text

__all__ = ["simulation_page"]

FACTS = (
    ("standard deviation σ", "contact_force_std_N", "N", 2, "contact force, filtered"),
    ("mean", "contact_force_mean_N", "N", 1, "contact force"),
    ("maximum", "contact_force_max_N", "N", 1, "contact force, filtered"),
    ("minimum", "contact_force_min_N", "N", 1, "contact force, filtered"),
)
LOSSES_SHOWN = 20


def simulation_page(content: SimulationContent) -> Page:
    """Compose the page of one simulation."""
    one = (content.result,)
    caption = f"{content.x_note} {content.filter_note} Ticks at the upper edge are droppers."
    sections = (
        Section(
            "The contact force",
            charts=present(force_chart(one, caption), height_chart(one)),
            tables=_statistics(content),
        ),
        *_history_sections(content.histories),
        Section(
            "The line",
            text=(content.static_note,) if content.static_note else (),
            charts=present(
                line_chart(one),
                contact_wire_chart(one),
                dropper_force_chart(one, None),
                elasticity_chart(one),
                None if content.gradient is None else gradient_chart(content.gradient, content.result),
            ),
            tables=(
                *((_fixed_table(content.fixed_wires),) if content.fixed_wires else ()),
                *((dropper_table(one),) if content.result.dropper_x.size else ()),
                *((elasticity_table(content.elasticity),) if content.elasticity else ()),
                *((tolerance_table(content.tolerances),) if content.tolerances is not None else ()),
                *((gradient_table(content.gradient),) if content.gradient is not None else ()),
            ),
        ),
        *origin_sections(content.provenance, "Every value of the line, of the pantograph and of the run.", content.run),
    )
    return Page(
        kicker="Simulation of pantograph and overhead contact line",
        title=content.title,
        headline=with_bound_units(_headline(content)),
        facts=tuple(
            _sigma_fact(content, name)
            if key == "contact_force_std_N"
            else Fact(name, f"{_with_error(content, key, digits)} {unit}", f"{remark}{_whose(content)}")
            for name, key, unit, digits, remark in FACTS
            if key in content.result.statistics
        ),
        warnings=content.warnings,
        head=content.head,
        sections=tuple(s for s in sections if s.animation or s.charts or s.tables or s.command),
    )


def _statistics(content: SimulationContent) -> tuple[Table, ...]:
    figures = content.result.statistics
    if not figures:
        return ()
    return (
        statistics_table(content.pantographs, content.filter_note, content.figure_errors, change=False),
        *((_span_table(content.by_span),) if len(content.by_span) > 1 else ()),
        *((_wire_table(content.by_wire),) if content.by_wire else ()),
        *((_overlap_table(content.by_overlap),) if content.by_overlap else ()),
        *(error_tables(content.error) if content.error is not None else ()),
        *((assessment_table(content.assessment),) if content.assessment is not None else ()),
    )


def _span_table(spans: tuple[Mapping[str, float], ...]) -> Table:
    """Figures of each span that counts, the one with the largest standard deviation named."""
    shown = ("begin_m", *(f"contact_force_{key}_N" for key in ("mean", "std", "max", "min")), "uplift_end_mm")
    rows = tuple((f"{s['pantograph']}", f"{s['span']}", *(number(s[k], 2) for k in shown)) for s in spans)
    worst = max(spans, key=lambda s: s["contact_force_std_N"])
    names = ("begins at [m]", "mean [N]", "σ [N]", "maximum [N]", "minimum [N]", "uplift at its end [mm]")
    under = f" under pantograph {worst['pantograph']}" if len({s["pantograph"] for s in spans}) > 1 else ""
    place = f"from {worst['begin_m']:g} to {worst['end_m']:g} m"
    note = f"Filtered force. It varies most in span {worst['span']}, {place}{under}."
    return Table("Span by span", ("pantograph", "span", *names), rows, "rrrrrrrr", note)


def _wire_table(wires: tuple[Mapping[str, Any], ...]) -> Table:
    """Figures of every contact wire of a line of several tension sections: where it was touched, and what it took."""
    names = ("contact_time_percent", "shared_time_percent", "load_percent")
    forces = ("contact_force_mean_N", "contact_force_max_N")
    rows = tuple(
        (
            f"{w['pantograph']}",
            w["section"],
            *(value_text(w[key], 1) for key in ("touched_from_m", "touched_to_m")),
            *(number(w[key], 1) for key in (*names, *forces)),
        )
        for w in wires
    )
    columns = ("touched from [m]", "to [m]", "contact [% of time]", "with another [% of time]", "load [%]")
    note = "Force as computed, over all spans that count; the mean is over the time in which the wire was touched."
    heads = ("pantograph", "section", *columns, "mean [N]", "maximum [N]")
    return Table("Wire by wire", heads, rows, "rlrrrrrrr", note)


def _overlap_table(overlaps: tuple[Mapping[str, Any], ...]) -> Table:
    """Figures of every pantograph in every overlap: its force there, and where both wires carry it."""
    forces = tuple(f"contact_force_{key}_N" for key in ("mean", "std", "max", "min"))
    rows = tuple(
        (
            f"{o['pantograph']}",
            f"{o['ends']} to {o['begins']}",
            f"{o['first_span']} to {o['last_span']}",
            *(number(o[key], 2) for key in forces),
            *(value_text(o[key], 1) for key in ("shared_from_m", "shared_to_m")),
            *(number(o[key], 1) for key in ("shared_time_percent", "load_percent")),
        )
        for o in overlaps
    )
    columns = ("mean [N]", "σ [N]", "maximum [N]", "minimum [N]", "on both from [m]", "to [m]", "on both [% of time]")
    heads = ("pantograph", "sections", "spans", *columns, "load on the first [%]")
    note = "Filtered force over the spans that both sections have and that count; contact with both wires at once."
    return Table("Overlap by overlap", heads, rows, "rll" + "r" * 8, note)


def _fixed_table(fixed: Mapping[str, Any]) -> Table:
    """Tensions of wires that are fixed at both ends, as strung and at their temperature."""
    strung, sections = fixed["tension_strung_N"], fixed.get("by_section") or {}
    rows = tuple(
        (*((name,) if sections else ()), wire, number(1e-3 * strung[wire], 2), number(1e-3 * pulled, 2))
        for name, wires in (sections or {"": fixed["tension_N"]}).items()
        for wire, pulled in wires.items()
    )
    columns = ("wire", "as strung [kN]", f"at {fixed['temperature_C']:g} °C [kN]")
    heads, note = (("section",) if sections else ()), "Wires that are not named keep their tensions."
    return Table("Wires fixed at both ends", (*heads, *columns), rows, f"{'l' * len(heads)}lrr", note)


def _sigma_fact(content: SimulationContent, name: str) -> Fact:
    """Sigma with its estimated numerical error, or with the word that there is none."""
    remark, error = f"contact force, filtered{_whose(content)}", _own_error(content)
    if error is not None:
        remark += f"; {'numerical error not estimated' if error['total_N'] is None else '± estimated numerical error'}"
    return Fact(name, sigma_with_error(content.result.statistics["contact_force_std_N"], error), remark)


def _with_error(content: SimulationContent, name: str, digits: int) -> str:
    """Statistic of the pantograph that is shown with its estimated numerical error, where there is one."""
    known = dict(enumerate(content.figure_errors.values())).get(content.shown, {})
    return plus_minus(content.result.statistics[name], known.get(name) or None, digits)


def _own_error(content: SimulationContent) -> Mapping[str, Any] | None:
    """Estimated numerical error of the sigma of the pantograph that is shown, where it is known."""
    each = ((content.error or {}).get("of_train") or [content.error]) if content.error is not None else []
    return next((one for one in each if one.get("pantograph", 1) == content.shown + 1), None)


def _whose(content: SimulationContent) -> str:
    """Which pantograph figures are of, where there are several."""
    return f", pantograph {content.shown + 1}" if len(content.pantographs) > 1 else ""


def _headline(content: SimulationContent) -> str:
    statistics = content.result.statistics
    if "contact_force_std_N" not in statistics:
        return "The run has no contact force: the solver did not finish."
    mean, sigma = statistics["contact_force_mean_N"], statistics["contact_force_std_N"]
    low, high = (_with_error(content, f"contact_force_{which}_N", 1) for which in ("min", "max"))
    loss = statistics.get("contact_loss_percent", 0.0)
    error, several = _own_error(content), len(content.pantographs)
    error_text = " (estimated numerical error)" if (error or {}).get("total_N") is not None else ""
    kept = "Contact is never lost." if loss <= 0.0 else f"Contact is lost for {number(loss, 2)} % of the time."
    missed = "" if content.assessment is None else missed_in_words(content.assessment)
    under = f"Under pantograph {content.shown + 1} of {several}, where it varies most, the" if several > 1 else "The"
    return (
        f"{under} contact force has a mean of {number(mean, 1)} N and a standard deviation of "
        f"{sigma_with_error(sigma, error)}{error_text}; it stays between {low} N and "
        f"{high} N. {kept}{' ' if missed else ''}{missed}"
    )


def _history_sections(histories: Histories | None) -> tuple[Section, ...]:
    """Sections of forces, pantographs, line and chosen nodes over time; those without content are left out."""
    if histories is None:
        return ()
    droppers, each = histories.droppers, range(len(histories.pantographs))
    return (
        Section("Seen moving", animation=histories.animation),
        Section("Seen moving, from above", animation=histories.from_above),
        Section("In space", charts=histories.in_space, choice=histories.cross_sections),
        Section(
            "The contact force over time",
            charts=present(
                *(force_history_chart(histories, p) for p in each),
                histogram_chart(histories),
                spectrum_chart(histories),
                *(rms_chart(histories, p) for p in each),
            ),
            tables=_loss_tables(histories),
        ),
        Section("The pantograph over time", charts=(*pantograph_charts(histories), *arm_charts(histories))),
        Section(
            "Droppers and steady arms over time",
            charts=present(
                dropper_history_chart(droppers), dropper_extremes_chart(droppers), uplift_chart(histories.uplifts)
            ),
        ),
        Section("Chosen nodes over time", charts=point_charts(histories)),
    )


def _loss_tables(histories: Histories) -> tuple[Table, ...]:
    """Number and length of losses of every pantograph, and each of the first ones."""
    if not histories.losses:
        return ()
    names = [one.name or "pantograph" for one in histories.pantographs]
    found = [(name, one.summary) for name, one in zip(names, histories.losses, strict=False)]
    shown = (("count", 1.0, 0), ("longest_s", 1e3, 1), ("longest_m", 1.0, 2), ("total_percent", 1.0, 3))
    totals = tuple((name, *(number(size * n[key], digits) for key, size, digits in shown)) for name, n in found)
    columns = ("", "number", "longest [ms]", "longest [m]", "share of time [%]")
    tables = [Table("Losses of contact", columns, totals, "lrrrr", "Raw force, over all spans that count.")]
    each = [
        (name, number(x, 2), number(1e3 * s, 1), number(m, 2))
        for name, one in zip(names, histories.losses, strict=False)
        for x, s, m in one.each
    ]
    if each:
        note = "All are in result.nc." + f" The first {LOSSES_SHOWN} of {len(each)}." * (len(each) > LOSSES_SHOWN)
        columns = ("", "begins at [m]", "lasts [ms]", "lasts [m]")
        tables.append(Table("Each loss", columns, tuple(each[:LOSSES_SHOWN]), "lrrr", note))
    return tuple(tables)
