r"""What acts on the line, and what its multipliers are, at the frequencies of a contour and round its poles.

Three places round every pole sum up to the residue of a double pole, such as a pole's derivative has, and leave out
what grows with the cube of their distance: waves of the bare wire have poles some 5e-3 rad/s away.

Legend: A wave of a harmonic, q = (omega - omega_h) / v, omega_h its pulse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.adjoint.by_operator.pairings import Acting, Multipliers
from dynamics.adjoint.by_operator.stages import Stage, StageMultipliers
from dynamics.line_operator.answers import Contour, contact_waves
from dynamics.line_operator.local_time import squeeze_spectrum, waves_at
from dynamics.line_operator.network import LineNetwork

__all__ = ["Multiplied", "Nodes", "acting_on", "multipliers_at", "nodes_of"]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]


ROUND = 3.0e-4 * np.exp(2j * np.pi * np.arange(3) / 3)  # places round a pole, rad/s


@dataclass(frozen=True)
class Multiplied:
    """Multipliers that answer to a figure.

    Attributes
    ----------
    multipliers : tuple of StageMultipliers
        Of every stage.
    lifted : tuple of int and float, or None
        Station of the contact wire whose height at a time, as a share of a period, is itself the figure.
    """

    multipliers: tuple[StageMultipliers, ...]
    lifted: tuple[int, float] | None


@dataclass(frozen=True)
class Nodes:
    """Frequencies of a contour and round its poles.

    Attributes
    ----------
    omega, weight : complex array (omega,)
        [rad/s], [1/s].
    wave, seen : complex array (omega, contact)
        A as forces act and as pantographs see the wire [m^2/N].
    samples, opposed : tuple of complex array (row, omega)
        exp(i omega t), and exp(-i omega t), where a stage has squeezes.
    """

    omega: Complexes
    weight: Complexes
    wave: Complexes
    seen: Complexes
    samples: tuple[Complexes, ...]
    opposed: tuple[Complexes, ...]


def nodes_of(line: tuple[LineNetwork, Contour], poles: Complexes, stages: tuple[Stage, ...]) -> Nodes:
    """Frequencies of a line whose poles are known."""
    network, contour = line
    ring, around = contour.frequencies(0, contour.count), poles[:, None] + ROUND
    mirrored = np.where(contour.own_mirror(poles), 0.5, 1.0)[:, None]
    weight = mirrored * contour.passed(around) * ROUND / len(ROUND)
    omega = np.concatenate([ring, around.ravel()])
    on_ring = np.full(len(ring), 1.0 / (contour.images * contour.T) + 0.0j)
    waves = contact_waves(network.bare, omega, contour)
    samples = [
        tuple(
            waves_at(contour, contour.T / stage.slack.samples, stage.time.sample[stage.rows], around.ravel(), opposed)
            for stage in stages
        )
        for opposed in (False, True)
    ]
    return Nodes(omega, np.concatenate([on_ring, weight.ravel()]), *waves, *samples)


def _at_stations(
    nodes: Nodes, line: tuple[LineNetwork, Contour], harmonics: Complexes, sign: float
) -> tuple[Complexes, Complexes]:
    """Sums of A times harmonics (column, contact) times exp(sign i q x_s), and derivatives by the stations' places.

    Of forces, which act, sign is -1; of pantographs, which see the wire, 1.
    """
    network, contour = line
    pulses = np.tile(contour.pulses, contour.pantographs)
    phases = np.exp(-1j * sign * np.outer(pulses / contour.speed, network.stations))
    turned = np.exp(1j * sign * nodes.omega[:, None] * (network.stations / contour.speed))[:, :, None]
    both = phases[:, :, None] * harmonics.T[:, None, :]
    both = np.stack([both, both * pulses[:, None, None]], axis=1)
    found = (nodes.wave if sign < 0.0 else nodes.seen) @ both.reshape(len(phases), -1)
    found = found.reshape(len(nodes.omega), *both.shape[1:])
    station, pulsed = turned * found[:, 0], turned * found[:, 1]
    return station, sign * 1j / contour.speed * (nodes.omega[:, None, None] * station - pulsed)


def _own_times(nodes: Nodes, line: tuple[LineNetwork, Contour]) -> Complexes:
    """exp(i omega t), t when a pantograph passes the droppers (omega, dropper, 1)."""
    network, contour = line
    return np.exp(1j * nodes.omega[:, None] * (network.passed / contour.speed))[:, :, None]


def acting_on(
    nodes: Nodes, line: tuple[LineNetwork, Contour], stages: tuple[Stage, ...], force: Complexes
) -> tuple[Acting, Complexes]:
    """What acts in every stage, and its derivative by the stations' places (omega, station, stage).

    ``force`` (stage, contact) are the harmonics of the contact forces.
    """
    contour, dropper = line[1], []
    station, along = _at_stations(nodes, line, force / contour.speed, -1.0)
    own = _own_times(nodes, line)
    for stage, waves in zip(stages, nodes.opposed, strict=True):
        time = squeeze_spectrum(nodes.omega, contour.T / stage.slack.samples, stage.slack.smooth)
        dropper.append(time[:, None] * (waves.T @ stage.slack.squeeze[stage.rows]))
    return Acting(station, np.stack(dropper, axis=2) / own), along


def multipliers_at(
    nodes: Nodes, line: tuple[LineNetwork, Contour], stages: tuple[Stage, ...], figures: Sequence[Multiplied]
) -> tuple[Multipliers, Complexes]:
    """Multipliers of figures in every stage, and their derivatives by the stations' places (omega, station, column).

    Columns are the stages of one figure, then those of the next.
    """
    network, contour = line
    found = [(stage, waves, one) for figure in figures
             for stage, waves, one in zip(stages, nodes.samples, figure.multipliers, strict=True)]  # fmt: skip
    contact = np.array([one.contact for _, _, one in found]) / network.period
    station, along = _at_stations(nodes, line, contact, 1.0)
    dropper = np.stack([waves.T @ (network.way * one.dropper[stage.rows]) for stage, waves, one in found], axis=2)
    dropper *= _own_times(nodes, line)
    lifted = np.zeros_like(station)
    for k, figure in enumerate(figures):
        if figure.lifted is not None:
            at, when = figure.lifted
            lifted[:, at, k * len(stages)] = np.exp(1j * nodes.omega * when * contour.T)
    return Multipliers(station, dropper, lifted), along
