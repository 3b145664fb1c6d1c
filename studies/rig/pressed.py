"""A pantograph on the emulated rig, pressed so that its mean force is the one wanted."""

from __future__ import annotations

from dynamics.loop.device import LumpedDevice, lumped_device
from dynamics.loop.model import PeriodicModel
from dynamics.loop.spec import LoopSettings
from dynamics.loop.steady import solve_steady
from dynamics.mean_force import reference_mean_force
from dynamics.spec import PantographSpec

__all__ = ["pressed_pantograph"]

MEAN_TOLERANCE_N, MEAN_STEPS = 0.05, 8


def pressed_pantograph(
    model: PeriodicModel,
    pantograph: PantographSpec,
    press: tuple[float, float, float | None],
    loop: LoopSettings,
) -> LumpedDevice:
    """Pantograph with the applied force given, or with that which gives the reference mean force in the steady state.

    ``press`` is (contact stiffness [N/m], damping ratio [-], applied force [N] or None). The mean rises with the
    applied force by the share that the springs to the base leave, which is measured from step to step.
    """
    stiffness, ratio, given = press

    def pressed(force: float) -> LumpedDevice:
        return lumped_device(pantograph, force, stiffness, model.dt, ratio)

    if given is not None:
        return pressed(given)
    target = reference_mean_force(3.6 * model.speed, "ac")
    force, gain, last = target, 1.0, (0.0, 0.0)
    for k in range(MEAN_STEPS):
        mean = float(solve_steady(model, pressed(force), loop).contact_force.mean())
        if abs(target - mean) < MEAN_TOLERANCE_N:
            break
        if k and force != last[0] and mean != last[1]:
            gain = max(0.05, (mean - last[1]) / (force - last[0]))
        last = (force, mean)
        force += (target - mean) / gain
    return pressed(force)
