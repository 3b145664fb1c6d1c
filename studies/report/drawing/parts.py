"""The parts that a report page is made of, as plain frozen data: tables, facts and sections around charts."""

from __future__ import annotations

from dataclasses import dataclass, field

from dynamics.charts.moving.animation import Animation
from dynamics.charts.parts import Chart

__all__ = ["Fact", "Page", "Section", "Table", "present"]


@dataclass(frozen=True)
class Table:
    """A table of ready text; ``align`` has one letter per column.

    Letters: l left, r right, w right and wrapped where it is long, u a unit (left, never wrapped), s left and
    wrapped between words alone.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    align: str
    caption: str = ""

    def __post_init__(self) -> None:
        """Refuse ragged tables."""
        widths = {len(row) for row in self.rows} | {len(self.columns), len(self.align)}
        if len(widths) != 1:
            raise ValueError(f"table '{self.title}' must have rows of one length: got lengths {sorted(widths)}")


@dataclass(frozen=True)
class Fact:
    """One figure worth a large print: what it is, its value with unit, and a remark."""

    label: str
    value: str
    remark: str = ""


@dataclass(frozen=True)
class Section:
    """A heading with what stands under it, in the order of its fields; of ``choice`` one chart is seen at a time."""

    title: str
    text: tuple[str, ...] = ()
    animation: Animation | None = None
    charts: tuple[Chart, ...] = ()
    choice: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()
    command: str = ""


@dataclass(frozen=True)
class Page:
    """A whole report; ``head`` has the fields that are signed for, an empty one is drawn as a line to write on."""

    kicker: str
    title: str
    headline: str
    facts: tuple[Fact, ...] = ()
    warnings: tuple[str, ...] = ()
    sections: tuple[Section, ...] = field(default_factory=tuple)
    head: tuple[tuple[str, str], ...] = ()

    @property
    def charts(self) -> tuple[Chart, ...]:
        """Every chart of the page, in reading order."""
        return tuple(chart for section in self.sections for chart in (*section.charts, *section.choice))

    @property
    def animations(self) -> tuple[Animation, ...]:
        """Every moving picture of the page."""
        return tuple(section.animation for section in self.sections if section.animation is not None)


def present(*charts: Chart | None) -> tuple[Chart, ...]:
    """Leave out the charts that could not be made for want of figures."""
    return tuple(chart for chart in charts if chart is not None)
