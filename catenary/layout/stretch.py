"""A stretch of a line by stations as a line of its own: some spans one behind the other, with all that hangs there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from catenary.spec.line import CatenarySpec
from catenary.spec.parts.auxiliary import AuxiliarySpec
from catenary.spec.section import BY_SUPPORT, DROPPER_MAKES, SectionSpec
from catenary.spec.surroundings.temperature import TemperatureSpec
from catenary.spec.tension_section import TensionSectionSpec

__all__ = ["stretch_of", "with_whole_overlaps"]


class _Wires(NamedTuple):
    """Wires of a tension section that pass a stretch.

    Of the only section of a line ``own`` is None. ``number`` is that of the section, ``listed`` is where its values by
    support stand in the line's lists, and ``bounds`` are its first and last support within the stretch, of the whole
    line.
    """

    own: TensionSectionSpec | None
    number: int
    listed: slice
    bounds: tuple[int, int]


def with_whole_overlaps(line: CatenarySpec, first: int, last: int) -> tuple[int, int]:
    """Bounds of a stretch that has every overlap which it touches, and a span beyond: no wire is cut in an overlap.

    Parameters
    ----------
    line : CatenarySpec
    first, last : int
        First and last span, the line's first one being 1.
    """
    sections = () if line.section is None else line.section.tension_sections
    overlaps = [(b.first_support, a.last_support) for a, b in pairwise(sections)]
    for begin, end in reversed(overlaps):
        if begin <= first - 1 < end:
            first = begin
    for begin, end in overlaps:
        if begin < last <= end:
            last = end + 1
    return first, last


def stretch_of(line: CatenarySpec, first: int, last: int) -> CatenarySpec:
    """Line of the spans ``first`` to ``last`` of another one, the first span being 1.

    Stations begin at its own first support. Its wires end at the supports that bound it, with the tensions of the line,
    on springs and dampers; of a stretch with an overlap every wire is held there as where it ends on the line.

    Parameters
    ----------
    line : CatenarySpec
        A line by stations.
    first, last : int
        They cut no overlap (`with_whole_overlaps`).
    """
    if line.section is None or line.repeat is not None or with_whole_overlaps(line, first, last) != (first, last):
        raise ValueError("a stretch must be one of a line by stations, with whole overlaps and a span beyond each")
    wires, own = _wires(line.section, first, last), line.section
    ends = (line.supports[first - 1], line.supports[last])
    kept = _kept(line.droppers.positions_by_section, wires, ends)
    listed = {name: tuple(x for wire in wires for x in getattr(own, name)[wire.listed]) for name in BY_SUPPORT}
    for key in DROPPER_MAKES.values():
        listed[key] = _chosen(getattr(own, key), kept)
    smooth = {"profiles": (), "kinks": (), "irregularity": None}  # it counts from the whole line's first support
    section = own.model_copy(
        update={**listed, **_attached(own, wires, ends, first), "tension_sections": _sections(wires, first), **smooth}
    )
    spans, drops = line.spans[first - 1 : last], line.droppers
    # as the line's own supports add up, so that no dropper changes sides by rounding
    moved = list(accumulate(spans, initial=0.0))
    return line.model_copy(
        update={
            "span_length": spans[0],
            "further_spans": spans[1:],
            "droppers": drops.model_copy(
                update={
                    "by_section": _counts(kept),
                    "positions": tuple(_from(x, line.supports, first, moved) for x in _chosen(drops.positions, kept)),
                    **{key: _chosen(getattr(drops, key), kept) for key in ("contact_wire_heights", "lengths")},
                }
            ),
            "section": section,
            "auxiliary_wire": _auxiliary(line, wires, first, moved),
            "track": None if line.track is None else line.track.beginning(ends[0]),
            "temperature": _temperature(line.temperature, wires),
        }
    )


def _wires(own: SectionSpec, first: int, last: int) -> list[_Wires]:
    """Wires that pass some spans of a line."""
    if not own.tension_sections:
        return [_Wires(None, 0, slice(first - 1, last + 1), (first - 1, last))]
    before = accumulate((each.supports for each in own.tension_sections), initial=0)
    found = []
    for k, (each, listed) in enumerate(zip(own.tension_sections, before, strict=False)):
        a, b = max(first - 1, each.first_support), min(last, each.last_support)
        if a < b:
            at = listed - each.first_support
            found.append(_Wires(each, k, slice(at + a, at + b + 1), (a, b)))
    return found


def _sections(wires: Sequence[_Wires], first: int) -> tuple[TensionSectionSpec, ...]:
    """Tension sections of a stretch, none where one alone passes."""
    bounds = [{"first_support": w.bounds[0] - first + 1, "last_support": w.bounds[1] - first + 1} for w in wires]
    each = [w.own.model_copy(update=own) for w, own in zip(wires, bounds, strict=True) if w.own is not None]
    return tuple(each) if len(each) > 1 else ()


def _temperature(given: TemperatureSpec | None, wires: Sequence[_Wires]) -> TemperatureSpec | None:
    """Temperature of a stretch: that of the line, of those wires that are fixed on the line at both ends."""
    if given is None:
        return None
    fixed = [w.own.name for w in wires if w.own is not None and given.fixes(w.own)]
    if len(wires) == 1:
        return given.everywhere if fixed or wires[0].own is None else None
    return given.model_copy(update={"sections": tuple(fixed)}) if fixed else None


def _kept(
    hung: tuple[tuple[float, ...], ...], wires: Sequence[_Wires], ends: tuple[float, float]
) -> list[tuple[int, ...]]:
    """Numbers of the droppers between two stations [m], of each wire by itself."""
    before = list(accumulate((len(x) for x in hung), initial=0))
    return [tuple(before[w.number] + k for k, x in enumerate(hung[w.number]) if ends[0] < x < ends[1]) for w in wires]


def _chosen(values: tuple[float, ...], kept: Sequence[tuple[int, ...]]) -> tuple[float, ...]:
    """Values of the droppers that are kept, where there are any."""
    return tuple(values[k] for own in kept for k in own) if values else ()


def _counts(kept: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Droppers of each tension section, nothing where there is one."""
    return tuple(len(own) for own in kept) if len(kept) > 1 else ()


def _attached(own: SectionSpec, wires: Sequence[_Wires], ends: tuple[float, float], first: int) -> dict[str, Any]:
    """Defects, masses, elements and worn wire between two stations, counted from the first [m].

    Whatever names a section there is of one that passes.
    """
    unnamed: dict[str, Any] = {"section": None} if len(wires) == 1 else {}
    (begin, end), last = ends, max(w.bounds[1] for w in wires)

    return {
        "defects": tuple(
            defect.model_copy(update={"span": defect.span - first + 1, **unnamed})
            for defect in own.defects
            if first <= defect.span <= last
        ),
        "masses": tuple(
            mass.model_copy(update={"station": round(mass.station - begin, 9), **unnamed})
            for mass in own.masses
            if begin < mass.station < end
        ),
        "elements": tuple(
            element.model_copy(update={"station": round(element.station - begin, 9), **unnamed})
            for element in own.elements
            if begin < element.clamps[0] and element.clamps[-1] < end
        ),
        "wear": tuple(
            worn.model_copy(
                update={"begin": max(worn.begin, begin) - begin, "end": min(worn.end, end) - begin, **unnamed}
            )
            for worn in own.wear
            if worn.begin < end and begin < worn.end
        ),
    }


def _auxiliary(line: CatenarySpec, wires: Sequence[_Wires], first: int, moved: list[float]) -> AuxiliarySpec | None:
    """Auxiliary wire of the stretch, with the main droppers that hang there."""
    own = line.auxiliary_wire
    if own is None:
        return None
    main, last = own.droppers, max(w.bounds[1] for w in wires)
    kept = _kept(main.positions_by_section, wires, (line.supports[first - 1], line.supports[last]))
    update: dict[str, Any] = {key: _chosen(getattr(main, key), kept) for key in ("auxiliary_wire_heights", "lengths")}
    update["positions"] = tuple(_from(x, line.supports, first, moved) for x in _chosen(main.positions, kept))
    update["by_section"] = _counts(kept)
    return own.model_copy(update={"droppers": main.model_copy(update=update)})


def _from(x: float, supports: tuple[float, ...], first: int, moved: list[float]) -> float:
    """Station in the stretch of a station on the line: as far behind its support as it was."""
    k = max(k for k, support in enumerate(supports) if support < x)
    return round(moved[k - first + 1] + (x - supports[k]), 9)
