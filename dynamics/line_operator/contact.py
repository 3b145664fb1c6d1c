r"""The contact of one pantograph with the infinite line, harmonic by harmonic.

f = k_c (head - z0 - w): with the head's answer C_p to the force and the line's H,

    f_k / k_c + C_p f_k + sum_j H_kj f_j + (what slack droppers add)_k = -z0_k,   k not 0,

and f_0 the mean force that is held, which the applied force follows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.linearised.contact_wire import static_height
from dynamics.line_operator.answers import Answers, Contour
from dynamics.line_operator.network import LineNetwork
from dynamics.pantograph.linear import LinearPantograph, linear_pantograph
from dynamics.spec.case import CaseSpec

__all__ = [
    "ContactSystem",
    "contact_system",
    "fields_at",
    "harmonics_of",
    "head_answers",
    "own_answers",
    "station_phases",
]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]

TOGETHER = 16  # frequencies whose fields are formed together


@dataclass(frozen=True)
class ContactSystem:
    """Linear equations of the contact force's harmonics -K to K.

    Attributes
    ----------
    line : complex array (harmonic, harmonic)
        H, height of the wire under the pantograph by the force [m/N].
    inverse : complex array (harmonic - 1, harmonic - 1)
        Of the equations of all harmonics but the mean.
    static : complex array (harmonic,)
        z0 [m].
    mean : float
        Mean force [N].
    offset : complex array (harmonic - 1,)
        Force of all harmonics but the mean that the mean force makes where contact is lost [N].
    lost : bool array (instant,)
        Instants, evenly over a period, at which contact is lost.
    """

    line: Complexes
    inverse: Complexes
    static: Complexes
    mean: float
    offset: Complexes
    lost: NDArray[np.bool_]

    @property
    def varying(self) -> NDArray[np.bool_]:
        """All harmonics but the mean (harmonic,)."""
        return np.arange(len(self.static)) != len(self.static) // 2

    def force(self, lifted: Complexes | None = None) -> Complexes:
        """Harmonics of the contact force [N], where something else lifts the wire (harmonic,) [m]."""
        varying, middle = self.varying, len(self.static) // 2
        right = -(self.static + self.line[:, middle] * self.mean)
        right = right if lifted is None else right - lifted
        force = np.empty(len(self.static), np.complex128)
        force[middle], force[varying] = self.mean, self.inverse @ right[varying] + self.offset
        return force


def station_phases(network: LineNetwork, contour: Contour) -> Complexes:
    """exp(i omega_k x_s / v) (station, harmonic)."""
    return np.asarray(np.exp(1j * np.outer(network.stations / contour.speed, contour.pulses)))


def fields_at(values: Complexes, phases: Complexes) -> Complexes:
    """Sums of values (one, other, station) over stations with phases (station, harmonic): (one, other, harmonic).

    As one product of matrices; in single precision where both are.
    """
    flat = np.ascontiguousarray(values).reshape(-1, len(phases)) @ phases
    return flat.reshape(*values.shape[:2], -1)


def head_answers(pantograph: LinearPantograph, omega: Floats) -> Complexes:
    """Rise of a pantograph's head under a force on it, at angular frequencies (omega,) [m/N]; 0 at 0."""
    w, mass = omega[omega != 0.0][:, None, None], np.diag(pantograph.mass)
    found = np.zeros(len(omega), np.complex128)
    dynamic = -w * w * mass + 1j * w * pantograph.damping + pantograph.stiffness
    found[omega != 0.0] = np.linalg.inv(dynamic)[:, 0, 0]
    return found


def own_answers(case: CaseSpec, contour: Contour) -> Complexes:
    """What contact and pantograph yield to the force by themselves (harmonic,) [m/N]."""
    pantograph = linear_pantograph(case.pantograph, case.pressed_N)
    return np.asarray(1.0 / case.contact.stiffness + head_answers(pantograph, contour.pulses))


def contact_system(
    case: CaseSpec, eq: Equilibrium, line: tuple[LineNetwork, Contour, Complexes], answers: Answers
) -> ContactSystem:
    """Form the equations of the contact force; ``line`` holds network, contour and the bare wire's heights."""
    network, contour, bare = line
    phases = station_phases(network, contour)
    count = phases.shape[1]
    H = _tested_fields(answers, phases) / (contour.speed * network.period)
    H += H[::-1, ::-1].conj()
    H[np.arange(count), np.arange(count)] += bare
    static = _static_harmonics(eq, contour.harmonics, network.period)
    assert case.mean_force_N is not None
    own = own_answers(case, contour)
    varying = np.arange(count) != contour.harmonics
    matrix = H + np.diag(own)
    inverse = np.linalg.inv(matrix[np.ix_(varying, varying)])
    kept = np.zeros(count, np.bool_)
    return ContactSystem(H, inverse, static, case.mean_force_N, np.zeros(count - 1, np.complex128), kept)


def _tested_fields(answers: Answers, phases: Complexes) -> Complexes:
    """Fields of all harmonics' forces, as all harmonics see them, over frequencies (harmonic, harmonic).

    A few frequencies at a time, so that their fields stay in a processor's cache.
    """
    count, opposed = phases.shape[1], phases.conj()
    weighted, total = answers.wave * answers.weight[:, None], np.zeros((count, count), np.complex128)
    for first in range(0, len(answers.omega), TOGETHER):
        some = slice(first, first + TOGETHER)
        fields = fields_at(answers.forces[some], phases)
        fields *= weighted[some, None, :]
        tested = opposed * answers.wave[some, None, :]
        total += tested.reshape(-1, count).T @ fields.reshape(-1, count)
    return total


def _static_harmonics(eq: Equilibrium, harmonics: int, period: float) -> Complexes:
    """Harmonics of the contact wire's height at rest (harmonic,) [m]."""
    count = 16 * harmonics
    return harmonics_of(static_height(eq, np.arange(count, dtype=np.float64) * (period / count)), harmonics)


def harmonics_of(height: Floats, harmonics: int) -> Complexes:
    """Harmonics (harmonic,) [m] of heights at even places of a period (place,) [m], from the lowest to the highest."""
    found = np.fft.fft(height) / len(height)
    return np.concatenate([found[-harmonics:], found[: harmonics + 1]])
