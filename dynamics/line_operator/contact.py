r"""The contact of a train's pantographs with the infinite line, harmonic by harmonic.

f = k_c (head - z0 - w): with the head's answer C_p to the force and the line's H,

    f_k / k_c + C_p f_k + sum_j H_kj f_j + (what slack droppers add)_k = -z0_k,   k not 0,

and f_0 the mean force that is held, which the applied force follows. Each pantograph's harmonics are those of its own
time, which is 0 as it passes the first support; they stand one pantograph's behind another's (contact,), and H leads
from each to all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.kernels.compiled import kernel
from catenary.linearised.contact_wire import static_height
from dynamics.line_operator.answers import Answers, Contour, bare_wire
from dynamics.line_operator.network import LineNetwork
from dynamics.pantograph.linear import LinearPantograph, linear_pantograph
from dynamics.spec.case import CaseSpec

__all__ = [
    "ContactSystem",
    "bare_heights",
    "both_halves",
    "contact_system",
    "fields_at",
    "harmonics_of",
    "head_answers",
    "own_answers",
    "station_phases",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]

TOGETHER = 16  # frequencies whose fields are formed together


@dataclass(frozen=True)
class ContactSystem:
    """Linear equations of the contact forces' harmonics -K to K, one pantograph's behind another's (contact,).

    Attributes
    ----------
    line : complex array (contact, contact)
        H, height of the wire under the pantographs by the forces [m/N].
    inverse : complex array (varying, varying)
        Of the equations of all harmonics but the means.
    static : complex array (contact,)
        z0 [m].
    mean : float array (pantograph,)
        Mean forces [N].
    opened : complex array (varying, pantograph)
        Harmonics that the mean forces make where contact is lost [-].
    lost : bool array (instant,)
        Instants, evenly over a period of every pantograph, at which its contact is lost.
    """

    line: Complexes
    inverse: Complexes
    static: Complexes
    mean: Floats
    opened: Complexes
    lost: NDArray[np.bool_]

    @property
    def harmonics(self) -> int:
        """K."""
        return len(self.static) // (2 * len(self.mean))

    @property
    def varying(self) -> NDArray[np.bool_]:
        """All harmonics but the means (contact,)."""
        varying = np.ones(len(self.static), np.bool_)
        varying[self.middle] = False
        return varying

    @property
    def middle(self) -> Ints:
        """Where the means stand among all harmonics (pantograph,)."""
        K = self.harmonics
        return K + (2 * K + 1) * np.arange(len(self.mean))

    @property
    def above(self) -> Ints:
        """Where harmonics 1 to K stand among all but the means (pantograph times harmonic,)."""
        return self._halves(np.arange(self.harmonics, 2 * self.harmonics))

    @property
    def below(self) -> Ints:
        """The same of harmonics -1 to -K."""
        return self._halves(np.arange(self.harmonics - 1, -1, -1))

    def _halves(self, own: Ints) -> Ints:
        return (2 * self.harmonics * np.arange(len(self.mean))[:, None] + own).ravel()

    def force(self, lifted: Complexes | None = None) -> Complexes:
        """Harmonics of the contact forces [N], where something else lifts the wire (contact,) [m]."""
        varying, middle = self.varying, self.middle
        right = -(self.static + self.line[:, middle] @ self.mean)
        right = right if lifted is None else right - lifted
        force = np.empty(len(self.static), np.complex128)
        force[middle], force[varying] = self.mean, self.inverse @ right[varying] + self.opened @ self.mean
        return force


def both_halves(half: Complexes, pantographs: int) -> Complexes:
    """Sum over both halves of a contour by that over frequencies of positive real part (..., contact)."""
    each = half.reshape(*half.shape[:-1], pantographs, -1)
    return (each + each[..., ::-1].conj()).reshape(half.shape)


def station_phases(network: LineNetwork, contour: Contour) -> Complexes:
    """exp(i omega_k x_s / v) (station, contact)."""
    one = np.asarray(np.exp(1j * np.outer(network.stations / contour.speed, contour.pulses)))
    return np.tile(one, contour.pantographs)


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
    """What contact and pantograph yield to the force by themselves (contact,) [m/N]."""
    pantograph = linear_pantograph(case.pantograph, case.pressed_N)
    return np.tile(1.0 / case.contact.stiffness + head_answers(pantograph, contour.pulses), contour.pantographs)


def contact_system(
    case: CaseSpec, eq: Equilibrium, line: tuple[LineNetwork, Contour], answers: Answers
) -> ContactSystem:
    """Form the equations of the contact forces of a line's network on a contour.

    The means are those that are held, or applied forces that are given.
    """
    (network, contour), P = line, line[1].pantographs
    parts, count = _line_parts(network, contour, answers), 2 * contour.harmonics + 1
    whole, H = np.empty((P * count, P * count)), np.empty((P * count, P * count), np.complex128)
    for q in range(P):
        for p in range(P):
            at = np.s_[q * count : (q + 1) * count, p * count : (p + 1) * count]
            whole[at] = one = parts[_later(contour, q, p)]
            H[at] = _of_harmonics(one)
    own = own_answers(case, contour)
    for p in range(P):
        some = slice(p * count, (p + 1) * count)
        _add_diagonal(whole[some, some], own[some])
    part = np.arange(P * count) % count != 0  # all but the means
    varies = np.asarray(np.linalg.inv(whole[np.ix_(part, part)]), dtype=np.float64)
    static = np.tile(_static_harmonics(eq, contour.harmonics, network.period), P)
    mean = np.array(case.trailing.pressed(case.pressed_N))
    none = np.zeros((P * (count - 1), P), np.complex128)
    return ContactSystem(H, _of_varying(varies, P), static, mean, none, np.zeros(P * count, np.bool_))


def _later(contour: Contour, one: int, other: int) -> float:
    """How much later than another pantograph one passes [s]."""
    return round(contour.delays[one] - contour.delays[other], 12)


def bare_heights(network: LineNetwork, contour: Contour) -> Complexes:
    """Heights of the bare contact wire under each pantograph by forces of all (pantograph, pantograph, harmonic)."""
    train = range(contour.pantographs)
    return np.array([[bare_wire(network, contour, _later(contour, q, p)) for p in train] for q in train])


def _of_varying(parts: Floats, pantographs: int) -> Complexes:
    """Equations of all harmonics but the means by those of their parts."""
    size = len(parts) // pantographs
    out = np.empty(parts.shape, np.complex128)
    for q in range(0, len(parts), size):
        for p in range(0, len(parts), size):
            with_mean = np.zeros((size + 1, size + 1))
            with_mean[1:, 1:] = parts[q : q + size, p : p + size]
            kept = np.arange(size + 1) != size // 2
            out[q : q + size, p : p + size] = _of_harmonics(with_mean)[np.ix_(kept, kept)]
    return out


def _line_parts(network: LineNetwork, contour: Contour, answers: Answers) -> dict[float, Floats]:
    """Heights by forces, both of which are real in time, by how much later than the force a pantograph passes [s].

    From the real parts of harmonics 0 to K and the imaginary ones of 1 to K to such ones (part, part): half of the work
    that complex harmonics -K to K take, of which those below 0 are conjugate to the others. A few frequencies at a
    time, so that their fields stay in a processor's cache.
    """
    count, P = 2 * contour.harmonics + 1, contour.pantographs
    phases = station_phases(network, contour)[:, :count]
    wave, opposed = answers.wave[:, :count], phases.conj()
    waits = sorted({_later(contour, q, p) for q in range(P) for p in range(P)})
    total = {wait: np.zeros((count, count)) for wait in waits}
    for first in range(0, len(answers.omega), TOGETHER):
        some = slice(first, first + TOGETHER)
        fields = fields_at(answers.forces[some], phases)
        of_forces, of_heights = np.empty((2, 2, *fields.shape))
        _parts_of_forces(fields, wave[some] * answers.weight[some, None], of_forces)
        for wait, sums in total.items():
            turn = np.exp(1j * wait * answers.omega[some])[:, None] if wait else 1.0
            _parts_of_heights(opposed, turn * wave[some], of_heights)
            sums += of_heights.reshape(-1, count).T @ of_forces.reshape(-1, count)
    for wait, sums in total.items():
        sums /= contour.speed * network.period
        _add_diagonal(sums, bare_wire(network, contour, wait))
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
    """Harmonics (..., harmonic) [m] of heights at even places of a period (..., place) [m], the lowest first."""
    found = np.fft.fft(height) / height.shape[-1]
    return np.concatenate([found[..., -harmonics:], found[..., : harmonics + 1]], axis=-1)
