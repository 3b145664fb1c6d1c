"""Lines that repeat after different lengths in one picture: the shorter one is drawn as often as fits the longer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from studies.report.content import Array, LineDrawing, SpanResult
from studies.report.parts import Curve

__all__ = ["over_the_longest"]

NEARLY_WHOLE = 1e-6


def over_the_longest(results: tuple[SpanResult, ...]) -> tuple[SpanResult, ...]:
    """Repeat every design as often as it fits the one that repeats after the greatest length, if a whole number."""
    lengths = [float(r.drawing.supports[-1]) if r.drawing is not None else 0.0 for r in results]
    longest = max(lengths, default=0.0)
    found = []
    for result, length in zip(results, lengths, strict=True):
        times = longest / length if length else 1.0
        whole = round(times)
        found.append(_repeated(result, whole) if whole > 1 and abs(times - whole) < NEARLY_WHOLE * whole else result)
    return tuple(found)


def _repeated(result: SpanResult, times: int) -> SpanResult:
    drawing = result.drawing
    assert drawing is not None
    length = float(drawing.supports[-1])
    force, height, elasticity = (
        None if c is None else _curve(c, length, times) for c in (result.force, result.height, result.elasticity)
    )
    return replace(
        result,
        drawing=_drawing(drawing, length, times),
        force=force,
        height=height,
        elasticity=elasticity,
        dropper_x=_shifted(result.dropper_x, length, times),
        dropper_force=np.tile(result.dropper_force, times),
        dropper_cut_length=np.tile(result.dropper_cut_length, times),
    )


def _drawing(drawing: LineDrawing, length: float, times: int) -> LineDrawing:
    wires = tuple(replace(w, x=w.x + k * length) for k in range(times) for w in drawing.wires)
    return LineDrawing(
        wires=wires,
        droppers=_curve(drawing.droppers, length, times),
        contact_wire=_curve(drawing.contact_wire, length, times),
        dropper_x=_shifted(drawing.dropper_x, length, times),
        dropper_height=np.tile(drawing.dropper_height, times),
        supports=np.concatenate([_shifted(drawing.supports[:-1], length, times), [times * length]]),
    )


def _curve(curve: Curve, length: float, times: int) -> Curve:
    return replace(
        curve,
        x=_shifted(curve.x, length, times),
        y=np.tile(curve.y, times),
        notes=curve.notes * times,
        labels=curve.labels * times,
    )


def _shifted(x: Array, length: float, times: int) -> Array:
    return np.concatenate([x + k * length for k in range(times)])
