r"""What acts on the line, and what its multipliers are, at the frequencies of a contour and round its poles.

Round every pole the residue is taken as a sum over a small circle, so that its derivative, a double pole's, is the same
sum.

Legend: n frequency, s station, h harmonic; A wave of a harmonic, q = (omega - omega_h) / v.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.adjoint.by_operator.pairings import Acting, Multipliers
from dynamics.adjoint.by_operator.stages import Stage, StageMultipliers
from dynamics.line_operator.answers import Contour, wave_answers
from dynamics.line_operator.local_time import squeeze_spectrum
from dynamics.line_operator.network import LineNetwork

__all__ = ["Nodes", "acting_on", "multipliers_at", "nodes_of"]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]

AROUND = 4  # places on a circle round a pole
RADIUS = 1.0e-3  # rad/s


@dataclass(frozen=True)
class Nodes:
    """Frequencies of a contour and round its poles.

    Attributes
    ----------
    omega, weight : complex array (omega,)
        [rad/s], [1/s].
    wave : complex array (omega, harmonic)
        A [m^2/N].
    ahead : complex array (omega, station, harmonic)
        exp(-i q x_s).
    q : complex array (omega, harmonic)
        [rad/m].
    """

    omega: Complexes
    weight: Complexes
    wave: Complexes
    ahead: Complexes
    q: Complexes


def nodes_of(network: LineNetwork, contour: Contour, poles: Complexes) -> Nodes:
    """Frequencies of a line whose poles are known."""
    circle = RADIUS * np.exp(2j * np.pi * (np.arange(AROUND) + 0.5) / AROUND)
    ring, around = contour.frequencies(0, contour.count), poles[:, None] + circle
    mirrored = np.where(contour.own_mirror(poles), 0.5, 1.0)[:, None]
    weight = mirrored * contour.passed(around) * circle / AROUND
    omega = np.concatenate([ring, around.ravel()])
    on_ring = np.full(len(ring), 1.0 / (contour.images * contour.T) + 0.0j)
    q = (omega[:, None] - contour.pulses) / contour.speed
    wire = network.wire, network.alpha, network.beta
    wave = wave_answers(wire, omega[:, None], contour.pulses, contour.speed)
    by_omega = np.exp(-1j * omega[:, None] * (network.stations / contour.speed))
    by_pulse = np.exp(1j * np.outer(network.stations / contour.speed, contour.pulses))
    ahead = by_omega[:, :, None] * by_pulse
    return Nodes(omega, np.concatenate([on_ring, weight.ravel()]), wave, ahead, q)


def acting_on(nodes: Nodes, contour: Contour, stages: tuple[Stage, ...], force: Complexes) -> tuple[Acting, Complexes]:
    """What acts in every stage, and its derivative by the stations' places (omega, station, stage).

    ``force`` (stage, harmonic) are the harmonics of the contact force.
    """
    field = nodes.wave[:, None, :] * force / contour.speed
    station = np.einsum("nsh,nah->nsa", nodes.ahead, field, optimize=True)
    along = np.einsum("nsh,nah->nsa", nodes.ahead, -1j * nodes.q[:, None, :] * field, optimize=True)
    dropper = np.stack([_spectrum(nodes.omega, contour, stage) for stage in stages], axis=2)
    return Acting(station, np.ascontiguousarray(dropper)), along


def _spectrum(omega: Complexes, contour: Contour, stage: Stage) -> Complexes:
    """Fourier transform of a stage's squeezes (omega, dropper)."""
    time, squeeze = squeeze_spectrum(omega, contour.T / stage.slack.samples, stage.slack.smooth), stage.slack.squeeze
    at = np.flatnonzero(squeeze.any(axis=1))
    when = stage.time.sample[at] * (contour.T / stage.slack.samples)
    return time[:, None] * (np.exp(-1j * np.outer(omega, when)) @ squeeze[at])


def multipliers_at(
    nodes: Nodes, line: tuple[LineNetwork, Contour], stage: Stage, found: StageMultipliers
) -> tuple[Multipliers, Complexes]:
    """Multipliers of every figure in one stage, and their derivative by the stations' places (omega, station, figure)."""
    network, contour = line
    tested = nodes.wave[:, None, :] * found.contact / network.period
    back = 1.0 / nodes.ahead
    station = np.einsum("nsh,nah->nsa", back, tested, optimize=True)
    along = np.einsum("nsh,nah->nsa", back, 1j * nodes.q[:, None, :] * tested, optimize=True)
    at = np.flatnonzero(found.dropper.any(axis=(0, 2)))
    when = stage.time.sample[at] * (contour.T / stage.slack.samples)
    dropper = np.einsum("nt,atd->nda", np.exp(1j * np.outer(nodes.omega, when)), found.dropper[:, at], optimize=True)
    return Multipliers(station, np.ascontiguousarray(dropper), np.zeros_like(station)), along
