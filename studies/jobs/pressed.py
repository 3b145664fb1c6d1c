"""A pantograph on the emulated rig, pressed as asked for, or so that its mean force is the one wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec
from dynamics.spec.case import PantographSpec
from dynamics.spec.mean_force import reference_mean_force

if TYPE_CHECKING:
    from dynamics.rig.loop.device import LumpedDevice
    from dynamics.rig.loop.model import PeriodicModel
    from dynamics.rig.loop.spec import LoopSettings

__all__ = ["ForceSpec", "Press", "PressedSpec", "pressed_pantograph"]

MEAN_TOLERANCE_N, MEAN_STEPS = 0.05, 8
Force = Annotated[float, Field(ge=10.0, le=600.0)]


class ForceSpec(Spec):
    """Force that presses a pantograph on the rig."""

    applied_force_N: Force | None = Field(
        default=None,
        description="force on the pantograph's lowest mass [N]; without it and mean_force_N as the bundle was made for",
    )
    mean_force_N: Force | None = Field(
        default=None, description="mean contact force that the applied force is solved for, instead of giving it [N]"
    )

    @model_validator(mode="after")
    def _one_force(self) -> Self:
        if self.applied_force_N is not None and self.mean_force_N is not None:
            raise ValueError(
                f"mean_force_N must be left out where applied_force_N is given: got {self.mean_force_N:g} and "
                f"{self.applied_force_N:g} N"
            )
        return self


class PressedSpec(ForceSpec):
    """A pantograph on the rig and how it is pressed; what is left out is as the bundle was made for."""

    pantograph: PantographSpec | None = Field(
        default=None, description="the pantograph; without it the one that the bundle was made for"
    )


class Press(NamedTuple):
    """Contact stiffness [N/m], damping ratio [-], and applied or mean force [N]; neither: the reference mean force."""

    stiffness: float
    damping_ratio: float
    applied_force_N: float | None
    mean_force_N: float | None


def pressed_pantograph(
    model: PeriodicModel, pantograph: PantographSpec, press: Press, loop: LoopSettings
) -> LumpedDevice:
    """Pantograph with the applied force given, or with that which gives the mean force wanted in the steady state.

    The mean rises with the applied force by the share that the springs to the base leave, which is measured from step
    to step.
    """
    from dynamics.rig.loop.device import lumped_device
    from dynamics.rig.loop.steady import solve_steady

    def pressed(force: float) -> LumpedDevice:
        return lumped_device(pantograph, force, press.stiffness, model.dt, press.damping_ratio)

    if press.applied_force_N is not None:
        return pressed(press.applied_force_N)
    target = press.mean_force_N or reference_mean_force(3.6 * model.speed, "ac")
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
