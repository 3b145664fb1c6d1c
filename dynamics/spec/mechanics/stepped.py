"""Validated description of a pantograph that steps itself: an FMU, or a Python class of the user's."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dynamics.spec.control.given_file import GivenFile, VariableName

__all__ = ["FmuSpec", "PythonModelSpec", "SteppedSpec"]


class SteppedSpec(GivenFile):
    """A pantograph that steps itself: the force on its head in, height and velocity of that out."""

    zero_height_m: Annotated[float, Field(ge=-20.0, le=20.0)] = Field(
        default=0.0, description="height of the head, as it counts it, at the contact wire's at the support [m]"
    )
    settle_s: Annotated[float, Field(ge=0.0, le=60.0)] = Field(
        default=3.0, description="time that it has to come to rest under the wire before the run [s]"
    )
    time_limit_s: Annotated[float, Field(ge=0.01, le=600.0)] = Field(
        default=10.0, description="longest time for one answer; it is then ended [s]"
    )
    parameters: dict[VariableName, float] = Field(
        default_factory=dict, max_length=1000, description="values of its other parameters"
    )


class FmuSpec(SteppedSpec):
    """A pantograph as an FMU for co-simulation (FMI 2 or 3): contact force in, height and velocity of the head out."""

    force: VariableName = Field(default="contact_force", description="input: force that presses the head down [N]")
    height: VariableName = Field(default="head_height", description="output: height of the head [m]")
    velocity: VariableName = Field(default="head_velocity", description="output: its velocity upwards [m/s]")
    applied: VariableName = Field(
        default="applied_force", description="parameter or input: uplift force, set before the run begins [N]"
    )


class PythonModelSpec(SteppedSpec):
    """A pantograph as a Python class of the user's, stepped on an open line.

    ``Model(applied_force, **parameters)`` makes one at its start, under the uplift force [N]; ``step(force, dt)``
    advances it by dt [s] under a force held on the head, downwards [N]; its attribute ``head`` is (height [m], velocity
    upwards [m/s]) of the head, read at the start and after every step.
    """

    model: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$")] = Field(
        default="Pantograph", description="name of the class in the file"
    )
