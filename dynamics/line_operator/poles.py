"""Poles of a line's answers below the real axis: found and counted once, then followed from line to line.

Only waves that outrun the train have them: some ten across the track, and one for nearly every harmonic along it. Line
by line they move little, and none can cross the real axis where every wave dies away; so those of one line, found by
rational functions and counted by the argument principle (`dynamics.influence.poles`), lead to those of the next. From
line to line some rise by several decays a period: so they are known, and followed, far below where any is felt.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.influence.poles import (
    APART,
    DeterminantPath,
    axis_samples,
    corrected_poles,
    poles_by_stretches,
    stretch_edges,
)
from dynamics.line_operator.kernel import network_answers
from dynamics.line_operator.network import Bays, LineNetwork, Points

__all__ = ["KnownPoles", "find_poles", "follow_poles"]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]

HIGHEST = 190.0  # rad/s: poles of higher frequencies move sigma below 20 Hz by less than 1e-4
# lines searched, in decays per period: poles are known down to the lowest, and felt down to FELT (weight 1e-6)
BOTTOM, BETWEEN, TOP = -9.0, (-6.5, -4.0, -1.5), 1.0
FELT = -5.0
STEP, WINDOW, MARGIN = 0.5, 12.0, 24.0
PROBES, FOLLOWED = 4, 2
SECANTS, CLOSE = 12, 1.0e-7  # of the last step: the error left is smaller still
PASSING = 1.0e-3  # the same on the way to another line, unless poles meet or get lost
LEAST_STEP = 1.0e-3
FARTHEST, ASTRAY = 0.4, 0.1  # distances between harmonics: a pole may move by, and miss a later guess by
SAME = 1.0e-5  # rad/s
WHOLE = 1.0e-2


@dataclass(frozen=True)
class KnownPoles:
    """Poles of a line below the real axis.

    Attributes
    ----------
    network : LineNetwork
    T : float
        Time of a period [s].
    omega : complex array (pole,)
        [rad/s]; real part 0 to `HIGHEST`, down to `BOTTOM` where they were searched for.
    """

    network: LineNetwork
    T: float
    omega: Complexes

    @cached_property
    def loads(self) -> Floats:
        """Loads of the probes by which other lines are searched (dof, 2 probe)."""
        return _random_loads(self.network, self.T, FOLLOWED)

    def moved_to(self, other: KnownPoles) -> bool:
        """Whether poles that were followed from these have moved: the same line has the same ones."""
        return bool(np.abs(other.omega - self.omega).max(initial=0.0) > SAME)

    @cached_property
    def felt(self) -> KnownPoles:
        """Those that move a steady state; the others are known for lines on which they have risen."""
        return replace(self, omega=self.omega[self.omega.imag * self.T > FELT])


class _Probes:
    """Random probes of a line, which see every pole, and its determinant, at s = omega T."""

    def __init__(self, network: LineNetwork, T: float, loads: Floats) -> None:
        self.args, self.T, self.loads, self.count = network.arguments(T), T, loads, loads.shape[1] // 2
        self.mix = np.random.default_rng(1).normal(size=(2, self.count))

    def __call__(self, s: Complexes) -> tuple[Complexes, Complexes]:
        found, log = network_answers(np.ascontiguousarray(s / self.T), *self.args, self.loads)
        return found[:, : self.count, self.count :], log

    def inverse(self, s: Complexes) -> Complexes:
        return 1.0 / np.einsum("a,tab,b->t", self.mix[0], self(s)[0], self.mix[1])


def _random_loads(network: LineNetwork, T: float, count: int) -> Floats:
    """Random loads that act as much on stiff dofs as on soft ones, for so many probes (dof, 2 probe)."""
    some = network_answers(np.array([(0.3 - 0.01j) / T]), *network.arguments(T), np.eye(network.n))[0][0]
    random = np.random.default_rng(0).normal(size=(network.n, 2 * count))
    return np.ascontiguousarray(random / np.sqrt(np.abs(some.diagonal()))[:, None])


def find_poles(network: LineNetwork, T: float) -> KnownPoles | None:
    """Find all poles below the axis; None where the argument principle counts others, or one lies on the axis."""
    probes, most = _Probes(network, T, _random_loads(network, T, PROBES)), HIGHEST * T + MARGIN
    real = np.linspace(0.0, most, 1 + int(np.ceil(most / STEP)))
    real[0] = APART  # at 0 itself wires travel along the track
    bottom, top = (DeterminantPath(probes, real + 1j * height) for height in (BOTTOM, TOP))
    between = (real + 1j * np.array(BETWEEN)[:, None]).ravel()
    z = np.concatenate([bottom.s, top.s, between])
    answers = np.concatenate([bottom.answers, top.answers, probes(between)[0]])
    poles = corrected_poles(probes, _candidates(z, answers, most), most)
    if np.abs(poles.imag).min(initial=1.0) < APART:
        return None
    if not _all_below(probes, poles, bottom, stretch_edges(real, poles)):
        return None
    kept = poles[(poles.imag < 0.0) & (poles.imag > BOTTOM) & (poles.real < HIGHEST * T)]
    return KnownPoles(network, T, kept / T)


def _candidates(z: Complexes, answers: Complexes, most: float) -> Complexes:
    """Poles of rational functions through the answers at z, stretch by stretch of the real axis."""
    left = z.real < 2.0 * WINDOW
    z = np.concatenate([z, -z[left].conj()])
    answers = np.concatenate([answers, answers[left].conj()])
    poles = poles_by_stretches(z, answers, most)
    return poles[(poles.imag > BOTTOM - 0.5) & (poles.imag < TOP + 0.5) & (poles.real > -0.5)]


def _all_below(probes: _Probes, poles: Complexes, bottom: DeterminantPath, edges: Floats) -> bool:
    """Whether as many poles lie between the bottom and the real axis as were found, stretch by stretch."""
    low, first = bottom.s[0].imag, edges[0] + 0.5
    edges = np.concatenate([[first], edges[1:-1]])
    down = [DeterminantPath(probes, edge + 1j * np.linspace(low, 0.0, 33)).whole for edge in edges]
    for k, (left, right) in enumerate(itertools.pairwise(edges)):
        here = poles[(poles.real >= left) & (poles.real < right) & (poles.imag > low) & (poles.imag < 0.0)]
        along = DeterminantPath(
            probes, axis_samples(left, right, poles[np.abs(poles.real - 0.5 * (left + right)) < WINDOW])
        )
        under = DeterminantPath(probes, np.linspace(left, right, 2 * int(right - left) + 2) + 1j * low)
        turn = under.whole + down[k + 1] - along.whole - down[k]
        if abs(turn / (2.0 * np.pi) - len(here)) > WHOLE:
            return False
    return True


def follow_poles(known: KnownPoles, network: LineNetwork, T: float) -> KnownPoles | None:
    """Follow a line's poles to another one with the same stations.

    None where the lines do not compare, or a pole got lost. Each starts from its old place. One that loses its way
    (it does not settle, rises above the axis, moves far or meets another) is followed in steps, which are halved where
    it does so.
    """
    start = known.network
    if start.n != network.n or not all(
        np.array_equal(one, other)
        for one, other in (
            (start.bays.dof, network.bays.dof),
            (start.points.bottom, network.points.bottom),
            (start.points.top, network.points.top),
        )
    ):
        return None
    way = _Way(known, network, T)
    found = way.poles(1.0, known.omega)
    lost = ~way.is_near(found, known.omega, FARTHEST) | _meet(found)
    for close in (PASSING, CLOSE):
        stepped = np.zeros(len(found), np.bool_)
        while (lost & ~stepped).any():
            now, stepped = lost & ~stepped, stepped | lost
            found[now] = way.walk(known.omega[now], close)
            lost = np.isnan(found) | _meet(found)
        if not lost.any():
            return KnownPoles(network, T, found)
    return None


class _Way:
    """Lines between two others, and what poles do from one to the next."""

    def __init__(self, known: KnownPoles, network: LineNetwork, T: float) -> None:
        self.start, self.end, self.T, self.loads = known.network, network, (known.T, T), known.loads
        self.probes: dict[float, _Probes] = {}

    def poles(self, share: float, guess: Complexes, close: float = CLOSE) -> Complexes:
        """Poles of the line at a share of the way, from guesses; not a number where one does not settle."""
        if share not in self.probes:
            first, last = self.T
            between = _between(self.start, self.end, share)
            self.probes[share] = _Probes(between, first + share * (last - first), self.loads)
        return _corrected(self.probes[share], guess, close)

    def is_near(self, found: Complexes, guess: Complexes, most: float | Floats) -> NDArray[np.bool_]:
        """Whether poles are below the axis and less than ``most`` distances between harmonics from the guesses."""
        near = np.abs(found - guess) < most * 2.0 * np.pi / max(self.T)
        return np.asarray(near & (found.imag < 0.0), dtype=np.bool_)

    def walk(self, omega: Complexes, close: float) -> Complexes:
        """Follow poles from the first line to the last, each in steps as long as extrapolation allows.

        On the way they are found to ``close``.
        """
        now, before = omega.copy(), omega.copy()
        done, last, step, most = (np.full(len(omega), x) for x in (0.0, -1.0, 0.5, FARTHEST))
        while (done < 1.0).any():
            target = np.minimum(1.0, done + step)
            share = float(target[done < 1.0].min())  # those that are farthest behind, together
            at = np.flatnonzero((done < 1.0) & (target == share))
            guess = now[at] + (now[at] - before[at]) * ((share - done[at]) / (done[at] - last[at]))
            found = self.poles(share, guess, CLOSE if share == 1.0 else close)
            near = self.is_near(found, guess, most[at])
            step[at] = np.where(near, 2.0, 0.5) * (share - done[at])
            at, found = at[near], found[near]
            before[at], last[at], now[at], done[at], most[at] = now[at], done[at], found, share, ASTRAY
            if step.min() <= LEAST_STEP:
                now[(done < 1.0) & (step <= LEAST_STEP)] = np.nan
                done[step <= LEAST_STEP] = 1.0
        return now


def _meet(found: Complexes) -> NDArray[np.bool_]:
    """Whether another pole is the same (pole,)."""
    apart = np.abs(found[:, None] - found)
    apart[np.arange(len(found)), np.arange(len(found))] = np.inf
    return np.asarray((apart < SAME).any(axis=1), dtype=np.bool_)


def _between(start: LineNetwork, end: LineNetwork, share: float) -> LineNetwork:
    """Line between two others: every number that is not an index is interpolated."""
    if share == 1.0:
        return end

    def mixed(x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
        return x if x.dtype == np.int64 else x + share * (y - x)

    return replace(
        end,
        bays=Bays(*map(mixed, start.bays, end.bays)),
        points=Points(*map(mixed, start.points, end.points)),
        alpha=start.alpha + share * (end.alpha - start.alpha),
        beta=start.beta + share * (end.beta - start.beta),
    )


def _corrected(probes: _Probes, guess: Complexes, close: float) -> Complexes:
    """Poles by the secant rule from guesses, all at once; not a number where one does not settle to ``close``."""
    s, other = guess * probes.T, guess * probes.T + 1.0e-4 * (1.0 + 1.0j)
    here, there = np.split(probes.inverse(np.concatenate([s, other])), 2)
    imaginary, moving = np.abs(guess.real) < 1.0e-6, np.arange(len(s))
    for _ in range(SECANTS):
        with np.errstate(all="ignore"):
            step = here * (s[moving] - other) / (here - there)
        step[~np.isfinite(step)] = 0.0
        step /= np.maximum(1.0, np.abs(step))
        other, there = s[moving], here
        s[moving] -= step
        still = np.abs(step) > close * np.maximum(1.0, np.abs(s[moving]))
        moving, other, there = moving[still], other[still], there[still]
        if not still.any():
            break
        here = probes.inverse(s[moving])
    found = np.asarray(np.where(imaginary, 1j * s.imag, s) / probes.T, dtype=np.complex128)
    found[moving] = np.nan
    return found
