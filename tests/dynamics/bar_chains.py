"""Wires of an open line as chains of bars between points, drawn from the line's data alone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

CONTACT, MESSENGER, STITCH = 0, 1, 2


def stations(spec, spans):
    """Attachments of every wire, in order: (wire, [(station, what)]); at both ends no stitch wire."""
    length, half = spec.span_length, 0.5 * spec.stitch.length if spec.stitch else 0.0
    supports = [s * length for s in range(spans + 1)]
    drops = [s * length + x for s in range(spans) for x in spec.droppers.positions]
    if spec.section is not None:
        supports, drops = list(spec.supports), list(spec.droppers.positions)
    hung = {x: s for s in supports[1:-1] for x in drops if abs(x - s) < half}
    held = [(s, "support") for s in supports]
    contact = held + [(x, "dropper") for x in drops]
    messenger, stitches = held + [(x, "dropper") for x in drops if x not in hung], []
    for s in supports[1:-1] if half else []:
        inside = [(s - half, "clamp"), (s, "crossing"), (s + half, "clamp")]
        stitches.append((STITCH, sorted(inside + [(x, "dropper") for x, at in hung.items() if at == s])))
        messenger += [inside[0], inside[2]]
    return [(CONTACT, sorted(contact)), (MESSENGER, sorted(messenger)), *stitches]


@dataclass
class Chains:
    """Points, bars and bends of a line's wires, and which points carry what."""

    wire: np.ndarray  # of a bar
    ends: np.ndarray  # (bar, 2)
    bay: np.ndarray  # of a bar
    share: np.ndarray  # of a bar in its bay's length
    bend: np.ndarray  # (bend, 3) points
    factor: np.ndarray  # (bend, 3) curvature by place
    bending: np.ndarray  # (bend,) EI times length
    before: np.ndarray  # (bend,) bar before it
    x: np.ndarray  # station of a point
    contact: np.ndarray  # points of the contact wire in order
    named: np.ndarray  # bars whose tension is prescribed
    low: np.ndarray  # points of droppers
    high: np.ndarray
    support_low: np.ndarray
    support_high: np.ndarray
    clamps: np.ndarray
    keys: list  # (wire, what, point)


class _Drawn:
    """Points, bars and bends of wires as they are drawn one after the other."""

    def __init__(self, size):
        self.size, self.x, self.keys, self.first = size, [], [], {}
        self.wire, self.ends, self.bay, self.share = [], [], [], []
        self.bend, self.factor, self.bending, self.before = [], [], [], []

    def point(self, station):
        self.x.append(station)
        return len(self.x) - 1

    def place(self, wire, what, station):
        """Point of an attachment; a stitch wire ends on the messenger wire's clamp."""
        shared = wire == STITCH and what == "clamp"
        at = self.find(MESSENGER, "clamp", station) if shared else self.point(station)
        self.keys.append((wire, what, at))
        return at

    def find(self, wire, what, station):
        return next(p for w, kind, p in self.keys if (w, kind, self.x[p]) == (wire, what, station))

    def draw(self, wire, points, EI):
        """Draw one wire through its attachments; returns its points."""
        path, steps, first = [self.place(wire, points[0][1], points[0][0])], [], len(self.wire)
        for (start, _), (station, what) in pairwise(points):
            count = max(2, int(np.ceil((station - start) / self.size - 1e-9)))
            inner = [self.point(s) for s in np.linspace(start, station, count + 1)[1:-1]]
            chain = [path[-1], *inner, self.place(wire, what, station)]
            self.wire += [wire] * count
            self.ends += pairwise(chain)
            self.bay += [self.bay[-1] + 1 if self.bay else 0] * count
            self.share += [1.0 / count] * count
            path += chain[1:]
            steps += [(station - start) / count] * count
        for k, (a, b) in enumerate(pairwise(steps)):
            mean = 0.5 * (a + b)
            self.bend.append(path[k : k + 3])
            self.factor.append((1.0 / (a * mean), -1.0 / (a * mean) - 1.0 / (b * mean), 1.0 / (b * mean)))
            self.bending.append(EI * mean)
            self.before.append(first + k)
        return path


def chains(spec, spans, size):
    """Divide every bay of a line into bars of at most ``size`` [m], two at least.

    Tension is prescribed in the first bar of every wire, of a stitched messenger wire in that beyond the first stitch.
    """
    drawn, contact, named = _Drawn(size), [], []
    for wire, points in stations(spec, spans):
        first = len(drawn.wire)
        path = drawn.draw(wire, points, (spec.contact_wire, spec.messenger_wire, spec.stitch)[wire].bending_stiffness)
        clamps = [station for station, what in points if what == "clamp"]
        start = drawn.find(MESSENGER, "clamp", clamps[1]) if wire == MESSENGER and clamps else path[0]
        named.append(next(k for k in range(first, len(drawn.wire)) if drawn.ends[k][0] == start))
        contact = path if wire == CONTACT else contact

    def points_of(wires, what):
        found = [p for w, kind, p in drawn.keys if w in wires and kind == what]
        return np.array(sorted(found, key=drawn.x.__getitem__), int)

    low, high = points_of((CONTACT,), "dropper"), points_of((MESSENGER, STITCH), "dropper")
    supports = points_of((CONTACT,), "support"), points_of((MESSENGER,), "support")
    lists = (drawn.wire, drawn.ends, drawn.bay, drawn.share, drawn.bend, drawn.factor, drawn.bending, drawn.before)
    drawings = [np.array(values) for values in (*lists, drawn.x, contact, named)]
    return Chains(*drawings, low, high, *supports, points_of((MESSENGER,), "clamp"), drawn.keys)
