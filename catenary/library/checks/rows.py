"""What rows of a line file say wrong by themselves: no station of a support is needed to see it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from pydantic import ValidationError

from catenary.library.columns import NEEDED, Row
from catenary.library.line_file import DRAWN, LineFile
from catenary.library.tension_sections import ends_of
from catenary.spec.attached.elements import ElementSpec
from catenary.spec.components import Spec
from catenary.spec.keys import did_you_mean
from catenary.spec.problems import find_problems
from catenary.spec.running_surface.surface import IrregularitySpec
from catenary.spec.section import DefectSpec
from catenary.spec.tension_section import TensionSectionSpec

__all__ = ["problems_of_irregularity", "problems_of_rows", "problems_of_sections"]

Rows = Mapping[str, Sequence[Row]]
# tables whose rows have a section in the library's own words, the others in those of the Spec
PLACED = ("supports", "droppers", "main_droppers")


def problems_of_sections(rows: Rows) -> list[str]:
    """Say what is wrong with the tables ``sections`` and ``overlaps`` wherever the supports stand."""
    sections, seen = rows.get("sections", []), set()
    problems = [*_missing("sections", sections), *_backwards(sections)]
    for row in sections:
        name = row.words.get("name", "A")
        if "name" in row.words and name in seen:
            problems.append(
                f"{row.place('name')}: section {name} is named a second time: a wire has one run from end to end"
            )
        seen |= {name} if "name" in row.words else set()
        whole = {"name": name, "first_support": 0, "last_support": 1, "ends": ends_of(row)}
        problems += _misfits(TensionSectionSpec, whole, row, ())
    return problems + list(_overlaps(rows))


def _overlaps(rows: Rows) -> Iterator[str]:
    """Name overlaps that belong to no section that ends in one, or to one that has its row."""
    sections, seen = rows.get("sections", []), set()
    ending = list(dict.fromkeys(row.words.get("name", "") for row in sections[:-1]))
    which = f"one of {', '.join(ending)}, the section that ends there, once"
    for row in rows.get("overlaps", []):
        name = row.words.get("section")
        if not ending:
            yield f"{row.place()}: an overlap needs the table sections" + (", with two of them" if sections else "")
        elif "" in ending:
            continue  # a section without a name may be the one that is meant
        elif name is None:
            if "section" not in row.refused:
                yield f"{row.place('section')}: section is missing: give {which}"
        elif name not in ending or name in seen:
            yield f"{row.place('section')}: section must be {which}: got '{name}'"
        seen.add(name or "")


def problems_of_rows(rows: Rows) -> list[str]:
    """Say what is wrong with rows of all other tables wherever the supports stand."""
    others = [name for name in rows if name not in ("supports", "sections")]
    problems = [s for name in others for s in _missing(name, rows[name])]
    for name in ("droppers", "main_droppers"):
        problems += _ways_to_hang(rows.get(name, []))
    for row in rows.get("elements", []):
        given = {k: v for k, v in {**row.values, **row.words}.items() if k != "station" and k not in row.refused}
        problems += _misfits(ElementSpec, {**given, "station": 0.0}, row, NEEDED["elements"])
    for row in rows.get("defects", []):
        given = {k: v for k, v in {**row.values, **row.words}.items() if k not in row.refused}
        numbers = {key: round(float(given.get(key, 1))) for key in ("span", "dropper")}
        problems += _misfits(DefectSpec, {**given, **numbers}, row, NEEDED["defects"])
    problems += [*_backwards(rows.get("wear", [])), *_worn_twice(rows), *_second_defects(rows.get("defects", []))]
    return [*problems, *_points_out_of_order(rows.get("profile", [])), *_unknown_sections(rows)]


def problems_of_irregularity(file: LineFile) -> list[str]:
    """Say what is wrong with the spectrum from which a line file draws the contact wire's running surface."""
    sentences = find_problems(IrregularitySpec, dict(file.irregularity), {}, lambda _: "") if file.irregularity else []
    keys = [sentence.partition(" ")[0] for sentence in sentences]
    return [
        f"{file.drawn_at.get(key, file.path)}: {DRAWN}.{sentence}"
        for key, sentence in zip(keys, sentences, strict=True)
    ]


def _names(rows: Rows) -> list[str]:
    """Names of the tension sections, each once; none where one has no name, which may be meant by any row."""
    names = list(dict.fromkeys(row.words.get("name", "") for row in rows.get("sections", [])))
    return [] if "" in names else names


def _missing(table: str, rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        for key in NEEDED.get(table, ()):
            if not {key} & {*row.values, *row.words, *row.refused}:
                yield f"{row.place(key)}: {key} is missing"


def _misfits(spec: type[Spec], whole: dict[str, Any], row: Row, needed: Sequence[str]) -> Iterator[str]:
    """Sentences of a row's Spec, without those that a cell is refused or missing for already."""
    try:
        spec.model_validate(whole)
    except ValidationError:
        known = row.refused | {key for key in needed if key not in row.values and key not in row.words}
        for sentence in find_problems(spec, whole, {}, lambda _: ""):
            if not known & set(re.findall(r"\w+", sentence)):
                key = sentence.removeprefix("ends.").partition(" ")[0]
                yield f"{row.place(key)}: {sentence}"


def _backwards(rows: Sequence[Row]) -> Iterator[str]:
    """Name stretches that end before they begin."""
    for row in rows:
        begin, end = (None if key in row.refused else row.values.get(key) for key in ("from", "to"))
        if begin is not None and end is not None and end <= begin:
            yield f"{row.place('to')}: to must be beyond from, {begin:g} m: got {end:g} m"


def _worn_twice(rows: Rows) -> Iterator[str]:
    """Name worn stretches that overlap another one of their wire, each against that which reaches farthest."""
    sections = bool(rows.get("sections"))
    by_wire: dict[str | None, list[tuple[float, float, int, Row]]] = {}
    for k, row in enumerate(rows.get("wear", [])):
        wire = row.words.get("section") if sections else None
        if row.refused & {"from", "to"} or not {"from", "to"} <= row.values.keys() or (sections and wire is None):
            continue  # refused by itself
        begin, end = row.values["from"], row.values["to"]
        if begin < end:
            by_wire.setdefault(wire, []).append((begin, end, k, row))
    for stretches in by_wire.values():
        far, *others = sorted(stretches)
        for each in others:
            if each[0] < far[1]:
                (begin, end, _, first), (*_, row) = sorted((far, each), key=lambda stretch: stretch[2])
                yield f"{row.place('from')}: wear must not overlap {first.place('from')}, {begin:g} to {end:g} m"
            far = max(far, each, key=lambda stretch: stretch[1])


def _ways_to_hang(rows: Sequence[Row]) -> Iterator[str]:
    """Name droppers that do not say where they hang, or how high, or say one of it twice."""
    by_length = ["length" in row.values or "length" in row.refused for row in rows]
    key = "length" if any(by_length) else "height"
    mixed = any(by_length) and any("height" in row.values and not own for row, own in zip(rows, by_length, strict=True))
    if mixed:
        few = sum(by_length) <= len(rows) / 2
        row = rows[by_length.index(few)]
        yield (
            f"{row.place(key)}: length must be given in every row, or in none where heights stand: "
            f"{sum(by_length)} of {len(rows)} rows have one"
        )
    for row in rows:
        has = {name: name in row.values for name in ("span", "position", "station")}
        unread = any(name in row.refused and not there for name, there in has.items())
        if not unread and (has["position"] == has["station"] or (has["position"] and not has["span"])):
            yield f"{row.place()}: give either station, or span and position in it"
        if mixed:
            continue
        if key not in row.values and key not in row.refused:
            yield f"{row.place(key)}: {key} is missing: give each dropper of a line its {key}"
        if key == "length" and "height" in row.values:
            yield f"{row.place('height')}: height must be left out where lengths are given: one follows"


def _second_defects(rows: Sequence[Row]) -> Iterator[str]:
    """Name the second of two defects of one dropper by its numbers; a wrong length may be of another stiffness, too."""
    seen: dict[tuple[str | None, float, float], Row] = {}
    for row in rows:
        if not {"span", "dropper"} <= row.values.keys() or row.refused or "kind" not in row.words:
            continue
        span, dropper = row.values["span"], row.values["dropper"]
        first = seen.setdefault((row.words.get("section"), span, dropper), row)
        if first is not row and {first.words["kind"], row.words["kind"]} != {"length", "stiffness"}:
            yield (
                f"{row.place('dropper')}: defect is the second of dropper {dropper:g} of span {span:g}, which is "
                f"{first.words['kind']} in {first.place('dropper')}"
            )


def _points_out_of_order(rows: Sequence[Row]) -> Iterator[str]:
    """Name measured points of a wire's running surface that lie before the one above them."""
    by_section: dict[str | None, list[Row]] = {}
    for row in rows:
        if "station" in row.values and not row.refused & {"station", "section"}:
            by_section.setdefault(row.words.get("section"), []).append(row)
    for own in by_section.values():
        for before, row in pairwise(own):
            if row.values["station"] <= before.values["station"]:
                yield (
                    f"{row.place('station')}: station must be beyond that of the point before, "
                    f"{before.values['station']:g} m: got {row.values['station']:g} m"
                )


def _unknown_sections(rows: Rows) -> Iterator[str]:
    """Name rows whose section is not in the table ``sections``, and those that need one and have none."""
    names = _names(rows)
    known = ", ".join(names) or "none: the file has no table sections"
    for table, own in rows.items():
        if table in ("sections", "overlaps") or not (names or (table in PLACED and not rows.get("sections"))):
            continue
        for row in own:
            name = row.words.get("section")
            if name is not None and name not in names:
                yield f"{row.place('section')}: section must be one of {known}: got '{name}'{did_you_mean(name, names)}"
            elif name is None and table in ("wear", "profile") and "section" not in row.refused:
                yield f"{row.place('section')}: section is missing: give that of its wire, one of {known}"
