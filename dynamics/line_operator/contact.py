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
from catenary.kernels.compiled import kernel
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
    """Form the equations of the contact force; ``line`` holds network, contour and the bare wire's heights.

    The mean is the one that is held, or an applied force that is given.
    """
    network, contour, bare = line
    K = contour.harmonics
    line_parts = _line_parts(answers, station_phases(network, contour)) / (contour.speed * network.period)
    _add_diagonal(line_parts, bare)
    static = _static_harmonics(eq, K, network.period)
    whole = line_parts.copy()
    _add_diagonal(whole, own_answers(case, contour))
    inverse = np.zeros_like(whole)
    inverse[1:, 1:] = np.linalg.inv(whole[1:, 1:])
    varying, kept = np.arange(2 * K + 1) != K, np.zeros(2 * K + 1, np.bool_)
    offset = np.zeros(2 * K, np.complex128)
    answering = _of_harmonics(inverse)[np.ix_(varying, varying)]
    return ContactSystem(_of_harmonics(line_parts), answering, static, case.pressed_N, offset, kept)


def _line_parts(answers: Answers, phases: Complexes) -> Floats:
    """Heights by forces, both of which are real in time, over all frequencies and their mirror images.

    From the real parts of harmonics 0 to K and the imaginary ones of 1 to K to such ones (part, part): half of the work
    that complex harmonics -K to K take, of which those below 0 are conjugate to the others. A few frequencies at a
    time, so that their fields stay in a processor's cache.
    """
    count, opposed = phases.shape[1], phases.conj()
    weighted, total = answers.wave * answers.weight[:, None], np.zeros((count, count))
    for first in range(0, len(answers.omega), TOGETHER):
        some = slice(first, first + TOGETHER)
        fields = fields_at(answers.forces[some], phases)
        of_forces, of_heights = np.empty((2, 2, *fields.shape))
        _parts_of_forces(fields, weighted[some], of_forces)
        _parts_of_heights(opposed, answers.wave[some], of_heights)
        total += of_heights.reshape(-1, count).T @ of_forces.reshape(-1, count)
    return total


@kernel(error_model="numpy", nogil=True, fastmath={"contract", "nsz"})
def _parts_of_forces(fields: Complexes, waves: Complexes, out: Floats) -> None:
    """Fill in fields (omega, station, harmonic), each times its wave, by real and imaginary parts of the force.

    Real parts of the fields first, their imaginary ones behind (2, omega, station, part).
    """
    K = fields.shape[2] // 2
    for n in range(fields.shape[0]):
        for s in range(fields.shape[1]):
            field, wave, re, im = fields[n, s], waves[n], out[0, n, s], out[1, n, s]
            mean = field[K] * wave[K]
            re[0], im[0] = mean.real, mean.imag
            for k in range(1, K + 1):
                own, image = field[K + k] * wave[K + k], field[K - k] * wave[K - k]
                re[k], im[k] = own.real + image.real, own.imag + image.imag
                re[K + k], im[K + k] = image.imag - own.imag, own.real - image.real


@kernel(error_model="numpy", nogil=True, fastmath={"contract", "nsz"})
def _parts_of_heights(opposed: Complexes, waves: Complexes, out: Floats) -> None:
    """Fill in what parts of the height see of fields: real parts first, imaginary ones with their sign turned behind.

    ``opposed`` are conjugate phases (station, harmonic), ``waves`` those of frequencies (omega, harmonic); out
    (2, omega, station, part).
    """
    K = opposed.shape[1] // 2
    for n in range(waves.shape[0]):
        for s in range(opposed.shape[0]):
            phase, wave, re, im = opposed[s], waves[n], out[0, n, s], out[1, n, s]
            mean = phase[K] * wave[K]
            re[0], im[0] = 2.0 * mean.real, -2.0 * mean.imag
            for k in range(1, K + 1):
                own, image = phase[K + k] * wave[K + k], phase[K - k] * wave[K - k]
                re[k], im[k] = own.real + image.real, -own.imag - image.imag
                re[K + k], im[K + k] = own.imag - image.imag, own.real - image.real


def _add_diagonal(parts: Floats, answers: Complexes) -> None:
    """Add answers of every harmonic to itself (harmonic,) to equations of parts."""
    K = len(answers) // 2
    above, re, im = answers[K:], np.arange(K + 1), np.arange(K + 1, 2 * K + 1)
    parts[re, re] += above.real
    parts[im, im] += above[1:].real
    parts[im, re[1:]] += above[1:].imag
    parts[re[1:], im] -= above[1:].imag


def _of_harmonics(parts: Floats) -> Complexes:
    """Equations of harmonics -K to K by those of their parts, 0 to K and 1 to K."""
    K = len(parts) // 2
    rows = parts[: K + 1].astype(np.complex128)
    rows[1:] += 1j * parts[K + 1 :]
    real, turned = rows[:, 1 : K + 1], 1j * rows[:, K + 1 :]
    out = np.empty((2 * K + 1, 2 * K + 1), np.complex128)
    out[K:, K] = rows[:, 0]
    out[K:, K + 1 :], out[K:, K - 1 :: -1] = 0.5 * (real - turned), 0.5 * (real + turned)
    out[:K] = out[:K:-1, ::-1].conj()
    return out


def _static_harmonics(eq: Equilibrium, harmonics: int, period: float) -> Complexes:
    """Harmonics of the contact wire's height at rest (harmonic,) [m]."""
    count = 16 * harmonics
    return harmonics_of(static_height(eq, np.arange(count, dtype=np.float64) * (period / count)), harmonics)


def harmonics_of(height: Floats, harmonics: int) -> Complexes:
    """Harmonics (harmonic,) [m] of heights at even places of a period (place,) [m], from the lowest to the highest."""
    found = np.fft.fft(height) / len(height)
    return np.concatenate([found[-harmonics:], found[: harmonics + 1]])
