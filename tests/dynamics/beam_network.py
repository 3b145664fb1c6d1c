"""One cell of the infinite line as a network of exact beams: a second formulation, without mesh and without time step.

Every bay is a beam under tension with its exact dynamic stiffness, and a tension that is uniform over the bay; what
the wires carry are springs and masses at the bays' ends. The moving contact force is a sum of harmonics, each of
which makes a plane wave on the free contact wire, known in closed form; the rest of the line answers with forces at
droppers and supports and with tensions of the bays. Of the program only form-finding is shared: heights, tensions,
dropper forces.

Legend: w = omega; tau = 1 + i w beta and m = -w^2 + i w alpha are Rayleigh damping's factors of stiffness and mass;
r1, r2 the two roots of EI tau r^4 - H tau r^2 + rho m = 0; q = (w - w_k) / v the wave number of harmonic k; z0 the
shape at rest, a parabola between bending layers e^(-x / b) at a bay's ends, b = sqrt(EI / H).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from catenary.elements.hermite import slope_products
from catenary.form_finding.equations import GRAVITY, wire_property
from catenary.layout.geometry import CONTACT

X, Z, DX, DZ = 0, 2, 3, 5
EVEN = np.array([[0.5, 0.0, 0.5, 0.0], [0.0, -0.5, 0.0, 0.5]])
ODD = np.array([[-0.5, 0.0, 0.5, 0.0], [0.0, 0.5, 0.0, 0.5]])


@dataclass(frozen=True)
class Bay:
    """A wire between two key points: its data, its shape at rest, and the network's dofs of its ends.

    Dofs are height and slope of the first end, of the second, places along the track of both. ``over`` says that the
    second end is the next cell's. The slope at rest is ``first`` at the first end and ``last`` at the other, with
    the curvature ``bend``, but for the layers ``layers`` times e^(-x / b).
    """

    contact: bool
    x: float
    length: float
    unstretched: float
    tension: float
    mass: float
    EA: float
    EI: float
    first: float
    last: float
    bend: float
    layers: tuple[float, float]
    dofs: tuple[int, ...]
    over: bool

    @property
    def layer(self) -> float:
        """Length over which bending smooths a kink [m]."""
        return float(np.sqrt(self.EI / self.tension))

    def stretch_by_wave(self, q):
        """Elongation of the bay by the wave e^(-i q x) on its wire: integral of z0' w'."""
        start, end = np.exp(-1j * q * self.x), np.exp(-1j * q * (self.x + self.length))
        kinks = self.last * end - self.first * start - self.bend * (end - start) / (-1j * q)
        at_start, at_end = start / (1 / self.layer + 1j * q), end / (1 / self.layer - 1j * q)
        return kinks - 1j * q * (self.layers[0] * at_start + self.layers[1] * at_end)

    def answer(self, tau, m):
        """Dynamic stiffness by heights and slopes (4, 4), elongation by each, and by a tension of its own."""
        (even, by_even, integral), (odd, by_odd, _) = self._half(tau, m, odd=False), self._half(tau, m, odd=True)
        stiffness = 2.0 * (EVEN.T @ even @ EVEN + ODD.T @ odd @ ODD)
        d1, d2 = self.layers
        stretch = -self.bend * (integral @ EVEN) + (d1 - d2) * (by_even @ EVEN) + (d1 + d2) * (by_odd @ ODD)
        stretch += np.array([-self.first, 0.0, self.last, 0.0])
        own = self.bend**2 * self.length**3 / (12.0 * self.tension * tau)
        if abs(np.sqrt(self.mass * m / (self.tension * tau))) * self.length > 0.04:
            own = self.bend**2 * (self.length - integral[0]) / (self.mass * m)
        return stiffness, stretch, own

    def _half(self, tau, m, *, odd):
        """Force and moment by height and slope of the right end, first layer's elongation, integral of the height.

        Of motions that are even or odd about the middle: the left end does the same, or the opposite.
        """
        T, EI, h, ib = self.tension * tau, self.EI * tau, 0.5 * self.length, 1.0 / self.layer
        root = np.sqrt(T * T - 4.0 * EI * self.mass * m)
        r1, r2 = np.sqrt(2.0 * self.mass * m / (T + root)), np.sqrt((T + root) / (2.0 * EI))
        t1, t2 = (1.0 / np.tanh(r1 * h), 1.0 / np.tanh(r2 * h)) if odd else (np.tanh(r1 * h), np.tanh(r2 * h))
        share = np.linalg.inv(np.array([[1.0, 1.0], [r1 * t1, r2 * t2]]))  # of the two waves, by height and slope
        forces = EI * np.array([[r2**2 * r1 * t1, r1**2 * r2 * t2], [r1**2, r2**2]])
        far, near = r1 / (ib**2 - r1**2), r2 / (ib + r2)
        layer = np.array([far * (ib * t1 - r1), near]) if odd else np.array([far * (r1 - ib * t1), -near])
        return forces @ share, layer @ share, np.array([2.0 * t1 / r1, 2.0 * t2 / r2]) @ share


class BeamNetwork:
    """Network of a cell in equilibrium, under a contact force that moves at a speed [m/s].

    With a ``step`` [s] of the bilinear rule, frequencies are turned as that rule turns them; without, time runs on.
    """

    def __init__(self, equilibrium, speed, step=None):
        self.eq, self.speed, self.spec, self.step = equilibrium, speed, equilibrium.spec, step
        self.numbers = {}
        self.bays = [self._bay(b) for b in range(len(equilibrium.mesh.group_elems))]
        mesh = equilibrium.mesh
        self.stations = np.concatenate([mesh.dropper_bottom, mesh.support_contact])
        self.at = np.array([self._dof(node, Z) for node in self.stations])
        self.contact = [bay for bay in self.bays if bay.contact]
        self.springs, self.held, self.dashpots, self.masses = self._points()

    def _dof(self, node, component):
        # a stitch wire ends on its clamp, with a slope of its own
        key = int(self.eq.mesh.dof[node, component])
        return self.numbers.setdefault(key, len(self.numbers))

    def _bay(self, b):
        eq, mesh = self.eq, self.eq.mesh
        low, high = mesh.group_elems[b]
        elems = np.arange(low, high + 1)
        nodes, l0 = mesh.elem_nodes[elems], eq.elem_l0[elems]
        names = ("axial_stiffness", "bending_stiffness", "mass_per_length")
        EA, EI, rho = (float(wire_property(self.spec, mesh, name)[low]) for name in names)
        x, z = eq.q[nodes, X] + mesh.elem_shift[elems], eq.q[nodes, Z]
        along = np.stack([x[:, 0], eq.q[nodes[:, 0], DX], x[:, 1], eq.q[nodes[:, 1], DX]], axis=1)
        up = np.stack([z[:, 0], eq.q[nodes[:, 0], DZ], z[:, 1], eq.q[nodes[:, 1], DZ]], axis=1)
        square = sum(np.einsum("ea,eab,eb->", c, slope_products(l0)[0], c) for c in (along, up)) / l0.sum()
        length, unstretched = x[-1, 1] - x[0, 0], l0.sum()
        tension, mass = 0.5 * EA * (square - 1.0) * length / unstretched, rho * unstretched / length
        bend, layer = GRAVITY * mass / tension, np.sqrt(EI / tension)
        slopes = up[[0, -1], [1, 3]] * unstretched / length
        chord = (z[-1, 1] - z[0, 0] - layer * slopes.sum()) / (length - 2.0 * layer)
        first, last = chord - 0.5 * bend * length, chord + 0.5 * bend * length
        layers = (slopes[0] - first, slopes[1] - last)
        if self.spec.tension_in_motion == "constant":
            first = last = bend = 0.0
            layers = (0.0, 0.0)
        a, c = nodes[0, 0], nodes[-1, 1]
        dofs = tuple(self._dof(*end) for end in ((a, Z), (a, DZ), (c, Z), (c, DZ), (a, X), (c, X)))
        over = bool(mesh.elem_shift[high, 1] - mesh.elem_shift[high, 0] > 0.5 * self.spec.period)
        return Bay(
            bool(mesh.group_wire[b] == CONTACT), x[0, 0], length, unstretched, tension, mass, EA, EI, first, last, bend,
            layers, dofs, over,
        )  # fmt: skip

    def _points(self):
        """Springs with the line's damping, the supports' springs and dashpots, and masses, (dof, dof) each."""
        spec, eq, mesh, n = self.spec, self.eq, self.eq.mesh, len(self.numbers)
        springs, held, dashpots, masses = (np.zeros((n, n)) for _ in range(4))
        drops, half = spec.droppers, 0.5 * spec.droppers.mass_per_length * eq.dropper_length
        for d, (low, high) in enumerate(zip(mesh.dropper_bottom, mesh.dropper_top, strict=True)):
            for c, k in ((Z, drops.stiffness), (X, eq.dropper_force[d] / eq.dropper_length[d])):
                ends = [self._dof(low, c), self._dof(high, c)]
                springs[np.ix_(ends, ends)] += k * np.array([[1.0, -1.0], [-1.0, 1.0]])
                masses[ends, ends] += half[d] + [drops.clamp_mass_contact_wire, drops.clamp_mass_messenger_wire]
        for node in mesh.support_contact:
            springs[self._dof(node, Z), self._dof(node, Z)] += spec.support.steady_arm_stiffness
            for c in (X, Z):
                masses[self._dof(node, c), self._dof(node, c)] += spec.support.steady_arm_mass / 3.0
        for node in mesh.support_messenger:
            held[self._dof(node, Z), self._dof(node, Z)] += spec.support.messenger_stiffness
            dashpots[self._dof(node, Z), self._dof(node, Z)] += spec.support.messenger_damping
        for node in mesh.clamp_messenger:
            for c in (X, Z):
                masses[self._dof(node, c), self._dof(node, c)] += spec.stitch.clamp_mass
        for bay in self.bays:
            ends = list(bay.dofs[4:])
            masses[ends, ends] += 0.5 * bay.mass * bay.length
        return springs, held, dashpots, masses

    def _damping(self, w):
        """Frequency as the step sees it, and the factors of stiffness and mass."""
        W = w if self.step is None else 2.0 / self.step * np.tan(0.5 * w * self.step)
        return W, 1.0 + 1j * W * self.spec.damping.beta, -(W**2) + 1j * W * self.spec.damping.alpha

    def forces_by_waves(self, w):
        """What the line answers to waves on its contact wire at a frequency, (port, port).

        Ports are heights at droppers and supports, then elongations of the contact wire's bays; the answer are forces
        at the ones and, with their sign turned, tensions of the others.
        """
        W, tau, m = self._damping(w)
        phase = np.exp(-1j * w * self.spec.period / self.speed)
        points = tau * self.springs + self.held + 1j * W * self.dashpots + m * self.masses
        D, n, ports = points.copy(), len(self.at), len(self.at) + len(self.contact)
        cause, answer = np.zeros((len(D), ports), complex), np.zeros((ports, len(D)), complex)
        found = np.zeros((ports, ports), complex)
        cause[:, :n], answer[:n] = -points[:, self.at], -points[self.at]
        found[:n, :n] = -points[np.ix_(self.at, self.at)]
        port = n
        for bay in self.bays:
            block = np.zeros((6, 6), complex)
            block[:4, :4], stretch, own = bay.answer(tau, m)
            stretch = np.concatenate([stretch, [-1.0, 1.0]])
            tension = tau / (bay.unstretched / bay.EA + tau * own)
            block += tension * np.outer(stretch, stretch)
            turn = np.where(np.array([0, 0, 1, 1, 0, 1], bool) & bay.over, phase, 1.0)
            dofs = np.array(bay.dofs)
            np.add.at(D, (dofs[:, None], dofs), block * turn / turn[:, None])
            if bay.contact:
                cause[dofs, port], answer[port, dofs] = -tension * stretch / turn, -tension * stretch * turn
                found[port, port] = -tension
                port += 1
        return found + answer @ np.linalg.solve(D, cause)

    def heights_by_forces(self, frequencies, weights, count):
        """Contact height per contact force by harmonics -count to count, (harmonic, harmonic) [m/N].

        The integral over frequencies w > 0 of a quadrature [rad/s].
        """
        wire, L, v = self.contact[0], self.spec.period, self.speed
        steady = 2.0 * np.pi * v / L * np.arange(-count, count + 1)
        x = self.eq.q[self.stations, X]
        total = np.zeros((len(steady), len(steady)), complex)
        for w, weight in zip(frequencies, weights, strict=True):
            (_, tau, m), q = self._damping(w), (w - steady) / v
            free = 1.0 / (wire.EI * tau * q**4 + wire.tension * tau * q**2 + wire.mass * m)
            waves, turned = (
                np.concatenate([np.exp(-1j * s * np.outer(x, q)), [bay.stretch_by_wave(s * q) for bay in self.contact]])
                for s in (1, -1)
            )  # fmt: skip
            scattered = free[:, None] * (turned.T @ self.forces_by_waves(w) @ waves) * free
            total += weight / (2.0 * np.pi * v) * (np.diag(free) + scattered / L)
        return total + total[::-1, ::-1].conj()
