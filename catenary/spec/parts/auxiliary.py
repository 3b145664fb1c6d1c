"""Validated description of an auxiliary wire between messenger and contact wire, and of what it hangs from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from catenary.spec.components import HIGHEST, LONGEST, SHORTEST, BySection, NamedSpec, Spec, split_by_section
from catenary.spec.repeat import RepeatSpec
from catenary.spec.section import SectionSpec

__all__ = ["AuxiliarySpec", "MainDropperSpec", "Room", "wires_that_do_not_fit"]

# main droppers keep this far from droppers that share no clamp with them, and from supports [m]
CLEAR = 0.3
ONE_CLAMP = 1.0e-6
MOST_MAIN = 40
Height = Annotated[float, Field(ge=-HIGHEST, le=HIGHEST)]
Length = Annotated[float, Field(ge=SHORTEST, le=LONGEST)]


class Room(NamedTuple):
    """Where an auxiliary wire has to fit.

    Attributes
    ----------
    supports : sequence of float
        Their stations [m].
    sections : sequence of (int, int)
        First and last support of every tension section; none of a line without.
    hung : sequence of sequence of float
        Stations of the droppers of every tension section [m].
    encumbrance : float
        Of the messenger wire over the contact wire [m].
    """

    supports: Sequence[float]
    sections: Sequence[tuple[int, int]]
    hung: Sequence[Sequence[float]]
    encumbrance: float

    @property
    def ranges(self) -> Sequence[tuple[int, int]]:
        """First and last support of every tension section, or of the only one."""
        return self.sections or [(0, len(self.supports) - 1)]


class MainDropperSpec(Spec):
    """Droppers from the messenger wire to the auxiliary wire, and what is prescribed there."""

    positions: tuple[float, ...] = Field(min_length=1, max_length=480, description="stations from the support [m]")
    prescribed: Literal["heights", "lengths"] = Field(
        default="heights", description="what is given: the auxiliary wire's heights, or lengths of the main droppers"
    )
    auxiliary_wire_heights: tuple[Height, ...] = Field(
        default=(),
        max_length=480,
        description="auxiliary-wire height at each main dropper, relative to its encumbrance [m]; none: level",
    )
    lengths: tuple[Length, ...] = Field(
        default=(), max_length=480, description="length to which each main dropper is cut, unloaded [m]"
    )
    stiffness: Annotated[float, Field(ge=1.0e3, le=1.0e7)] = Field(
        description="axial stiffness in tension [N/m]; none in compression"
    )
    mass_per_length: Annotated[float, Field(ge=0.0, le=2.0)] = Field(description="mass per length [kg/m]")
    clamp_mass_auxiliary_wire: Annotated[float, Field(ge=0.0, le=5.0)] = Field(description="lower clamp mass [kg]")
    clamp_mass_messenger_wire: Annotated[float, Field(ge=0.0, le=5.0)] = Field(description="upper clamp mass [kg]")
    by_section: BySection = ()

    @property
    def positions_by_section(self) -> tuple[tuple[float, ...], ...]:
        """Stations of the main droppers of each tension section, or of the only one [m]."""
        return split_by_section(self.positions, self.by_section)

    def makes(self, name: str) -> tuple[float, ...]:
        """Stiffness [N/m], mass [kg/m] or clamp mass [kg] of every main dropper, by its key among the droppers'."""
        key = "clamp_mass_auxiliary_wire" if name == "clamp_mass_contact_wire" else name
        return (getattr(self, key),) * len(self.positions)

    @model_validator(mode="after")
    def _one_value_each(self) -> Self:
        n, problems = len(self.positions), []
        if self.by_section and sum(self.by_section) != n:
            problems.append(f"by_section must count all {n} main droppers: got {sum(self.by_section)}")
        if any(b <= a for own in self.positions_by_section for a, b in pairwise(own)):
            problems.append("positions must increase along the span")
        heights, lengths = len(self.auxiliary_wire_heights), len(self.lengths)
        if self.prescribed == "lengths" and (heights or lengths != n):
            problems.append(f"lengths alone must be given, one for each of {n} main droppers: got {lengths}")
        if self.prescribed == "heights" and (lengths or heights not in (0, n)):
            problems.append(f"auxiliary_wire_heights alone must be given, one for each of {n} main droppers, or none")
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @model_serializer(mode="wrap")
    def _only_what_is_prescribed(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out what is not prescribed."""
        content: dict[str, Any] = handler(self)
        return {k: v for k, v in content.items() if k not in ("auxiliary_wire_heights", "lengths", "by_section") or v}


class AuxiliarySpec(NamedSpec):
    """Wire that hangs from the messenger wire and carries the contact wire; no support holds it up."""

    tension: Annotated[float, Field(ge=100.0, le=60.0e3)] = Field(description="installed tension [N]")
    mass_per_length: Annotated[float, Field(ge=0.01, le=5.0)] = Field(description="mass per length [kg/m]")
    axial_stiffness: Annotated[float, Field(ge=1.0e5, le=1.0e8)] = Field(description="EA [N]")
    bending_stiffness: Annotated[float, Field(ge=0.0, le=1.0e4)] = Field(description="EI [N m^2]")
    encumbrance: Annotated[float, Field(ge=0.05, le=2.5)] = Field(
        description="height over the contact wire from which its heights at main droppers count [m]"
    )
    droppers: MainDropperSpec = Field(description="main droppers, from the messenger wire to this one")

    def problems(self, room: Room) -> list[str]:
        """List what does not fit the line: supports and droppers of its tension sections, and its encumbrance."""
        found, by_section = [], self.droppers.positions_by_section
        if self.encumbrance >= room.encumbrance:
            found.append(
                f"auxiliary_wire.encumbrance must be below encumbrance = {room.encumbrance:g} m: got "
                f"{self.encumbrance:g} m"
            )
        if len(by_section) != len(room.hung) or bool(self.droppers.by_section) != bool(room.sections):
            found.append(
                f"auxiliary_wire.droppers.by_section must count the main droppers of {len(room.sections)} tension "
                f"sections: got {len(self.droppers.by_section)} counts"
            )
            return found
        begins = accumulate(self.droppers.by_section, initial=0)
        for begin, main, hung, (first, last) in zip(begins, by_section, room.hung, room.ranges, strict=False):
            found += _misplaced(dict(enumerate(main, start=begin)), hung, room.supports[first : last + 1])
            for n, (a, b) in enumerate(pairwise(room.supports[first : last + 1]), start=first + 1):
                count = sum(1 for at in main if a < at < b)
                if not 1 <= count <= MOST_MAIN:
                    found.append(f"auxiliary_wire.droppers.positions must give span {n} 1 to {MOST_MAIN}: got {count}")
        return found


def _misplaced(main: Mapping[int, float], droppers: Sequence[float], supports: Sequence[float]) -> Iterator[str]:
    """Name main droppers of a tension section, by their numbers, beyond its supports or too near to something [m]."""
    for k, at in main.items():
        key = f"auxiliary_wire.droppers.positions[{k}]"
        if not supports[0] < at < supports[-1]:
            yield f"{key} must lie between {supports[0]:g} and {supports[-1]:g} m: got {at:g} m"
        elif min(abs(at - s) for s in supports) < CLEAR:
            yield f"{key} = {at:g} m must stay {CLEAR:g} m clear of the support"
        elif ONE_CLAMP <= min(abs(at - x) for x in droppers) < CLEAR:
            yield f"{key} = {at:g} m must stand at a dropper, or {CLEAR:g} m clear of it"


def wires_that_do_not_fit(
    kind: str,
    own: AuxiliarySpec | None,
    room: Room,
    others: Mapping[str, Any],
    side_by_side: int,
) -> list[str]:
    """List what an auxiliary wire, or wires side by side, do not fit on a line; ``others`` that it may have, by key."""
    problems = []
    if (kind == "compound") != (own is not None):
        problems.append(f"kind is '{kind}' but auxiliary_wire is {'given' if own else 'missing'}")
    if own is not None:
        problems += own.problems(room)
        problems += ["stitch must be left out: kind is 'compound'"] if others["stitch"] else []
    problems += _by_stations_problems(own, room.hung, others["section"], others["repeat"])
    if others["wind"] is not None and side_by_side > 1:
        problems.append("wind must be left out: there are two wires side by side, which shelter each other")
    return problems


def _by_stations_problems(
    own: AuxiliarySpec | None,
    hung: Sequence[Sequence[float]],
    section: SectionSpec | None,
    repeat: RepeatSpec | None,
) -> Iterator[str]:
    """Name masses on an auxiliary wire that is not there, and broken droppers that share a clamp."""
    if own is None:
        if section is not None and any(mass.wire == "auxiliary" for mass in section.masses):
            yield "section.masses must be on contact, messenger or stitch wire: the line has no auxiliary wire"
        return
    defects = [d for block in (section, repeat) if block is not None for d in block.defects]
    pairs = zip(hung, own.droppers.positions_by_section, strict=False)
    shared = [x for own_x, main in pairs for x in own_x if any(abs(x - at) < ONE_CLAMP for at in main)]
    if shared and any(defect.kind == "broken" for defect in defects):
        yield (
            "defects of kind 'broken' need main droppers that share no clamp with a dropper: one stands at "
            f"{shared[0]:g} m"
        )
