"""A picture that moves: line and pantographs at some moments, a still for print, and what the player reads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Animation", "Moment", "animation_data", "parts_of", "polylines"]

TENTHS = 0.1
# half widths and heights of the head and of the masses below it
HEAD, BODY = (17.0, 4.0), (9.0, 8.0)
PARTS = ("supports", "droppers", "slack", "wire0", "wire1", "wire2", "springs", "masses")


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
        CONTACT, MESSENGER, STITCH or AUXILIARY, and the stations of one run of nodes [m].
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


def parts_of(animation: Animation) -> tuple[str, ...]:
    """Names of what a film shows; an auxiliary wire only where there is one."""
    own = {f"wire{wire}" for wire, _ in animation.wires}
    return (*PARTS, *sorted(own.difference(PARTS)))


def polylines(animation: Animation, moment: Moment) -> dict[str, list[NDArray[np.float64]]]:
    """Lay out one moment as lines (node, 2) in drawing units; what is out of view is left out.

    They go by the names of what they show: ``wire0`` to ``wire3``, ``droppers`` and ``slack`` ones, ``supports``,
    ``springs`` of each pantograph, and ``masses`` as closed boxes from their upper left corner.
    """
    width, height = animation.size

    def across(x: NDArray[np.float64] | float) -> NDArray[np.float64]:
        return (np.asarray(x) - moment.left) * animation.scale

    drawn: dict[str, list[NDArray[np.float64]]] = {name: [] for name in parts_of(animation)}
    seen = {}
    for run, first, tenths in moment.heights:
        wire, x = animation.wires[run]
        points = np.column_stack([across(x[first : first + tenths.size]), TENTHS * tenths.astype(np.float64)])
        drawn[f"wire{wire}"].append(points)
        seen.update({(run, first + k): point for k, point in enumerate(points)})
    for k, (low, i, high, j) in enumerate(animation.droppers.tolist()):
        if (low, i) in seen and (high, j) in seen:
            drawn["slack" if k in moment.slack else "droppers"].append(np.array([seen[low, i], seen[high, j]]))
    for x, tenths in moment.pantographs:
        at = float(across(x))
        ys = [TENTHS * y for y in tenths]
        drawn["springs"].append(np.array([(at, y) for y in (*ys, height)]))
        for y, (half, tall) in zip(ys, (HEAD, *[BODY] * (len(ys) - 1)), strict=True):
            corners = (-half, 0.0), (half, 0.0), (half, tall), (-half, tall), (-half, 0.0)
            drawn["masses"].append(np.add(corners, (at, y)))
    inside = (x for x in across(animation.supports) if 0.0 <= x <= width)
    drawn["supports"] = [np.array([[x, 0.0], [x, height]]) for x in inside]
    return drawn


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
