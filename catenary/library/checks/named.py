"""Which rows of a line file sentences name, by their places, and with which words: those rows cannot be as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from catenary.library.columns import Row
from catenary.library.table import Table

__all__ = ["Named", "named_rows", "unread_rows"]

# by the identity of a row: its columns that are refused, and the words with which sentences about it begin
Named = Mapping[int, frozenset[str]]


def named_rows(rows: Mapping[str, Sequence[Row]], problems: Iterable[str]) -> Named:
    """Rows that cannot be as they are, each with the columns or words for which it is named.

    Parameters
    ----------
    rows : mapping of str to sequence of Row
        By table.
    problems : iterable of str
        Sentences, those on rows with the place of the row or of its cell in front.
    """
    of_place = {place: row for own in rows.values() for row in own for place in {row.place(), *map(row.place, row.at)}}
    found = {id(row): set(row.refused) for own in rows.values() for row in own if row.refused}
    for sentence in problems:
        for cut in re.finditer(": ", sentence):
            row = of_place.get(sentence[: cut.start()])
            if row is not None:
                word = re.match(r"\w*", sentence[cut.end() :])
                found.setdefault(id(row), set()).add(word[0] if word else "")
                break
    return {key: frozenset(words) for key, words in found.items()}


def unread_rows(table: Table, rows: Sequence[Row]) -> list[Row] | None:
    """Rows of a table that do not fit under its headings, by their numbers alone; None where some are not known."""
    known = tuple(f"{place}: " for row in rows for place in {row.place(), *map(row.place, row.at)})
    lost = []
    for problem in table.problems:
        if problem.startswith(known):
            continue
        hit = re.match(re.escape(f"{table.path} line ") + r"(\d+): ", problem)
        if hit is None:
            return None
        lost.append(Row(table, int(hit[1]), {}, {}, {}, frozenset({"station", "section"})))
    return lost
