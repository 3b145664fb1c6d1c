r"""A line's answers on a contour below the real axis, with the poles that it passes over.

Any answer of the infinite line to forces that repeat every T is an integral over real frequencies,
(1 / 2 pi) int g(omega) d omega. On omega_n = (n + 1/2) h - i y0, h = 2 pi / (m T), the sum of g / (m T) is that
integral with images at m T, 2 m T, ..., which are exp(-y0 m T) and less of it. Every pole of g below the real axis,
above the contour or below it, adds c_p Res g, c_p = -i / (1 + exp(i (omega_p + i y0) m T)), and takes its images with
it.

Legend: A_k = 1 / (EI tau q_k^4 + T tau q_k^2 + rho mu), q_k = (omega - omega_k) / v, answer of the bare contact wire to
a force that moves with v and pulsates with omega_k = 2 pi k / T.

A pantograph that passes delta later than the first one counts time from its own passage: the harmonics of its force are
those that the first one's would have. What it does to the line then has the factor exp(-i omega delta), what it sees
of the line exp(i omega delta), and between two of a train only the time from one to the other counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.line_operator.network import BareWire, LineNetwork
from dynamics.line_operator.ports import port_answers

__all__ = ["Answers", "Contour", "applied", "bare_wire", "contact_waves", "line_answers"]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]

AROUND = np.array([3.0e-5, -3.0e-5])  # places by a pole, rad/s: with both a residue is right to 1e-5 of itself
IMAGINARY = 1.0e-6  # rad/s: a pole as near to the imaginary axis is its own mirror image
BARE, BARE_APART = 40, 8  # times as far as the ring: sums over the bare wire, under a force and apart from it


@dataclass(frozen=True)
class Contour:
    """Angular frequencies at which a line is solved.

    Attributes
    ----------
    T, speed : float
        Time of a period [s] and train speed [m/s].
    harmonics : int
        Highest harmonic K of the contact force.
    images : int
        Periods m from image to image.
    decay : float
        y0 m T [-]: an image is exp(-decay) of what it repeats.
    reach : float
        Highest frequency over that of the highest harmonic.
    before : float
        Periods before the first pantograph passes a dropper in which the dropper may slacken.
    behind : float
        The same after the last one has passed it.
    delays : tuple of float
        How much later than the first one each pantograph passes [s].
    """

    T: float
    speed: float
    harmonics: int
    images: int = 4
    decay: float = 8.0
    reach: float = 1.2
    before: float = 1.0
    behind: float = 1.2
    delays: tuple[float, ...] = (0.0,)

    @property
    def pantographs(self) -> int:
        """Number of pantographs."""
        return len(self.delays)

    @property
    def train(self) -> float:
        """Periods from the first pantograph's passage to the last one's."""
        return self.delays[-1] / self.T

    @property
    def depth(self) -> float:
        """y0 [1/s]."""
        return self.decay / (self.images * self.T)

    @property
    def step(self) -> float:
        """Between two frequencies [rad/s]."""
        return 2.0 * np.pi / (self.images * self.T)

    @property
    def count(self) -> int:
        """Number of frequencies of positive real part."""
        return int(np.ceil(self.reach * self.harmonics * self.images))

    @property
    def highest_hz(self) -> float:
        """Frequency of the highest harmonic [Hz]."""
        return self.harmonics / self.T

    def frequencies(self, first: int, end: int) -> Complexes:
        """omega_n for n from ``first`` to ``end`` [rad/s]."""
        return (np.arange(first, end) + 0.5) * self.step - 1j * self.depth

    @property
    def pulses(self) -> Floats:
        """omega_k of the harmonics -K to K [rad/s]."""
        return 2.0 * np.pi / self.T * np.arange(-self.harmonics, self.harmonics + 1, dtype=np.float64)

    def pole_weights(self, poles: Complexes) -> Complexes:
        """c_p; half of it for a pole that is its own mirror image."""
        return np.asarray(np.where(self.own_mirror(poles), 0.5, 1.0) * self.passed(poles), dtype=np.complex128)

    def passed(self, omega: Complexes) -> Complexes:
        """Factor c at frequencies near poles: with it a circle's integral adds a pole that the contour passed over."""
        exponent = 1j * (omega + 1j * self.depth) * self.images * self.T
        # far below the contour the factor is nothing, and its exponential more than a number holds
        held = np.minimum(exponent.real, 700.0) + 1j * exponent.imag
        return np.asarray(-1j / (1.0 + np.exp(held)), dtype=np.complex128)

    def own_mirror(self, poles: Complexes) -> NDArray[np.bool_]:
        """Which poles are their own mirror images (pole,)."""
        return np.abs(poles.real) < IMAGINARY


@dataclass(frozen=True)
class Answers:
    """Answers at the contour's frequencies and at the poles.

    Mirror images are left out: with ``weight``, the sum over ``omega`` plus its mirror image is the integral. Stations
    and droppers have times of their own, which are 0 as the first pantograph passes them. Stretches of a dropper that
    hangs loose at rest have their sign turned (`dynamics.line_operator.slack`).

    Attributes
    ----------
    omega, weight : complex array (omega,)
        Frequencies [rad/s], the contour's first, and weights [1/s].
    ring : int
        Number of the contour's.
    forces : complex array (omega, station, station)
        Force of a station on the bare wire by the height of a field there, Bloch phase removed [N/m].
    by_squeeze : complex array (omega, station, dropper)
        The same by forces that squeeze droppers [-].
    stretch : complex array (omega, dropper, station)
        Stretch of droppers by the height of a field [-].
    by_droppers : complex array (omega, dropper, dropper)
        Stretch by forces that squeeze droppers [m/N].
    lift, lift_by_squeeze : complex array (omega, support, station), (omega, support, dropper)
        Height of the contact wire at supports by the height of a field [-], by forces that squeeze droppers [m/N].
    wave, seen : complex array (omega, contact)
        A_k of every pantograph, one behind another: as its force acts, and as it sees the wire [m^2/N].
    """

    omega: Complexes
    weight: Complexes
    ring: int
    forces: Complexes
    by_squeeze: Complexes
    stretch: Complexes
    by_droppers: Complexes
    lift: Complexes
    lift_by_squeeze: Complexes
    wave: Complexes
    seen: Complexes


def line_answers(network: LineNetwork, contour: Contour, poles: Complexes) -> Answers:
    """Solve a line at all frequencies of a contour, and at the poles below the real axis."""
    count, args = contour.count, network.arguments(contour.T)
    ring = contour.frequencies(0, count)
    omega = np.concatenate([ring, poles])
    found = port_answers(np.concatenate([ring, (poles[:, None] + AROUND).ravel()]), *args, network.ports)
    Q, lift = (np.concatenate([each[:count], _residues(each[count:])]) for each in found)
    S = len(network.stations)
    phase = np.exp(1j * omega[:, None] * (network.stations / contour.speed))
    own = np.exp(1j * omega[:, None] * (network.passed / contour.speed))
    weight = np.full(count, 1.0 / (contour.images * contour.T) + 0.0j)
    way = network.way[:, None]
    return Answers(
        omega,
        np.concatenate([weight, contour.pole_weights(poles)]),
        count,
        phase[:, :, None] * Q[:, :S, :S] / phase[:, None, :],
        phase[:, :, None] * Q[:, :S, S:] / own[:, None, :],
        way * own[:, :, None] * Q[:, S:, :S] / phase[:, None, :],
        way * own[:, :, None] * Q[:, S:, S:] / own[:, None, :],
        lift[:, :, :S] / phase[:, None, :],
        lift[:, :, S:] / own[:, None, :],
        *contact_waves(network.bare, omega, contour),
    )


def _residues(around: Complexes) -> Complexes:
    """Residues (pole, row, column) by values at the places by all poles."""
    values = around.reshape(-1, len(AROUND), *around.shape[1:])
    return np.asarray(np.einsum("pnab,n->pab", values, 0.5 * AROUND), dtype=np.complex128)


@kernel(error_model="numpy", nogil=True, fastmath={"contract", "nsz"})
def applied(answers: Complexes, causes: Complexes) -> Complexes:
    """What answers (omega, row, column) make of causes (omega, column), frequency by frequency (omega, row)."""
    out = np.empty(answers.shape[:2], np.complex128)
    for n in range(answers.shape[0]):
        for r in range(answers.shape[1]):
            total = 0.0 + 0.0j
            for c in range(answers.shape[2]):
                total += answers[n, r, c] * causes[n, c]
            out[n, r] = total
    return out


def contact_waves(wire: BareWire, omega: Complexes, contour: Contour) -> tuple[Complexes, Complexes]:
    """A_k as forces of all pantographs act, and as these see the wire: each (omega, contact)."""
    one = _wave_answers(wire, omega[:, None], contour.pulses, contour.speed)
    if contour.pantographs == 1:
        return one, one
    seen = [one * np.exp(1j * delay * omega)[:, None] for delay in contour.delays]
    acting = [one * np.exp(-1j * delay * omega)[:, None] for delay in contour.delays]
    return np.hstack(acting), np.hstack(seen)


def _wave_answers(wire: BareWire, omega: Complexes, pulses: Floats, speed: float) -> Complexes:
    """A_k, by broadcasting."""
    return 1.0 / _wave_stiffness(wire, omega, pulses, speed)


def _wave_stiffness(wire: BareWire, omega: Complexes, pulses: Floats, speed: float) -> Complexes:
    """1 / A_k, by broadcasting [N/m^2]."""
    (T, EI, rho), alpha, beta = wire
    tau, mu = 1.0 + 1j * omega * beta, -omega * omega + 1j * omega * alpha
    q2 = ((omega - pulses) / speed) ** 2
    return tau * q2 * (EI * q2 + T) + rho * mu


def bare_wire(network: LineNetwork, contour: Contour, later: float = 0.0) -> Complexes:
    """Height of the bare contact wire by a force that moves and pulsates, by harmonic (harmonic,) [m/N].

    Under the force, or so much ``later`` [s] at the same place, in the time of a pantograph that passes then.

    The same sum over the contour, carried on to higher frequencies. The wave that runs ahead of a pulse gives a pole of
    its own; up to the contour's end the stations' answer takes it away, beyond it is added here.
    """
    alike = replace(contour, delays=(0.0,))  # trains of other distances share what is found under the force
    return _bare_wire(network.bare, alike, later)


@lru_cache(maxsize=64)
def _bare_wire(wire: BareWire, contour: Contour, later: float) -> Complexes:
    """The same of a wire alone; shared by all designs of a campaign."""
    pulses, speed = contour.pulses, contour.speed
    omega = contour.frequencies(0, (BARE_APART if later else BARE) * contour.count)
    K, turn = contour.harmonics, np.exp(1j * later * omega) if later else np.ones(1)
    total = np.array([(turn * _wave_answers(wire, omega, pulse, speed)).sum() for pulse in pulses[K:]])
    mirror = np.array([(turn * _wave_answers(wire, omega, -pulse, speed)).sum() for pulse in pulses[K:]])
    half = (total + mirror.conj()) / (contour.images * contour.T * speed)
    end = omega[contour.count - 1].real
    ahead = pulses[K:] / (1.0 - speed * np.sqrt(wire[0][2] / wire[0][0]))
    for k in np.flatnonzero(ahead > end):
        half[k] += _pole_of_wave(wire, contour, (float(pulses[K + k]), complex(ahead[k])), (end, later))
    return np.concatenate([half[:0:-1].conj(), half]).astype(np.complex128)


def _pole_of_wave(
    wire: BareWire, contour: Contour, start: tuple[float, complex], sought: tuple[float, float]
) -> complex:
    """What the pole of a pulse's wave adds, if it lies beyond the contour's end; by Newton from the string's."""
    (pulse, omega), (end, later) = start, sought
    small, slope = 1.0e-4, 0.0j
    for _ in range(30):
        low, here, high = (
            complex(_wave_stiffness(wire, np.array(omega + d), np.array(pulse), contour.speed))
            for d in (-small, 0.0, small)
        )
        slope = (high - low) / (2.0 * small)
        omega -= here / slope
        if abs(here / slope) < 1.0e-9:
            break
    if omega.imag > 0.0 or omega.real < end:
        return 0.0j
    turn = np.exp(1j * later * omega) if later else 1.0
    return complex(turn * contour.pole_weights(np.array([omega]))[0] / slope / contour.speed)
