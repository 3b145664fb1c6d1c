"""Validated description of the tension sections of a line, each with wires of its own, and of what holds their ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec

__all__ = [
    "ELEVATION",
    "FEWEST_SPANS",
    "LEAST_OVERLAP",
    "MOST_OVERLAP",
    "SPACING",
    "EndsSpec",
    "TensionSectionSpec",
    "misfits",
]

# spans of a section, and of an overlap of two
FEWEST_SPANS = 3
LEAST_OVERLAP, MOST_OVERLAP = 2, 6
# of the ends' keys, those that each kind takes
TAKES = {"spring_damper": ("stiffness", "damping"), "weight": ("ratio",), "fixed": ()}
# chosen: a contact wire this much higher where it ends is out of reach of a pantograph from one span before [m]
ELEVATION = 0.5
# chosen: wires of an overlap side by side; where sections are insulated from each other the air between them says [m]
SPACING = {"uninsulated": 0.2, "insulated": 0.45}


class EndsSpec(Spec):
    """Device that holds either wire at either end of a tension section along the track."""

    kind: Literal["spring_damper", "weight", "fixed"] = Field(
        default="spring_damper",
        description="spring and damper, by default those that let axial waves out; a weight over a pulley; or held",
    )
    stiffness: Annotated[float, Field(ge=0.0, le=1.0e8)] | None = Field(
        default=None, description="of the spring [N/m]; none: 0, the tension stays"
    )
    damping: Annotated[float, Field(ge=0.0, le=1.0e6)] | None = Field(
        default=None, description="of the damper [N s/m]; none: sqrt(EA rho) of the wire, which reflects no axial wave"
    )
    ratio: Annotated[float, Field(ge=1.0, le=10.0)] | None = Field(
        default=None, description="tension over the weight that holds it [-]; none: 3"
    )

    @model_validator(mode="after")
    def _kind_takes_it(self) -> Self:
        problems = [
            f"{key} must be left out of ends of kind '{self.kind}': it belongs to '{kind}'"
            for kind, keys in TAKES.items()
            for key in keys
            if kind != self.kind and getattr(self, key) is not None
        ]
        if problems:
            raise ValueError("; ".join(problems))
        return self


class TensionSectionSpec(Spec):
    """One tension section: its supports and its ends."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$")] = Field(description="short name")
    first_support: Annotated[int, Field(ge=0, le=100)] = Field(
        description="support at which its wires begin, the line's first one being 0"
    )
    last_support: Annotated[int, Field(ge=1, le=100)] = Field(description="support at which its wires end")
    ends: EndsSpec = Field(default=EndsSpec(), description="what holds its wires along the track")

    @property
    def supports(self) -> int:
        """Number of its supports."""
        return self.last_support - self.first_support + 1


def misfits(sections: Sequence[TensionSectionSpec], supports: int) -> Iterator[str]:
    """Say where sections do not cover a line of so many supports, or overlap as no two can."""
    names = [s.name for s in sections]
    if len(set(names)) < len(names):
        yield f"section.tension_sections must have different names: got {', '.join(names)}"
    for k, (first, last) in enumerate((s.first_support, s.last_support) for s in sections):
        if not first + FEWEST_SPANS <= last < supports:
            yield (
                f"section.tension_sections[{k}] must have {FEWEST_SPANS} spans or more on the line's supports 0 to "
                f"{supports - 1}: got {first} to {last}"
            )
    if sections[0].first_support != 0 or max(s.last_support for s in sections) != supports - 1:
        yield (
            f"section.tension_sections must begin at support 0 and end at support {supports - 1}: got "
            f"{sections[0].first_support} to {max(s.last_support for s in sections)}"
        )
    for k, (a, b) in enumerate(pairwise(sections), start=1):
        common = a.last_support - b.first_support
        if not (a.first_support < b.first_support and a.last_support < b.last_support):
            yield f"section.tension_sections[{k}] must begin and end beyond '{a.name}', the section before it"
        elif not LEAST_OVERLAP <= common <= MOST_OVERLAP:
            yield (
                f"section.tension_sections[{k}] must overlap '{a.name}' by {LEAST_OVERLAP} to {MOST_OVERLAP} spans: "
                f"got {common}"
            )
    for k, (a, c) in enumerate(zip(sections, sections[2:], strict=False), start=2):
        if c.first_support < a.last_support:
            yield f"section.tension_sections[{k}] must not reach '{a.name}': two sections at most overlap"
