"""The page of one simulation: force, heights, the line and its droppers, statistics and provenance."""

from __future__ import annotations

from dynamics.charts.numbers import number, with_bound_units
from studies.report.content.provenance import origin_sections
from studies.report.drawing.parts import Fact, Page, Section, Table, present
from studies.report.readers.page_content import SimulationContent
from studies.report.sections.assessment import assessment_table
from studies.report.sections.charts import dropper_force_chart, elasticity_chart, force_chart, height_chart
from studies.report.sections.history.section import history_sections
from studies.report.sections.length_tolerance import tolerance_table
from studies.report.sections.line import contact_wire_chart, line_chart
from studies.report.sections.numerical_error import error_table, sigma_with_error
from studies.report.sections.tables import dropper_table, elasticity_table, statistics_table

__all__ = ["simulation_page"]

FACTS = (
    ("standard deviation σ", "contact_force_std_N", "N", 2, "contact force, filtered"),
    ("mean", "contact_force_mean_N", "N", 1, "contact force"),
    ("maximum", "contact_force_max_N", "N", 1, "contact force, filtered"),
    ("minimum", "contact_force_min_N", "N", 1, "contact force, filtered"),
)


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
        *history_sections(content.histories),
        Section(
            "The line",
            text=(content.static_note,) if content.static_note else (),
            charts=present(
                line_chart(one),
                contact_wire_chart(one),
                dropper_force_chart(one, None),
                elasticity_chart(one),
            ),
            tables=(
                *((dropper_table(one),) if content.result.dropper_x.size else ()),
                *((elasticity_table(content.elasticity),) if content.elasticity else ()),
                *((tolerance_table(content.tolerances),) if content.tolerances is not None else ()),
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
            else Fact(name, f"{number(content.result.statistics[key], digits)} {unit}", remark)
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
    table = statistics_table((("value", figures),), content.filter_note)
    return (
        table,
        *((error_table(content.error),) if content.error is not None else ()),
        *((assessment_table(content.assessment),) if content.assessment is not None else ()),
    )


def _sigma_fact(content: SimulationContent, name: str) -> Fact:
    """Sigma with its estimated numerical error, or with the word that there is none."""
    remark = "contact force, filtered"
    if content.error is not None:
        error_text = (
            "± estimated numerical error" if content.error["total_N"] is not None else "numerical error not estimated"
        )
        remark = f"{remark}; {error_text}"
    return Fact(name, sigma_with_error(content.result.statistics["contact_force_std_N"], content.error), remark)


def _headline(content: SimulationContent) -> str:
    statistics = content.result.statistics
    if "contact_force_std_N" not in statistics:
        return "The run has no contact force: the solver did not finish."
    mean, sigma = statistics["contact_force_mean_N"], statistics["contact_force_std_N"]
    low, high = statistics["contact_force_min_N"], statistics["contact_force_max_N"]
    loss = statistics.get("contact_loss_percent", 0.0)
    known = content.error is not None and content.error["total_N"] is not None
    error_text = " (estimated numerical error)" if known else ""
    kept = "Contact is never lost." if loss <= 0.0 else f"Contact is lost for {number(loss, 2)} % of the time."
    return (
        f"The contact force has a mean of {number(mean, 1)} N and a standard deviation of "
        f"{sigma_with_error(sigma, content.error)}{error_text}; it stays between {number(low, 1)} N and "
        f"{number(high, 1)} N. {kept}"
    )
