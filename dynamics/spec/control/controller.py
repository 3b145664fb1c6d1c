"""Validated description of a controller on a pantograph and of its actuator (SI units)."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec
from dynamics.spec.control.fmu import FmuControlSpec
from dynamics.spec.control.function import FunctionSpec

__all__ = ["MOST_DELAY", "ActuatorSpec", "ControlSpec", "FeedbackSpec", "PidSpec"]

Gain = Annotated[float, Field(ge=-1.0e6, le=1.0e6)]
MOST_DELAY = 1.0  # s


class PidSpec(Spec):
    """u = P e + I integral(e) + D e', e what is measured below its reference; units are N over those of e.

    Of the force, P has no unit; of the height they are a spring [N/m] and a damper [N s/m] to the track; of the
    acceleration P is an added mass [kg] and I a damper to the track [N s/m].
    """

    proportional: Gain = Field(default=0.0, description="P: force by what is measured [N per unit]")
    integral: Gain = Field(default=0.0, description="I: force by its integral [N per unit and s]")
    derivative: Gain = Field(default=0.0, description="D: force by its rate [N s per unit]")
    derivative_filter_s: Annotated[float, Field(ge=0.0, le=10.0)] = Field(
        default=0.0, description="time constant of the low-pass filter of the rate; 0 for the height alone [s]"
    )
    leak_hz: Annotated[float, Field(ge=0.0, le=100.0)] = Field(
        default=0.0, description="frequency below which the integral forgets; 0: never, for the force alone [Hz]"
    )
    tracking_s: Annotated[float, Field(ge=1.0e-3, le=100.0)] = Field(
        default=0.1, description="time in which the integral follows a saturated actuator (anti-windup) [s]"
    )


class FeedbackSpec(Spec):
    """State feedback with an estimator: least mean of (contact force)^2 + effort x (control force)^2.

    Gains come from the linear pantograph on a contact of the stated stiffness under a wire whose height is a
    first-order noise.
    """

    contact_stiffness: Annotated[float, Field(ge=100.0, le=1.0e7)] = Field(
        default=2000.0, description="stiffness of contact and line in series, as the controller supposes it [N/m]"
    )
    effort: Annotated[float, Field(ge=1.0e-6, le=1.0e6)] = Field(
        default=1.0, description="weight of the control force against that of the contact force [-]"
    )
    wire_hz: Annotated[float, Field(ge=0.01, le=100.0)] = Field(
        default=1.0, description="frequency beyond which the wire's height is supposed to vary less and less [Hz]"
    )
    wire_m: Annotated[float, Field(ge=1.0e-6, le=1.0)] = Field(
        default=0.02, description="standard deviation of the wire's height, as supposed [m]"
    )
    noise: Annotated[float, Field(ge=1.0e-9, le=1.0e4)] = Field(
        default=1.0, description="noise of the sensor, spectral density's root [unit of what is measured x s^1/2]"
    )


class ActuatorSpec(Spec):
    """What lies between command and force: saturation, then delay, then a first-order lag."""

    delay_s: Annotated[float, Field(ge=0.0, le=MOST_DELAY)] = Field(
        default=0.0, description="from measurement to the force that begins to follow [s]"
    )
    lag_s: Annotated[float, Field(ge=0.0, le=10.0)] = Field(default=0.0, description="time constant of its lag [s]")
    limit_N: Annotated[float, Field(gt=0.0, le=1.0e4)] | None = Field(
        default=None, description="largest control force either way [N]; none: without limit"
    )


class ControlSpec(Spec):
    """A controller that adds a force, positive upwards, to the pantograph's applied force."""

    measures: Literal["force", "height", "acceleration"] = Field(
        default="force", description="contact force, height of the head, or its acceleration"
    )
    acts: Literal["base", "head", "suspension"] = Field(
        default="base",
        description="where the applied force acts, on the head, or between head and next mass, or head and arms",
    )
    reference: float | None = Field(
        default=None,
        description="what is wanted of what is measured [N, m, m/s2]; none: the mean force (or the applied one), or 0",
    )
    pid: PidSpec | None = Field(default=None, description="proportional, integral, derivative")
    feedback: FeedbackSpec | None = Field(default=None, description="state feedback with estimator, in place of pid")
    python: FunctionSpec | None = Field(
        default=None,
        exclude_if=lambda value: value is None,  # a controller reads as it did
        description="a function of your own in place of pid, on an open line with run_python=true typed",
    )
    fmu: FmuControlSpec | None = Field(
        default=None,
        exclude_if=lambda value: value is None,
        description="an FMU in place of pid, on an open line with run_fmu=true typed",
    )
    actuator: ActuatorSpec = ActuatorSpec()

    @property
    def in_words(self) -> str:
        """What it acts by, in a few words."""
        return self.measures if self.asked is None else self.asked.in_words

    @property
    def asked(self) -> FunctionSpec | FmuControlSpec | None:
        """Code from outside that gives the force, where no law is built in."""
        return self.python or self.fmu

    @property
    def holds_mean(self) -> bool:
        """Whether the controller itself brings the mean contact force to its reference."""
        own = self.pid
        return self.measures == "force" and own is not None and own.integral != 0.0 and own.leak_hz == 0.0

    @model_validator(mode="after")
    def _one_law(self) -> Self:
        if [self.pid, self.feedback, self.python, self.fmu].count(None) != 3:
            raise ValueError("give exactly one of pid and feedback, or python or fmu alone")
        own, problems = self.pid, []
        if own is not None and self.measures != "height" and own.derivative != 0.0 and own.derivative_filter_s == 0.0:
            problems.append(
                f"pid.derivative_filter_s must be above 0 s where measures={self.measures}, whose rate jumps: got 0 s"
            )
        if own is not None and self.measures != "force" and own.integral != 0.0 and own.leak_hz == 0.0:
            problems.append(
                f"pid.leak_hz must be above 0 Hz where measures={self.measures}: an integral that never forgets "
                "would prescribe a mean height, or drift; got 0 Hz"
            )
        if problems:
            raise ValueError("; ".join(problems))
        return self
