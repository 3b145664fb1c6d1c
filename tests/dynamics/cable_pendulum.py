"""A cable that hangs from a pin and swings, in the program's march with large deformation; its energy by quadrature.

Of the program are the element and its mass, the march and its integrators. Pin, weight and energy are made here.
Legend: s distance from the pin along the cable unstretched; q coordinates (elem, 12) in the element's order.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.special import j1

from catenary.elements.ancf_cable import cable_forces, cable_mass
from dynamics.linear_algebra.sparse_rows import fixed_rows, sparse_rows
from dynamics.open_line.integrators import INTEGRATORS, Matrices, make_work, start_accelerations
from dynamics.open_line.march import Record, march
from dynamics.open_line.system import Arms, Springs, State, Wires

GRAVITY = 9.81
FIRST_ROOT = 2.404825557695773  # of the Bessel function J0
BESIDE = -1.0e6  # m: a pantograph there never meets the wire


class Pendulum:
    """Cable of equal elements that hangs at rest straight down from its pin at the origin."""

    def __init__(self, length, elements, EA, EI, rho):
        self.length, self.rho = length, rho
        self.l0, self.EA, self.EI, weight = (np.full(elements, x) for x in (length / elements, EA, EI, rho * GRAVITY))
        nodes = np.stack([np.arange(elements), np.arange(1, elements + 1)], axis=1)
        dof = 6 * nodes[:, :, None] + np.arange(6)
        free = np.tile([True, False, True, True, False, True], elements + 1)  # in the plane
        free[:3] = False
        number = np.full(free.size, -1)
        number[free] = np.arange(free.sum())
        self.n, self.dof = int(free.sum()), number[dof.reshape(-1, 12)]
        s = np.linspace(0.0, length, elements + 1)
        whole = np.zeros((elements + 1, 6))
        whole[:, 2] = -s - rho * GRAVITY * (length * s - 0.5 * s**2) / EA
        whole[:, 5] = -1.0 - rho * GRAVITY * (length - s) / EA
        self.free, self.nodes = free, nodes
        for _ in range(20):  # the element's strain is Green's: a little off
            force, tangent, _ = cable_forces(whole[nodes], self.l0, self.EA, self.EI, weight)
            step = np.linalg.solve(self.matrix(tangent).toarray(), -self.vector(force))
            whole.reshape(-1)[free] += step
        assert np.abs(step).max() < 1e-12
        self.rest = whole
        self.mass, self.stiffness = self.matrix(cable_mass(self.l0, np.full(elements, rho))), self.matrix(tangent)
        self.pull = cable_forces(whole[nodes], self.l0, self.EA, self.EI, np.zeros(elements))[0]

    def vector(self, values):
        """Sum over elements of values (elem, 12), by free dof."""
        kept = self.dof >= 0
        return np.bincount(self.dof[kept], weights=values[kept], minlength=self.n)

    def matrix(self, blocks):
        """Sum over elements of blocks (elem, 12, 12), by free dof."""
        rows, cols = np.repeat(self.dof, 12, axis=1).ravel(), np.tile(self.dof, (1, 12)).ravel()
        kept = (rows >= 0) & (cols >= 0)
        return csr_array(coo_array((blocks.ravel()[kept], (rows[kept], cols[kept])), shape=(self.n, self.n)))

    def energy(self, u, v):
        """Kinetic, elastic and potential energy [J] above that at rest."""
        return 0.5 * v @ (self.mass @ v) + self.elastic(u) - self.elastic(0.0 * u) - self.vector(self.pull) @ u

    def elastic(self, u):
        """Energy [J] of stretch and curvature: five points of Gauss, exact for these polynomials."""
        whole = self.rest.copy()
        whole.reshape(-1)[self.free] += u
        q = whole[self.nodes]
        point, weight = np.polynomial.legendre.leggauss(5)
        xi, l0 = 0.5 * (point + 1.0), self.l0[0]
        one = np.ones_like(xi)
        slope = np.stack([6 * xi * (xi - 1) / l0, 1 + xi * (3 * xi - 4), 6 * xi * (1 - xi) / l0, xi * (3 * xi - 2)])
        bend = np.stack([(12 * xi - 6) / l0**2, (6 * xi - 4) / l0, (6 * one - 12 * xi) / l0**2, (6 * xi - 2) / l0])
        by_shape = np.stack([q[:, 0, :3], q[:, 0, 3:], q[:, 1, :3], q[:, 1, 3:]], axis=1)
        r1, r2 = (np.einsum("ag,eac->egc", shapes, by_shape) for shapes in (slope, bend))
        strain = 0.5 * ((r1**2).sum(axis=2) - 1.0)
        density = 0.5 * self.EA[0] * strain**2 + 0.5 * self.EI[0] * (r2**2).sum(axis=2)
        return float((density * weight).sum() * 0.5 * l0)

    def turned(self, angle):
        """Displacements of the cable turned about its pin as it is."""
        turn = np.array([[np.cos(angle), 0.0, -np.sin(angle)], [0.0, 1.0, 0.0], [np.sin(angle), 0.0, np.cos(angle)]])
        moved = (self.rest.reshape(-1, 3) @ turn.T).reshape(-1, 6) - self.rest
        return moved.reshape(-1)[self.free]

    def first_mode(self, size):
        """Displacements in the first mode of a chain, J0(j sqrt(1 - s / L)), ``size`` [m] at its end."""
        from scipy.special import j0

        root = np.sqrt(np.maximum(1.0 - np.linspace(0.0, 1.0, len(self.rest)), 1e-12))
        moved = np.zeros_like(self.rest)
        moved[:, 0] = size * j0(FIRST_ROOT * root)
        moved[:, 3] = size * FIRST_ROOT / (2.0 * self.length) * j1(FIRST_ROOT * root) / root
        return moved.reshape(-1)[self.free]

    @property
    def period(self):
        """Of small swings of a chain that neither stretches nor resists bending [s]: 4 pi / j sqrt(L / g)."""
        return 4.0 * np.pi / FIRST_ROOT * np.sqrt(self.length / GRAVITY)

    def system(self, of_line):
        """The system of another line with this cable in the place of all its wires."""
        none = sparse_rows(csr_array((self.n, self.n)))
        ends = np.zeros((0, 6), dtype=np.int64)
        rest, straight = self.rest[self.nodes].reshape(-1, 12).copy(), np.zeros((len(self.l0), 8))
        wires = Wires(self.dof, rest, self.l0, self.EA, self.EI, self.pull.copy(), straight)
        panto = of_line.pantographs
        return of_line._replace(
            nonlinear=True, mass=fixed_rows(self.mass), alpha=0.0, beta=0.0, damping=none,
            damping_rows=np.zeros(0, dtype=np.int64), stiffness=sparse_rows(self.stiffness.copy()), wires=wires,
            droppers=of_line.droppers._replace(
                dof=ends, rest=np.zeros((0, 3)), weight=np.zeros((0, 6)), force=np.zeros(0), cut=np.zeros(0),
                slack=np.zeros(0, dtype=np.bool_),
            ),
            arms=Arms(np.zeros((0, 3), dtype=np.int64), np.zeros((0, 3)), np.zeros(0), 0.0),
            springs=Springs(np.zeros(0, dtype=np.int64), np.zeros(0)),
            pantographs=panto._replace(start=np.full_like(panto.start, BESIDE), speed=0.0),
        )  # fmt: skip

    def swing(self, of_line, u, request, steps, integrator):
        """Displacements and velocities (time, dof) of a swing from a shape at rest."""
        system, panto = self.system(of_line), of_line.pantographs
        none = np.zeros((0, 4), dtype=np.int64)
        matrices = Matrices(
            self.mass, csr_array(1e-9 * self.stiffness), self.stiffness, np.asarray(panto.mass), panto.damping,
            panto.stiffness, of_line.law.stiffness, none, np.zeros((0, 4)),
        )  # fmt: skip
        count, masses = len(panto.start), len(panto.mass)
        scheme = INTEGRATORS[integrator].init(matrices, request)
        line, heads = [np.zeros(self.n) for _ in range(3)], [np.zeros((count, masses)) for _ in range(3)]
        line[0][:] = u
        state = State(*line, *heads, np.zeros(count), np.zeros(count))
        work = make_work(self.n, count, masses)
        start_accelerations(system, state, self.mass, work)
        record = Record(
            *np.zeros((3, steps, count)), np.zeros((steps, 3, count, masses)), np.zeros((steps, 2, count)),
            np.zeros((steps, 0)), np.zeros((steps, 3, self.n)), np.arange(self.n), np.zeros((0, self.n)), 0,
            np.zeros(steps, dtype=np.int64), False, np.zeros((steps, 0)),
        )  # fmt: skip
        done, *_ = march(system, state, scheme, work, record, 0)
        assert done == steps
        return record.points[:, 0], record.points[:, 1]
