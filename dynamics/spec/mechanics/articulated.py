"""Validated description of an articulated pantograph: arms, coupling rod, joints, head (SI units)."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec

__all__ = ["ArmSpec", "ArticulatedSpec", "HeadSpec"]

Length = Annotated[float, Field(gt=0.0, le=5.0)]
Mass = Annotated[float, Field(gt=0.0, le=200.0)]


class ArmSpec(Spec):
    """A rigid bar between two joints."""

    length: Length = Field(description="from its lower joint to its upper one [m]")
    mass: Mass = Field(description="mass [kg]")
    centre: Annotated[float, Field(ge=0.0, le=5.0)] = Field(
        description="place of its centre of mass along the bar, from the lower joint [m]"
    )
    inertia: Annotated[float, Field(ge=0.0, le=200.0)] = Field(
        description="moment of inertia about the centre of mass [kg m^2]"
    )


class HeadSpec(Spec):
    """Masses over the apex of the arms, head first; spring and damper k lead down, the last ones to the apex."""

    masses: tuple[Mass, ...] = Field(min_length=1, max_length=7, description="masses, head first [kg]")
    stiffnesses: tuple[Annotated[float, Field(gt=0.0, le=1.0e6)], ...] = Field(
        min_length=1, max_length=7, description="springs, head first, the last one to the apex [N/m]"
    )
    dampings: tuple[Annotated[float, Field(ge=0.0, le=1.0e5)], ...] = Field(
        min_length=1, max_length=7, description="dampers, head first, the last one to the apex [N s/m]"
    )

    @model_validator(mode="after")
    def _one_spring_per_mass(self) -> Self:
        n, springs, dampers = len(self.masses), len(self.stiffnesses), len(self.dampings)
        if springs != n or dampers != n:
            raise ValueError(
                f"stiffnesses and dampings must have one value per mass: {n} masses, {springs} stiffnesses, "
                f"{dampers} dampings"
            )
        return self


class ArticulatedSpec(Spec):
    """Lower arm, upper arm and coupling rod: one mechanism, whose apex carries the head.

    The lower arm leans backwards from its joint on the base, the upper arm forwards from the knee. The rod joins a
    point of the base to the upper arm's heel. What lifts it carries all weights at the working height, where the
    applied force is what the head presses with at rest.
    """

    lower_arm: ArmSpec
    upper_arm: ArmSpec
    rod_length: Length = Field(description="coupling rod, joint to joint [m]")
    rod_mass: Annotated[float, Field(ge=0.0, le=50.0)] = Field(description="mass of the rod, uniform [kg]")
    rod_joint_x: Annotated[float, Field(ge=-3.0, le=3.0)] = Field(
        description="place of the rod's joint on the base, forwards of the lower arm's [m]"
    )
    rod_joint_z: Annotated[float, Field(ge=-3.0, le=3.0)] = Field(description="its height over the lower arm's [m]")
    heel_length: Length = Field(description="from the knee to the rod's joint on the upper arm [m]")
    heel_angle_deg: Annotated[float, Field(ge=-180.0, le=180.0)] = Field(
        description="angle of the heel to the upper arm's prolongation beyond the knee, turned from x to z [deg]"
    )
    apex_mass: Annotated[float, Field(ge=0.0, le=50.0)] = Field(description="mass fixed to the apex [kg]")
    head: HeadSpec
    working_height: Annotated[float, Field(gt=0.0, le=5.0)] = Field(
        description="height of the apex over the lower arm's joint, the head at the contact wire's height at the "
        "support [m]"
    )
    lifting: Literal["cam", "torque"] = Field(
        default="cam",
        description="bellows by a cam that carries all weights and gives the applied force at every height, or a "
        "torque on the lower arm that does so at the working height alone",
    )
    spring_stiffness: Annotated[float, Field(ge=0.0, le=1.0e5)] = Field(
        default=0.0, description="main spring: torque on the lower arm lost by radian that it rises [N m/rad]"
    )
    damping: Annotated[float, Field(ge=0.0, le=1.0e5)] = Field(
        default=0.0, description="damper on the lower arm [N m s/rad]"
    )
    friction: tuple[Annotated[float, Field(ge=0.0, le=200.0)], ...] = Field(
        default=(0.0, 0.0, 0.0, 0.0),
        min_length=4,
        max_length=4,
        description="dry friction of the joints: lower arm, knee, rod on the base, heel [N m]",
    )
    friction_speed: Annotated[float, Field(gt=0.0, le=1.0)] = Field(
        default=0.01, description="speed of the apex from which friction is full, as tanh [m/s]"
    )
