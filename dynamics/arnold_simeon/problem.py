"""Data of the benchmark of Arnold & Simeon (section 2.2), validated and frozen; SI units."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec

__all__ = ["BenchmarkSpec"]

Positive = Annotated[float, Field(gt=0.0)]
NotNegative = Annotated[float, Field(ge=0.0)]


class BenchmarkSpec(Spec):
    """A string (carrier) and a beam (contact wire) joined by two droppers of fixed length, and a two-mass pantograph.

    Every default is printed in Arnold & Simeon, section 2.2 (the contact area in section 4.1), but for
    ``head_above_body``, which is 0 there and 0.002 m at 48 m/s (section 6).
    """

    length: Positive = Field(default=20.0, description="length L of both wires [m]")
    encumbrance: float = Field(default=1.0, description="height l_c of the carrier's ends over the wire's [m]")
    carrier_mass: Positive = Field(default=0.6, description="carrier, mass per length [kg/m]")
    carrier_tension: Positive = Field(default=15.0e3, description="carrier, tension [N]")
    carrier_damping: NotNegative = Field(default=0.03, description="carrier, viscous damping beta_c [N s/m^2]")
    wire_mass: Positive = Field(default=1.068, description="contact wire, mass per length [kg/m]")
    wire_tension: Positive = Field(default=15.0e3, description="contact wire, tension [N]")
    wire_bending: NotNegative = Field(default=150.0, description="contact wire, bending stiffness EI [N m^2]")
    wire_damping: NotNegative = Field(default=0.03, description="contact wire, viscous damping beta_w [N s/m^2]")
    dropper_x: tuple[float, float] = Field(default=(5.5, 14.5), description="stations of the droppers [m]")
    dropper_length: tuple[Positive, Positive] = Field(default=(0.95, 0.95), description="lengths of the droppers [m]")
    dropper_mass: NotNegative = Field(default=0.14, description="droppers, mass per length [kg/m]; weight only")
    clamp_mass: NotNegative = Field(default=0.25, description="a suspension clamp [kg]; weight only")
    gravity: NotNegative = Field(default=9.81, description="constant of gravity [m/s^2]")
    head_mass: Positive = Field(default=9.0, description="pantograph head m_1 [kg]")
    body_mass: Positive = Field(default=17.0, description="pantograph body m_2 [kg]")
    head_stiffness: NotNegative = Field(default=7000.0, description="spring c_1 between head and body [N/m]")
    body_stiffness: NotNegative = Field(default=0.0, description="spring c_2 between body and ground [N/m]")
    head_damping: Positive = Field(default=30.0, description="damper d_1 between head and body [N s/m]")
    body_damping: NotNegative = Field(default=130.0, description="damper d_2 between body and ground [N s/m]")
    applied_force: float = Field(default=70.0, description="force F_0 on the body [N]")
    start: Positive = Field(default=2.0, description="station of the pantograph at the start [m]")
    end: Positive = Field(default=18.0, description="station of the pantograph at the end [m]")
    start_force: NotNegative = Field(default=8.75, description="contact force at the start [N]")
    head_above_body: float = Field(default=0.0, description="height of the head over the body at the start [m]")
    contact_half_width: Positive = Field(default=0.2, description="half the length of the contact area epsilon [m]")
    speed: Positive = Field(description="speed of the pantograph v_p [m/s]")

    @model_validator(mode="after")
    def _contact_on_the_wire(self) -> Self:
        reach = self.contact_half_width
        if not reach <= self.start < self.end <= self.length - reach:
            raise ValueError(
                f"the contact area must stay on the wire and run forward: start and end must lie in order between "
                f"{reach:g} m and {self.length - reach:g} m, got {self.start:g} m and {self.end:g} m"
            )
        if not 0.0 < self.dropper_x[0] < self.dropper_x[1] < self.length:
            raise ValueError(
                f"dropper_x must rise between 0 and {self.length:g} m, got {self.dropper_x[0]:g} m and "
                f"{self.dropper_x[1]:g} m"
            )
        return self

    @property
    def clamp_weight(self) -> tuple[float, float]:
        """Weight that each dropper puts on either wire: one clamp and half the dropper [N] (Arnold & Simeon, eq. 4)."""
        one, two = (
            self.gravity * (self.clamp_mass + 0.5 * length * self.dropper_mass) for length in self.dropper_length
        )
        return one, two
