"""Validated description of what an optimiser may change, and how far (SI)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec
from catenary.spec.line import Span
from optimise.spec.control.ranges import ControlRangesSpec
from optimise.spec.station_design import STATION_KEYS, OverlapRangeSpec, SpansRangeSpec, StationRange

__all__ = ["LINE_QUANTITIES", "DesignSpec"]

Count = Annotated[int, Field(ge=1, le=40)]
Difference = Annotated[float, Field(ge=0.0, le=60.0)]
Encumbrance = Annotated[float, Field(ge=0.3, le=3.0)]
Tension = Annotated[float, Field(ge=5.0e3, le=60.0e3)]
StitchLength = Annotated[float, Field(ge=4.0, le=40.0)]
Distance = Annotated[float, Field(gt=0.0, le=1000.0)]
StitchTension = Annotated[float, Field(ge=500.0, le=10.0e3)]
ClampMass = Annotated[float, Field(ge=0.0, le=5.0)]

# quantities of the line as a whole: key, where the line's own description has it, unit
LINE_QUANTITIES: dict[str, tuple[tuple[str, ...], str]] = {
    "droppers": (("droppers", "positions"), "1"),
    "span_length": (("span_length",), "m"),
    "span_difference": (("further_spans",), "m"),
    "encumbrance": (("encumbrance",), "m"),
    "contact_wire_tension": (("contact_wire", "tension"), "N"),
    "messenger_wire_tension": (("messenger_wire", "tension"), "N"),
    "stitch_length": (("stitch", "length"), "m"),
    "stitch_tension": (("stitch", "tension"), "N"),
    "clamp_mass_contact_wire": (("droppers", "clamp_mass_contact_wire"), "kg"),
    "clamp_mass_messenger_wire": (("droppers", "clamp_mass_messenger_wire"), "kg"),
}


class DesignSpec(Spec):
    """Design variables, symmetric about mid-span, and their ranges."""

    kind: Literal["heights", "spacing", "both", "line", "stations"] = Field(
        default="heights",
        description="contact-wire heights at the droppers, stations of the droppers, both, or neither: then only "
        "what is given a range of its own changes, on a line that repeats (line) or on one by stations (stations)",
    )
    height_change: Annotated[float, Field(gt=0.0, le=0.2)] = Field(
        default=0.060, description="largest change of a contact-wire height from the nominal line [m]"
    )
    load_change: Annotated[float, Field(gt=0.0, le=1.0)] = Field(
        default=0.8, description="largest change of a dropper's own static load, of its nominal load [-]"
    )
    dropper_move: Annotated[float, Field(gt=0.0, le=20.0)] = Field(
        default=3.0, description="largest move of a dropper from its nominal station [m]"
    )
    minimum_spacing: Annotated[float, Field(ge=0.5, le=20.0)] = Field(
        default=2.0, description="least distance between neighbouring droppers, also across a support [m]"
    )
    support_clearance: Annotated[float, Field(ge=0.5, le=10.0)] = Field(
        default=1.0, description="least distance between a dropper and a support [m]"
    )
    clamp_clearance: Annotated[float, Field(ge=0.3, le=5.0)] = Field(
        default=0.4, description="least distance between a dropper and a stitch clamp [m]"
    )
    station_grid: Annotated[float, Field(ge=1.0e-3, le=1.0)] | None = Field(
        default=None,
        description="step of the droppers' stations, counted from the nearest support [m]; one at mid-span stays "
        "there; not given: any station",
    )
    length_step: Annotated[float, Field(ge=1.0e-4, le=0.05)] | None = Field(
        default=None,
        description="step of the lengths to which droppers are cut, heights then follow [m]; not given: any length",
    )
    droppers: tuple[Count, Count] | None = Field(
        default=None,
        description="least and largest number of droppers in a span [-]; not given: that of the nominal line",
    )
    span_length: tuple[Span, Span] | None = Field(
        default=None, description="range of the span, support to support [m]; not given: as the nominal line"
    )
    span_difference: tuple[Difference, Difference] | None = Field(
        default=None,
        description="range, from 0, of how much longer every other span is, the mean of both being the span length "
        "[m]; not given: all spans alike",
    )
    encumbrance: tuple[Encumbrance, Encumbrance] | None = Field(
        default=None,
        description="range of the height of messenger over contact wire at a support [m]; not given: as the nominal "
        "line",
    )
    contact_wire_tension: tuple[Tension, Tension] | None = Field(
        default=None, description="range of the contact wire's tension [N]; not given: as the nominal line"
    )
    messenger_wire_tension: tuple[Tension, Tension] | None = Field(
        default=None, description="range of the messenger wire's tension [N]; not given: as the nominal line"
    )
    stitch_length: tuple[StitchLength, StitchLength] | None = Field(
        default=None, description="range of the stitch wire, clamp to clamp [m]; not given: as the nominal line"
    )
    stitch_tension: tuple[StitchTension, StitchTension] | None = Field(
        default=None, description="range of the stitch wire's tension [N]; not given: as the nominal line"
    )
    clamp_mass_contact_wire: tuple[ClampMass, ClampMass] | None = Field(
        default=None, description="range of the droppers' lower clamp mass [kg]; not given: as the nominal line"
    )
    clamp_mass_messenger_wire: tuple[ClampMass, ClampMass] | None = Field(
        default=None, description="range of the droppers' upper clamp mass [kg]; not given: as the nominal line"
    )

    overlap_heights: OverlapRangeSpec | None = Field(
        default=None,
        description="line by stations: contact height of both wires at the supports inside an overlap may change",
    )
    overlap_elevations: OverlapRangeSpec | None = Field(
        default=None, description="line by stations: elevation of the wires at the ends of an overlap may change"
    )
    overlap_staggers: OverlapRangeSpec | None = Field(
        default=None, description="line by stations: stagger of both wires at the supports inside an overlap may change"
    )
    dropper_heights: SpansRangeSpec | None = Field(
        default=None, description="line by stations: contact-wire heights at single droppers may change"
    )
    dropper_lengths: SpansRangeSpec | None = Field(
        default=None, description="line by stations: lengths to which single droppers are cut may change"
    )
    control: ControlRangesSpec | None = Field(
        default=None,
        exclude_if=lambda value: value is None,  # a design reads as it did
        description="gains of pantograph.control may change, alone (kind line or stations) or along with the line",
    )
    trailing_distances: tuple[tuple[Distance, Distance], ...] = Field(
        default=(),
        max_length=7,
        exclude_if=lambda value: not value,  # a design reads as it did
        description="range of each distance of trailing.distances_m [m]: pantographs may stand elsewhere behind the "
        "first, alone (kind line or stations) or along with the line",
    )

    @property
    def station_ranges(self) -> dict[str, StationRange]:
        """What may change on a line by stations, by key."""
        given = {key: getattr(self, key) for key in STATION_KEYS}
        return {key: value for key, value in given.items() if value is not None}

    @property
    def line_ranges(self) -> dict[str, tuple[float, float]]:
        """Ranges of the quantities of the line as a whole that may change, by key."""
        given = {key: getattr(self, key) for key in LINE_QUANTITIES}
        return {key: value for key, value in given.items() if value is not None}

    @property
    def of_train(self) -> bool:
        """Whether gains of the pantographs, or distances between them, may change."""
        return self.control is not None or bool(self.trailing_distances)

    @property
    def what(self) -> str:
        """Design variables in words."""
        whole = [key.replace("_", " ") for key in self.station_ranges]
        whole += ["number of droppers" if key == "droppers" else key.replace("_", " ") for key in self.line_ranges]
        whole += ["gains of the pantograph's controller"] if self.control is not None else []
        whole += ["distances between pantographs"] if self.trailing_distances else []
        return ", ".join(whole if self.kind in ("line", "stations") else [self.kind, *whole])

    @property
    def as_built(self) -> str:
        """What every design is built to, in words; empty where stations and lengths are what the variables give."""
        steps = (("stations", self.station_grid), ("dropper lengths", self.length_step))
        return " and ".join(f"{what} in steps of {1e3 * step:g} mm" for what, step in steps if step is not None)

    @property
    def short_name(self) -> str:
        """Kind of the design, for the name of its campaign."""
        parts = [self.kind] if self.kind != "line" or self.line_ranges else []
        parts += ["control"] if self.control is not None else []
        parts += ["distances"] if self.trailing_distances else []
        return "_".join(parts)

    @property
    def has_derivatives(self) -> bool:
        """Whether figures may have derivatives by all variables; there are none by steps and gains."""
        return not self.as_built and self.control is None

    @property
    def unsaid(self) -> set[str]:
        """Keys that are not given, left out of a campaign's hash: it had none of them when it could not have."""
        steps = {key for key in ("station_grid", "length_step") if getattr(self, key) is None}
        stations = set(STATION_KEYS) - set(self.station_ranges)
        return set(LINE_QUANTITIES) - set(self.line_ranges) | steps | stations

    @model_validator(mode="after")
    def _something_may_change(self) -> Self:
        problems = [
            f"design.{key} must be the least and then a larger value [{LINE_QUANTITIES[key][1]}]: got {low:g} and "
            f"{high:g}, give the smaller one first"
            for key, (low, high) in self.line_ranges.items()
            if low >= high
        ]
        problems += self._wrong_distances()
        if self.kind in ("line", "stations") and not (self.line_ranges or self.station_ranges or self.of_train):
            known = ", ".join((*LINE_QUANTITIES, *STATION_KEYS, "control", "trailing_distances"))
            problems.append(f"design.kind '{self.kind}' must have something to change: give a range to one of {known}")
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def _wrong_distances(self) -> Iterator[str]:
        key = "design.trailing_distances"
        for (_, before), (low, high) in pairwise(((0.0, 0.0), *self.trailing_distances)):
            if low >= high:
                yield f"{key} must be the least and then a larger distance [m]: got {low:g} and {high:g}"
            elif low < before + 1.0:
                yield (
                    f"{key} must leave 1 m or more between pantographs whatever is chosen: got up to {before:g} m, and "
                    f"from {low:g} m the next"
                )
