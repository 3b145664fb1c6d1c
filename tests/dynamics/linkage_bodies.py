"""Second formulation of an articulated pantograph: three rigid bodies in the plane with constraints and multipliers.

Coordinates (x, z, phi) of lower arm, upper arm with the apex's mass, and rod; then the head's height. Joints are
constraints on points of the bodies; accelerations follow with their multipliers from one linear system. Nothing here
knows that the linkage has one degree of freedom.
"""

import numpy as np
from scipy.optimize import fsolve

from dynamics.open_line.build import build_pantographs
from dynamics.open_line.forces import pantograph_residual
from dynamics.open_line.system import Contacts
from dynamics.pantograph.articulated import linkage

GRAVITY = 9.81


def turned(angle, along, across=0.0):
    return np.array([along * np.cos(angle) - across * np.sin(angle), along * np.sin(angle) + across * np.cos(angle)])


def guessed(spec, height):
    """Coordinates near those of the bodies with the apex at a height, but for the head's."""
    angle = np.interp(height, (at := linkage(spec, np.linspace(0.2, 0.8, 4000))).apex[1], at.angle)
    here = linkage(spec, np.linspace(angle - 1e-3, angle + 1e-3, 3))
    whole = spec.upper_arm.mass + spec.apex_mass
    along = (spec.upper_arm.mass * spec.upper_arm.centre + spec.apex_mass * spec.upper_arm.length) / whole
    knee = here.centres[0][:, 1] * spec.lower_arm.length / spec.lower_arm.centre
    upper = here.turns[1][1]
    guess = [*here.centres[0][:, 1], np.pi - angle, *(knee + along * np.array([np.cos(upper), np.sin(upper)])), upper]
    return [*guess, *here.centres[2][:, 1], here.turns[2][1]]


class Bodies:
    """Bodies of an articulated pantograph with one mass as its head, lifted by a torque on the lower arm."""

    def __init__(self, spec, applied):
        self.spec, up, low = spec, spec.upper_arm, spec.lower_arm
        whole = up.mass + spec.apex_mass
        centre = (up.mass * up.centre + spec.apex_mass * up.length) / whole
        inertia = up.inertia + up.mass * (up.centre - centre) ** 2 + spec.apex_mass * (up.length - centre) ** 2
        masses = [low.mass] * 2 + [low.inertia] + [whole] * 2 + [inertia]
        masses += [spec.rod_mass] * 2 + [spec.rod_mass * spec.rod_length**2 / 12.0] + [spec.head.masses[0]]
        self.mass, self.base = np.diag(masses), np.array([spec.rod_joint_x, spec.rod_joint_z])
        heel = np.pi + np.deg2rad(spec.heel_angle_deg)
        heel_point = turned(heel, spec.heel_length) - [centre, 0.0]
        # (body, point on it), paired with another point or a place on the base
        self.joints = [
            ((0, np.array([-low.centre, 0.0])), np.zeros(2)),
            ((0, np.array([low.length - low.centre, 0.0])), (1, np.array([-centre, 0.0]))),
            ((2, np.array([-0.5 * spec.rod_length, 0.0])), self.base),
            ((2, np.array([0.5 * spec.rod_length, 0.0])), (1, heel_point)),
        ]
        self.apex_point = np.array([up.length - centre, 0.0])
        self.lifting = 0.0
        self.applied = applied

    def point(self, q, body, s):
        x, z, phi = q[3 * body : 3 * body + 3]
        return np.array([x, z]) + turned(phi, *s)

    def rows(self, q, v, body, s):
        """Rows of the Jacobian of a point, and its acceleration by rotation alone."""
        phi, rate = q[3 * body + 2], v[3 * body + 2]
        J, arm = np.zeros((2, 10)), turned(phi, *s)
        J[:, 3 * body : 3 * body + 2] = np.eye(2)
        J[:, 3 * body + 2] = [-arm[1], arm[0]]
        return J, -(rate**2) * arm

    def gaps(self, q):
        return np.concatenate(
            [
                self.point(q, *one) - (self.point(q, *other) if isinstance(other, tuple) else other)
                for one, other in self.joints
            ]
        )

    def apex(self, q):
        return self.point(q, 1, self.apex_point)

    def constraints(self, q, v):
        parts = []
        for one, other in self.joints:
            J, a = self.rows(q, v, *one)
            if isinstance(other, tuple):
                K, b = self.rows(q, v, *other)
                J, a = J - K, a - b
            parts.append((J, a))
        return np.vstack([J for J, _ in parts]), np.concatenate([a for _, a in parts])

    def assembled(self, height, guess):
        """Coordinates with the apex at a height over the lower arm's joint, the head at rest over it; unmoved."""

        def closed(x):
            return np.concatenate([self.gaps(np.append(x, 0.0)), [self.apex(np.append(x, 0.0))[1] - height]])

        found, _, _, why = fsolve(closed, guess, full_output=True, xtol=1e-13)
        assert np.abs(closed(found)).max() < 1e-11, why
        return np.append(found, height - self.spec.working_height)

    def forces(self, q, v, pressed):
        spec = self.spec
        f = np.zeros(10)
        f[[1, 4, 7]] = -GRAVITY * np.diag(self.mass)[[1, 4, 7]]
        f[2] -= self.lifting - spec.damping * -v[2]  # the lower arm rises where its angle falls from pi
        J, _ = self.rows(q, v, 1, self.apex_point)
        apex, rate = self.apex(q)[1] - spec.working_height, (J @ v)[1]
        spring = spec.head.stiffnesses[0] * (q[9] - apex) + spec.head.dampings[0] * (v[9] - rate)
        f += J[1] * (spring - GRAVITY * spec.head.masses[0])  # the head's weight is carried through its spring's rest
        f[9] = -spring - pressed
        return f

    def balance(self, q):
        """Set the torque that carries all weights and the applied force at a place."""
        J, _ = self.constraints(q, np.zeros(10))
        f = self.forces(q, np.zeros(10), 0.0)
        Ja, _ = self.rows(q, np.zeros(10), 1, self.apex_point)
        # multipliers and torque with no acceleration: J' lam - torque e_2 + f + F e_apex = 0 among the arms
        e = np.zeros(10)
        e[2] = 1.0
        A = np.column_stack([J.T, -e])[:9]
        found = np.linalg.lstsq(A, -f[:9], rcond=None)[0]
        unit = np.linalg.lstsq(A, -Ja[1][:9], rcond=None)[0]  # torque that carries a unit load downwards is -unit
        self.lifting = found[-1] - self.applied * unit[-1]

    def accelerations(self, q, v, pressed):
        J, turning = self.constraints(q, v)
        n = len(J)
        A = np.block([[self.mass, J.T], [J, np.zeros((n, n))]])
        return np.linalg.solve(A, np.concatenate([self.forces(q, v, pressed), -turning]))[:10]

    def joint_forces(self, q, v, pressed):
        """Force in each joint (joint, 2) on the body beyond it, from the multipliers."""
        J, turning = self.constraints(q, v)
        n = len(J)
        A = np.block([[self.mass, J.T], [J, np.zeros((n, n))]])
        found = np.linalg.solve(A, np.concatenate([self.forces(q, v, pressed), -turning]))[10:].reshape(4, 2)
        # a multiplier pushes the first body of a joint by its negative; at knee and heel the other one is beyond
        return found * np.array([[-1.0], [1.0], [-1.0], [1.0]])


def stepped(case, z, pressed, dt, steps):
    """Head and apex (step, 2) of a pantograph free of a line under forces on its head, by classical Runge-Kutta."""
    panto = build_pantographs(case, 0.0)
    mass, out, found = np.asarray(panto.mass), np.zeros(len(panto.mass)), np.zeros((steps + 1, 2))
    contacts = Contacts(*np.zeros((6, 1)))

    def rate(t, y):
        z, v = y.reshape(2, 1, -1)
        contacts.load[0] = pressed(t)
        pantograph_residual(panto, 0, 0.0, (z.copy(), v.copy()), (contacts, 0.0), out)
        return np.concatenate([v[0], out / mass])

    y = np.concatenate([z, np.zeros(2)])
    found[0] = y[:2]
    for k in range(steps):
        t = k * dt
        a = rate(t, y)
        b = rate(t + dt / 2, y + dt / 2 * a)
        c = rate(t + dt / 2, y + dt / 2 * b)
        d = rate(t + dt, y + dt * c)
        y = y + dt / 6 * (a + 2 * b + 2 * c + d)
        found[k + 1] = y[:2]
    return found
