"""Validated description of what an overhead contact line is made of: wires, droppers, supports, damping (SI units)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate, pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from catenary.wires.names import filled

__all__ = [
    "HIGHEST",
    "LONGEST",
    "PRESCRIBED",
    "SHORTEST",
    "BySection",
    "DropperSpec",
    "NamedSpec",
    "Spec",
    "SteadyArmSpec",
    "StitchSpec",
    "SupportSpec",
    "WireSpec",
    "split_by_section",
]

# what a dropper may be given by; the key that each reading needs, and what one value of it is called
PRESCRIBED = {"heights": ("contact_wire_heights", "height"), "lengths": ("lengths", "length")}
# what adds up over wires side by side
SUMMED = ("tension", "mass_per_length", "axial_stiffness", "bending_stiffness")
# highest contact wire over or under the support [m]; shortest and longest dropper [m]
HIGHEST = 0.5
SHORTEST, LONGEST = 0.05, 3.5

BySection = Annotated[
    tuple[Annotated[int, Field(ge=1, le=480)], ...],
    Field(
        max_length=8,
        description="how many of them hang in each tension section, listed section by section; none: one section",
    ),
]


def split_by_section(stations: tuple[float, ...], by_section: tuple[int, ...]) -> tuple[tuple[float, ...], ...]:
    """Stations of the droppers of each tension section, or of the only one [m], by how many hang in each."""
    return tuple(stations[a:b] for a, b in pairwise(accumulate(by_section or (len(stations),), initial=0)))


class Spec(BaseModel):
    """Frozen input block: unknown keys, wrong types and non-finite numbers are refused by name."""

    # a validator is built when it is first used: pages of help use none
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)

    def __dir__(self) -> list[str]:
        """Names that completion offers: what the block holds and does, without the methods of every pydantic model."""
        of_pydantic = dir(BaseModel)
        return [name for name in super().__dir__() if name.startswith("__") or name not in of_pydantic]

    def with_changes(self, **changes: object) -> Self:
        """Copy with some values changed, as ``line.with_changes(contact_wire={"tension": 30e3}, span_length=60.0)``.

        Parameters
        ----------
        changes
            Values by key, in SI units; that of a block is a mapping of what changes inside it.

        Raises
        ------
        InputError
            If a key is not known, with the nearest one that is, or a value cannot be.
        """
        from catenary.spec.changes import changed

        return changed(self, changes)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Copy with values replaced as they are, unchecked, for values that are known to be allowed.

        `with_changes` checks them.

        Raises
        ------
        InputError
            If a key is not known, with the nearest one that is.
        """
        if update and not update.keys() <= type(self).model_fields.keys():
            from catenary.spec.changes import refuse_unknown
            from catenary.spec.keys import KeyTree

            own = type(self).model_fields
            refuse_unknown(KeyTree(type(self)), [name for name in update if name not in own])
        return super().model_copy(update=update, deep=deep)


class NamedSpec(Spec):
    """A block that may name a wire of the library, and then needs none of the values that the name gives."""

    wire: str | None = Field(
        default=None,
        max_length=40,
        description="name of a wire of the library, as catenary wires lists them: gives what is not given here",
    )

    @model_validator(mode="before")
    @classmethod
    def _values_of_the_name(cls, content: object) -> object:
        return filled(content, cls.model_fields)

    @model_serializer(mode="wrap")
    def _no_name_unsaid(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out the name where there is none: a line reads as it did."""
        content: dict[str, Any] = handler(self)
        return content if self.wire is not None else {k: v for k, v in content.items() if k != "wire"}


class WireSpec(NamedSpec):
    """A tensioned wire with uniform section."""

    tension: Annotated[float, Field(ge=5.0e3, le=60.0e3)] = Field(description="installed tension [N]")
    mass_per_length: Annotated[float, Field(ge=0.2, le=5.0)] = Field(description="mass per length [kg/m]")
    axial_stiffness: Annotated[float, Field(ge=1.0e6, le=1.0e8)] = Field(description="EA [N]")
    bending_stiffness: Annotated[float, Field(ge=0.0, le=1.0e4)] = Field(description="EI [N m^2]")
    count: Literal[1, 2] = Field(
        default=1, description="equal wires side by side that move together; values and tension are those of one"
    )

    @property
    def pull_in_words(self) -> str:
        """Tension of the wire, or of each of two."""
        return f"{'2 x ' if self.count == 2 else ''}{self.tension / 1e3:g} kN"

    @property
    def together(self) -> Self:
        """The one wire that moves as all of them: their tensions, masses and stiffnesses added up."""
        if self.count == 1:
            return self
        summed = {key: self.count * getattr(self, key) for key in SUMMED}
        return self.model_copy(update={**summed, "count": 1})

    @model_serializer(mode="wrap")
    def _no_name_unsaid(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out the name where there is none, and the count of one wire: a line reads as it did."""
        content: dict[str, Any] = handler(self)
        return {k: v for k, v in content.items() if (k, v) not in (("wire", None), ("count", 1))}


class StitchSpec(NamedSpec):
    """The stitch wire over each support and the droppers that hang from it."""

    tension: Annotated[float, Field(ge=500.0, le=10.0e3)] = Field(description="installed tension [N]")
    length: Annotated[float, Field(ge=4.0, le=40.0)] = Field(description="clamp to clamp along the track [m]")
    mass_per_length: Annotated[float, Field(ge=0.05, le=2.0)] = Field(description="mass per length [kg/m]")
    axial_stiffness: Annotated[float, Field(ge=1.0e5, le=5.0e7)] = Field(description="EA [N]")
    bending_stiffness: Annotated[float, Field(ge=0.0, le=1.0e3)] = Field(description="EI [N m^2]")
    clamp_mass: Annotated[float, Field(ge=0.0, le=5.0)] = Field(description="mass of one messenger clamp [kg]")


class DropperSpec(NamedSpec):
    """Dropper stations, what is prescribed there (contact-wire heights or dropper lengths), and one dropper's make."""

    positions: tuple[float, ...] = Field(
        min_length=1,
        max_length=480,
        description="stations from the support [m]",
    )
    prescribed: Literal["heights", "lengths"] = Field(
        default="heights",
        description="what is given: the contact wire's heights, from which lengths follow, or lengths, the reverse",
    )
    contact_wire_heights: tuple[float, ...] = Field(
        default=(),
        max_length=480,
        description="contact-wire height at each dropper, relative to the support [m]; pre-sag is negative",
    )
    lengths: tuple[float, ...] = Field(
        default=(),
        max_length=480,
        description="length to which each dropper is cut, unloaded, from the axis of the contact wire to the axis "
        "of the messenger or stitch wire, clamps included [m]",
    )
    stiffness: Annotated[float, Field(ge=1.0e3, le=1.0e7)] = Field(
        description="axial stiffness in tension [N/m]; none in compression"
    )
    mass_per_length: Annotated[float, Field(ge=0.0, le=2.0)] = Field(description="mass per length [kg/m]")
    clamp_mass_contact_wire: Annotated[float, Field(ge=0.0, le=5.0)] = Field(description="lower clamp mass [kg]")
    clamp_mass_messenger_wire: Annotated[float, Field(ge=0.0, le=5.0)] = Field(description="upper clamp mass [kg]")
    shortest: Annotated[float, Field(ge=0.01, le=1.0)] = Field(
        default=0.2, description="shortest dropper that can be made, from wire axis to wire axis, clamps included [m]"
    )
    by_section: BySection = ()

    @property
    def positions_by_section(self) -> tuple[tuple[float, ...], ...]:
        """Stations of the droppers of each tension section, or of the only one [m]."""
        return split_by_section(self.positions, self.by_section)

    @field_validator("contact_wire_heights", "lengths", mode="before")
    @classmethod
    def _null_is_not_given(cls, value: object) -> object:
        return () if value is None else value

    @model_validator(mode="after")
    def _droppers_are_possible(self) -> Self:
        problems = self._prescribed_problems()
        if self.by_section and sum(self.by_section) != len(self.positions):
            problems.append(f"by_section must count all {len(self.positions)} droppers: got {sum(self.by_section)}")
        begins = set(accumulate(self.by_section))
        for k, (a, b) in enumerate(zip(self.positions, self.positions[1:], strict=False)):
            if b <= a and k + 1 not in begins:
                problems.append(
                    f"positions must increase along the span: dropper {k + 2} stands at {b:g} m, "
                    f"not beyond dropper {k + 1} at {a:g} m"
                )
        for k, h in enumerate(self.contact_wire_heights):
            if abs(h) > HIGHEST:
                problems.append(
                    f"contact_wire_heights must lie within -{HIGHEST:g} to {HIGHEST:g} m: dropper {k + 1} is at {h:g} m"
                )
        for k, length in enumerate(self.lengths):
            if not SHORTEST <= length <= LONGEST:
                problems.append(
                    f"lengths must lie between {SHORTEST:g} and {LONGEST:g} m: dropper {k + 1} is cut to {length:g} m"
                )
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def _prescribed_problems(self) -> list[str]:
        """List where not exactly the prescribed quantity is given, one value per dropper."""
        problems, n = [], len(self.positions)
        for prescribed, (key, one) in PRESCRIBED.items():
            given = getattr(self, key)
            if prescribed != self.prescribed:
                if given:
                    problems.append(
                        f"{key} must be left out (or null) where prescribed is '{self.prescribed}': "
                        f"got {len(given)} values, and only one of the two can be prescribed"
                    )
            elif not given:
                problems.append(
                    f"{key} is missing: prescribed is '{prescribed}', so give one {one} per dropper, {n} values [m]"
                )
            elif len(given) != n:
                problems.append(f"{key} must give one {one} per dropper: {n} positions, {len(given)} {prescribed}")
        return problems

    @model_serializer(mode="wrap")
    def _no_name_unsaid(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out what is not prescribed, so that a line's file names one quantity alone."""
        content: dict[str, Any] = handler(self)
        unsaid = ("contact_wire_heights", "lengths", "by_section", "wire")
        return {k: v for k, v in content.items() if k not in unsaid or v}


class SteadyArmSpec(Spec):
    """Straight bar that holds the contact wire sideways at a support (spatial model only).

    It pulls along its own axis; the direction, and with it the place of its far joint, follow from form-finding.
    """

    length: Annotated[float, Field(ge=0.3, le=3.0)] = Field(description="joint to contact wire [m]")
    axial_stiffness: Annotated[float, Field(ge=1.0e3, le=1.0e8)] = Field(description="EA [N]")


class SupportSpec(Spec):
    """Supports of the wires.

    The messenger wire is held sideways by the support and runs free along the track.
    """

    messenger_stiffness: Annotated[float, Field(ge=1.0e3, le=1.0e9)] = Field(description="vertical stiffness [N/m]")
    messenger_damping: Annotated[float, Field(ge=0.0, le=1.0e6)] = Field(description="vertical damping [N s/m]")
    steady_arm_stiffness: Annotated[float, Field(ge=0.0, le=1.0e5)] = Field(
        description="vertical tangent stiffness of the steady arm at the contact wire [N/m]"
    )
    steady_arm_mass: Annotated[float, Field(ge=0.0, le=20.0)] = Field(
        description="mass of the steady arm bar [kg]; a third of it moves with the contact wire"
    )
    steady_arm: SteadyArmSpec | None = Field(
        default=None, description="the bar itself, for the spatial model; in the plane its tangent stiffness serves"
    )
    stagger: Annotated[float, Field(ge=0.0, le=0.6)] = Field(
        default=0.0,
        description="contact wire's offset from the track's axis at a support, side changing [m]; spatial only",
    )
    messenger_stagger: Annotated[float, Field(ge=0.0, le=0.6)] = Field(
        default=0.0,
        description="messenger wire's offset from the track's axis, on the stagger's side [m]; spatial only",
    )
