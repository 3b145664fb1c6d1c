"""The device under test behind one small interface, position in and force out, and what stands in for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dynamics.pantograph.lumped import pantograph_matrices
from dynamics.rig.loop.device_kernel import DeviceConstants, DeviceState, device_force
from dynamics.spec.case import PantographSpec

__all__ = ["Device", "LumpedDevice", "lumped_device", "mass_device"]

MOUNT_DAMPING = 0.02  # of critical: a bolted joint


class Device(Protocol):
    """Whatever stands on the rig: a model, or a remote device."""

    def start(self, height: float) -> None:
        """Come to rest at a height [m] of the contact point."""
        ...

    def force(self, height: float) -> float:
        """Move to the next step's height [m]; force with which it presses upwards [N]."""
        ...


@dataclass
class LumpedDevice:
    """Lumped masses on springs behind a contact spring, stepped as the line is (Newmark 1/4-1/2).

    Attributes
    ----------
    spec : PantographSpec
        Masses, springs and dampers, head first.
    applied_force : float
        On the lowest mass [N].
    contact_stiffness, contact_damping : float
        Between head and imposed height [N/m], [N s/m].
    dt : float
        Step [s].
    unilateral : bool
        Whether contact can be lost; a mass that is bolted on keeps it.
    """

    spec: PantographSpec
    applied_force: float
    contact_stiffness: float
    dt: float
    contact_damping: float = 0.0
    unilateral: bool = True
    constants: DeviceConstants = field(init=False, repr=False)
    state: DeviceState = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Factor the step's matrix once."""
        mass, C, K = pantograph_matrices(self.spec)
        G = np.asarray(np.linalg.inv(np.diag(mass) + 0.5 * self.dt * C + 0.25 * self.dt**2 * K), dtype=np.float64)
        contact = (self.contact_stiffness, self.contact_damping, self.unilateral)
        self.constants = DeviceConstants(mass, C, K, G, self.applied_force, *contact, self.dt)
        self.state = DeviceState(np.zeros(len(mass)), np.zeros(len(mass)), np.zeros(2))
        self.start(0.0)

    def start(self, height: float) -> None:
        """Rest in static equilibrium with the contact point held at a height [m]."""
        mass, _, K = pantograph_matrices(self.spec)
        stiffness, load = K.copy(), np.zeros(len(mass))
        stiffness[0, 0] += self.contact_stiffness
        load[-1] += self.applied_force
        load[0] += self.contact_stiffness * height
        y, v, past = self.state
        y[:] = np.linalg.solve(stiffness, load)
        v[:] = 0.0
        past[:] = self.contact_stiffness * (y[0] - height), height

    def force(self, height: float) -> float:
        """Move to the next step's height [m]; force with which it presses upwards [N]."""
        return float(device_force(height, self.constants, self.state))

    def transfer(self, theta: NDArray[np.float64]) -> NDArray[np.complex128]:
        """Force per imposed height while in contact at the angles theta = omega dt, (theta,) [N/m]."""
        mass, C, K = pantograph_matrices(self.spec)
        out = np.empty(len(theta), np.complex128)
        for i, angle in enumerate(theta):
            if angle > np.pi - 1e-9:  # the masses stand still at the highest frequency
                out[i] = -self.contact_stiffness - 2.0 * self.contact_damping / self.dt
                continue
            s = 2.0j / self.dt * np.tan(0.5 * angle)
            spring = self.contact_stiffness + self.contact_damping * s
            imposed = self.contact_stiffness + self.contact_damping * (1.0 - np.exp(-1j * angle)) / self.dt
            dynamic = s * s * np.diag(mass) + s * C + K
            dynamic[0, 0] += spring
            y = np.linalg.solve(dynamic, np.eye(len(mass))[:, 0])
            out[i] = imposed * (spring * y[0] - 1.0)
        return out

    @property
    def static_force(self) -> float:
        """Force on a contact point at rest at height zero [N]."""
        mass, _, K = pantograph_matrices(self.spec)
        stiffness = K.copy()
        stiffness[0, 0] += self.contact_stiffness
        return float(
            self.contact_stiffness * np.linalg.solve(stiffness, np.eye(len(mass))[:, -1])[0] * self.applied_force
        )

    @property
    def head_frequency(self) -> float:
        """Natural frequency of the head on its contact, the other masses held [Hz] (Gil et al., section 4)."""
        stiffness = self.contact_stiffness + self.spec.stiffnesses[0]
        return float(np.sqrt(stiffness / self.spec.masses[0]) / (2.0 * np.pi))


def lumped_device(
    spec: PantographSpec, applied_force: float, contact_stiffness: float, dt: float, damping_ratio: float = 0.0
) -> LumpedDevice:
    """Pantograph pressing on the actuator through its contact spring; contact can be lost.

    ``damping_ratio`` is that of the head on its contact spring, of critical [-].
    """
    damping = 2.0 * damping_ratio * float(np.sqrt(contact_stiffness * spec.masses[0]))
    return LumpedDevice(spec, applied_force, contact_stiffness, dt, damping)


def mass_device(mass: float, contact_stiffness: float, dt: float, damping_ratio: float = MOUNT_DAMPING) -> LumpedDevice:
    """Mass [kg] bolted to the actuator (Gil et al., section 5.1): contact both ways, no weight, a joint that damps.

    The mean force is zero: what the mass returns is its inertia alone.
    """
    spec = PantographSpec(name="mass", masses=(mass,), stiffnesses=(0.0,), dampings=(0.0,))
    damping = 2.0 * damping_ratio * float(np.sqrt(contact_stiffness * mass))
    return LumpedDevice(spec, 0.0, contact_stiffness, dt, damping, unilateral=False)
