"""Gates of the benchmark of Arnold & Simeon, as validated input; a separate module, so that no kernel loads."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from catenary.spec.components import Spec

__all__ = ["ArnoldSimeonGate", "FrequencyRow", "SpeedCase", "SpringGate"]

Positive = Annotated[float, Field(gt=0.0)]


class FrequencyRow(Spec):
    """One entry of the table of frequencies."""

    method: Literal["finite_elements", "finite_differences"] = Field(description="discretisation in space")
    wire: Literal["carrier", "contact_wire"] = Field(description="carrier or contact wire")
    end: Literal["lowest", "highest"] = Field(description="end of the spectrum")
    printed_Hz: Positive = Field(description="printed frequency [Hz]")
    last_digit_Hz: Positive = Field(description="worth of its last printed digit [Hz]")
    known_miss: str | None = Field(default=None, description="why the last digit is known to differ")


class SpeedCase(Spec):
    """One speed of the benchmark."""

    speed_ms: Positive = Field(description="speed of the pantograph [m/s]")
    head_above_body_m: float = Field(description="height of the head over the body at the start [m]")
    slack_s: float | None = Field(default=None, description="when dropper 2 is slack [s]; none: nothing slackens")
    known_ringing: str | None = Field(
        default=None, description="why whole-run peaks of finite elements with the half-explicit method are missed"
    )


class SpringGate(Spec):
    """The same line in the main code with stiff springs, against the constraint forces."""

    intervals: Annotated[int, Field(ge=100, le=1000)] = Field(description="intervals of the grid")
    step_s: Positive = Field(description="time step [s]")
    stiffnesses: tuple[Positive, ...] = Field(min_length=2, description="of droppers and contact, rising [N/m]")
    allowed_percent: Positive = Field(description="largest rms difference at the stiffest, of the rms force [%]")
    least_rate: Positive = Field(description="smallest power of 1/stiffness with which the difference falls")


class ArnoldSimeonGate(Spec):
    """Gates of the benchmark."""

    source: str
    reading: str = Field(description="what the paper leaves open and how it is read")
    intervals: Annotated[int, Field(ge=100, le=2000)] = Field(description="intervals of both wires")
    step_s: Positive = Field(description="time step of BDF-2, and the longest of the half-explicit method [s]")
    stable_fraction: Annotated[float, Field(gt=0.0, le=1.0)] = Field(
        description="longest step of the half-explicit method over 2 / largest angular frequency"
    )
    slack_tolerance_s: Positive = Field(description="largest distance of the slack from its printed moment [s]")
    peak_tolerance_percent: Positive = Field(description="largest difference of peak forces between methods [%]")
    frequencies: tuple[FrequencyRow, ...]
    speeds: tuple[SpeedCase, ...]
    springs: SpringGate
