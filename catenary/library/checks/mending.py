"""Rows of a line file without those that cannot be, so that the rest is checked; what is then not known of the line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from catenary.form_finding.first_guess import GRAVITY
from catenary.library.checks.doubt import Doubt
from catenary.library.checks.named import Named, named_rows
from catenary.library.checks.unplaced import Placed, mended_droppers
from catenary.library.columns import Row
from catenary.library.stations import first_rows

__all__ = ["mended", "sound_sections"]

# tables whose rows are about single places of a wire or single droppers, on which no other row depends
SINGLE = ("masses", "elements", "wear", "defects", "profile", "kinks")
# columns of a section's row that say what holds its wires
ENDS = frozenset({"ends", "stiffness", "damping", "ratio"})
HEAVIEST = 100.0  # kg, of a mass or an insulator
NEAR = 5.0  # m: half of the longest insulator


def mended(
    rows: Mapping[str, list[Row]], problems: Sequence[str], placed: Placed, lost: Mapping[str, list[Row] | None]
) -> tuple[dict[str, list[Row]], Doubt]:
    """Leave out rows that cannot be, or put what may be in the place of a value; say what is then not known.

    Parameters
    ----------
    rows : mapping of str to list of Row
        By table.
    problems : sequence of str
        All that is known to be wrong.
    placed : Placed
        Supports and sections, which are known.
    lost : mapping of str to list of Row or None
        Rows that could not be read, by table; None where it is not known which.
    """
    named, sound = named_rows(rows, problems), dict(rows)
    for name in SINGLE:
        sound[name] = [row for row in rows.get(name, []) if id(row) not in named]
    wires = {row.words.get("section") for row in rows.get("profile", []) if id(row) in named}
    # of points in their order one alone cannot be left out
    sound["profile"] = [row for row in sound["profile"] if row.words.get("section") not in wires]
    doubt = Doubt()
    for name in ("droppers", "main_droppers"):
        own, places, hung = mended_droppers(rows.get(name, []), named, placed, lost.get(name, []))
        sound[name] = own
        main = name == "main_droppers" and bool(places | hung)
        doubt = doubt.with_spans(places=frozenset() if main else places, hung=places | hung)
        doubt = replace(doubt, main=doubt.main or main)
    sound["supports"], around = _supports(rows["supports"], named, placed)
    ends = any(id(row) in named for row in rows.get("sections", []))
    passing = _passing(rows.get("overlaps", []), named, placed)
    return sound, replace(_with_weights(doubt, rows, (named, lost), placed), ends=ends).with_spans(
        hung=around | passing
    )


def sound_sections(rows: Mapping[str, list[Row]], problems: Sequence[str]) -> tuple[list[Row], list[Row]] | None:
    """Rows of sections and overlaps without values on which no place rests; None where places rest on what is wrong."""
    named = named_rows({name: rows.get(name, []) for name in ("sections", "overlaps")}, problems)
    sections = [_without(row, ENDS) if id(row) in named else row for row in rows.get("sections", [])]
    of_overlaps = [(row, named.get(id(row), frozenset())) for row in rows.get("overlaps", [])]
    wrong = any(named.get(id(row), ENDS) - ENDS for row in rows.get("sections", []))
    if wrong or (of_overlaps and len(sections) < 2):
        return None
    return sections, [_without(row, row.refused) for row, words in of_overlaps if "section" not in words]


def _without(row: Row, columns: frozenset[str]) -> Row:
    values = {key: value for key, value in row.values.items() if key not in columns}
    words = {key: word for key, word in row.words.items() if key not in columns}
    return replace(row, values=values, words=words)


def _supports(rows: Sequence[Row], named: Named, placed: Placed) -> tuple[list[Row], frozenset[int]]:
    """Rows of supports without values that cannot be, and spans that may hang otherwise for it."""
    number, begins, around = -1, {id(row) for row in first_rows(rows)}, set[int]()
    for row in rows:
        number += id(row) in begins
        if id(row) in named:  # up to the supports next to it, at which its stagger pulls, too
            around |= {number, number + 1}
    return [_without(row, row.refused) for row in rows], placed.every & around


def _passing(rows: Sequence[Row], named: Named, placed: Placed) -> frozenset[int]:
    """Spans that may hang otherwise since it is not known how sections pass each other there."""
    ending = {each.name: k for k, each in enumerate(placed.stretches[:-1])}
    around: set[int] = set()
    for words, name in ((named[id(row)], row.words.get("section", "")) for row in rows if id(row) in named):
        for k in range(len(ending)) if "section" in words else [ending[name]]:
            around |= set(range(placed.stretches[k + 1].first, placed.stretches[k].last + 2))
    return placed.every & around


def _with_weights(
    doubt: Doubt, rows: Mapping[str, list[Row]], known: tuple[Named, Mapping[str, list[Row] | None]], placed: Placed
) -> Doubt:
    """The same with what masses and elements that cannot be may weigh, in their span or anywhere."""
    named, lost = known
    for name in ("masses", "elements"):
        for row in (row for row in rows.get(name, []) if id(row) in named):
            x = row.values.get("station", -1.0) - placed.origin
            if not {"station"} & named[id(row)] and 0.0 <= x <= placed.supports[-1]:
                doubt = doubt.with_spans(hung=placed.spans_at(x - NEAR, x + NEAR))
            else:
                doubt = replace(doubt, load=doubt.load + sum(_weights(name, row)))
        more = lost.get(name, [])
        unknown = float("inf") if more is None or (more and name == "elements") else len(more) * HEAVIEST * GRAVITY
        doubt = replace(doubt, load=doubt.load + unknown)
    return doubt


def _weights(name: str, row: Row) -> Iterator[float]:
    """Weight that a mass or an element may have at most [N]; a spring may pull as it likes."""
    kind = "insulator" if name == "masses" else row.words.get("kind")
    if kind == "insulator":
        yield GRAVITY * (HEAVIEST if "mass" in row.refused else row.values.get("mass", HEAVIEST))
    elif kind != "damper":
        yield float("inf")
