"""A stretch of a line by stations as a line of its own: some spans one behind the other, with all that hangs there."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from catenary.spec.line import CatenarySpec
from catenary.spec.parts.auxiliary import AuxiliarySpec
from catenary.spec.section import BY_SUPPORT, DROPPER_MAKES, SectionSpec

__all__ = ["stretch_of"]


def stretch_of(line: CatenarySpec, first: int, last: int) -> CatenarySpec:
    """Line of the spans ``first`` to ``last`` of another one, the first span being 1.

    Stations begin at its own first support. Its wires end at the supports that bound it, with the tensions of the line,
    on springs and dampers.

    Parameters
    ----------
    line : CatenarySpec
        A line by stations of one tension section.
    first, last : int
    """
    if line.section is None or len(line.section.tension_sections) > 1 or line.repeat is not None:
        raise ValueError("a stretch can be taken of a line by stations with one tension section alone")
    begin, end = line.supports[first - 1], line.supports[last]
    kept = [k for k, x in enumerate(line.droppers.positions) if begin < x < end]
    spans, drops, own = line.spans[first - 1 : last], line.droppers, line.section
    listed = {name: getattr(own, name)[first - 1 : last + 1] for name in BY_SUPPORT}
    for key in DROPPER_MAKES.values():
        values = getattr(own, key)
        listed[key] = tuple(values[k] for k in kept) if values else ()
    defects = tuple(
        defect.model_copy(update={"span": defect.span - first + 1, "section": None})
        for defect in own.defects
        if first <= defect.span <= last
    )
    smooth = {"profiles": (), "kinks": (), "irregularity": None}  # it counts from the whole line's first support
    section = own.model_copy(
        update={**listed, **_attached(own, begin, end), "defects": defects, "tension_sections": (), **smooth}
    )
    # as the line's own supports add up, so that no dropper changes sides by rounding
    moved = list(accumulate(spans, initial=0.0))
    return line.model_copy(
        update={
            "span_length": spans[0],
            "further_spans": spans[1:],
            "droppers": drops.model_copy(
                update={
                    "by_section": (),
                    "positions": tuple(_from(drops.positions[k], line.supports, first, moved) for k in kept),
                    **{
                        key: tuple(getattr(drops, key)[k] for k in kept) if getattr(drops, key) else ()
                        for key in ("contact_wire_heights", "lengths")
                    },
                }
            ),
            "section": section,
            "auxiliary_wire": _auxiliary(line, first, (begin, end), moved),
            "track": None if line.track is None else line.track.beginning(begin),
            "temperature": None if line.temperature is None else line.temperature.everywhere,
        }
    )


def _attached(own: SectionSpec, begin: float, end: float) -> dict[str, Any]:
    """Masses, elements and worn wire between two stations, counted from the first [m]."""
    masses = tuple(
        mass.model_copy(update={"station": round(mass.station - begin, 9), "section": None})
        for mass in own.masses
        if begin < mass.station < end
    )
    elements = tuple(
        element.model_copy(update={"station": round(element.station - begin, 9), "section": None})
        for element in own.elements
        if begin < element.clamps[0] and element.clamps[-1] < end
    )
    wear = tuple(
        worn.model_copy(
            update={"begin": max(worn.begin, begin) - begin, "end": min(worn.end, end) - begin, "section": None}
        )
        for worn in own.wear
        if worn.begin < end and begin < worn.end
    )
    return {"masses": masses, "elements": elements, "wear": wear}


def _auxiliary(line: CatenarySpec, first: int, ends: tuple[float, float], moved: list[float]) -> AuxiliarySpec | None:
    """Auxiliary wire of the stretch, with the main droppers that hang there."""
    own = line.auxiliary_wire
    if own is None:
        return None
    main = own.droppers
    kept = [k for k, x in enumerate(main.positions) if ends[0] < x < ends[1]]
    update: dict[str, tuple[float, ...]] = {
        key: tuple(getattr(main, key)[k] for k in kept) if getattr(main, key) else ()
        for key in ("auxiliary_wire_heights", "lengths")
    }
    update["positions"] = tuple(_from(main.positions[k], line.supports, first, moved) for k in kept)
    return own.model_copy(update={"droppers": main.model_copy(update=update)})


def _from(x: float, supports: tuple[float, ...], first: int, moved: list[float]) -> float:
    """Station in the stretch of a station on the line: as far behind its support as it was."""
    k = max(k for k, support in enumerate(supports) if support < x)
    return round(moved[k - first + 1] + (x - supports[k]), 9)
