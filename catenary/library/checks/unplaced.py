"""Rows of droppers that cannot be: what may stand in their place, and the spans that they may have been meant for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from catenary.library.checks.named import Named
from catenary.library.columns import Row
from catenary.library.tension_sections import Stretch

__all__ = ["Placed", "mended_droppers"]

# columns that say how a dropper hangs, not where
VALUES = frozenset({"height", "length", "stiffness", "contact_clamp", "messenger_clamp"})
USUAL = {"height": 0.0, "length": 1.0}  # m, where no other row of the span says more


@dataclass(frozen=True)
class Placed:
    """Supports from the first one [m], its station as the file counts [m], and tension sections on them."""

    supports: Sequence[float]
    origin: float
    stretches: Sequence[Stretch]

    @property
    def every(self) -> frozenset[int]:
        """Numbers of all spans."""
        return frozenset(range(1, len(self.supports)))

    def spans_at(self, first: float, last: float) -> frozenset[int]:
        """Spans that reach into a stretch from the first support on [m]."""
        return frozenset(
            n for n, (a, b) in enumerate(pairwise(self.supports), start=1) if a <= last + 1e-9 and first - 1e-9 <= b
        )


@dataclass(frozen=True)
class DropperRow:
    """One row with the words for which it is named, none of one that may stand, and its span where it says it."""

    row: Row
    words: frozenset[str]
    span: int | None

    @property
    def placed(self) -> bool:
        """Whether its place is right."""
        return self.span is not None and self.words <= VALUES

    @property
    def meant(self) -> bool:
        """Whether its span is right: its section alone is not."""
        return self.span is not None and self.words <= VALUES | {"section"}


def mended_droppers(
    rows: Sequence[Row], named: Named, placed: Placed, lost: Sequence[Row] | None
) -> tuple[list[Row], frozenset[int], frozenset[int]]:
    """Rows that may stand, and the spans of which droppers are missing or hang otherwise.

    A row whose place is right stays, with the height or length of a neighbour; any other one is left out. It was meant
    for the span that it names, and for those of the rows around it where the table is in order, else for any.

    Parameters
    ----------
    rows : sequence of Row
        Of the table, in its order.
    named : mapping
        Rows that cannot be as they are, as `named_rows` gives them.
    placed : Placed
    lost : sequence of Row or None
        Rows that could not be read; None where it is not known which.

    Returns
    -------
    list of Row, frozenset of int, frozenset of int
        Spans of which a dropper is missing, then those of which one hangs otherwise, the first span being 1.
    """
    if lost is None:
        return [], placed.every, placed.every
    by_length = [bool({"length"} & {*row.values, *row.refused}) for row in rows]
    key = "length" if any(by_length) else "height"
    # where rows do either, it is not known which of them are right; one that does neither is wrong by itself
    mixed = any("height" in row.values and not long for row, long in zip(rows, by_length, strict=True)) and any(
        by_length
    )
    listed = [
        DropperRow(row, named.get(id(row), frozenset()) | ({key} - row.values.keys()), _span(row, placed))
        for row in rows
    ]
    listed += [DropperRow(row, row.refused, None) for row in lost]
    listed.sort(key=lambda each: each.row.number)
    places: set[int] = set()
    hung = set(placed.every) if mixed else set[int]()
    sound = []
    for k, each in enumerate(listed):
        own = set() if each.span is None else {each.span}
        if each.placed:
            hung |= own if each.words else set()
            sound.append(_with_stand_in(k, listed, key) if each.words or mixed else each.row)
        else:
            places |= own if each.meant else own | _around(k, listed, placed)
    return sound, frozenset(places), frozenset(hung)


def _span(row: Row, placed: Placed) -> int | None:
    """Span that a row names, or in which its station lies; None where its cells do not say."""
    given, last = row.values, len(placed.supports) - 1
    if "station" in given and "position" not in given and "station" not in row.refused:
        x = given["station"] - placed.origin
        return next((n for n, (a, b) in enumerate(pairwise(placed.supports), start=1) if a <= x < b), None)
    if "span" in given and not {"span", "station"} & row.refused and "station" not in given:
        return round(given["span"]) if given["span"] <= last else None
    return None


def _around(k: int, listed: Sequence[DropperRow], placed: Placed) -> frozenset[int]:
    """Spans between those of the rows before and behind a row of a table in order; all of one that is not."""
    own = listed[k]
    alike = [
        (j, each.span, each.row.values.get("station", 0.0))
        for j, each in enumerate(listed)
        if each.placed and ("section" in own.words or each.row.words.get("section") == own.row.words.get("section"))
    ]
    places = [(span, station) for _, span, station in alike if span is not None]
    if not places or any(b < a for a, b in pairwise(places)):
        return placed.every
    first = next((span for j, span, _ in reversed(alike) if j < k), None) or 1
    last = next((span for j, span, _ in alike if j > k), None) or len(placed.supports) - 1
    return frozenset(range(first, last + 1))


def _with_stand_in(k: int, listed: Sequence[DropperRow], key: str) -> Row:
    """Row with the height or length of the nearest one of its span that has it, without values that cannot be."""
    own = listed[k]
    given = {name: value for name, value in own.row.values.items() if name not in own.words & VALUES}
    others = sorted(
        (abs(j - k), j)
        for j, each in enumerate(listed)
        if each.span == own.span and key in each.row.values and key not in each.words and not each.words - VALUES
    )
    value = given.get(key, listed[others[0][1]].row.values[key] if others else USUAL[key])
    kept = {name: value for name, value in given.items() if name not in USUAL}
    return replace(own.row, values={**kept, key: value})
