"""Charts of forces and heights, made from a report's content."""

from __future__ import annotations

from dataclasses import replace

from dynamics.charts.numbers import number
from dynamics.charts.parts import Chart, Curve, Level, Role, Stations
from dynamics.results.figures import force_chart as contact_force
from dynamics.results.figures import mean_level
from studies.report.content.pieces import SpanResult

__all__ = [
    "dropper_force_chart",
    "elasticity_chart",
    "force_chart",
    "height_chart",
    "marks_of",
    "span_of",
    "supports_of",
]


def _role(result: SpanResult) -> Role:
    return result.force.role if result.force is not None else "best"


def _along_the_span(results: tuple[SpanResult, ...]) -> tuple[Stations, ...]:
    """Supports as lines over the full height, each design's droppers as ticks at the upper edge."""
    droppers = tuple(
        Stations(f"droppers, {r.label}" if len(results) > 1 else "droppers", r.dropper_x, _role(r))
        for r in results
        if r.dropper_x.size
    )
    return (*supports_of(results), *droppers, *marks_of(results))


def marks_of(results: tuple[SpanResult, ...]) -> tuple[Stations, ...]:
    """Mark defects, masses and the like, which designs of a search have in common, at the upper edge."""
    roles: tuple[Role, ...] = ("nominal", "other", "fourth", "fifth")
    marks = results[-1].marks if results else ()
    return tuple(Stations(name, x, role) for (name, x), role in zip(marks, roles, strict=False))


def supports_of(results: tuple[SpanResult, ...]) -> tuple[Stations, ...]:
    """Mark the supports, over the full height, of the line that repeats after the greatest length."""
    found = sorted((r.drawing.supports for r in results if r.drawing is not None), key=lambda x: -x[-1])
    return tuple(Stations("supports", x, full_height=True) for x in found[:1])


def span_of(results: tuple[SpanResult, ...]) -> tuple[float, float] | None:
    """Limits of the span, or of all spans before the line repeats, for axes that run from support to support."""
    ends = [float(r.drawing.supports[-1]) for r in results if r.drawing is not None]
    return (0.0, max(ends)) if ends else None


def force_chart(results: tuple[SpanResult, ...], caption: str) -> Chart | None:
    """Draw the filtered contact force along the span, with supports and droppers marked."""
    curves = tuple(replace(r.force, label=r.label) for r in results if r.force is not None)
    if not curves:
        return None
    means = [r.statistics["contact_force_mean_N"] for r in results if "contact_force_mean_N" in r.statistics]
    held = len(means) > 0 and max(means) - min(means) < 0.5
    levels = (mean_level(means[-1]),) if held else ()
    chart = contact_force(curves, _along_the_span(results), span_of(results), levels)
    return replace(chart, title="Contact force along the span", caption=caption, y_label="Contact force, filtered")


def height_chart(results: tuple[SpanResult, ...]) -> Chart | None:
    """Draw the height of the contact point along the span."""
    about = "contact_height", "Height of the contact point", "Relative to the contact wire at the supports at rest."
    return _low_chart(results, [r.height for r in results], about, ("Station of the pantograph", "Height"))


def elasticity_chart(results: tuple[SpanResult, ...]) -> Chart | None:
    """Draw the static elasticity: rise of the contact wire per newton pressed against it."""
    caption = "Rise of the contact wire where a force presses against it, over that force."
    about = "elasticity", "Static elasticity", caption
    return _low_chart(results, [r.elasticity for r in results], about, ("Station along the span", "Elasticity"))


def _low_chart(
    results: tuple[SpanResult, ...], curves: list[Curve | None], about: tuple[str, str, str], axes: tuple[str, str]
) -> Chart | None:
    """Draw a curve of each result over the span; ``about`` has name, title and caption, ``axes`` both labels."""
    shown = tuple(replace(c, label=r.label) for r, c in zip(results, curves, strict=True) if c is not None)
    if not shown:
        return None
    return Chart(*about, *axes, shown, stations=_along_the_span(results), x_range=span_of(results), height=0.32)


def dropper_force_chart(results: tuple[SpanResult, ...], least_N: float | None) -> Chart | None:
    """Draw each dropper's force at rest over its station."""
    shown = [r for r in results if r.dropper_x.size]
    if not shown:
        return None
    curves = tuple(
        Curve(
            r.label,
            r.dropper_x,
            r.dropper_force,
            "m",
            "N",
            _role(r),
            "dots" if _role(r) == "best" else "rings",
            tuple(f"{r.label}, dropper {k + 1}: {number(float(f), 1)} N" for k, f in enumerate(r.dropper_force)),
        )
        for r in shown
    )
    top = max(float(c.y.max()) for c in curves)
    low = min(0.0, *(float(c.y.min()) for c in curves))
    return Chart(
        name="dropper_forces",
        title="Dropper forces at rest",
        caption="A dropper that pulls little goes slack early when the pantograph passes.",
        x_label="Station along the span",
        y_label="Dropper force",
        curves=curves,
        stations=supports_of(results),
        levels=() if least_N is None else (Level(f"least allowed {least_N:g} N", least_N),),
        x_range=span_of(results),
        y_range=(1.08 * low, 1.08 * top if top > 0 else 1.0),
        pick="point",
        height=0.32,
    )
