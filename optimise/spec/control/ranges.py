"""Validated description of how far an optimiser may change the gains of a pantograph's controller (SI)."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec

__all__ = ["ControlRangesSpec"]

Range = tuple[float, float]


class PidRangesSpec(Spec):
    """Least and largest value of what varies in ``pantograph.control.pid``; what is left out stays as it is."""

    proportional: Range | None = Field(default=None, description="P: force by what is measured [N per unit]")
    integral: Range | None = Field(default=None, description="I: force by its integral [N per unit and s]")
    derivative: Range | None = Field(default=None, description="D: force by its rate [N s per unit]")
    derivative_filter_s: Range | None = Field(default=None, description="time constant of the rate's filter [s]")
    leak_hz: Range | None = Field(default=None, description="frequency below which the integral forgets [Hz]")


class FeedbackRangesSpec(Spec):
    """Least and largest value of what varies in ``pantograph.control.feedback``, from which its gains follow."""

    contact_stiffness: Range | None = Field(default=None, description="of contact and line as supposed [N/m]")
    effort: Range | None = Field(default=None, description="weight of the control force [-]")
    wire_hz: Range | None = Field(default=None, description="frequency of the wire's height as supposed [Hz]")
    wire_m: Range | None = Field(default=None, description="standard deviation of the wire's height as supposed [m]")
    noise: Range | None = Field(default=None, description="noise of the sensor as supposed [unit x s^1/2]")


class ControlRangesSpec(Spec):
    """Gains of ``pantograph.control`` that are design variables, by the names that they have there."""

    pid: PidRangesSpec | None = Field(default=None, description="of a PID controller")
    feedback: FeedbackRangesSpec | None = Field(default=None, description="of state feedback with estimator")

    @property
    def ranges(self) -> dict[str, Range]:
        """Ranges by the path of the gain inside ``pantograph.control``."""
        found: dict[str, Range] = {}
        for law in ("pid", "feedback"):
            block = getattr(self, law)
            given = {} if block is None else {key: getattr(block, key) for key in type(block).model_fields}
            found |= {f"{law}.{key}": value for key, value in given.items() if value is not None}
        return found

    @model_validator(mode="after")
    def _something_may_change(self) -> Self:
        problems = [
            f"{key} must be the least and then a larger value: got {low:g} and {high:g}, give the smaller one first"
            for key, (low, high) in self.ranges.items()
            if low >= high
        ]
        if self.pid is not None and self.feedback is not None:
            problems.append("give ranges to one of pid and feedback, that which the pantograph's controller has")
        elif not self.ranges:
            problems.append("control must give a range to a gain, such as pid.proportional=[0,1]: got none")
        if problems:
            raise ValueError("; ".join(problems))
        return self
