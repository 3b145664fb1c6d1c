"""Validated description of a railway overhead contact line, as a user writes it (SI units)."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = [
    "CatenarySpec",
    "DamperSpec",
    "DropperSpec",
    "MeshSpec",
    "RayleighSpec",
    "StitchSpec",
    "SupportSpec",
    "WireSpec",
]

Mark = Literal["p", "s", "r", "d", "c"]
COMPONENTS = ("contact_wire", "messenger_wire", "stitch", "droppers", "steady_arms")


class Spec(BaseModel):
    """Frozen input block: unknown keys, wrong types and non-finite numbers are refused by name."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class WireSpec(Spec):
    """A tensioned wire with uniform section."""

    tension: Annotated[float, Field(ge=5.0e3, le=60.0e3)] = Field(description="installed tension [N]")
    mass_per_length: Annotated[float, Field(ge=0.2, le=5.0)] = Field(description="mass per length [kg/m]")
    axial_stiffness: Annotated[float, Field(ge=1.0e6, le=1.0e8)] = Field(description="EA [N]")
    bending_stiffness: Annotated[float, Field(ge=0.0, le=1.0e4)] = Field(description="EI [N m^2]")


class StitchSpec(Spec):
    """The stitch wire over each support and the droppers that hang from it."""

    tension: Annotated[float, Field(ge=500.0, le=10.0e3)] = Field(description="installed tension [N]")
    length: Annotated[float, Field(ge=4.0, le=40.0)] = Field(description="clamp to clamp along the track [m]")
    mass_per_length: Annotated[float, Field(ge=0.05, le=2.0)] = Field(description="mass per length [kg/m]")
    axial_stiffness: Annotated[float, Field(ge=1.0e5, le=5.0e7)] = Field(description="EA [N]")
    bending_stiffness: Annotated[float, Field(ge=0.0, le=1.0e3)] = Field(description="EI [N m^2]")
    clamp_mass: Annotated[float, Field(ge=0.0, le=5.0)] = Field(description="mass of one messenger clamp [kg]")


class DropperSpec(Spec):
    """Dropper stations, contact-wire heights there, and what one dropper is made of."""

    positions: tuple[float, ...] = Field(min_length=1, max_length=40, description="stations from the support [m]")
    contact_wire_heights: tuple[float, ...] = Field(
        description="contact-wire height at each dropper, relative to the support [m]; pre-sag is negative"
    )
    stiffness: Annotated[float, Field(ge=1.0e3, le=1.0e7)] = Field(
        description="axial stiffness in tension [N/m]; none in compression"
    )
    mass_per_length: Annotated[float, Field(ge=0.0, le=2.0)] = Field(description="mass per length [kg/m]")
    clamp_mass_contact_wire: Annotated[float, Field(ge=0.0, le=5.0)] = Field(description="lower clamp mass [kg]")
    clamp_mass_messenger_wire: Annotated[float, Field(ge=0.0, le=5.0)] = Field(description="upper clamp mass [kg]")

    @model_validator(mode="after")
    def _one_height_per_dropper(self) -> Self:
        if len(self.contact_wire_heights) != len(self.positions):
            raise ValueError(
                f"contact_wire_heights must give one height per dropper: {len(self.positions)} positions, "
                f"{len(self.contact_wire_heights)} heights"
            )
        for k, (a, b) in enumerate(zip(self.positions, self.positions[1:], strict=False)):
            if b <= a:
                raise ValueError(
                    f"positions must increase along the span: dropper {k + 2} stands at {b:g} m, "
                    f"not beyond dropper {k + 1} at {a:g} m"
                )
        for k, h in enumerate(self.contact_wire_heights):
            if abs(h) > 0.5:
                raise ValueError(f"contact_wire_heights must lie within -0.5 to 0.5 m: dropper {k + 1} is at {h:g} m")
        return self


class RayleighSpec(Spec):
    """Rayleigh damping: C = alpha M + beta K."""

    alpha: Annotated[float, Field(ge=0.0, le=10.0)] = Field(description="mass-proportional factor [1/s]")
    beta: Annotated[float, Field(ge=0.0, le=1.0e-2)] = Field(description="stiffness-proportional factor [s]")


class DamperSpec(RayleighSpec):
    """Rayleigh damping of wires, droppers and arms, one pair of factors for all or some components with their own.

    Messenger supports are excluded from beta. A component's mass is that of its wire, of droppers with their clamps,
    or of the arm bars; a stitch wire's includes its clamps.
    """

    contact_wire: RayleighSpec | None = Field(default=None, description="factors of the contact wire alone")
    messenger_wire: RayleighSpec | None = Field(default=None, description="factors of the messenger wire alone")
    stitch: RayleighSpec | None = Field(default=None, description="factors of the stitch wires alone")
    droppers: RayleighSpec | None = Field(default=None, description="factors of the droppers alone")
    steady_arms: RayleighSpec | None = Field(default=None, description="factors of the steady arms alone")

    @property
    def own(self) -> dict[str, RayleighSpec]:
        """Components with factors of their own, by name."""
        named = {name: getattr(self, name) for name in COMPONENTS}
        return {name: factors for name, factors in named.items() if factors is not None}

    def refusal(self, by: str) -> str | None:
        """Sentence that refuses factors of their own where ``by`` takes one pair for all; None without them."""
        if not self.own:
            return None
        return (
            f"catenary.damping must be one alpha and one beta for the whole line in {by}: got factors of their own "
            f"for {', '.join(self.own)} (remove them, or use solver=open_line)"
        )


class SupportSpec(Spec):
    """What holds the wires at each support."""

    messenger_stiffness: Annotated[float, Field(ge=1.0e3, le=1.0e9)] = Field(description="vertical stiffness [N/m]")
    messenger_damping: Annotated[float, Field(ge=0.0, le=1.0e6)] = Field(description="vertical damping [N s/m]")
    steady_arm_stiffness: Annotated[float, Field(ge=0.0, le=1.0e5)] = Field(
        description="vertical tangent stiffness of the steady arm at the contact wire [N/m]"
    )
    steady_arm_mass: Annotated[float, Field(ge=0.0, le=20.0)] = Field(
        description="mass of the steady arm bar [kg]; a third of it moves with the contact wire"
    )


class MeshSpec(Spec):
    """Finite-element mesh of the wires."""

    elements_per_bay: Annotated[int, Field(ge=2, le=40)] = Field(
        default=6, description="elements between neighbouring droppers, supports or clamps of one wire"
    )


class CatenarySpec(Spec):
    """One type of overhead contact line: identical spans on straight track, planar."""

    schema_version: Literal[1] = 1
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")] = Field(description="short name")
    kind: Literal["simple", "stitched"] = Field(description="with or without a stitch wire over each support")
    description: str = Field(default="", description="one sentence on where the data come from")
    span_length: Annotated[float, Field(ge=15.0, le=120.0)] = Field(description="support to support [m]")
    encumbrance: Annotated[float, Field(ge=0.3, le=3.0)] = Field(
        description="height of the messenger wire over the contact wire at a support [m]"
    )
    contact_wire: WireSpec = Field(description="the wire that the pantograph touches")
    messenger_wire: WireSpec = Field(description="the wire that carries; outside a stitch its tension is the named one")
    stitch: StitchSpec | None = Field(default=None, description="stitch wire; only for kind 'stitched'")
    droppers: DropperSpec = Field(description="droppers of one span")
    support: SupportSpec = Field(description="supports")
    damping: DamperSpec = Field(description="Rayleigh damping")
    mesh: MeshSpec = Field(default=MeshSpec(), description="finite-element mesh")
    provenance: dict[str, Mark] = Field(
        default_factory=dict,
        description="where each value comes from: p paper, s public source, r recalled, d derived, c chosen here",
    )

    @model_validator(mode="after")
    def _stations_inside_the_span(self) -> Self:
        problems = []
        x = self.droppers.positions
        for k, station in enumerate(x):
            if not 0.5 <= station <= self.span_length - 0.5:
                problems.append(
                    f"droppers.positions[{k}] must lie between 0.5 and {self.span_length - 0.5:g} m, "
                    f"inside the span: got {station:g} m"
                )
        if (self.kind == "stitched") != (self.stitch is not None):
            problems.append(f"kind is '{self.kind}' but stitch is {'given' if self.stitch else 'missing'}")
        if self.stitch is None and self.damping.stitch is not None:
            problems.append("damping.stitch must not be given for a line without a stitch wire")
        if self.stitch is not None:
            half = 0.5 * self.stitch.length
            if half > 0.4 * self.span_length:
                problems.append(f"stitch.length must be below 0.8 of the span: got {self.stitch.length:g} m")
            for k, station in enumerate(x):
                if min(abs(station - half), abs(station - self.span_length + half)) < 0.3:
                    problems.append(
                        f"droppers.positions[{k}] = {station:g} m must stay 0.3 m clear of the stitch clamp "
                        f"at {half:g} m from the support"
                    )
            inside = sum(1 for s in x if s < half), sum(1 for s in x if s > self.span_length - half)
            if min(inside) == 0:
                problems.append(
                    f"a stitch wire needs at least one dropper on each side of the support, within {half:g} m of it"
                )
        if problems:
            raise ValueError("; ".join(problems))
        return self
