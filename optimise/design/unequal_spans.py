"""A shorter and a longer span in turn: made from the line of the shorter one alone, and taken apart again.

The variables act on the shorter span, so that distances which hold there hold in the longer one too: its stations are
carried over piece by piece, clamp by clamp, and its droppers hang at the same heights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from catenary.spec.line import CatenarySpec

__all__ = ["SAME_PLACE", "carried_over", "difference_of", "repeated", "shorter_alone", "with_longer"]

# m, what rounding may leave
SAME_PLACE = 1e-6


def difference_of(line: CatenarySpec) -> float:
    """How much longer the second of two spans is [m]; 0 where all are alike."""
    return line.spans[1] - line.spans[0] if line.further_spans else 0.0


def carried_over(x: NDArray[np.float64], stitch: tuple[float, float], spans: tuple[float, float]) -> Any:
    """Stations of the first half of a span in one of another length or stitch [m].

    Parameters
    ----------
    x : float array (dropper,)
        Stations between support and mid-span [m].
    stitch, spans : tuple of float
        Lengths of the stitch wire, 0 without one, and of the span, those of ``x`` first [m].
    """
    own, other = ([0.0, *([0.5 * w] if w else []), 0.5 * span] for w, span in zip(stitch, spans, strict=True))
    return np.interp(x, own, other)


def with_longer(line: CatenarySpec, difference: float) -> CatenarySpec:
    """Line of the shorter span followed by one that is longer by ``difference`` [m], written as two spans even for 0.

    Raises
    ------
    ValueError
        If the line would not be valid.
    """
    x, n = np.asarray(line.droppers.positions), len(line.droppers.positions)
    span, longer = line.span_length, line.span_length + difference
    wire = line.stitch.length if line.stitch is not None else 0.0
    near = carried_over(x[: (n + 1) // 2], (wire, wire), (span, longer))
    beyond = np.concatenate([near, (longer - near)[: n // 2][::-1]])
    return _of_spans(line, (span, longer), np.concatenate([x, span + beyond]))


def repeated(line: CatenarySpec, times: int) -> CatenarySpec:
    """The same line, written as several equal spans before it repeats."""
    spans = line.spans * times
    x = np.concatenate([s * line.period + np.asarray(line.droppers.positions) for s in range(times)])
    return _of_spans(line, spans, x)


def _of_spans(line: CatenarySpec, spans: tuple[float, ...], x: NDArray[np.float64]) -> CatenarySpec:
    content, times = line.model_dump(), len(x) // len(line.droppers.positions)
    content |= {"span_length": spans[0], "further_spans": spans[1:]}
    drops = content["droppers"]
    drops["positions"] = tuple(x.tolist())
    for name in ("contact_wire_heights", "lengths"):
        if name in drops:
            drops[name] = drops[name] * times
    return CatenarySpec.model_validate(content)


def shorter_alone(
    line: CatenarySpec, longer: Callable[[CatenarySpec, float], CatenarySpec] = with_longer
) -> CatenarySpec:
    """Line of the shorter span alone, the inverse of `with_longer`; the line itself where all spans are alike.

    Parameters
    ----------
    line : CatenarySpec
    longer : callable
        What made the line from the shorter span alone and the difference [m].

    Raises
    ------
    InputError
        If `with_longer` does not make this line.
    """
    if not line.further_spans:
        return line
    difference, count = difference_of(line), len(line.droppers.positions) // 2
    content = line.model_dump()
    content.pop("further_spans")
    for name in ("positions", "contact_wire_heights", "lengths"):
        if name in content["droppers"]:
            content["droppers"][name] = content["droppers"][name][:count]
    try:
        alone = CatenarySpec.model_validate(content)
        if len(line.spans) == 2 and difference >= 0.0 and _same(longer(alone, difference), line):
            return alone
    except ValueError:
        pass
    raise InputError(
        [
            "the line must repeat after a shorter and a longer span with the same droppers, those of the longer one in "
            f"proportion: {line.name} does not"
        ]
    )


def _same(one: CatenarySpec, other: CatenarySpec) -> bool:
    """Whether both have their droppers in the same places."""
    a, b = ([np.asarray(s.droppers.positions), np.asarray(s.droppers.contact_wire_heights)] for s in (one, other))
    return all(x.shape == y.shape and float(np.abs(x - y).max()) < SAME_PLACE for x, y in zip(a, b, strict=True))
