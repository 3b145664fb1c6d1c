"""Stations of a line file: rows of supports and droppers in their spans, and droppers that spans have from a type."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from catenary.library.columns import Row
from catenary.library.tension_sections import Stretch, owner
from catenary.spec.line import CatenarySpec
from catenary.spec.placing.droppers import FROM_SUPPORT, MOST_DROPPERS
from catenary.spec.section import MOST_DROPPERS as MOST_OF_LINE
from catenary.spec.section import MOST_SPANS

__all__ = ["Hung", "droppers_of", "first_rows", "supports_of"]

SHORTEST_SPAN, LONGEST_SPAN, LEAST_SPANS = 15.0, 120.0, 3


@dataclass(frozen=True)
class Hung:
    """One dropper: station from the first support [m], height or length [m], and its row, if it has one."""

    station: float
    value: float
    row: Row | None


def supports_of(rows: Sequence[Row], problems: list[str]) -> list[float]:
    """Stations of the supports from the first one [m]; what is out of order or out of range is named."""
    found = [math.nan if "station" in row.refused else row.values.get("station", math.nan) for row in rows]
    without = [row for row in rows if "station" not in row.values and "station" not in row.refused]
    if len(without) == len(rows):
        own = rows[0].table
        problems.append(f"{own.name}: a column 'station' is missing: it has {', '.join(own.headings)}")
    else:
        problems += [f"{row.place()}: station is missing" for row in without]
    if not LEAST_SPANS < len(rows) <= MOST_SPANS + 1:
        problems.append(
            f"{rows[0].table.name}: must list {LEAST_SPANS + 1} to {MOST_SPANS + 1} supports: got {len(rows)}"
        )
    for row, (a, b) in zip(rows[1:], pairwise(found), strict=True):
        if not (math.isfinite(a) and math.isfinite(b)):
            continue  # refused as a cell
        if b <= a:
            problems.append(
                f"{row.place('station')}: station must be beyond that of the row before, {a:g} m: got {b:g} m"
            )
        elif not SHORTEST_SPAN <= b - a <= LONGEST_SPAN:
            problems.append(
                f"{row.place('station')}: station must lie {SHORTEST_SPAN:g} to {LONGEST_SPAN:g} m beyond that of the "
                f"row before, {a:g} m: got {b:g} m, a span of {b - a:g} m"
            )
    return [round(x - found[0], 9) for x in found]


def first_rows(rows: Sequence[Row]) -> list[Row]:
    """First row of every support: where two sections pass, rows that name different ones share its station."""
    found: list[Row] = []
    names: set[str] = set()
    for row in rows:
        name = row.words.get("section")
        again = bool(found) and row.values.get("station") == found[-1].values.get("station")
        if again and name is not None and name not in names and "section" in found[-1].words:
            names.add(name)
            continue
        found.append(row)
        names = {name} if name is not None else set()
    return found


def droppers_of(
    rows: Sequence[Row],
    supports: Sequence[float],
    origin: float,
    line: CatenarySpec,
    stretches: Sequence[Stretch],
    problems: list[str],
) -> list[list[Hung]]:
    """Droppers of every section, span by span: those of the rows, and where a span has no row those of the line's type.

    Where a section's contact wire runs in or out, the type's heights follow its curve.

    Parameters
    ----------
    rows : sequence of Row
    supports : sequence of float
        Stations from the first support [m].
    origin : float
        Station of the first support as the file counts [m].
    line : CatenarySpec
        Type of the line.
    stretches : sequence of Stretch
        Tension sections of the line.
    problems : list of str
        What is wrong is added.
    """
    # where some rows alone have a length that has been said: heights of the type hide no more
    key = "length" if all("length" in row.values for row in rows) else "height"
    key = key if rows else ("height" if line.droppers.prescribed == "heights" else "length")
    by_span: dict[tuple[int, int], list[Hung]] = {}
    for row in rows:
        span = _span_of(row, supports, origin, problems)
        which = None if span is None else owner(row, span - 1, span, stretches, problems)
        if span is None or which is None:
            continue
        a, b, before = supports[span - 1], supports[span], by_span.setdefault((which, span), [])
        x = a + row.values["position"] if "position" in row.values else round(row.values["station"] - origin, 9)
        given = "position" if "position" in row.values else "station"
        if math.isnan(x) or given in row.refused:
            continue  # refused as a cell
        if not a + FROM_SUPPORT <= x <= b - FROM_SUPPORT:
            problems.append(
                f"{row.place(given)}: {given} must lie between {FROM_SUPPORT:g} and {b - a - FROM_SUPPORT:g} m inside "
                f"span {span}, from {a + origin:g} to {b + origin:g} m: got {row.values[given]:g} m"
            )
            continue  # what follows is in order with the one before
        if before and x <= before[-1].station:
            problems.append(
                f"{row.place(given)}: {given} must be beyond that of the dropper before in span {span}, "
                f"{before[-1].station + origin:g} m: got {x + origin:g} m"
            )
        before.append(Hung(x, row.values.get(key, 0.0), row))
    found = []
    for which, each in enumerate(stretches):
        hung: list[Hung] = []
        for span in range(each.first + 1, each.last + 1):
            hung += by_span.get((which, span)) or _of_type(line, supports, span, key, problems)
        found.append([_on_curve(d, each, supports) if key == "height" else d for d in hung])
    problems += _too_many(by_span, sum(len(hung) for hung in found))
    return found


def _too_many(by_span: Mapping[tuple[int, int], Sequence[Hung]], hung: int) -> Iterator[str]:
    """Say which spans have more droppers in rows than a span may have, and where the line has too many."""
    for (_, span), own in sorted(by_span.items()):
        if len(own) > MOST_DROPPERS and own[0].row is not None:
            name = own[0].row.table.name
            yield f"{name}: span {span} must have at most {MOST_DROPPERS} droppers: got {len(own)}"
    if hung > MOST_OF_LINE:
        yield f"a line must have at most {MOST_OF_LINE} droppers: got {hung}"


def _on_curve(dropper: Hung, stretch: Stretch, supports: Sequence[float]) -> Hung:
    """Dropper of the type where the contact wire runs in or out; a row's own height stays."""
    if dropper.row is not None or not stretch.curves:
        return dropper
    below = sum(float(curve.below_chord(np.array(dropper.station), supports)) for curve in stretch.curves)
    return replace(dropper, value=round(dropper.value - below, 9))


def _span_of(row: Row, supports: Sequence[float], origin: float, problems: list[str]) -> int | None:
    """Span of a dropper's row: the one that it names, or the one that its station lies in."""
    has = {key: key in row.values for key in ("span", "position", "station")}
    if has["position"] == has["station"] or (has["position"] and not has["span"]):
        return None  # refused by itself
    last = len(supports) - 1
    if row.refused & {"span", "station"}:
        return None
    if has["span"]:
        span = round(row.values["span"])
        if span > last:
            problems.append(f"{row.place('span')}: span must be 1 to {last}: got {span}")
            return None
        return span
    x = row.values["station"] - origin
    span = next((k for k, (a, b) in enumerate(pairwise(supports), start=1) if a <= x < b), None)
    if span is None:
        problems.append(
            f"{row.place('station')}: station must lie between the first and the last support, {origin:g} to "
            f"{origin + supports[-1]:g} m: got {row.values['station']:g} m"
        )
    return span


def _of_type(line: CatenarySpec, supports: Sequence[float], span: int, key: str, problems: list[str]) -> list[Hung]:
    """Droppers that a span without rows has from the type of line.

    Those that hang from a stitch wire keep their distance from the support, the others are spread evenly as the type
    spreads them, and pre-sag grows as the square of the span, as a parabola's does. Lengths fit no other span.
    """
    which = (span - 1) % len(line.spans)
    begin, usual = line.supports[which], line.spans[which]
    x0, length = supports[span - 1], supports[span] - supports[span - 1]
    own = [(x - begin, k) for k, x in enumerate(line.droppers.positions) if begin < x < begin + usual]
    given = line.droppers.contact_wire_heights if key == "height" else line.droppers.lengths
    alike = abs(length - usual) < 1e-9
    if not given or (key == "length" and not alike):
        problems.append(
            f"span {span}, {length:g} m from support to support, has no droppers: its type '{line.name}' prescribes "
            f"{line.droppers.prescribed} for spans of {usual:g} m; give its droppers by {key}"
        )
        return []
    if alike:
        return [Hung(x0 + x, given[k], None) for x, k in own]
    half = 0.5 * line.stitch.length if line.stitch is not None else 0.0

    def moved(x: float) -> float:
        if x < half:
            return x
        if x > usual - half:
            return length - (usual - x)
        return half + (x - half) * (length - 2.0 * half) / (usual - 2.0 * half)

    return [Hung(x0 + round(moved(x), 6), round(given[k] * (length / usual) ** 2, 9), None) for x, k in own]
