"""Tension sections of a line file: their rows, where they overlap, and which of them a row is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from catenary.library.columns import Row
from catenary.library.overlaps import Rise, rises
from catenary.spec.tension_section import ELEVATION, FEWEST_SPANS, LEAST_OVERLAP, MOST_OVERLAP, SPACING

__all__ = ["Held", "Stretch", "ends_of", "held_by", "owner", "stretches_of"]

SAME = 1e-6  # stations of one support [m]
OF_ENDS = ("stiffness", "damping", "ratio")
# what the wires of two sections cannot have in common at a support
PLACES = ("contact_height", "stagger", "messenger_stagger")


@dataclass(frozen=True)
class Stretch:
    """One tension section on the line's supports.

    Attributes
    ----------
    name : str
        Empty for the only section of a line whose file names none.
    first, last : int
        Its first and its last support, the line's first one being 0.
    ends : dict
        What holds its wires, as a Spec takes it.
    curves : tuple of Rise
        Where its contact wire runs in and out.
    aside : dict of int to float
        Offset to the left at supports where another section's wires pass, too [m].
    """

    name: str
    first: int
    last: int
    ends: dict[str, Any] = field(default_factory=dict)
    curves: tuple[Rise, ...] = ()
    aside: dict[int, float] = field(default_factory=dict)


def stretches_of(
    rows: Sequence[Row], overlaps: Sequence[Row], supports: Sequence[float], origin: float, problems: list[str]
) -> list[Stretch]:
    """Tension sections in their order; without rows one from the first support to the last.

    Rows are without problems of their own (`checks.rows`).

    Parameters
    ----------
    rows, overlaps : sequence of Row
        Of the tables ``sections`` and ``overlaps``.
    supports : sequence of float
        Stations from the first support [m].
    origin : float
        Station of the first support as the file counts [m].
    problems : list of str
        What is wrong is added.
    """
    alone, before = [Stretch("", 0, len(supports) - 1)], len(problems)
    if not rows:
        return alone
    found = [tuple(_support(row, key, supports, origin, problems) for key in ("from", "to")) for row in rows]
    if len(problems) == before:
        problems += _misplaced(rows, found, len(supports) - 1)
    names = [row.words["name"] for row in rows]
    elevation, spacing = _passing(names, overlaps)
    if len(problems) > before:
        return alone
    curves = rises([(a, b) for a, b in found], supports, elevation)
    stretches = []
    for k, (row, (a, b)) in enumerate(zip(rows, found, strict=True)):
        aside = dict.fromkeys(range(a, found[k - 1][1] + 1), -0.5 * spacing[k - 1]) if k else {}
        if k < len(rows) - 1:
            aside |= dict.fromkeys(range(found[k + 1][0], b + 1), 0.5 * spacing[k])
        stretches.append(Stretch(names[k], a, b, ends_of(row), tuple(curves[k]), aside))
    return stretches


def _support(row: Row, key: str, supports: Sequence[float], origin: float, problems: list[str]) -> int:
    """Number of the support at a station of a section's row."""
    x = row.values[key] - origin
    near = min(range(len(supports)), key=lambda k: abs(supports[k] - x))
    if abs(supports[near] - x) > SAME:
        problems.append(
            f"{row.place(key)}: {key} must be the station of a support, the nearest is {supports[near] + origin:g} m: "
            f"got {row.values[key]:g} m"
        )
    return near


def _misplaced(rows: Sequence[Row], found: Sequence[tuple[int, ...]], last: int) -> Iterator[str]:
    """Say where sections are too short, do not cover the line, or pass each other as no two can."""
    for row, (a, b) in zip(rows, found, strict=True):
        if b - a < FEWEST_SPANS:
            yield f"{row.place('to')}: section {row.words['name']} must have {FEWEST_SPANS} spans or more: got {b - a}"
    for row, number, at, which in ((rows[0], found[0][0], 0, "first"), (rows[-1], found[-1][1], last, "last")):
        if number != at:
            key = "from" if which == "first" else "to"
            yield f"{row.place(key)}: section {row.words['name']} must have the line's {which} support"
    for k, (a, b) in enumerate(pairwise(found), start=1):
        names, common = (rows[k - 1].words["name"], rows[k].words["name"]), a[1] - b[0]
        if not (a[0] < b[0] and a[1] < b[1]):
            yield f"{rows[k].place('from')}: section {names[1]} must begin and end beyond section {names[0]}"
        elif not LEAST_OVERLAP <= common <= MOST_OVERLAP:
            yield (
                f"{rows[k].place('from')}: sections {names[0]} and {names[1]} must overlap by {LEAST_OVERLAP} to "
                f"{MOST_OVERLAP} spans: got {common}"
            )
        if k > 1 and b[0] < found[k - 2][1]:
            yield (
                f"{rows[k].place('from')}: section {names[1]} must begin beyond the end of section "
                f"{rows[k - 2].words['name']}: two sections overlap, not three"
            )


def _passing(names: Sequence[str], overlaps: Sequence[Row]) -> tuple[list[float], list[float]]:
    """Elevation and lateral spacing [m] of every overlap, by the section that ends there."""
    count = max(0, len(names) - 1)
    elevation, spacing = [ELEVATION] * count, [SPACING["uninsulated"]] * count
    for row in overlaps:
        k = names.index(row.words["section"])
        elevation[k] = row.values.get("elevation", ELEVATION)
        kind = row.words.get("kind", "uninsulated")  # another one is refused by its cell
        spacing[k] = row.values.get("spacing", SPACING.get(kind, spacing[k]))
    return elevation, spacing


def ends_of(row: Row) -> dict[str, Any]:
    """What holds a section's wires, as a Spec takes it."""
    kind = {"kind": row.words["ends"]} if "ends" in row.words else {}
    return {**kind, **{key: row.values[key] for key in OF_ENDS if key in row.values}}


def owner(row: Row, first: int, last: int, stretches: Sequence[Stretch], problems: list[str]) -> int | None:
    """Section that a row is about: the one that it names, or the only one with wires from support to support.

    Parameters
    ----------
    row : Row
    first, last : int
        Supports on both sides of what the row describes, or twice the one that it describes.
    stretches : sequence of Stretch
    problems : list of str
        What is wrong is added.
    """
    name, names = row.words.get("section"), [each.name for each in stretches]
    over = [k for k, each in enumerate(stretches) if each.first <= first and last <= each.last]
    if (name is not None and name not in names) or (name is None and "section" in row.refused):
        return None  # refused by itself
    own = [k for k in over if name in (None, names[k])]
    if not own:
        problems.append(f"{row.place('section')}: section {name} has no wires there")
        return None
    if len(own) > 1:
        both = " and ".join(names[k] for k in own)
        problems.append(f"{row.place()}: section is missing: the wires of {both} pass there")
        return None
    return own[0]


def _of_both(row: Row, support: int, stretches: Sequence[Stretch]) -> Iterator[str]:
    """Name a row that would hold the wires of two sections at one place and height."""
    names = [each.name for each in stretches if each.first <= support <= each.last]
    keys = [key for key in PLACES if key in row.values and key not in row.refused]
    if len(names) > 1 and keys and "section" not in row.refused:
        yield (
            f"{row.place(keys[0])}: section is missing: the wires of {' and '.join(names)} pass there, each with "
            f"{' and '.join(keys)} of its own; give a row for each, at the same station"
        )


@dataclass(frozen=True)
class Held:
    """Wires of one section at one support: the support's number and what rows say of it, in SI."""

    stretch: Stretch
    support: int
    values: Mapping[str, float]


def held_by(
    rows: Sequence[Row], begins: Sequence[Row], stretches: Sequence[Stretch], problems: list[str]
) -> list[Held]:
    """Supports of every section, section by section, each with the values of its own row or of one for all.

    Parameters
    ----------
    rows, begins : sequence of Row
        All rows of supports, and the first one of each.
    stretches : sequence of Stretch
    problems : list of str
        What is wrong is added.
    """
    number, at = -1, {id(row) for row in begins}
    given: dict[tuple[int, int], Mapping[str, float]] = {}
    for row in rows:
        number += id(row) in at
        if "section" in row.words:
            which = owner(row, number, number, stretches, problems)
            if which is not None:
                given[which, number] = row.values
        else:
            problems += _of_both(row, number, stretches)
            given |= {(k, number): row.values for k in range(len(stretches))}
    return [
        Held(each, s, given.get((k, s), {}))
        for k, each in enumerate(stretches)
        for s in range(each.first, each.last + 1)
    ]
