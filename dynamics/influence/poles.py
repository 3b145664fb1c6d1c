r"""Poles of a cell's answers near the real axis: found, counted, and their residues.

A wave that runs ahead of the train faster than it gives a pole below the axis, every other one a pole above. Axial
waves, 40 times as fast, lie within 1/1000 of the axis, where no sum over real frequencies sees them. So the cell is
solved along three lines that keep away from it; a rational function that passes through what random probes answer
there (Loewner's matrices: Mayo and Antoulas, Linear Algebra Appl. 425, 2007) has its poles where the cell has them;
each is corrected by the secant rule; and the argument principle says whether any is missing.

Angles are given a period: s = theta N, whose imaginary part is a decay a period.
"""

from __future__ import annotations

import itertools
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dynamics.influence.condensed import CondensedCell
from dynamics.influence.residues import Poles, with_residues

__all__ = [
    "APART", "DEPTH", "DeterminantPath", "PoleProbes", "axis_samples", "corrected_poles", "depth_of", "lower_poles",
    "poles_by_stretches", "stretch_edges",
]  # fmt: skip

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]

DEPTH, TOP = 2.0, 1.0  # lines searched, below and above the axis; that below twice as deep for several spans
DEEPER, DEEP_EVERY = 3.0, 4  # a third, so many times as deep, where fewer samples do
STEP = 0.5  # between samples of a line
MOST_SAMPLES = 100_000
LARGEST_TURN = 1.2  # of the determinant from sample to sample
WINDOW = 12.0  # of one rational function
PROBES = 4
RANK = 1.0e-12  # singular values below are noise
SECANTS, CLOSE = 12, 1.0e-10
APART = 1.0e-7  # two poles nearer than that are one
WHOLE = 1.0e-3  # a count is whole to that
AT_REST = 1.0e-3  # nearer to 0 only wires that travel along the track move


class PoleProbes(Protocol):
    """What tells of poles: answers to random probes, and the determinant."""

    def __call__(self, s: Complexes) -> tuple[Complexes, Complexes]:
        """Answers (s, probe, probe) and logarithms of the determinant (s,)."""
        ...

    def inverse(self, s: Complexes) -> Complexes:
        """Zero at every pole (s,)."""
        ...


class _Probes:
    """Random probes of a cell, which see every pole, and its determinant, both at angles a period."""

    def __init__(self, cell: CondensedCell) -> None:
        self.cell = cell
        n = cell.loads.shape[0]
        rng = np.random.default_rng(0)
        some = cell.solve(np.array([0.3 - 0.01j]), np.eye(n))[0][0]
        self.loads = rng.normal(size=(n, 2 * PROBES)) / np.sqrt(np.abs(some.diagonal()))[:, None]
        self.both = self.loads[:, PROBES:].copy(), self.loads[:, :PROBES].copy()
        self.mix = rng.normal(size=(2, PROBES))
        # what makes the determinant finite at theta = pi
        self.order = cell.degree

    def __call__(self, s: Complexes) -> tuple[Complexes, Complexes]:
        """Answers (s, probe, probe) and logarithms of the determinant (s,), of which the imaginary part counts."""
        cell = self.cell
        found, phase = cell.solve(s / cell.steps, self.loads)
        # near pi the cosine of an angle off the axis is small, never zero
        return found[:, :PROBES, PROBES:], 1j * phase + self.order * np.log(np.cos(0.5 * s / cell.steps))

    def inverse(self, s: Complexes) -> Complexes:
        """Zero at every pole."""
        return 1.0 / np.einsum("a,tab,b->t", self.mix[0], self(s)[0], self.mix[1])


def depth_of(cell: CondensedCell) -> float:
    """Decay a period [-] down to which all poles are found."""
    return DEPTH if cell.spans == 1 else 2.0 * DEPTH


def lower_poles(cell: CondensedCell) -> Poles | None:
    """All poles between the real axis and `depth_of` the cell below it, and those found below that.

    None where the argument principle counts others, where a pole lies on the axis, or where a force moves what
    travels along the track.
    """
    probes = _Probes(cell)
    most, depth = np.pi * cell.steps, depth_of(cell)
    real = np.linspace(0.0, most, 1 + int(np.ceil(most / STEP)))
    bottom, top = (DeterminantPath(probes, real + 1j * height) for height in (-depth, TOP))
    deep = real[::DEEP_EVERY] - 1j * DEEPER * depth
    z = np.concatenate([bottom.s, top.s, deep])
    answers = np.concatenate([bottom.answers, top.answers, probes(deep)[0]])
    poles = corrected_poles(probes, _candidates(z, answers, most, DEEPER * depth), most)
    on_axis = np.abs(poles.imag).min(initial=1.0) < APART
    if on_axis or not _all_there(probes, poles, bottom, top, stretch_edges(real, poles)):
        return None
    return with_residues(cell, poles, AT_REST, probes.both)


class DeterminantPath:
    """Answers and the determinant's phase along a path, sampled the closer the faster it turns."""

    def __init__(self, probes: PoleProbes, s: Complexes) -> None:
        answers, log = probes(s)
        while True:
            turn = np.diff(log.imag)
            turn -= 2.0 * np.pi * np.round(turn / (2.0 * np.pi))
            fast = np.abs(turn) > LARGEST_TURN
            if not fast.any() or len(s) > MOST_SAMPLES:
                break
            # next to a crowd of poles a whole turn may look like none
            fast[1:], fast[:-1] = fast[1:] | fast[:-1], fast[:-1] | fast[1:]
            place = np.flatnonzero(fast) + 1
            between = 0.5 * (s[place] + s[place - 1])
            more = (between, *probes(between))
            s, answers, log = (
                np.insert(old, place, new, axis=0) for old, new in zip((s, answers, log), more, strict=True)
            )
        self.s, self.answers, self.phase = s, answers, np.concatenate([[0.0], np.cumsum(turn)])

    def between(self, left: float, right: float) -> float:
        """Change of phase between two samples, by their real parts."""
        first, last = np.searchsorted(self.s.real, [left - APART, right - APART])
        return float(self.phase[last] - self.phase[first])

    @property
    def whole(self) -> float:
        """Change of phase from the first sample to the last."""
        return float(self.phase[-1])


def stretch_edges(real: Floats, poles: Complexes) -> Floats:
    """Ends of stretches, samples of the lines that lie far from poles; the first and last sample are the outer ones."""
    padded = np.concatenate([[-WINDOW], poles.real, [real[-1] + WINDOW]])
    at = np.searchsorted(poles.real, real)
    gap = np.minimum(real - padded[at], padded[at + 1] - real)
    inner = []
    for start in np.arange(WINDOW, real[-1] - WINDOW, WINDOW):
        near = np.flatnonzero(np.abs(real - start) < 0.3 * WINDOW)
        inner.append(float(real[near[np.argmax(gap[near])]]))
    return np.array([0.0, *inner, float(real[-1])])


def _all_there(
    probes: PoleProbes, poles: Complexes, bottom: DeterminantPath, top: DeterminantPath, edges: Floats
) -> bool:
    """Whether no pole is missing below the axis, by the argument principle, stretch by stretch.

    Where the count between bottom and top differs, for poles crowd above the axis, that between bottom and axis tells.
    """
    low, high = bottom.s[0].imag, top.s[0].imag
    # the determinant is real at both ends, so that they turn nothing
    up = np.array(
        [0.0, *(DeterminantPath(probes, edge + 1j * np.linspace(low, high, 9)).whole for edge in edges[1:-1]), 0.0]
    )
    about = AT_REST * np.exp(2j * np.pi * np.linspace(0.0, 1.0, 33))
    rest = DeterminantPath(probes, about.astype(np.complex128)).whole / (2.0 * np.pi)
    for k, (left, right) in enumerate(itertools.pairwise(edges)):
        ends = 2.0 if k in (0, len(edges) - 2) else 1.0  # which hold their mirror images
        turn = bottom.between(left, right) - top.between(left, right) + up[k + 1] - up[k]
        here = poles[(poles.real >= left) & (poles.real < right) & (poles.imag > low) & (poles.imag < high)]
        held = len(here) if ends == 1.0 else _with_mirrors(here, edges[-1]) + (rest if k == 0 else 0.0)
        if abs(turn * ends / (2.0 * np.pi) - held) < WHOLE:
            continue
        if ends == 2.0:
            return False
        less = [DeterminantPath(probes, edge + 1j * np.linspace(low, 0.0, 9)).whole for edge in (left, right)]
        turn = (
            bottom.between(left, right)
            - DeterminantPath(probes, axis_samples(left, right, here)).whole
            + less[1]
            - less[0]
        )
        if abs(turn / (2.0 * np.pi) - np.count_nonzero(here.imag < 0.0)) > WHOLE:
            return False
    return True


def axis_samples(left: float, right: float, poles: Complexes) -> Complexes:
    """Samples of the real axis, the closer the nearer a pole."""
    away = np.concatenate([[0.0], 2.0 ** np.arange(-1.0, 10.0)])
    near = poles.real[:, None] + np.abs(poles.imag)[:, None] * np.concatenate([-away, away])
    every = np.concatenate([np.linspace(left, right, 1 + int(40 * (right - left))), near.ravel()])
    return np.unique(every[(every >= left) & (every <= right)]) + 0.0j


def _candidates(z: Complexes, answers: Complexes, most: float, deepest: float) -> Complexes:
    """Poles of rational functions through the answers at z, stretch by stretch of the axis, and not below them."""
    left, right = (z.real > 0.0) & (z.real < 2.0 * WINDOW), (z.real < most) & (z.real > most - 2.0 * WINDOW)
    z = np.concatenate([z, -z[left].conj(), 2.0 * most - z[right].conj()])
    answers = np.concatenate([answers, answers[left].conj(), answers[right].conj()])
    poles = poles_by_stretches(z, answers, (0.0, most))
    return poles[(poles.imag > -deepest - 0.5) & (poles.imag < TOP + 0.5) & (poles.real > -0.5)]


def poles_by_stretches(
    z: Complexes, answers: Complexes, ends: tuple[float, float], window: float = WINDOW
) -> Complexes:
    """Poles of rational functions through answers (z, probe, probe), one a window of the axis between two ends."""
    rng = np.random.default_rng(1)
    found: list[Complexes] = []
    for start in np.arange(*ends, window):
        near = np.flatnonzero(np.abs(z.real - start - 0.5 * window) < window)
        near = near[np.argsort(z.real[near], kind="stable")]
        poles = _rational_poles(z[near], answers[near], rng)
        found.append(poles[np.abs(poles.real - start - 0.5 * window) < 0.6 * window])
    return np.concatenate(found)


def _rational_poles(z: Complexes, answers: Complexes, rng: np.random.Generator) -> Complexes:
    """Poles of the rational function of least degree that passes through answers (z, probe, probe)."""
    rows, columns = z[::2], z[1::2]
    left, right = (rng.normal(size=(len(side), PROBES)) for side in (rows, columns))
    by_row = np.einsum("ia,iab,jb->ij", left, answers[::2], right, optimize=True)
    by_column = np.einsum("ia,jab,jb->ij", left, answers[1::2], right, optimize=True)
    apart = rows[:, None] - columns
    U, size, V = np.linalg.svd((by_row - by_column) / apart)
    rank = int((size > RANK * size[0]).sum())
    shifted = (rows[:, None] * by_row - columns * by_column) / apart
    return np.linalg.eigvals((U[:, :rank].conj().T @ shifted @ V[:rank].conj().T) / size[:rank, None])


def corrected_poles(probes: PoleProbes, start: Complexes, most: float) -> Complexes:
    """Poles by the secant rule, each once, in order; not those at rest, to which a start may lead."""
    start = start[np.abs(start) > AT_REST]
    s = start + 0.0j
    other = start + 1.0e-5 * (1.0 + 1.0j)
    here, there = probes.inverse(s), probes.inverse(other)
    step = np.full(len(s), np.inf + 0.0j)
    moving = np.ones(len(s), np.bool_)
    for _ in range(SECANTS):
        with np.errstate(all="ignore"):
            step = np.where(moving, here * (s - other) / (here - there), step)
        step[~np.isfinite(step)] = 0.5
        step = np.where(np.abs(step) > 0.5, 0.5 * step / np.abs(step), step)
        other, there = np.where(moving, s, other), np.where(moving, here, there)
        s = s - np.where(moving, step, 0.0)
        moving = moving & (np.abs(step) > CLOSE * np.maximum(1.0, np.abs(s)))
        if not moving.any():
            break
        here[moving] = probes.inverse(s[moving])
    good = ~moving & (s.real > -APART) & (s.real < most + APART) & (np.abs(s) > AT_REST)
    simple = np.sort_complex(np.where(np.abs(s.real) < APART, 1j * s.imag, s)[good])
    return each_once(simple)


def each_once(z: Complexes) -> Complexes:
    """Sorted poles without repetitions."""
    kept: list[complex] = []
    for one in z:
        if all(abs(one - other) > APART * max(1.0, abs(one)) for other in kept[-40:]):
            kept.append(complex(one))
    return np.array(kept, dtype=np.complex128)


def _with_mirrors(z: Complexes, most: float) -> int:
    """Number of poles in the whole period of s, of which z are those of real part 0 to pi N."""
    return int(np.where((z.real < APART) | (z.real > most - APART), 1, 2).sum())
