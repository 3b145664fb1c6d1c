"""Validated description of what differs support by support and dropper by dropper on a line given by stations (SI)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from catenary.spec.components import HIGHEST, Spec

__all__ = ["DROPPER_MAKES", "MOST_SPANS", "DefectSpec", "PointMassSpec", "SectionSpec"]

# of a line by stations: a tension section has some 24, and two of them overlap
MOST_SPANS = 48
MOST_SUPPORTS, MOST_DROPPERS = MOST_SPANS + 1, 480
# longest error of a cut length [m]
LONGEST_ERROR = 0.5
# a point mass keeps this far from whatever else is clamped to its wire [m]
CLEAR = 0.1

Encumbrance: TypeAlias = Annotated[float, Field(ge=0.3, le=3.0)]
Offset: TypeAlias = Annotated[float, Field(ge=-0.6, le=0.6)]
Height: TypeAlias = Annotated[float, Field(ge=-HIGHEST, le=HIGHEST)]
Stiffness: TypeAlias = Annotated[float, Field(ge=1.0e3, le=1.0e7)]
ClampMass: TypeAlias = Annotated[float, Field(ge=0.0, le=5.0)]

# what droppers may differ in: the key of a dropper's make that all share, and that of values one by one
DROPPER_MAKES = {
    "stiffness": "dropper_stiffnesses",
    "clamp_mass_contact_wire": "clamp_masses_contact_wire",
    "clamp_mass_messenger_wire": "clamp_masses_messenger_wire",
}
BY_SUPPORT = ("encumbrances", "contact_heights", "staggers", "messenger_staggers")


class PointMassSpec(Spec):
    """A mass clamped to a wire between its droppers, such as a section insulator."""

    station: Annotated[float, Field(ge=0.0, le=7.2e3)] = Field(description="station from the first support [m]")
    wire: Literal["contact", "messenger", "stitch"] = Field(default="contact", description="wire that carries it")
    mass: Annotated[float, Field(gt=0.0, le=100.0)] = Field(description="mass [kg]")


class DefectSpec(Spec):
    """One dropper that is not as designed; all others keep the lengths of the design."""

    span: Annotated[int, Field(ge=1, le=MOST_SPANS)] = Field(description="span of the dropper, the first one being 1")
    dropper: Annotated[int, Field(ge=1, le=40)] = Field(description="number in its span, the first one being 1")
    kind: Literal["broken", "length", "stiffness"] = Field(
        description="broken (its clamps stay), cut too long or too short, or of another stiffness"
    )
    by: Annotated[float, Field(ge=-LONGEST_ERROR, le=LONGEST_ERROR)] | None = Field(
        default=None, description="error of the cut length, too long positive [m]; kind 'length' alone"
    )
    stiffness: Stiffness | None = Field(default=None, description="[N/m]; kind 'stiffness' alone")

    @model_validator(mode="after")
    def _kind_has_its_value(self) -> Self:
        problems = []
        for kind, key, unit in (("length", "by", "m"), ("stiffness", "stiffness", "N/m")):
            if self.kind == kind and getattr(self, key) is None:
                problems.append(f"{key} is missing: a defect of kind '{kind}' needs it [{unit}]")
            if self.kind != kind and getattr(self, key) is not None:
                problems.append(f"{key} must be left out of a defect of kind '{self.kind}'")
        if problems:
            raise ValueError("; ".join(problems))
        return self


class SectionSpec(Spec):
    """A line that ends: what its supports and droppers have of their own, one value each, masses and defects.

    An empty list stands for what all of them have in common.
    """

    encumbrances: tuple[Encumbrance, ...] = Field(
        default=(), max_length=MOST_SUPPORTS, description="messenger wire over contact wire at every support [m]"
    )
    contact_heights: tuple[Height, ...] = Field(
        default=(),
        max_length=MOST_SUPPORTS,
        description="contact wire at every support, relative to the line's nominal height [m]; heights at droppers are "
        "relative to the straight line from support to support",
    )
    staggers: tuple[Offset, ...] = Field(
        default=(),
        max_length=MOST_SUPPORTS,
        description="contact wire's offset at every support, to the left negative [m]; spatial only",
    )
    messenger_staggers: tuple[Offset, ...] = Field(
        default=(),
        max_length=MOST_SUPPORTS,
        description="messenger wire's offset at every support, to the left negative [m]; spatial only",
    )
    dropper_stiffnesses: tuple[Stiffness, ...] = Field(
        default=(), max_length=MOST_DROPPERS, description="stiffness of every dropper [N/m]"
    )
    clamp_masses_contact_wire: tuple[ClampMass, ...] = Field(
        default=(), max_length=MOST_DROPPERS, description="lower clamp mass of every dropper [kg]"
    )
    clamp_masses_messenger_wire: tuple[ClampMass, ...] = Field(
        default=(), max_length=MOST_DROPPERS, description="upper clamp mass of every dropper [kg]"
    )
    masses: tuple[PointMassSpec, ...] = Field(default=(), max_length=400, description="point masses on the wires")
    defects: tuple[DefectSpec, ...] = Field(
        default=(), max_length=MOST_DROPPERS, description="droppers that are not as designed"
    )

    def problems(self, supports: tuple[float, ...], droppers: tuple[float, ...], half: float) -> Iterator[str]:
        """Say what does not fit supports and droppers [m], stitch wires reaching ``half`` to either side [m]."""
        for names, count, what in (
            (BY_SUPPORT, len(supports), "supports"),
            (tuple(DROPPER_MAKES.values()), len(droppers), "droppers"),
        ):
            for name in names:
                given = len(getattr(self, name))
                if given not in (0, count):
                    yield f"section.{name} must give one value each for {count} {what}: got {given}"
        clamps = tuple(x + side for x in supports[1:-1] for side in (-half, half) if half)
        for k, mass in enumerate(self.masses):
            near = min((*supports, *droppers, *clamps), key=lambda x, at=mass.station: abs(x - at))
            if mass.wire == "stitch" and not any(abs(mass.station - x) < half for x in supports[1:-1]):
                yield f"section.masses[{k}] is on no stitch wire: got {mass.station:g} m"
            elif not supports[0] < mass.station < supports[-1]:
                end = supports[-1]
                yield f"section.masses[{k}].station must lie on the line, up to {end:g} m: got {mass.station:g} m"
            elif abs(near - mass.station) < CLEAR:
                yield (
                    f"section.masses[{k}].station = {mass.station:g} m must stay {CLEAR:g} m clear of the support, "
                    f"dropper or clamp at {near:g} m (give a dropper a heavier clamp instead)"
                )
        yield from self._defects_elsewhere(supports, droppers)

    def _defects_elsewhere(self, supports: tuple[float, ...], droppers: tuple[float, ...]) -> Iterator[str]:
        """Name defects of droppers that the line does not have, and droppers with two of one kind."""
        counts = [sum(1 for x in droppers if a < x < b) for a, b in pairwise(supports)]
        seen: dict[tuple[int, int], str] = {}
        for k, defect in enumerate(self.defects):
            at = (defect.span, defect.dropper)
            if defect.span > len(counts):
                yield f"section.defects[{k}].span must be 1 to {len(counts)}: got {defect.span}"
            elif defect.dropper > counts[defect.span - 1]:
                yield (
                    f"section.defects[{k}].dropper must be 1 to {counts[defect.span - 1]}, the droppers of span "
                    f"{defect.span}: got {defect.dropper}"
                )
            elif at in seen and {seen[at], defect.kind} != {"length", "stiffness"}:
                yield f"section.defects[{k}] is the second of dropper {at[1]} of span {at[0]}, which is {seen[at]}"
            seen[at] = defect.kind
