r"""What acts on the line, and what its multipliers are, at the frequencies of a contour and round its poles.

Round every pole the residue is taken as a sum over a small circle, so that its derivative, a double pole's, is the same
sum.

Legend: A wave of a harmonic, q = (omega - omega_h) / v, omega_h its pulse.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.adjoint.by_operator.pairings import Acting, Multipliers
from dynamics.adjoint.by_operator.stages import Stage, StageMultipliers
from dynamics.line_operator.answers import CIRCLE, RADIUS, Contour, wave_answers
from dynamics.line_operator.local_time import squeeze_spectrum
from dynamics.line_operator.network import LineNetwork

__all__ = ["Nodes", "acting_on", "multipliers_at", "nodes_of"]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]


@dataclass(frozen=True)
class Nodes:
    """Frequencies of a contour and round its poles.

    Attributes
    ----------
    omega, weight : complex array (omega,)
        [rad/s], [1/s].
    wave : complex array (omega, harmonic)
        A [m^2/N].
    """

    omega: Complexes
    weight: Complexes
    wave: Complexes


def nodes_of(network: LineNetwork, contour: Contour, poles: Complexes) -> Nodes:
    """Frequencies of a line whose poles are known."""
    circle = RADIUS * CIRCLE
    ring, around = contour.frequencies(0, contour.count), poles[:, None] + circle
    mirrored = np.where(contour.own_mirror(poles), 0.5, 1.0)[:, None]
    weight = mirrored * contour.passed(around) * circle / len(circle)
    omega = np.concatenate([ring, around.ravel()])
    on_ring = np.full(len(ring), 1.0 / (contour.images * contour.T) + 0.0j)
    wire = network.wire, network.alpha, network.beta
    wave = wave_answers(wire, omega[:, None], contour.pulses, contour.speed)
    return Nodes(omega, np.concatenate([on_ring, weight.ravel()]), wave)


def _at_stations(
    nodes: Nodes, line: tuple[LineNetwork, Contour], harmonics: Complexes, sign: float
) -> tuple[Complexes, Complexes]:
    """Sums of A times harmonics (column, harmonic) times exp(sign i q x_s), and derivatives by the stations' places."""
    network, contour = line
    phases = np.exp(-1j * sign * np.outer(contour.pulses / contour.speed, network.stations))
    turned = np.exp(1j * sign * nodes.omega[:, None] * (network.stations / contour.speed))
    station, pulsed = np.empty((2, len(nodes.omega), len(network.stations), len(harmonics)), np.complex128)
    for c, each in enumerate(harmonics):
        station[:, :, c] = turned * (nodes.wave @ (each[:, None] * phases))
        pulsed[:, :, c] = turned * (nodes.wave @ ((each * contour.pulses)[:, None] * phases))
    along = sign * 1j / contour.speed * (nodes.omega[:, None, None] * station - pulsed)
    return station, along


def acting_on(
    nodes: Nodes, line: tuple[LineNetwork, Contour], stages: tuple[Stage, ...], force: Complexes
) -> tuple[Acting, Complexes]:
    """What acts in every stage, and its derivative by the stations' places (omega, station, stage).

    ``force`` (stage, harmonic) are the harmonics of the contact force.
    """
    contour = line[1]
    station, along = _at_stations(nodes, line, force / contour.speed, -1.0)
    dropper = np.stack([_spectrum(nodes.omega, contour, stage) for stage in stages], axis=2)
    return Acting(station, np.ascontiguousarray(dropper)), along


def _spectrum(omega: Complexes, contour: Contour, stage: Stage) -> Complexes:
    """Fourier transform of a stage's squeezes (omega, dropper)."""
    time, squeeze = squeeze_spectrum(omega, contour.T / stage.slack.samples, stage.slack.smooth), stage.slack.squeeze
    at = np.flatnonzero(squeeze.any(axis=1))
    when = stage.time.sample[at] * (contour.T / stage.slack.samples)
    return time[:, None] * (np.exp(-1j * np.outer(omega, when)) @ squeeze[at])


def multipliers_at(
    nodes: Nodes, line: tuple[LineNetwork, Contour], stages: tuple[Stage, ...], found: tuple[StageMultipliers, ...]
) -> tuple[Multipliers, Complexes]:
    """Multipliers of a figure in every stage, and their derivative by the stations' places (omega, station, stage)."""
    network, contour = line
    contact = np.array([one.contact for one in found]) / network.period
    station, along = _at_stations(nodes, line, contact, 1.0)
    dropper = np.empty((len(nodes.omega), found[0].dropper.shape[1], len(found)), np.complex128)
    for k, (stage, one) in enumerate(zip(stages, found, strict=True)):
        at = np.flatnonzero(one.dropper.any(axis=1))
        when = stage.time.sample[at] * (contour.T / stage.slack.samples)
        dropper[:, :, k] = np.exp(1j * np.outer(nodes.omega, when)) @ one.dropper[at]
    return Multipliers(station, dropper, np.zeros_like(station)), along
