"""Content of a line by stations, as its type would hold it: rows of supports, droppers and whatever is attached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from catenary.library.checks.at_rest import Laid
from catenary.library.checks.doubt import Doubt
from catenary.library.checks.unplaced import Placed
from catenary.library.columns import Row
from catenary.library.line_file import LineFile
from catenary.library.stations import Hung, droppers_of, first_rows
from catenary.library.tension_sections import Held, held_by
from catenary.spec.changes import plain, typed_keys
from catenary.spec.components import PRESCRIBED
from catenary.spec.keys import KeyTree
from catenary.spec.line import CatenarySpec

__all__ = ["for_the_type", "laid", "main_droppers"]

OF_DROPPERS = {
    "dropper_stiffnesses": ("stiffness", "stiffness"),
    "clamp_masses_contact_wire": ("contact_clamp", "clamp_mass_contact_wire"),
    "clamp_masses_messenger_wire": ("messenger_clamp", "clamp_mass_messenger_wire"),
}


def laid(file: LineFile, line: CatenarySpec, rows: Mapping[str, Sequence[Row]], placed: Placed, doubt: Doubt) -> Laid:
    """Lay rows over a type of line; what they have wrong has been said.

    Parameters
    ----------
    file, line : LineFile and CatenarySpec
        The file, and its type with what it changes.
    rows : mapping of str to sequence of Row
        By table.
    placed : Placed
        Supports and sections.
    doubt : Doubt
        What is not known while rows are left out.
    """
    said: list[str] = []
    supports, origin, stretches = placed.supports, placed.origin, placed.stretches
    by_section = droppers_of(rows.get("droppers", []), supports, origin, line, stretches, said)
    held = held_by(rows["supports"], first_rows(rows["supports"]), stretches, said)
    main = main_droppers(rows.get("main_droppers", []), placed, line, said)
    droppers = [dropper for each in by_section for dropper in each]
    section = {
        **_by_support(held, supports, line),
        **_by_dropper(droppers, line),
        **_attached(rows, origin),
        "irregularity": dict(file.irregularity),
    }
    content = _laid_together(file, line, supports, droppers, rows.get("droppers", []))
    if main:
        content["auxiliary_wire"]["droppers"] |= main
    if stretches[0].name:
        content["droppers"]["by_section"] = [len(each) for each in by_section]
        section["tension_sections"] = [
            {"name": each.name, "first_support": each.first, "last_support": each.last, "ends": each.ends}
            for each in stretches
        ]
    content["section"] = {key: value for key, value in section.items() if value}
    return Laid(content, droppers, rows, supports, origin, doubt)


def for_the_type(changes: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """Changes of the type, and the tension sections whose wires are fixed, which no type has; None if not named."""
    of_type = {key: dict(value) if isinstance(value, Mapping) else value for key, value in changes.items()}
    fixed = of_type.pop("temperature.sections", None)
    block = of_type.get("temperature")
    return of_type, block.pop("sections", fixed) if isinstance(block, dict) else fixed


def _laid_together(
    file: LineFile, line: CatenarySpec, supports: Sequence[float], droppers: Sequence[Hung], given: Sequence[Row]
) -> dict[str, Any]:
    """Content of the type with the line's own spans and droppers, every value with its mark."""
    content = line.model_dump()
    _, fixed = for_the_type(file.changes)
    if fixed is not None:
        content["temperature"] = {**content.get("temperature", {}), "sections": fixed}
    lengths = any("length" in row.values for row in given) if given else line.droppers.prescribed == "lengths"
    prescribed = "lengths" if lengths else "heights"
    key = PRESCRIBED[prescribed][0]
    spans = [round(float(b), 9) for b in np.diff(supports)]
    own = {k: v for k, v in content["droppers"].items() if k not in ("contact_wire_heights", "lengths")}
    own |= {"positions": [d.station for d in droppers], "prescribed": prescribed, key: [d.value for d in droppers]}
    typed = {path for path, _ in typed_keys(KeyTree(CatenarySpec), plain(file.changes))}
    marks = {path: mark if path in typed else f"t:{line.name}" for path, mark in content.get("provenance", {}).items()}
    for path in ("droppers.contact_wire_heights", "droppers.lengths"):
        marks.pop(path, None)
    marks |= {"span_length": "u", "further_spans": "u"}
    marks |= dict.fromkeys(("droppers.positions", f"droppers.{key}"), "u" if given else f"t:{line.name}")
    about = {
        "name": file.name,
        "description": file.description or f"Line of {len(spans)} spans of the type {line.name}",
    }
    spans_of = {"span_length": spans[0], "further_spans": spans[1:]}
    return {**content, **about, **spans_of, "droppers": own, "provenance": marks}


def _attached(rows: Mapping[str, Sequence[Row]], origin: float) -> dict[str, list[dict[str, Any]]]:
    """Whatever stands at single places of the wires."""
    by_station = {
        name: [{**row.values, **row.words, "station": _station(row, origin)} for row in rows.get(name, [])]
        for name in ("masses", "elements", "kinks")
    }
    return {
        **by_station,
        "wear": _wear(rows.get("wear", []), origin),
        "defects": _defects(rows.get("defects", [])),
        "profiles": _profiles(rows.get("profile", []), origin),
    }


def main_droppers(rows: Sequence[Row], placed: Placed, line: CatenarySpec, problems: list[str]) -> dict[str, Any]:
    """Main droppers of a compound line, of rows or spread as the type's; what is wrong is added to ``problems``."""
    own, stretches = line.auxiliary_wire, placed.stretches
    if own is None:
        problems += [f"{row.place()}: main droppers need a type of kind compound: got '{line.name}'" for row in rows]
        return {}
    main = own.droppers
    as_droppers = line.droppers.model_copy(
        update={
            "positions": main.positions,
            "prescribed": main.prescribed,
            "contact_wire_heights": main.auxiliary_wire_heights or (0.0,) * len(main.positions),
            "lengths": main.lengths,
        }
    )
    pseudo = line.model_copy(update={"droppers": as_droppers})
    by_section = droppers_of(rows, placed.supports, placed.origin, pseudo, stretches, problems)
    found = [dropper for each in by_section for dropper in each]
    lengths = any("length" in row.values for row in rows) if rows else main.prescribed == "lengths"
    values = [each.value for each in found]
    given = {"auxiliary_wire_heights": [] if lengths else values, "lengths": values if lengths else []}
    counts = [len(each) for each in by_section] if stretches[0].name else []
    prescribed = "lengths" if lengths else "heights"
    return {"positions": [each.station for each in found], "prescribed": prescribed, "by_section": counts, **given}


def _by_support(held: Sequence[Held], supports: Sequence[float], line: CatenarySpec) -> dict[str, list[float]]:
    """Values one by one of what some support has of its own; the others have the type's."""
    turns = [(-1.0) ** each.support for each in held]
    asides = [each.stretch.aside.get(each.support, 0.0) for each in held]
    usual = {
        "encumbrance": [line.encumbrance] * len(held),
        "contact_height": [
            round(sum(float(curve.height(np.array(supports[e.support]))) for curve in e.stretch.curves), 9)
            for e in held
        ],
        # the type's first support is to the left, where a stagger is negative
        "stagger": [round(-line.support.stagger * turn - y, 9) for turn, y in zip(turns, asides, strict=True)],
        "messenger_stagger": [
            -line.support.messenger_stagger * turn - y for turn, y in zip(turns, asides, strict=True)
        ],
    }
    # in the plane they do nothing but to be there where the line is drawn, written out or run in space
    always = {"contact_height", "stagger", "messenger_stagger"} if held[0].stretch.name else set()
    return {
        f"{key}s": [each.values.get(key, value) + 0.0 for each, value in zip(held, values, strict=True)]
        for key, values in usual.items()
        if key in always or any(key in each.values for each in held)
    }


def _by_dropper(droppers: Sequence[Hung], line: CatenarySpec) -> dict[str, list[float]]:
    """Values one by one of what some dropper has of its own."""
    found = {}
    for name, (column, key) in OF_DROPPERS.items():
        usual = float(getattr(line.droppers, key))
        if any(d.row and column in d.row.values for d in droppers):
            found[name] = [d.row.values.get(column, usual) if d.row else usual for d in droppers]
    return found


def _station(row: Row, origin: float, key: str = "station") -> float:
    return round(row.values[key] - origin, 9)


def _of(row: Row, *keys: str) -> dict[str, Any]:
    """Values and words of those columns that the row has."""
    return {key: value for key, value in {**row.values, **row.words}.items() if key in keys}


def _wear(rows: Sequence[Row], origin: float) -> list[dict[str, Any]]:
    """Worn stretches of the contact wire."""
    ends = [{"begin": _station(row, origin, "from"), "end": _station(row, origin, "to")} for row in rows]
    return [{**each, **_of(row, "area", "depth", "section")} for each, row in zip(ends, rows, strict=True)]


def _defects(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [{**row.values, **row.words, **{key: round(row.values[key]) for key in ("span", "dropper")}} for row in rows]


def _profiles(rows: Sequence[Row], origin: float) -> list[dict[str, Any]]:
    """Measured running surfaces, the points of each wire in their order."""
    by_section: dict[str | None, list[Row]] = {}
    for row in rows:
        by_section.setdefault(row.words.get("section"), []).append(row)
    return [
        {
            "stations": [_station(row, origin) for row in own],
            "heights": [row.values["height"] for row in own],
            **({} if section is None else {"section": section}),
        }
        for section, own in by_section.items()
    ]
