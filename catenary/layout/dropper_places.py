"""Where every dropper that hangs is, as its line names it: tension section, span, and number in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from catenary.layout.laid_out import laid_out
from catenary.spec.line import CatenarySpec
from catenary.spec.section import DefectSpec, SectionSpec

__all__ = ["DropperPlace", "defect_places", "dropper_places", "marked_places", "places_by_design"]


class DropperPlace(NamedTuple):
    """A dropper by its tension section (empty where there is one), span and number in it, both from 1.

    ``main`` is one that holds an auxiliary wire.
    """

    section: str
    span: int
    number: int
    main: bool

    @property
    def kind(self) -> str:
        """What a sentence calls it."""
        return "main dropper" if self.main else "dropper"


def places_by_design(line: CatenarySpec) -> dict[DropperPlace, float]:
    """Stations of all droppers that a line names, broken ones among them and main droppers not [m], in its order."""
    line = laid_out(line)
    sections = () if line.section is None else line.section.tension_sections
    names = [section.name for section in sections] or [""]
    hung = _numbered(line, line.droppers.positions_by_section, names, main=False)
    return dict(zip(hung, line.droppers.positions, strict=True))


def defect_places(line: CatenarySpec, defects: Sequence[DefectSpec]) -> tuple[DropperPlace, ...]:
    """Places of the droppers of defects, with their tension section, which a defect need not name where one passes."""
    at = {name: p for p in places_by_design(line) for name in ((p.section or None, *p[1:3]), (None, *p[1:3]))}
    return tuple(at[d.section, d.span, d.dropper] for d in defects)


def dropper_places(line: CatenarySpec) -> tuple[DropperPlace, ...]:
    """Places of the droppers that a result lists, in its order: broken ones are not among them, others keep theirs."""
    line = laid_out(line)
    own, auxiliary = line.section or SectionSpec(), line.auxiliary_wire
    names = [section.name for section in own.tension_sections] or [""]
    hung = [*_numbered(line, line.droppers.positions_by_section, names, main=False)]
    if auxiliary is not None:
        hung += _numbered(line, auxiliary.droppers.positions_by_section, names, main=True)
    broken = {(d.section, d.span, d.dropper) for d in own.defects if d.kind == "broken"}
    # a defect names its section where two of them overlap
    return tuple(p for p in hung if p.main or not {(p.section, *p[1:3]), (None, *p[1:3])} & broken)


def marked_places(line: CatenarySpec) -> dict[str, list[float]]:
    """Stations of what a line has in addition to its regular parts, by what it is [m]; of a worn stretch both ends."""
    own = laid_out(line).section or SectionSpec()
    wrong = {(d.section, d.span, d.dropper) for d in own.defects}
    found = {
        "defects": [x for p, x in places_by_design(line).items() if {(p.section, *p[1:3]), (None, *p[1:3])} & wrong],
        "masses and elements": [each.station for each in (*own.masses, *own.elements)],
        "ends of worn stretches": [x for worn in own.wear for x in (worn.begin, worn.end)],
        "kinks": [kink.station for kink in own.kinks],
    }
    return {name: sorted(set(x)) for name, x in found.items() if x}


def _numbered(
    line: CatenarySpec, by_section: Sequence[Sequence[float]], names: Sequence[str], *, main: bool
) -> Iterator[DropperPlace]:
    """Droppers section by section, with their numbers in their spans."""
    for name, stations in zip(names, by_section, strict=True):
        span = np.searchsorted(line.supports, stations, side="right")
        number = np.arange(len(span)) - np.searchsorted(span, span) + 1
        yield from (DropperPlace(name, int(k), int(n), main) for k, n in zip(span, number, strict=True))
