"""What an open line's run is by default on a line by stations: its own spans, and those that count."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

__all__ = ["fill_open_line"]

# spans run after the last one that counts, and the line from which on there are so many
AFTER, LONG = 3, 8


def fill_open_line(data: dict[str, Any], given: Collection[str]) -> None:
    """Run a line by stations as the open line that it is, on all its spans; what is ``given`` goes before.

    The pantograph starts half a span beyond the first support. The statistics leave out three spans at either end, or
    as many as a short line can spare: a wire whose end is held moves otherwise there. The last pantograph of the
    longest train leaves the last span that counts on the line, too.
    """
    line = data.get("catenary")
    if not isinstance(line, Mapping) or not isinstance(line.get("section"), Mapping) or line.get("repeat"):
        return
    if "open_line" not in data:
        return
    spans = 1 + len(line.get("further_spans") or ())
    after, first = (AFTER, AFTER + 1) if spans >= LONG else (1, 3 if spans > 4 else 2)
    usual = {
        "spans": spans,
        "start": 0.5 if first > 2 else 0.0,
        "first_evaluated": first,
        "last_evaluated": max(first, spans - after - _spans_of(_longest_train(data), line, after)),
        "spans_after": after,
    }
    own = data["open_line"] if isinstance(data["open_line"], dict) else {}
    data["open_line"] = {**own, **{k: v for k, v in usual.items() if f"open_line.{k}" not in given}}
    if "solver" not in given:
        data["solver"] = "open_line"


def _longest_train(data: Mapping[str, Any]) -> float:
    """Distance of the last pantograph of any train that may run [m]; what is not a number is refused elsewhere."""
    trains: list[Any] = []
    for block, key in (("trailing", "distances_m"), ("scenarios", "trailing"), ("design", "trailing_distances")):
        own = data.get(block)
        trains.append(own.get(key) if isinstance(own, Mapping) else None)
    return max(_numbers(trains), default=0.0)


def _numbers(values: object) -> Iterator[float]:
    if isinstance(values, list | tuple):
        for value in values:
            yield from _numbers(value)
    elif isinstance(values, int | float):
        yield float(values)


def _spans_of(length: float, line: Mapping[str, Any], after: int) -> int:
    """Spans at a line's end that a train takes, before those ``after`` the last one that counts."""
    spans = [line.get("span_length"), *(line.get("further_spans") or ())]
    lengths = list(_numbers(spans))
    taken = 0
    while length > 0.0 and taken + after < len(lengths):
        taken += 1
        length -= lengths[-taken]
    return taken
