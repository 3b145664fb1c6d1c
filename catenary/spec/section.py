"""Validated description of what differs support by support and dropper by dropper on a line given by stations (SI)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from catenary.spec.attached.elements import ElementSpec
from catenary.spec.attached.wear import WearSpec
from catenary.spec.components import HIGHEST, Spec
from catenary.spec.placing.elements import CLEAR, misplaced_elements, misplaced_wear
from catenary.spec.placing.wires import Wires, chosen
from catenary.spec.running_surface.surface import IrregularitySpec, KinkSpec, ProfileSpec, elsewhere
from catenary.spec.tension_section import TensionSectionSpec, misfits

__all__ = ["BY_SUPPORT", "DROPPER_MAKES", "MOST_SPANS", "DefectSpec", "PointMassSpec", "SectionSpec"]

# of a line by stations: a tension section has some 24, and two of them overlap
MOST_SPANS = 48
# supports are counted once for each section that has wires there
MOST_SUPPORTS, MOST_DROPPERS = 2 * (MOST_SPANS + 1), 480
# longest error of a cut length [m]
LONGEST_ERROR = 0.5

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
    wire: Literal["contact", "messenger", "stitch", "auxiliary"] = Field(
        default="contact", description="wire that carries it"
    )
    mass: Annotated[float, Field(gt=0.0, le=100.0)] = Field(description="mass [kg]")
    section: str | None = Field(
        default=None, description="tension section of the wire; needed where two of them overlap"
    )


class DefectSpec(Spec):
    """One dropper that is not as designed; all others keep the lengths of the design."""

    span: Annotated[int, Field(ge=1, le=MOST_SPANS)] = Field(description="span of the dropper, the first one being 1")
    dropper: Annotated[int, Field(ge=1, le=40)] = Field(description="number in its span, the first one being 1")
    kind: Literal["broken", "length", "loose", "stiffness"] = Field(
        description="broken (its clamps stay), cut too long or too short, loose at rest, or of another stiffness"
    )
    by: Annotated[float, Field(ge=-LONGEST_ERROR, le=LONGEST_ERROR)] | None = Field(
        default=None,
        description="error of the cut length, too long positive, or the gap at rest of a loose dropper [m]; kinds "
        "'length' and 'loose' alone",
    )
    stiffness: Stiffness | None = Field(default=None, description="[N/m]; kind 'stiffness' alone")
    section: str | None = Field(
        default=None, description="tension section of the dropper; needed where two of them overlap"
    )

    @model_validator(mode="after")
    def _kind_has_its_value(self) -> Self:
        problems = []
        for kinds, key, unit in ((("length", "loose"), "by", "m"), (("stiffness",), "stiffness", "N/m")):
            if self.kind in kinds and getattr(self, key) is None:
                problems.append(f"{key} is missing: a defect of kind '{self.kind}' needs it [{unit}]")
            if self.kind not in kinds and getattr(self, key) is not None:
                problems.append(f"{key} must be left out of a defect of kind '{self.kind}'")
        if self.kind == "loose" and self.by is not None and self.by <= 0.0:
            problems.append(f"by must be a gap above 0 m where a dropper hangs loose: got {self.by:g}")
        if problems:
            raise ValueError("; ".join(problems))
        return self


class SectionSpec(Spec):
    """A line that ends: what its supports and droppers have of their own, one value each, masses and defects.

    An empty list stands for what all of them have in common. Where there are tension sections, values by support and
    by dropper are listed section by section.
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
    elements: tuple[ElementSpec, ...] = Field(
        default=(), max_length=400, description="spring supports, dampers between the wires, section insulators"
    )
    wear: tuple[WearSpec, ...] = Field(
        default=(), max_length=200, description="worn stretches of the contact wire; droppers keep their lengths"
    )
    masses: tuple[PointMassSpec, ...] = Field(default=(), max_length=400, description="point masses on the wires")
    defects: tuple[DefectSpec, ...] = Field(
        default=(), max_length=MOST_DROPPERS, description="droppers that are not as designed"
    )
    profiles: tuple[ProfileSpec, ...] = Field(
        default=(), max_length=8, description="measured running surface of the contact wire, one a wire"
    )
    kinks: tuple[KinkSpec, ...] = Field(default=(), max_length=400, description="local bends of the contact wire")
    irregularity: IrregularitySpec | None = Field(
        default=None, description="running surface that is drawn from a spectrum, on every contact wire"
    )
    tension_sections: tuple[TensionSectionSpec, ...] = Field(
        default=(),
        max_length=8,
        description="tension sections, each with wires of its own, in their order along the track; none: one alone",
    )

    @property
    def changed_since_built(self) -> bool:
        """Whether the line is no more as its design, which says how long its droppers are cut."""
        return bool(self.defects or self.wear)

    @property
    def wire_supports(self) -> int:
        """Supports of all tension sections, each counted for itself; 0 where there is one section alone."""
        return sum(own.supports for own in self.tension_sections)

    def problems(self, supports: tuple[float, ...], hung: tuple[tuple[float, ...], ...], half: float) -> Iterator[str]:
        """Say what does not fit supports, and droppers by section [m], stitch wires reaching ``half`` to a side [m]."""
        sections = self.tension_sections
        if sections:
            yield from misfits(sections, len(supports))
        for names, count, what in (
            (BY_SUPPORT, self.wire_supports or len(supports), "supports"),
            (tuple(DROPPER_MAKES.values()), sum(len(x) for x in hung), "droppers"),
        ):
            for name in names:
                given = len(getattr(self, name))
                if given not in (0, count):
                    yield f"section.{name} must give one value each for {count} {what}: got {given}"
        if sections and len(sections) != len(hung):
            return  # the line says so
        ranges = [(own.first_support, own.last_support) for own in sections] or [(0, len(supports) - 1)]
        wires = [
            Wires(own.name if own else None, first, supports[first : last + 1], x)
            for own, (first, last), x in zip(sections or (None,), ranges, hung, strict=True)
        ]
        yield from self._masses_elsewhere(wires, half)
        yield from misplaced_elements(self.elements, [(m.wire, m.station) for m in self.masses], wires, half)
        yield from misplaced_wear(self.wear, wires)
        yield from elsewhere(self.profiles, self.kinks, [(w.name or "", w.supports[0], w.supports[-1]) for w in wires])
        yield from self._defects_elsewhere(wires)

    def _masses_elsewhere(self, wires: list[Wires], half: float) -> Iterator[str]:
        """Name masses that no wire carries, or whose place is taken."""
        taken: dict[tuple[str, str | None], list[float]] = {}
        for k, mass in enumerate(self.masses):
            over = [w for w in wires if w.supports and w.supports[0] < mass.station < w.supports[-1]]
            own, problem = chosen(f"section.masses[{k}]", mass.section, over, wires)
            if problem or own is None:
                yield problem
                continue
            supports = own.supports
            clamps = tuple(x + side for x in supports[1:-1] for side in (-half, half) if half)
            near = min((*supports, *own.droppers, *clamps), key=lambda x, at=mass.station: abs(x - at))
            others = taken.setdefault((mass.wire, own.name), [])
            close = [x for x in others if abs(x - mass.station) < CLEAR]
            others.append(mass.station)
            if mass.wire == "stitch" and not any(abs(mass.station - x) < half for x in supports[1:-1]):
                yield f"section.masses[{k}] is on no stitch wire: got {mass.station:g} m"
            elif not over:
                end = wires[-1].supports[-1]
                yield f"section.masses[{k}].station must lie on the line, up to {end:g} m: got {mass.station:g} m"
            elif abs(near - mass.station) < CLEAR:
                yield (
                    f"section.masses[{k}].station = {mass.station:g} m must stay {CLEAR:g} m clear of the support, "
                    f"dropper or clamp at {near:g} m (give a dropper a heavier clamp instead)"
                )
            elif close:
                yield (
                    f"section.masses[{k}].station = {mass.station:g} m must stay {CLEAR:g} m clear of the mass at "
                    f"{close[0]:g} m on the same wire (one row may have both their masses)"
                )

    def _defects_elsewhere(self, wires: list[Wires]) -> Iterator[str]:
        """Name defects of droppers that the line does not have, and droppers with two of one kind."""
        last = max(w.first + len(w.supports) - 1 for w in wires)
        seen: dict[tuple[str | None, int, int], str] = {}
        for k, defect in enumerate(self.defects):
            over = [w for w in wires if w.first < defect.span < w.first + len(w.supports)]
            if not over:
                yield f"section.defects[{k}].span must be 1 to {last}: got {defect.span}"
                continue
            own, problem = chosen(f"section.defects[{k}]", defect.section, over, wires)
            if problem or own is None:
                yield problem
                continue
            begin, end = own.supports[defect.span - own.first - 1], own.supports[defect.span - own.first]
            count = sum(1 for x in own.droppers if begin < x < end)
            at = (own.name, defect.span, defect.dropper)
            if defect.dropper > count:
                yield (
                    f"section.defects[{k}].dropper must be 1 to {count}, the droppers of span {defect.span}: got "
                    f"{defect.dropper}"
                )
            elif at in seen and {seen[at], defect.kind} != {"length", "stiffness"}:
                yield f"section.defects[{k}] is the second of dropper {at[2]} of span {at[1]}, which is {seen[at]}"
            seen[at] = defect.kind
