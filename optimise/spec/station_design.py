"""Validated description of what an optimiser may change on a line by stations: overlaps and single droppers (SI)."""

from __future__ import annotations

from typing import Annotated, Literal, Protocol, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec
from catenary.spec.line import CatenarySpec
from catenary.spec.section import MOST_SPANS

__all__ = ["STATION_KEYS", "OverlapRangeSpec", "SpansRangeSpec", "StationRange", "misfits_of"]

Change = Annotated[float, Field(ge=-0.3, le=0.3)]
SectionName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$")]
# keys of a design, and what each of their variables is
STATION_KEYS: dict[str, str] = {
    "overlap_heights": "contact height",
    "overlap_elevations": "elevation",
    "overlap_staggers": "stagger",
    "dropper_heights": "height",
    "dropper_lengths": "length",
}


class _Range(Spec):
    """How far something may change from the nominal line, either way."""

    change: tuple[Change, Change] = Field(
        default=(-0.03, 0.03), description="least and largest change from the nominal line, 0 between them [m]"
    )

    @model_validator(mode="after")
    def _holds_the_nominal(self) -> Self:
        low, high = self.change
        if not low <= 0.0 <= high or low == high:
            raise ValueError(f"change must go from at most 0 to at least 0, not both 0 [m]: got {low:g} to {high:g} m")
        return self


class OverlapRangeSpec(_Range):
    """Something of both wires of an overlap may change, each wire and support by itself."""

    section: SectionName | None = Field(
        default=None, description="tension section that ends in the overlap; not given: every overlap of the line"
    )


class SpansRangeSpec(_Range):
    """Every dropper of some spans may change, each by itself."""

    section: SectionName | None = Field(
        default=None, description="tension section of the droppers; needed where two overlap, all of them if not given"
    )
    first_span: Annotated[int, Field(ge=1, le=MOST_SPANS)] = Field(
        default=1, description="first of the spans, the line's first one being 1"
    )
    last_span: Annotated[int, Field(ge=1, le=MOST_SPANS)] = Field(
        default=MOST_SPANS, description="last of the spans; beyond the line's last one: that one"
    )
    alike: Literal["none", "mirror"] = Field(
        default="none",
        description="droppers that change together: none, or those that lie alike from either end of a span",
    )


StationRange = OverlapRangeSpec | SpansRangeSpec


class _Design(Protocol):
    """What is read of a design."""

    @property
    def kind(self) -> str: ...

    @property
    def station_ranges(self) -> dict[str, StationRange]: ...


def misfits_of(line: CatenarySpec, design: _Design) -> list[str]:
    """Say which ranges of a design do not fit a line."""
    ranges = design.station_ranges
    if not line.ends and design.kind == "stations":
        return [f"design.kind must be heights, spacing, both or line: {line.name} is not a line by stations"]
    if not line.ends:
        return [f"design.{key} must be left out: {line.name} is not a line by stations" for key in ranges]
    own = () if line.section is None else line.section.tension_sections
    names, problems = [each.name for each in own], []
    for key, wanted in ranges.items():
        overlap = isinstance(wanted, OverlapRangeSpec)
        ends = names[:-1] if overlap else names
        if overlap and len(names) < 2:
            problems.append(
                f"design.{key} must be left out (or null): {line.name} has no overlap; let something else vary, as "
                "design.dropper_lengths.change=[-0.01,0.01]"
            )
        elif wanted.section is not None and wanted.section not in ends:
            known = ", ".join(ends) or "left out"
            problems.append(f"design.{key}.section must be {'one of ' if ends else ''}{known}: got '{wanted.section}'")
        elif isinstance(wanted, SpansRangeSpec):
            problems += _without_spans(line, key, wanted)
    if "overlap_staggers" in ranges and line.dimension != "spatial":
        problems.append("design.overlap_staggers needs dimension=spatial: a planar line has no stagger")
    if "dropper_heights" in ranges and ("dropper_lengths" in ranges or line.droppers.prescribed == "lengths"):
        problems.append("design.dropper_heights must be left out where lengths are prescribed or vary: use one of both")
    return problems


def _without_spans(line: CatenarySpec, key: str, wanted: SpansRangeSpec) -> list[str]:
    """Say that a range leaves no span, of the line or of the tension section that it names."""
    first, last, where = 1, len(line.spans), ""
    for own in () if line.section is None else line.section.tension_sections:
        if own.name == wanted.section:
            first, last = own.first_support + 1, own.last_support
            where = f" (section {own.name} has spans {first} to {last})"
    if wanted.last_span < first:
        return [f"design.{key}.last_span must be at least {first}{where}: got {wanted.last_span}"]
    if wanted.first_span > min(wanted.last_span, last):
        return [f"design.{key}.first_span must be 1 to {min(wanted.last_span, last)}{where}: got {wanted.first_span}"]
    return []
