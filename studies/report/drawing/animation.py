"""A picture that moves: line and pantographs at some moments, a still for print, and what the player reads."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "DROPPER",
    "MASS",
    "SLACK",
    "SUPPORT",
    "WIRE_STROKES",
    "Animation",
    "Drawn",
    "Moment",
    "animation_data",
    "animation_svg",
    "polylines",
]

TENTHS = 0.1
# contact wire, messenger wire, stitch wire: colour and width
WIRE_STROKES = (("#0072b2", 2.0), ("#1b1b1b", 1.4), ("#009e73", 1.2))
DROPPER, SLACK, SUPPORT, MASS = "#8a8a8a", "#d55e00", "#b0b0b0", "#1b1b1b"
# half widths and heights of the head and of the masses below it
HEAD, BODY = (17.0, 4.0), (9.0, 8.0)


@dataclass(frozen=True)
class Moment:
    """One picture of an `Animation`.

    Attributes
    ----------
    text : str
        Time, and what else is known of it.
    left : float
        Station at the left edge [m].
    heights : tuple of (int, int, int array (node,))
        Runs in view: number, first node in view, and tenths of a drawing unit from the upper edge.
    slack : tuple of int
        Slack droppers.
    pantographs : tuple of (float, tuple of int)
        Station [m], and masses, head first, in tenths of a drawing unit from the upper edge.
    """

    text: str
    left: float
    heights: tuple[tuple[int, int, NDArray[np.int64]], ...]
    slack: tuple[int, ...]
    pantographs: tuple[tuple[float, tuple[int, ...]], ...]


@dataclass(frozen=True)
class Animation:
    """A line and its pantographs at some moments, in drawing units (y downwards), seen through a frame that travels.

    Attributes
    ----------
    name, title, caption : str
        File name without its ending, what it shows, and what a reader must know to read it.
    note : str
        The least of that, for the file, which has no caption.
    size : tuple of float
        Width and height of the drawing.
    scale : float
        Drawing units per metre along the track.
    rate : float
        Frames shown a second.
    wires : tuple of (int, float array (node,))
        CONTACT, MESSENGER or STITCH, and the stations of one run of nodes [m].
    droppers : int array (dropper, 4)
        Run and node at the lower end, run and node at the upper end.
    supports : float array (support,)
        Stations [m].
    frames : tuple of Moment
        In order of time.
    """

    name: str
    title: str
    caption: str
    note: str
    size: tuple[float, float]
    scale: float
    rate: float
    wires: tuple[tuple[int, NDArray[np.float64]], ...]
    droppers: NDArray[np.int64]
    supports: NDArray[np.float64]
    frames: tuple[Moment, ...]


@dataclass(frozen=True)
class Drawn:
    """One moment as lines and boxes in drawing units.

    Attributes: ``wires`` (wire, points (node, 2)), ``droppers`` and ``slack`` segments (dropper, 2, 2), ``supports``
    (support,), ``springs`` points (mass + 1, 2) per pantograph, ``masses`` boxes (left, top, right, bottom).
    """

    wires: tuple[tuple[int, NDArray[np.float64]], ...]
    droppers: NDArray[np.float64]
    slack: NDArray[np.float64]
    supports: NDArray[np.float64]
    springs: tuple[NDArray[np.float64], ...]
    masses: tuple[tuple[float, float, float, float], ...]


def polylines(animation: Animation, moment: Moment) -> Drawn:
    """Lay out one moment in drawing units; what is out of view is left out."""
    width, height = animation.size

    def across(x: NDArray[np.float64] | float) -> NDArray[np.float64]:
        return (np.asarray(x) - moment.left) * animation.scale

    wires, seen = [], {}
    for run, first, tenths in moment.heights:
        wire, x = animation.wires[run]
        points = np.column_stack([across(x[first : first + tenths.size]), TENTHS * tenths])
        wires.append((wire, points))
        seen[run] = (first, points)
    segments = {True: [], False: []}
    for k, (low, i, high, j) in enumerate(animation.droppers.tolist()):
        ends = [seen[run][1][n - seen[run][0]] for run, n in ((low, i), (high, j)) if _inside(seen.get(run), n)]
        if len(ends) == 2:
            segments[k in moment.slack].append(ends)
    springs, masses = [], []
    for x, tenths in moment.pantographs:
        at = float(across(x))
        ys = [TENTHS * y for y in tenths]
        springs.append(np.array([(at, y) for y in (*ys, height)]))
        for y, (half, tall) in zip(ys, (HEAD, *[BODY] * (len(ys) - 1)), strict=True):
            masses.append((at - half, y, at + half, y + tall))
    supports = across(animation.supports)
    return Drawn(
        wires=tuple(wires),
        droppers=np.reshape(np.array(segments[False], dtype=np.float64), (-1, 2, 2)),
        slack=np.reshape(np.array(segments[True], dtype=np.float64), (-1, 2, 2)),
        supports=supports[(supports >= 0.0) & (supports <= width)],
        springs=tuple(springs),
        masses=tuple(masses),
    )


def _inside(run: tuple[int, NDArray[np.float64]] | None, node: int) -> bool:
    """Whether a node is among those of a run that are in view."""
    return run is not None and run[0] <= node < run[0] + len(run[1])


def animation_svg(animation: Animation) -> str:
    """Draw the middle moment; the player moves the same elements, and print keeps them."""
    moment = animation.frames[len(animation.frames) // 2]
    drawn = polylines(animation, moment)
    width, height = animation.size
    supports = "".join(f"M{x:.1f} 0V{height:.1f}" for x in drawn.supports)
    wires = "".join(
        f'<path class="wire{wire}" d="{_joined([p for w, p in drawn.wires if w == wire])}" fill="none" '
        f'stroke="{colour}" stroke-width="{stroke}" stroke-linejoin="round"/>'
        for wire, (colour, stroke) in enumerate(WIRE_STROKES)
    )
    boxes = "".join(f"M{a:.1f} {b:.1f}H{c:.1f}V{d:.1f}H{a:.1f}Z" for a, b, c, d in drawn.masses)
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(animation.title)}" class="moving">'
        f'<path class="supports" d="{supports}" fill="none" stroke="{SUPPORT}" stroke-dasharray="2 3"/>'
        f'<path class="droppers" d="{_joined(list(drawn.droppers))}" fill="none" stroke="{DROPPER}"/>'
        f'<path class="slack" d="{_joined(list(drawn.slack))}" fill="none" stroke="{SLACK}" stroke-width="2"/>{wires}'
        f'<path class="springs" d="{_joined(list(drawn.springs))}" fill="none" stroke="{MASS}"/>'
        f'<path class="masses" d="{boxes}" fill="{MASS}"/></svg>'
    )


def _joined(lines: list[NDArray[np.float64]]) -> str:
    """Path of several open lines."""
    return "".join("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) for points in lines)


def animation_data(animation: Animation) -> dict[str, object]:
    """Numbers that the page's player draws from; heights are tenths of a drawing unit."""
    return {
        "size": list(animation.size),
        "scale": animation.scale,
        "rate": animation.rate,
        "head": HEAD,
        "body": BODY,
        "wires": [[wire, [round(float(v), 2) for v in x]] for wire, x in animation.wires],
        "droppers": animation.droppers.tolist(),
        "supports": [round(float(x), 3) for x in animation.supports],
        "frames": [
            {
                "t": m.text,
                "l": round(m.left, 3),
                "h": [[run, first, *tenths.tolist()] for run, first, tenths in m.heights],
                "s": list(m.slack),
                "p": [[round(x, 3), *ys] for x, ys in m.pantographs],
            }
            for m in animation.frames
        ],
    }
