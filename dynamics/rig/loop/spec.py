"""Settings of the hardware loop and of the emulated rig, validated (Gil et al., sections 2, 3 and 5)."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec

__all__ = ["ActuatorSpec", "LoopHabits", "LoopSettings", "RigContactSpec", "RigSettings", "SensorSpec", "Strategy"]

Strategy = Literal["step_by_step", "span_by_span"]


class LoopHabits(Spec):
    """Settings of the loop common to given and recommended ones (Gil et al., section 3)."""

    compensation: bool = Field(
        default=True, description="read the height ahead by the delay (section 3.4); without it by one step"
    )
    dropper_relaxation: Annotated[float, Field(gt=0.0, le=1.0)] = Field(
        default=1.0, description="share of a newly found correction force that enters the model (mu_d) [-]"
    )
    ramp_s: Annotated[float, Field(ge=0.0, le=600.0)] = Field(
        default=40.0, description="time over which the height grows from nothing to full [s]"
    )
    slack: bool = Field(default=True, description="let droppers slacken by correction forces (eqs 11, 12)")
    sweeps: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=30, description="largest number of Gauss-Seidel sweeps over the correction forces of one step"
    )
    added_force_N: Annotated[float, Field(ge=0.0, le=600.0)] = Field(
        default=0.0, description="force added to the measured one before the model takes it (section 5.1) [N]"
    )


class LoopSettings(LoopHabits):
    """Control of the loop, from measured force to the next height (Gil et al., section 3)."""

    strategy: Strategy = Field(
        default="span_by_span",
        description="whether the height follows every step's force (eq. 2) or the forces of whole spans (eq. 3)",
    )
    delay_steps: Annotated[int, Field(ge=1, le=100)] = Field(
        default=8,
        description="steps from the measurement of a force to the height that answers it being reached [steps]",
    )
    height_harmonics: Annotated[int, Field(ge=1, le=5000)] | None = Field(
        default=None, description="harmonics kept of the contact height, the mean included (N_h); without it all"
    )
    dropper_harmonics: Annotated[int, Field(ge=1, le=5000)] | None = Field(
        default=None, description="harmonics kept of the droppers' elongation, the mean included (N_hd); without it all"
    )
    contact_relaxation: Annotated[float, Field(gt=0.0, le=2.0)] = Field(
        default=0.1, description="share of a newly measured force that enters the model (mu_c) [-]"
    )
    largest_force_N: Annotated[float, Field(gt=0.0, le=1.0e5)] = Field(
        default=3000.0, description="a measured force beyond this, either way, stops the loop [N]"
    )
    largest_height_m: Annotated[float, Field(gt=0.0, le=1.0)] = Field(
        default=0.3, description="a height to send beyond this, up or down, stops the loop [m]"
    )


class RigContactSpec(Spec):
    """Head on the contact point, or on the actuator: a linear spring."""

    stiffness: Annotated[float, Field(ge=5.0e3, le=5.0e6)] = Field(
        default=600.0e3, description="contact stiffness [N/m]"
    )


class ActuatorSpec(Spec):
    """The linear motor of Gil et al., section 2, as far as it is emulated; the delay is the loop's."""

    ramp_steps: Annotated[int, Field(ge=1, le=50)] = Field(
        default=1,
        description="steps from reference to reference, between which the motor moves evenly (5 are 10 ms); 1: none",
    )
    resolution_m: Annotated[float, Field(ge=0.0, le=1.0e-2)] = Field(
        default=0.0, description="smallest change of height that the motor knows [m]; 0: none"
    )


class SensorSpec(Spec):
    """Sensor, between the true and the measured force."""

    noise_N: Annotated[float, Field(ge=0.0, le=200.0)] = Field(
        default=0.0, description="standard deviation of white noise on the measured force [N]"
    )
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = Field(default=1, description="seed of the noise")
    resolution_N: Annotated[float, Field(ge=0.0, le=50.0)] = Field(
        default=0.0, description="smallest change of force that the converter knows [N]; 0: none"
    )


class RigSettings(Spec):
    """Loop, actuator and sensor together."""

    loop: LoopSettings = LoopSettings()
    actuator: ActuatorSpec = ActuatorSpec()
    sensor: SensorSpec = SensorSpec()

    @model_validator(mode="after")
    def _ramp_within_delay(self) -> Self:
        if self.actuator.ramp_steps > self.loop.delay_steps:
            raise ValueError(
                f"actuator.ramp_steps must not exceed loop.delay_steps, of which it is a part: got "
                f"{self.actuator.ramp_steps} of {self.loop.delay_steps} steps"
            )
        return self
