"""From a line file to the line: rows laid over a type and checked as a whole, every problem with its row and cell."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from catenary.errors import InputError
from catenary.library.at_rest import faults_by_row
from catenary.library.columns import Row, read_rows
from catenary.library.line_file import LineFile
from catenary.library.stations import Hung, droppers_of, first_rows, supports_of
from catenary.library.tension_sections import Held, Stretch, held_by, stretches_of
from catenary.spec.changes import changed
from catenary.spec.components import PRESCRIBED
from catenary.spec.line import CatenarySpec
from catenary.spec.problems import find_problems

__all__ = ["line_content"]

OF_DROPPERS = {
    "dropper_stiffnesses": ("stiffness", "stiffness"),
    "clamp_masses_contact_wire": ("contact_clamp", "clamp_mass_contact_wire"),
    "clamp_masses_messenger_wire": ("messenger_clamp", "clamp_mass_messenger_wire"),
}


def line_content(file: LineFile, line: CatenarySpec) -> dict[str, Any]:
    """Content of the line that a line file describes, as its type would hold it.

    Parameters
    ----------
    file : LineFile
    line : CatenarySpec
        Type of the line.

    Raises
    ------
    InputError
        With a sentence for every row that cannot be.
    """
    try:
        line = changed(line, file.changes) if file.changes else line
    except InputError as error:
        raise InputError([f"{file.path}: changes: {problem}" for problem in error.problems]) from None
    problems: list[str] = []
    rows = {name: read_rows(name, table, problems) for name, table in file.tables.items()}
    before = len(problems)
    begins = first_rows(rows["supports"])
    supports = supports_of(begins, problems)
    if len(problems) > before or any(x != x for x in supports):
        raise InputError(problems)  # stations of the others are measured from the supports
    origin = begins[0].values["station"]
    stretches = stretches_of(rows.get("sections", []), rows.get("overlaps", []), supports, origin, problems)
    if len(problems) > before:
        raise InputError(problems)  # rows are sorted by where sections are
    by_section = droppers_of(rows.get("droppers", []), supports, origin, line, stretches, problems)
    held = held_by(rows["supports"], begins, stretches, problems)
    main = _main_droppers(rows.get("main_droppers", []), (supports, origin), line, stretches, problems)
    if problems:
        raise InputError(problems)
    droppers = [dropper for each in by_section for dropper in each]
    section = {
        **_by_support(held, supports, line),
        **_by_dropper(droppers, line),
        **_attached(rows, origin, problems),
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
    found = find_problems(CatenarySpec, content, line.model_dump(), lambda _: "")
    problems += [_with_place(sentence, droppers, rows) for sentence in found]
    problems = problems or list(faults_by_row(CatenarySpec.model_validate(content), droppers))
    if problems:
        raise InputError(problems)
    return content


def _laid_together(
    file: LineFile, line: CatenarySpec, supports: Sequence[float], droppers: Sequence[Hung], given: Sequence[Row]
) -> dict[str, Any]:
    """Content of the type with the line's own spans and droppers, every value with its mark."""
    content = line.model_dump()
    lengths = any("length" in row.values for row in given) if given else line.droppers.prescribed == "lengths"
    prescribed = "lengths" if lengths else "heights"
    key = PRESCRIBED[prescribed][0]
    spans = [round(float(b), 9) for b in np.diff(supports)]
    own = {k: v for k, v in content["droppers"].items() if k not in ("contact_wire_heights", "lengths")}
    own |= {"positions": [d.station for d in droppers], "prescribed": prescribed, key: [d.value for d in droppers]}
    marks = {
        path: mark if path in file.changes else f"t:{line.name}" for path, mark in content.get("provenance", {}).items()
    }
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


def _attached(rows: Mapping[str, Sequence[Row]], origin: float, problems: list[str]) -> dict[str, list[dict[str, Any]]]:
    """Whatever stands at single places of the wires, and what is wrong with them."""
    return {
        "masses": _masses(rows.get("masses", []), origin, problems),
        "elements": _elements(rows.get("elements", []), origin, problems),
        "wear": _wear(rows.get("wear", []), origin, problems),
        "defects": _defects(rows.get("defects", []), problems),
        "profiles": _profiles(rows.get("profile", []), origin, problems),
        "kinks": _kinks(rows.get("kinks", []), origin, problems),
    }


def _main_droppers(
    rows: Sequence[Row],
    at: tuple[Sequence[float], float],
    line: CatenarySpec,
    stretches: Sequence[Stretch],
    problems: list[str],
) -> dict[str, Any]:
    """Main droppers of a compound line, of rows or spread as the type's; ``at``: supports and origin [m]."""
    own, (supports, origin) = line.auxiliary_wire, at
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
    by_section = droppers_of(rows, supports, origin, pseudo, stretches, problems)
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
    several = bool(held[0].stretch.name)
    always = {"contact_height"} | ({"stagger", "messenger_stagger"} if line.dimension == "spatial" else set())
    return {
        f"{key}s": [each.values.get(key, value) + 0.0 for each, value in zip(held, values, strict=True)]
        for key, values in usual.items()
        if (several and key in always) or any(key in each.values for each in held)
    }


def _by_dropper(droppers: Sequence[Hung], line: CatenarySpec) -> dict[str, list[float]]:
    """Values one by one of what some dropper has of its own."""
    found = {}
    for name, (column, key) in OF_DROPPERS.items():
        usual = float(getattr(line.droppers, key))
        if any(d.row and column in d.row.values for d in droppers):
            found[name] = [d.row.values.get(column, usual) if d.row else usual for d in droppers]
    return found


def _masses(rows: Sequence[Row], origin: float, problems: list[str]) -> list[dict[str, Any]]:
    found = []
    for row in rows:
        missing = [key for key in ("station", "mass") if key not in row.values]
        problems += [f"{row.place()}: {key} is missing" for key in missing]
        if not missing:
            station = round(row.values["station"] - origin, 9)
            own = {"station": station, "wire": row.words.get("wire", "contact"), "mass": row.values["mass"]}
            found.append(own | {key: row.words[key] for key in ("section",) if key in row.words})
    return found


def _elements(rows: Sequence[Row], origin: float, problems: list[str]) -> list[dict[str, Any]]:
    """Spring supports, dampers and insulators, with the values that their rows give."""
    found = []
    for row in rows:
        given = {**row.values, **row.words}
        problems += [f"{row.place()}: {key} is missing" for key in ("station", "kind") if key not in given]
        found.append({**given, "station": round(row.values.get("station", origin) - origin, 9)})
    return found


def _wear(rows: Sequence[Row], origin: float, problems: list[str]) -> list[dict[str, Any]]:
    """Worn stretches of the contact wire."""
    found = []
    for row in rows:
        missing = [key for key in ("from", "to", "area") if key not in row.values]
        problems += [f"{row.place()}: {key} is missing" for key in missing]
        if not missing:
            ends = {to: round(row.values[key] - origin, 9) for key, to in (("from", "begin"), ("to", "end"))}
            own = {key: row.values[key] for key in ("area", "depth") if key in row.values}
            found.append({**ends, **own, **({"section": row.words["section"]} if "section" in row.words else {})})
    return found


def _defects(rows: Sequence[Row], problems: list[str]) -> list[dict[str, Any]]:
    found = []
    for row in rows:
        given = {**row.values, **row.words}
        problems += [f"{row.place()}: {key} is missing" for key in ("span", "dropper", "kind") if key not in given]
        found.append(
            {k: round(v) if k in ("span", "dropper") and isinstance(v, float) else v for k, v in given.items()}
        )
    return found


def _profiles(rows: Sequence[Row], origin: float, problems: list[str]) -> list[dict[str, Any]]:
    """Measured running surfaces, the points of each wire in their order."""
    by_section: dict[str | None, list[Row]] = {}
    for row in rows:
        missing = [key for key in ("station", "height") if key not in row.values]
        problems += [f"{row.place(key)}: {key} is missing" for key in missing]
        if not missing:
            by_section.setdefault(row.words.get("section"), []).append(row)
    found = []
    for section, own in by_section.items():
        for before, row in pairwise(own):
            if row.values["station"] <= before.values["station"]:
                problems.append(
                    f"{row.place('station')}: station must be beyond that of the point before, "
                    f"{before.values['station']:g} m: got {row.values['station']:g} m"
                )
        stations = [round(row.values["station"] - origin, 9) for row in own]
        profile = {"stations": stations, "heights": [row.values["height"] for row in own]}
        found.append(profile if section is None else profile | {"section": section})
    return found


def _kinks(rows: Sequence[Row], origin: float, problems: list[str]) -> list[dict[str, Any]]:
    """Local bends of the contact wire."""
    found = []
    for row in rows:
        missing = [key for key in ("station", "height") if key not in row.values]
        problems += [f"{row.place(key)}: {key} is missing" for key in missing]
        if not missing:
            own = {key: row.values[key] for key in ("height", "length") if key in row.values}
            section = {"section": row.words["section"]} if "section" in row.words else {}
            found.append({"station": round(row.values["station"] - origin, 9), **own, **section})
    return found


def _with_place(sentence: str, droppers: Sequence[Hung], rows: Mapping[str, Sequence[Row]]) -> str:
    """Sentence with the place of the row that it is about in front."""
    tables = "masses|elements|wear|defects|kinks|tension_sections"
    hit = re.match(rf"(?:droppers\.\w+|section\.({tables}))\[(\d+)\](?:\.(\w+))?", sentence)
    if hit is None:
        return sentence
    name, k = "sections" if hit[1] == "tension_sections" else hit[1], int(hit[2])
    row = rows[name][k] if name else droppers[k].row
    return sentence if row is None else f"{row.place(hit[3])}: {sentence}"
