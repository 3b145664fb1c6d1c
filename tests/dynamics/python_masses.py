"""Three masses in Python as a user's pantograph, and ways for it to go wrong."""

import os
import time

import numpy as np

MASSES = np.array([7.5, 9.0, 6.0])
STIFFNESSES, DAMPINGS = (7000.0, 15500.0, 160.0), (45.0, 0.1, 100.0)
STEPS = 8


def chain(links):
    """Matrix of links from each mass to the next, the last one to the base."""
    found = np.diag(links).astype(float)
    for k, link in enumerate(links[:-1]):
        found[k + 1, k + 1] += link
        found[k, k + 1] = found[k + 1, k] = -link
    return found


class Masses:
    """The masses of the 2015 benchmark, stepped by the midpoint rule."""

    def __init__(self, applied_force, offset=0.0, fails_at=np.inf, hangs_at=np.inf, crashes_at=np.inf, blind_at=np.inf):
        self.load = np.array([0.0, 0.0, applied_force])
        self.z, self.v, self.time, self.offset = np.zeros(3), np.zeros(3), 0.0, offset
        self.ends = fails_at, hangs_at, crashes_at, blind_at
        self.head = (offset, 0.0)

    def acceleration(self, z, v, force):
        """Of all masses."""
        pressed = np.array([force, 0.0, 0.0])
        return (self.load - pressed - chain(STIFFNESSES) @ z - chain(DAMPINGS) @ v) / MASSES

    def step(self, force, dt):
        """Advance under a held force, or go wrong."""
        fails, hangs, crashes, blind = (self.time >= at for at in self.ends)
        if fails:
            raise RuntimeError("the spring broke")
        if hangs:
            time.sleep(60.0)
        if crashes:
            os.abort()
        h = dt / STEPS
        for _ in range(STEPS):
            a = self.acceleration(self.z, self.v, force)
            half = self.z + 0.5 * h * self.v, self.v + 0.5 * h * a
            self.z, self.v = self.z + h * half[1], self.v + h * self.acceleration(*half, force)
        self.time += dt
        self.head = "up" if blind else (self.z[0] + self.offset, self.v[0])


class Upwards(Masses):
    """One that force lifts."""

    def step(self, force, dt):
        """Take the force the wrong way."""
        super().step(-force, dt)
