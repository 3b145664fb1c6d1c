"""Validated description of the temperature of wires that are fixed at both ends and have no tension of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from catenary.spec.components import Spec
from catenary.spec.tension_section import TensionSectionSpec

__all__ = ["FixedWire", "TemperatureSpec"]

FixedWire = Literal["contact", "messenger", "auxiliary"]
Celsius = Annotated[float, Field(ge=-60.0, le=120.0)]


def _listed(given: object) -> object:
    """Names one by one: a cell of a workbook holds them in one text, and a bare number was meant as a name."""
    if isinstance(given, str):
        return [name.strip() for name in given.split(",")]
    names = given if isinstance(given, list | tuple) else [given] if isinstance(given, int | float) else None
    return given if names is None else [_name(name) for name in names]


def _name(given: object) -> object:
    """Name that a number stands for, as a spreadsheet shows it; anything else as it is."""
    return f"{given:.15g}" if isinstance(given, int | float) and not isinstance(given, bool) else given


class TemperatureSpec(Spec):
    """Wires without weights: strung with their tensions at one temperature, they have others at another.

    Droppers are cut for the heights at the temperature of stringing, and supports stay where they are. Wires of a
    tension section that is not named, and those that weights hold, keep their tensions.
    """

    strung_C: Celsius = Field(default=10.0, description="temperature at which the wires have their tensions [C]")
    now_C: Celsius = Field(description="temperature of the wires in the run [C]")
    fixed: Annotated[tuple[FixedWire, ...], BeforeValidator(_listed), Field(min_length=1, max_length=3)] | None = Field(
        default=None,
        description="wires that are fixed at both ends; none: contact and messenger, and the auxiliary wire that a "
        "compound line has",
    )
    sections: Annotated[tuple[str, ...], BeforeValidator(_listed), Field(min_length=1, max_length=50)] | None = Field(
        default=None,
        description="names of the tension sections whose wires are fixed at both ends; none: all that no weights hold",
    )
    expansion: Annotated[float, Field(gt=0.0, le=5.0e-5)] = Field(
        default=1.7e-5, description="thermal expansion of these wires, copper and its alloys 1.7e-5 [1/K]"
    )

    @model_validator(mode="after")
    def _each_name_once(self) -> Self:
        for key in ("fixed", "sections"):
            names = getattr(self, key) or ()
            if len(set(names)) < len(names):
                one = "wire" if key == "fixed" else "tension section"
                raise ValueError(f"{key} must list each {one} once: got {', '.join(names)}")
        return self

    @model_serializer(mode="wrap")
    def _usual_unsaid(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out lists that nobody gave."""
        content: dict[str, Any] = handler(self)
        return {k: v for k, v in content.items() if k not in ("fixed", "sections") or v is not None}

    @property
    def strain(self) -> float:
        """What an unstretched length grows by, of itself, from stringing to now [-]."""
        return self.expansion * (self.now_C - self.strung_C)

    @property
    def everywhere(self) -> Self:
        """The same temperature on a line that is one section of all."""
        return self.model_copy(update={"sections": None})

    def wires(self, *, auxiliary: bool) -> tuple[FixedWire, ...]:
        """Wires that are fixed at both ends, of a line with an auxiliary wire or without."""
        return self.fixed or (("contact", "messenger", "auxiliary") if auxiliary else ("contact", "messenger"))

    def fixes(self, section: TensionSectionSpec) -> bool:
        """Whether the wires of a tension section are fixed at both ends."""
        return section.ends.kind != "weight" if self.sections is None else section.name in self.sections

    def problems(self, sections: Sequence[TensionSectionSpec], kind: str) -> Iterator[str]:
        """Say what does not fit a line of a kind and its tension sections, where it has some."""
        if kind != "compound" and "auxiliary" in (self.fixed or ()):
            yield f"temperature.fixed must name contact or messenger: kind is {kind}, there is no auxiliary wire"
        if self.sections is not None and not sections:
            yield "temperature.sections must be left out: the line has no tension sections"
            return
        names = [own.name for own in sections]
        unknown = [f"'{name}'" for name in self.sections or () if name not in names]
        if unknown:
            yield f"temperature.sections must be among {', '.join(names)}: got {', '.join(unknown)}"
        held = [own.name for own in sections if own.ends.kind == "weight"]
        named = [name for name in held if name in (self.sections or ())]
        if named:
            yield (
                "temperature.sections must name sections that no weights hold, for these keep their tensions: got "
                f"{', '.join(named)}, whose ends are of kind weight"
            )
        if sections and len(held) == len(sections) and self.sections is None:
            yield "temperature must be left out: weights hold the wires of every tension section"
