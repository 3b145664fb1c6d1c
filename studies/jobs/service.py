"""Jobs of `catenary rig serve`, `device`, `stop` and `compare`."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec
from dynamics.rig.loop.spec import ActuatorSpec, RigContactSpec, SensorSpec
from dynamics.rig.service.spec import AddressSpec, EmergencyStopSpec, ServiceSpec
from dynamics.spec.case import PantographSpec, SignalSpec
from studies.jobs.pressed import PressedSpec
from studies.jobs.served_loop import ServedLoop
from studies.jobs.simulation import RecordSpec

__all__ = ["CompareJob", "DeviceJob", "ServeJob", "StopJob"]

AppliedForce = Annotated[float, Field(ge=10.0, le=600.0)]


class _Emulated(Spec):
    """An emulated head on an emulated actuator."""

    contact: RigContactSpec = RigContactSpec()
    damping_ratio: Annotated[float, Field(ge=0.0, le=0.5)] = Field(
        default=0.02, description="damping of the head on the contact stiffness, of critical [-]"
    )
    actuator: ActuatorSpec = ActuatorSpec()
    sensor: SensorSpec = SensorSpec()


class ServeJob(_Emulated, PressedSpec):
    """A test served over UDP, or stepped without a device."""

    bundle: str = Field(description="folder of the rig bundle")
    duration_s: Annotated[float, Field(gt=0.0, le=3600.0)] = Field(default=120.0, description="length of the test [s]")
    dry_run: bool = Field(
        default=False,
        description="step the whole test without socket and device, with the pantograph given here or the bundle's",
    )
    start: Literal["rest", "predicted"] = Field(
        default="rest",
        description="what the test begins with: the line at rest (Gil et al.), or the steady state solved at once for "
        "the pantograph given here or the bundle's, played back while the ramp lasts; measured forces enter from the "
        "ramp's end on",
    )
    loop: ServedLoop = ServedLoop()
    service: ServiceSpec = ServiceSpec()
    signal: SignalSpec = SignalSpec(cutoff_hz=25.0)
    run_dir: str | None = Field(default=None, description="folder of the test; without it outputs/rig_serve/<date>")


class DeviceJob(_Emulated):
    """The other side of a test: an emulated pantograph and actuator as a process of its own."""

    pantograph: PantographSpec
    applied_force_N: AppliedForce = Field(default=157.3, description="force on the lowest mass of the pantograph [N]")
    address: AddressSpec = AddressSpec()
    steps_per_span: Annotated[int, Field(ge=0, le=100000)] = Field(
        default=0, description="steps a span that the server must have; 0 takes the server's"
    )
    dt: Annotated[float, Field(ge=0.0, le=0.1)] = Field(
        default=0.0, description="step that the server must have [s]; 0 takes the server's"
    )
    delay_steps: Annotated[int, Field(ge=0, le=100)] = Field(
        default=0,
        description="steps from the measurement of a force to the height that answers it being reached, which the "
        "server must count on [steps]; 0 takes the server's",
    )
    rest_height_m: Annotated[float, Field(ge=-1.0, le=1.0)] = Field(
        default=0.0, description="height at which the actuator waits, and where it goes when the server is silent [m]"
    )
    watchdog_ms: Annotated[float, Field(ge=5.0, le=10000.0)] = Field(
        default=100.0, description="silence of the server after which the actuator comes down by itself [ms]"
    )
    patience_s: Annotated[float, Field(ge=0.2, le=3600.0)] = Field(
        default=10.0, description="time for which a server is waited for [s]"
    )
    stop_after_s: Annotated[float, Field(gt=0.0, le=3600.0)] | None = Field(
        default=None, description="ask for an emergency stop after this time [s]; without it never"
    )


class StopJob(Spec):
    """An emergency stop."""

    address: EmergencyStopSpec = EmergencyStopSpec()
    patience_s: Annotated[float, Field(gt=0.0, le=3600.0)] = Field(
        default=5.0, description="time for which the stop is sent again until it is answered [s]"
    )


class CompareJob(Spec):
    """A measured log and its prediction."""

    prediction: str = Field(
        description="what was predicted: folder of a simulation, of an emulated or served test, or a file with a force"
    )
    measured: str = Field(description="what was measured: folder of a served test; CSV, netCDF or TDMS with a force")
    signal: SignalSpec = SignalSpec(cutoff_hz=25.0)
    record: RecordSpec = RecordSpec()
    last_spans: Annotated[int, Field(ge=1, le=1000)] | None = Field(
        default=10, description="last whole spans of either side that count; null: all of them"
    )
    run_dir: str | None = Field(
        default=None, description="folder of the comparison; without it outputs/rig_compare/<date>"
    )

    @model_validator(mode="after")
    def _two(self) -> Self:
        if self.prediction == self.measured:
            raise ValueError(f"measured must be another file or folder than prediction: got '{self.measured}' twice")
        return self
