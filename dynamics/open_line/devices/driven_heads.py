"""Heads of pantographs that are stepped from outside, each in a process of its own, on a line that is marched.

The head is predicted with the mean force of the device's last step, the contact is solved for in its own step, and the
device is handed the mean of the contact forces at the step's two ends. With F the mean force that was handed over last,
a its acceleration, and g what a force held over a step has moved the head by at the step's end,

    z_n+1 = z_n + dt v_n + dt^2 / 2 a + g (F - (lam_n + lam_n+1) / 2).

The device takes one step a step and is never set back. a is extrapolated from the mean accelerations of the last two
steps, from which the change of force between them is taken out first.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Self

import numpy as np

from dynamics.open_line.build import WholeLine
from dynamics.open_line.contact import contacts_of_head, on_head
from dynamics.open_line.integrators.compiled import begin
from dynamics.open_line.integrators.registry import Scheme
from dynamics.open_line.integrators.scheme import ImplicitScheme, Work
from dynamics.open_line.march import Record, march_step
from dynamics.open_line.static_start import rest_under, start_at_rest
from dynamics.open_line.system import Floats, Pantographs, State, System
from dynamics.pantograph.fmu.device import FmuDevice
from dynamics.pantograph.stepped.device import Rest, SteppedDevice, measured_yield
from dynamics.pantograph.stepped.python import PythonDevice
from dynamics.spec.case import CaseSpec
from dynamics.spec.pantograph import PantographSpec

__all__ = ["DrivenHeads"]


class DrivenHeads:
    """Devices under a line, one for each pantograph; a context that ends them.

    Parameters
    ----------
    case : CaseSpec
    line : WholeLine
    pantographs : Pantographs
        Where they stand and what presses them.

    Attributes
    ----------
    pantographs : Pantographs
        The same, the mass of the head being that which its answer to a force shows [kg].

    Raises
    ------
    DeviceError
        If a device cannot be used, fails, or does not answer in time.
    """

    def __init__(self, case: CaseSpec, line: WholeLine, pantographs: Pantographs) -> None:
        self._line, self._dt = line, case.time_step
        rests = [Rest(*found) for found in rest_under(case, line, pantographs)]
        self._ended = ExitStack()
        try:
            self._devices = [
                self._ended.enter_context(_started(case.pantograph, float(f))) for f in pantographs.applied
            ]
            self._yield, leading = measured_yield(self._devices[0], rests[0], self._dt)
            trailing = zip(self._devices[1:], rests[1:], strict=True)
            at_rest = [leading, *(device.settle(rest, self._dt) for device, rest in trailing)]
        except BaseException:
            self._ended.close()
            raise
        self._handed = np.array(at_rest)  # mean force of the last step, by pantograph [N]
        self._acceleration = np.zeros(len(at_rest))  # mean of the last step [m/s2]
        self._ahead = np.zeros(len(at_rest))  # that of the next one, as long as the same force is held [m/s2]
        self.mass = self._dt**2 / (2.0 * self._yield)
        self.pantographs = pantographs._replace(mass=np.array([self.mass]))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.close()

    def start(self) -> State:
        """Line at rest under heads that have come to rest."""
        heights = np.array([device.head.height for device in self._devices])
        return start_at_rest(self._line, self.pantographs, self._handed, heights)

    def march(
        self, system: System, state: State, scheme: Scheme, work: Work, record: Record, first: int
    ) -> tuple[int, float, int]:
        """March as many steps as the record has rows, as `dynamics.open_line.march.march` does."""
        assert isinstance(scheme, ImplicitScheme)
        scheme = scheme._replace(mass_inverse=np.array([[0.5 * self._yield / scheme.by_stiffness]]))
        begin(system, state, scheme, work)
        residual, count = 0.0, 0
        for k in range(record.force.shape[0]):
            self._place(system, state)
            before = self._forces(system, state)
            count, residual = march_step(system, state, scheme, work, record, (k, first + k))
            if count < 0:
                return k, residual, count
            self._hand_over(0.5 * (before + self._forces(system, state)))
            for p, device in enumerate(self._devices):
                record.masses[k, :, p, 0] = *device.head, self._acceleration[p]
        return record.force.shape[0], residual, count

    def _forces(self, system: System, state: State) -> Floats:
        each = contacts_of_head(system)
        return np.array([on_head(state.force, p, each) for p in range(len(self._devices))])

    def _place(self, system: System, state: State) -> None:
        """Set the heads as the devices have them, and the force that goes with what is predicted of them."""
        for p, device in enumerate(self._devices):
            state.z[p, 0], state.zv[p, 0] = device.head
        state.za[:, 0] = self._ahead
        system.pantographs.held[:] = 2.0 * self._handed - self._forces(system, state)

    def _hand_over(self, mean: Floats) -> None:
        """Advance every device under the step's mean force."""
        for p, device in enumerate(self._devices):
            before = device.head.velocity
            after = device.step(float(mean[p]), self._dt).velocity
            last, self._acceleration[p] = self._acceleration[p], (after - before) / self._dt
            pushed = (mean[p] - self._handed[p]) / self.mass
            self._ahead[p] = 2.0 * self._acceleration[p] - last + pushed
        self._handed = mean


def _started(spec: PantographSpec, applied_force: float) -> SteppedDevice:
    """One pantograph's code in a process of its own."""
    if spec.fmu is not None:
        return FmuDevice(spec.fmu, applied_force)
    assert spec.python is not None
    return PythonDevice(spec.python, applied_force)
