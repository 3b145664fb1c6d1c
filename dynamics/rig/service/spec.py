"""Settings of the rig's service, validated: addresses, what stands in for lost forces, limits, stop and watchdog."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec

__all__ = ["AddressSpec", "EmergencyStopSpec", "LimitsSpec", "LossSpec", "ServiceSpec", "StopKey", "StopSpec"]

Host = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9.:-]{0,250}$")]
StopKey = Annotated[str, Field(pattern=r"^[!-~]{1,64}$")]


class AddressSpec(Spec):
    """Address of the server."""

    host: Host = Field(default="localhost", description="address of the server; localhost is this machine alone")
    port: Annotated[int, Field(ge=1, le=65535)] = Field(default=47800, description="UDP port of the server")


class EmergencyStopSpec(Spec):
    """Address of the separate process that listens for emergency stops, whatever the exchange with the device does."""

    host: Host = Field(
        default="localhost", description="address of the emergency stop; localhost is this machine alone"
    )
    port: Annotated[int, Field(ge=1, le=65535)] = Field(default=47801, description="UDP port of the emergency stop")
    key: StopKey | None = Field(
        default=None, description="word that a stop must carry behind STOP; without it STOP alone is enough"
    )


class LossSpec(Spec):
    """Response to a force that does not arrive in time, or is not a number."""

    substitute: Literal["hold", "extrapolate"] = Field(
        default="hold", description="what stands in for a lost force: the last one, or a straight line through two"
    )
    grace_ms: Annotated[float, Field(ge=0.1, le=1000.0)] = Field(
        default=2.0, description="time that the server waits for an overdue force before it uses a substitute [ms]"
    )
    watchdog_ms: Annotated[float, Field(ge=5.0, le=10000.0)] = Field(
        default=50.0, description="silence after which the test is stopped [ms]"
    )
    largest_gap_steps: Annotated[int, Field(ge=1, le=10000)] = Field(
        default=25, description="most missing forces in a row that the server replaces; one more stops the test [steps]"
    )
    absurd_forces: Annotated[int, Field(ge=1, le=100)] = Field(
        default=3,
        description="forces in a row, not a number or beyond the largest, at which the test is stopped",
    )
    absurd_of_250: Annotated[int, Field(ge=1, le=250)] = Field(
        default=25, description="such forces among any 250 in a row, good ones between them, that stop the test"
    )
    largest_share_percent: Annotated[float, Field(ge=0.0, le=100.0)] = Field(
        default=5.0, description="share of answers to a substitute above which a whole test does not count as done [%]"
    )


class LimitsSpec(Spec):
    """Limits of every height before it is sent, and of every force before it is used."""

    lowest_m: Annotated[float, Field(ge=-1.0, le=0.5)] = Field(default=-0.2, description="lowest height [m]")
    highest_m: Annotated[float, Field(ge=-0.5, le=1.0)] = Field(default=0.3, description="highest height [m]")
    force_N: Annotated[float, Field(gt=0.0, le=1.0e5)] = Field(
        default=3000.0, description="a measured force beyond this, either way, is refused [N]"
    )
    speed_m_per_s: Annotated[float, Field(gt=0.0, le=5.4)] = Field(
        default=1.0, description="largest speed of the actuator, by step and by the server's clock [m/s]"
    )
    jitter_ms: Annotated[float, Field(ge=0.1, le=1000.0)] = Field(
        default=2.0,
        description="by how much heights may leave sooner after one another than a step, where the speed is held "
        "against the server's clock [ms]",
    )

    @model_validator(mode="after")
    def _low_below_high(self) -> Self:
        if self.lowest_m >= self.highest_m:
            raise ValueError(f"lowest_m must be below highest_m: got {self.lowest_m:g} and {self.highest_m:g} m")
        return self


class StopSpec(Spec):
    """End of a test, in an emergency or not."""

    safe_height_m: Annotated[float, Field(ge=-1.0, le=1.0)] = Field(
        default=0.0, description="height at which a test begins and to which every stop leads [m]"
    )
    ramp_s: Annotated[float, Field(ge=0.02, le=60.0)] = Field(
        default=0.5, description="time that the way to the safe height takes, longer where speed asks for it [s]"
    )


class ServiceSpec(Spec):
    """Everything about the service but the loop itself."""

    address: AddressSpec = AddressSpec()
    loss: LossSpec = LossSpec()
    limits: LimitsSpec = LimitsSpec()
    stop: StopSpec = StopSpec()
    emergency_stop: EmergencyStopSpec = EmergencyStopSpec()

    @model_validator(mode="after")
    def _stop_has_an_address_of_its_own(self) -> Self:
        if self.emergency_stop.port == self.address.port:
            raise ValueError(
                f"emergency_stop.port must be another one than address.port, so that what blocks the one leaves the "
                f"other: got {self.address.port} twice"
            )
        return self

    @model_validator(mode="after")
    def _safe_height_is_allowed(self) -> Self:
        if not self.limits.lowest_m <= self.stop.safe_height_m <= self.limits.highest_m:
            raise ValueError(
                f"stop.safe_height_m must lie between limits.lowest_m and limits.highest_m: got "
                f"{self.stop.safe_height_m:g} m, not within {self.limits.lowest_m:g} to {self.limits.highest_m:g} m"
            )
        return self
