"""Validated description of an auxiliary wire between messenger and contact wire, and of what it hangs from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any, Literal, Protocol, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from catenary.spec.components import HIGHEST, LONGEST, SHORTEST, DropperSpec, NamedSpec, Spec, WireSpec

__all__ = ["AuxiliarySpec", "MainDropperSpec", "wires_that_do_not_fit"]

# main droppers keep this far from droppers that share no clamp with them, and from supports [m]
CLEAR = 0.3
ONE_CLAMP = 1.0e-6
MOST_MAIN = 40
Height = Annotated[float, Field(ge=-HIGHEST, le=HIGHEST)]
Length = Annotated[float, Field(ge=SHORTEST, le=LONGEST)]


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

    def makes(self, name: str) -> tuple[float, ...]:
        """Stiffness [N/m], mass [kg/m] or clamp mass [kg] of every main dropper, by its key among the droppers'."""
        key = "clamp_mass_auxiliary_wire" if name == "clamp_mass_contact_wire" else name
        return (getattr(self, key),) * len(self.positions)

    @model_validator(mode="after")
    def _one_value_each(self) -> Self:
        n, problems = len(self.positions), []
        if any(b <= a for a, b in pairwise(self.positions)):
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
        return {k: v for k, v in content.items() if k not in ("auxiliary_wire_heights", "lengths") or v}


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

    def problems(self, supports: Sequence[float], droppers: Sequence[float], encumbrance: float) -> list[str]:
        """List what does not fit the line: its supports' and droppers' stations, and its encumbrance [m]."""
        found, main = [], self.droppers.positions
        if self.encumbrance >= encumbrance:
            found.append(
                f"auxiliary_wire.encumbrance must be below encumbrance = {encumbrance:g} m: got {self.encumbrance:g} m"
            )
        for k, at in enumerate(main):
            key = f"auxiliary_wire.droppers.positions[{k}]"
            if not supports[0] < at < supports[-1]:
                found.append(f"{key} must lie between 0 and {supports[-1]:g} m: got {at:g} m")
            elif min(abs(at - s) for s in supports) < CLEAR:
                found.append(f"{key} = {at:g} m must stay {CLEAR:g} m clear of the support")
            elif ONE_CLAMP <= min(abs(at - x) for x in droppers) < CLEAR:
                found.append(f"{key} = {at:g} m must stand at a dropper, or {CLEAR:g} m clear of it")
        for n, (a, b) in enumerate(pairwise(supports), start=1):
            count = sum(1 for at in main if a < at < b)
            if not 1 <= count <= MOST_MAIN:
                found.append(f"auxiliary_wire.droppers.positions must give span {n} 1 to {MOST_MAIN}: got {count}")
        return found


class _Line(Protocol):
    """What of a line has to fit its wires."""

    @property
    def kind(self) -> str:
        """Kind of the line."""
        ...

    @property
    def supports(self) -> tuple[float, ...]:
        """Stations of the supports of a period [m]."""
        ...

    @property
    def encumbrance(self) -> float:
        """Height of the messenger wire over the contact wire at a support [m]."""
        ...

    @property
    def droppers(self) -> DropperSpec:
        """Droppers of the contact wire."""
        ...

    @property
    def auxiliary_wire(self) -> AuxiliarySpec | None:
        """Wire between messenger and contact wire."""
        ...

    @property
    def contact_wire(self) -> WireSpec:
        """Contact wire."""
        ...

    @property
    def messenger_wire(self) -> WireSpec:
        """Messenger wire."""
        ...

    @property
    def stitch(self) -> object:
        """Stitch wire."""
        ...

    @property
    def section(self) -> object:
        """What makes the line end."""
        ...

    @property
    def repeat(self) -> object:
        """What repeats after several spans."""
        ...

    @property
    def wind(self) -> object:
        """Wind across the track."""
        ...


def wires_that_do_not_fit(line: _Line) -> list[str]:
    """List what an auxiliary wire, or wires side by side, do not fit on a line."""
    own, problems = line.auxiliary_wire, []
    if (line.kind == "compound") != (own is not None):
        problems.append(f"kind is '{line.kind}' but auxiliary_wire is {'given' if own else 'missing'}")
    if own is not None:
        problems += own.problems(line.supports, line.droppers.positions, line.encumbrance)
        others = {"section": line.section, "repeat": line.repeat, "wind": line.wind, "stitch": line.stitch}
        problems += [f"{key} must be left out: kind is 'compound'" for key, value in others.items() if value]
    if line.wind is not None and max(line.contact_wire.count, line.messenger_wire.count) > 1:
        problems.append("wind must be left out: there are two wires side by side, which shelter each other")
    return problems
