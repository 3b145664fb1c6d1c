"""Jobs of `catenary rig emulate` and `map`."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from dynamics.rig.loop.spec import ActuatorSpec, LoopSettings, RigContactSpec, RigSettings, SensorSpec, Strategy
from dynamics.spec.case import PantographSpec, SignalSpec
from studies.jobs.pressed import ForceSpec, PressedSpec
from studies.jobs.served_loop import ServedLoop

__all__ = ["EmulateJob", "EmulatedLoop", "LoopTestSpec", "MapJob"]

DampingRatio = Annotated[float, Field(ge=0.0, le=0.5)]
Frequency = Annotated[float, Field(gt=0.0, le=250.0)]
Stiffness = Annotated[float, Field(ge=5.0e3, le=5.0e7)]


class _Conditions(ForceSpec):
    """Device of an emulated test, start of the test, and its duration."""

    device: Literal["pantograph", "mass"] = Field(
        default="pantograph", description="what stands on the rig: the pantograph, or a mass bolted to the actuator"
    )
    mass_kg: Annotated[float, Field(gt=0.0, le=200.0)] = Field(default=6.6, description="the mass [kg]")
    contact: RigContactSpec = RigContactSpec()
    damping_ratio: DampingRatio = Field(
        default=0.02, description="damping of the head (or mass) on the contact stiffness, of critical [-]"
    )
    start: Literal["rest", "predicted"] = Field(
        default="rest",
        description="what the test begins with: the line at rest (Gil et al.), or the steady state solved at once for "
        "the same device, played back while the ramp lasts",
    )
    duration_s: Annotated[float, Field(gt=0.0, le=3600.0)] = Field(default=120.0, description="length of the test [s]")
    transient: bool = Field(default=False, description="run the long transient of the same line and pantograph as well")
    signal: SignalSpec = SignalSpec(cutoff_hz=25.0)

    @model_validator(mode="after")
    def _transient_has_a_pantograph(self) -> Self:
        if self.transient and self.device == "mass":
            raise ValueError("transient must be false for a mass: the long transient is that of a pantograph")
        return self


class LoopTestSpec(RigSettings, _Conditions):
    """A test without metal: the loop, an emulated actuator and an emulated device."""

    pantograph: PantographSpec
    best_relaxation: bool = Field(
        default=True, description="take the mu_c with which the loop settles fastest instead of loop.contact_relaxation"
    )


class EmulatedLoop(ServedLoop):
    """Control of the loop, from force to next height (Gil et al., section 3); null: as the bundle recommends."""

    largest_force_N: Annotated[float, Field(gt=0.0, le=1.0e5)] = Field(
        default=3000.0, description=str(LoopSettings.model_fields["largest_force_N"].description)
    )
    largest_height_m: Annotated[float, Field(gt=0.0, le=1.0)] = Field(
        default=0.3, description=str(LoopSettings.model_fields["largest_height_m"].description)
    )


class EmulateJob(_Conditions, PressedSpec):
    """A test of a bundle without metal."""

    bundle: str = Field(description="folder of the rig bundle")
    best_relaxation: bool = Field(
        default=False,
        description="take the mu_c with which the loop settles fastest on this device instead of what is recommended",
    )
    loop: EmulatedLoop = EmulatedLoop()
    actuator: ActuatorSpec = ActuatorSpec()
    sensor: SensorSpec = SensorSpec()
    run_dir: str | None = Field(default=None, description="folder of the test; without it outputs/rig_emulate/<date>")

    @model_validator(mode="after")
    def _one_relaxation(self) -> Self:
        if self.best_relaxation and self.loop.contact_relaxation is not None:
            raise ValueError(
                f"best_relaxation must be false where loop.contact_relaxation is given, which it would replace: got "
                f"{self.loop.contact_relaxation:g}"
            )
        return self


class MapJob(PressedSpec):
    """Map of where the loop on a bundle settles, and settings recommended for a test."""

    bundle: str = Field(description="folder of the rig bundle")
    strategies: tuple[Strategy, ...] = Field(
        default=("span_by_span", "step_by_step"), min_length=1, max_length=2, description="strategies that are mapped"
    )
    over: Literal["stiffness", "delay", "none"] = Field(
        default="stiffness",
        description="second axis next to the highest frequency (figs 4, 5 or fig. 6 of Gil et al.); none: no map, the "
        "recommendation alone",
    )
    delay_steps: Annotated[int, Field(ge=1, le=100)] = Field(
        default=8, description="delay of a map over the stiffness, and of the recommendation [steps]"
    )
    largest_delay_steps: Annotated[int, Field(ge=2, le=100)] = Field(
        default=60, description="end of the axis of delays [steps]"
    )
    contact: RigContactSpec = RigContactSpec()
    damping_ratio: DampingRatio = Field(
        default=0.02, description="damping of the head on the contact stiffness, of critical [-]"
    )
    stiffness_range: tuple[Stiffness, Stiffness] = Field(
        default=(50.0e3, 5.0e6), description="ends of the axis of contact stiffnesses, logarithmic [N/m]"
    )
    frequency_range: tuple[Frequency, Frequency] = Field(
        default=(2.0, 60.0),
        description="ends of the axis of highest frequencies of the height, and of those that may be recommended [Hz]",
    )
    points: Annotated[int, Field(ge=2, le=200)] = Field(default=60, description="points along each axis of the maps")
    relaxations: tuple[Annotated[float, Field(gt=0.0, le=2.0)], ...] = Field(
        default=(0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0),
        min_length=1,
        max_length=50,
        description="mu_c tried at every point [-]",
    )
    radius_wanted: Annotated[float, Field(gt=0.0, lt=1.0)] = Field(
        default=0.99, description="largest spectral radius that is recommended [-]"
    )
    store: bool = Field(
        default=True, description="write recommendation.json into the bundle, where something is recommended"
    )
    run_dir: str | None = Field(default=None, description="folder of the maps; without it outputs/rig_map/<date>")

    @model_validator(mode="after")
    def _axes_rise(self) -> Self:
        for name in ("stiffness_range", "frequency_range"):
            low, high = getattr(self, name)
            if low >= high:
                raise ValueError(f"{name} must rise: got {low:g} to {high:g}")
        return self
