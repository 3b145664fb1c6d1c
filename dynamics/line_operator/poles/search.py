"""Search for all poles of a line below the real axis: by rational functions, counted by the argument principle."""

from __future__ import annotations

import itertools
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
from dynamics.line_operator.network import LineNetwork
from dynamics.line_operator.poles.known import BOTTOM, KnownPoles, highest_felt

__all__ = ["find_poles"]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]

STEP = 0.5  # between samples of a line
BETWEEN, TOP = (-6.5, -4.0, -1.5), 1.0  # lines searched above the bottom, in decays per period
# where the count says that a pole is missing, as where two lie together next to the axis: windows of a stretch, one
# narrower than the other, each with so many samples of every line, the axis among them
WINDOW, MARGIN, NARROWER, IN_WINDOW = 12.0, 24.0, (3.0, 1.5, 0.75), 15
CLOSER = (BOTTOM, -6.5, -4.0, -2.5, -1.5, -0.8, -0.3, 0.0)
PROBES = 4
LUMPED = 2.0  # times what wires by themselves have: point masses move with them
WHOLE = 1.0e-2


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


def find_poles(network: LineNetwork, T: float, fineness: float = 1.0) -> KnownPoles | None:
    """Find all poles below the axis up to `highest_felt`.

    None where the argument principle counts others, or one lies on the axis.
    """
    highest, rest = highest_felt(network, T, fineness), _rest(network, T)
    probes, most = _Probes(network, T, _random_loads(network, T, PROBES)), highest * T + MARGIN
    real = np.linspace(0.0, most, 1 + int(np.ceil(most / STEP)))
    real[0] = APART  # at 0 itself wires travel along the track
    bottom, top = (DeterminantPath(probes, real + 1j * height) for height in (BOTTOM, TOP))
    between = (real + 1j * np.array(BETWEEN)[:, None]).ravel()
    z = np.concatenate([bottom.s, top.s, between])
    candidates = _candidates(z, np.concatenate([bottom.answers, top.answers, probes(between)[0]]), most)
    windows = iter(NARROWER)
    while True:
        poles = corrected_poles(probes, candidates, most)
        poles = poles[np.abs(poles) > rest]
        if np.abs(poles.imag).min(initial=1.0) < APART:
            return None
        incomplete = _incomplete(probes, poles, bottom, stretch_edges(real, poles))
        if not incomplete:
            kept = poles[(poles.imag < 0.0) & (poles.imag > BOTTOM) & (poles.real < highest * T)]
            return KnownPoles(network, T, kept / T, highest)
        window = next(windows, None)
        if window is None:
            return None
        candidates = np.concatenate([poles, *(_closer(probes, ends, window) for ends in incomplete)])


def _rest(network: LineNetwork, T: float) -> float:
    """How far from 0 poles of wires that travel along the track as a whole lie, as omega T.

    At speed v and wave speed c they have omega = -i alpha v^2 / (c^2 - v^2), and rest has omega = 0. Vertical forces
    move neither by more than what both take away from each other, so that none of them counts.
    """
    bays, points, speed = network.bays, network.points, network.period / T
    slowest = float((bays.length / bays.compliance / bays.mass).min()) - speed**2
    lumped = points.drag[points.mass > 0.0] / points.mass[points.mass > 0.0]
    return LUMPED * T * max(float(bays.alpha.max()), float(lumped.max())) * speed**2 / slowest


def _candidates(z: Complexes, answers: Complexes, most: float) -> Complexes:
    """Poles of rational functions through the answers at z, stretch by stretch of the real axis."""
    left = z.real < 2.0 * WINDOW
    z = np.concatenate([z, -z[left].conj()])
    answers = np.concatenate([answers, answers[left].conj()])
    return _within(poles_by_stretches(z, answers, (0.0, most)))


def _closer(probes: _Probes, ends: tuple[float, float], window: float) -> Complexes:
    """Candidates of a stretch, by rational functions of narrow windows."""
    real = np.arange(ends[0] - window, ends[1] + window, window / IN_WINDOW)
    z = (real[real > 0.0] + 1j * np.array(CLOSER)[:, None]).ravel()
    return _within(poles_by_stretches(z, probes(z)[0], ends, window))


def _within(poles: Complexes) -> Complexes:
    return poles[(poles.imag > BOTTOM - 0.5) & (poles.imag < TOP + 0.5) & (poles.real > -0.5)]


def _incomplete(probes: _Probes, poles: Complexes, bottom: DeterminantPath, edges: Floats) -> list[tuple[float, float]]:
    """Ends of stretches between whose bottom and real axis lie more poles, or fewer, than were found."""
    low, first, found = bottom.s[0].imag, edges[0] + 0.5, list[tuple[float, float]]()
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
            found.append((left, right))
    return found
