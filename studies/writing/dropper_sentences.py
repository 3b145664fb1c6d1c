"""What a run says of its droppers: which carries most, and which are slack for how long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from catenary.layout.dropper_places import DropperPlace
from dynamics.charts.numbers import with_error

__all__ = ["dropper_sentences"]


def dropper_sentences(places: Sequence[DropperPlace], summary: dict[str, Any]) -> list[str]:
    """Sentences on droppers at places, as a line names them, by a run's summary."""
    return [*_largest_dropper_force(places, summary), *_slack(places, summary["dropper_slack_time_s"])]


def _slack(places: Sequence[DropperPlace], times_s: Sequence[float | None]) -> list[str]:
    """Say how long droppers are slack, each named as the line names it: by span where there are several."""
    several, by_span = len({place.span for place in places}) > 1, dict[str, list[str]]()
    # of a run without figures there are no times
    for place, time in zip(places, times_s, strict=True) if times_s else ():
        if not time:
            continue
        said = by_span.setdefault(_kind_of(place, several), [])
        said.append(f"{place.number} for {1e3 * time:.0f} ms")
    listed = "; ".join(f"{where} {', '.join(each)}" for where, each in by_span.items())
    return [f"slack while the train passes: {listed}"] if listed else []


def _kind_of(place: DropperPlace, several: bool) -> str:
    """Span, section and kind of a dropper, as far as the line has several."""
    where = f"span {place.span}" if several else ""
    where += f" of section {place.section}" if place.section else ""
    return f"{where}, {place.kind}" if where else place.kind


def _largest_dropper_force(places: Sequence[DropperPlace], summary: dict[str, Any]) -> list[str]:
    """Say which dropper carries most while the train passes; nothing where not all of a passage was seen."""
    forces, errors = summary["dropper_force_max_N"], summary["dropper_force_max_error_N"]
    known = [k for k, force in enumerate(forces) if force is not None]
    if not known:
        return []
    most = max(known, key=lambda k: forces[k])
    place, several = places[most], len({place.span for place in places}) > 1
    largest = with_error(forces[most], errors[most] if errors else None, 0)
    return [f"largest dropper force while the train passes: {largest} N, {_kind_of(place, several)} {place.number}"]
