"""A picture that moves: line and pantographs at some moments, a still for print, and what the player reads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Animation",
    "Drawn",
    "Moment",
    "animation_data",
    "polylines",
]

TENTHS = 0.1
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
