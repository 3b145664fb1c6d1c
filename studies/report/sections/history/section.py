"""The parts of a simulation's page that show it over time."""

from __future__ import annotations

from dynamics.charts.numbers import number
from studies.report.content.history_content import Histories
from studies.report.drawing.parts import Section, Table, present
from studies.report.sections.history.charts import (
    force_history_chart,
    histogram_chart,
    pantograph_charts,
    point_charts,
    rms_chart,
    spectrum_chart,
)
from studies.report.sections.history.place_charts import dropper_extremes_chart, dropper_history_chart, uplift_chart

__all__ = ["history_sections"]

LOSSES_SHOWN = 20


def history_sections(histories: Histories | None) -> tuple[Section, ...]:
    """Sections of forces, pantographs, line and chosen nodes over time; those without content are left out."""
    if histories is None:
        return ()
    droppers, each = histories.droppers, range(len(histories.pantographs))
    return (
        Section("Seen moving", animation=histories.animation),
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
        Section("The pantograph over time", charts=pantograph_charts(histories)),
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
    totals = tuple(
        (
            name,
            str(n["count"]),
            number(1e3 * n["longest_s"], 1),
            number(n["longest_m"], 2),
            number(n["total_percent"], 3),
        )
        for name, n in zip(names, (one.summary for one in histories.losses), strict=False)
    )
    tables = [
        Table(
            "Losses of contact",
            ("", "number", "longest [ms]", "longest [m]", "share of time [%]"),
            totals,
            "lrrrr",
            "Raw force, over all spans that count.",
        )
    ]
    each = [
        (name, number(x, 2), number(1e3 * s, 1), number(m, 2))
        for name, one in zip(names, histories.losses, strict=False)
        for x, s, m in one.each
    ]
    if each:
        more = f" The first {LOSSES_SHOWN} of {len(each)}." if len(each) > LOSSES_SHOWN else ""
        columns = ("", "begins at [m]", "lasts [ms]", "lasts [m]")
        tables.append(Table("Each loss", columns, tuple(each[:LOSSES_SHOWN]), "lrrr", f"All are in result.nc.{more}"))
    return tuple(tables)
