"""Validated description of a railway overhead contact line, as a user writes it (SI units)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from catenary.spec.components import DropperSpec, Spec, StitchSpec, SupportSpec, WireSpec
from catenary.spec.mesh import MeshSpec
from catenary.spec.parts.auxiliary import AuxiliarySpec, Room, wires_that_do_not_fit
from catenary.spec.parts.damping import DamperSpec
from catenary.spec.placing.droppers import stations_outside
from catenary.spec.placing.stitch import stitch_problems
from catenary.spec.repeat import RepeatSpec
from catenary.spec.section import DROPPER_MAKES, MOST_SPANS, SectionSpec
from catenary.spec.shown import dropper_table
from catenary.spec.surroundings.fits import Surroundings, problems_of_surroundings
from catenary.spec.surroundings.ice import IceSpec
from catenary.spec.surroundings.temperature import TemperatureSpec
from catenary.spec.surroundings.track import TrackSpec
from catenary.spec.surroundings.wind import WindSpec
from catenary.wires.names import BLOCKS, marks_of_names, misplaced

__all__ = ["CatenarySpec", "Formulation", "LineMark", "Mark", "MeshSpec", "Span", "TensionInMotion"]

Mark = Literal["p", "s", "r", "d", "c", "u"]
# a mark, or t: and the name of the line that a value was copied from without a look at this one
LineMark: TypeAlias = Annotated[str, Field(pattern=r"^([psrdcu]|t:.+)$")]
Formulation: TypeAlias = Literal["ancf", "beam"]
TensionInMotion: TypeAlias = Literal["coupled", "constant"]
Span: TypeAlias = Annotated[float, Field(ge=15.0, le=120.0)]

# spans after the first before a line repeats
MOST_FURTHER = 11


class CatenarySpec(Spec):
    """One type of overhead contact line on straight track: one span, or a few of unequal length, that repeats.

    In the spatial model the stagger changes side from support to support, so that a span is the mirror image of the
    next one.
    """

    schema_version: Literal[1] = 1
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")] = Field(description="short name")
    kind: Literal["simple", "stitched", "compound"] = Field(
        description="plain, with a stitch wire over each support, or with an auxiliary wire between the two wires"
    )
    description: str = Field(default="", description="one sentence on where the data come from")
    dimension: Literal["planar", "spatial"] = Field(
        default="planar", description="in the vertical plane of the track, or with stagger and steady arms as bars"
    )
    formulation: Formulation = Field(
        default="ancf",
        description="element of every wire: ANCF cable (PACDIN) or Euler-Bernoulli beam under tension (PantoCat)",
    )
    tension_in_motion: TensionInMotion = Field(
        default="coupled",
        description="tensions in motion: coupled to what stretches the wires, or constant as at rest, as in many codes",
    )
    span_length: Span = Field(description="support to support [m]; the first one where further_spans follow")
    further_spans: tuple[Span, ...] = Field(
        default=(),
        max_length=MOST_SPANS - 1,
        description="length of each span after the first before the line repeats [m], at most 11, or before a line by "
        "stations ends; none: all spans are alike",
    )
    encumbrance: Annotated[float, Field(ge=0.3, le=3.0)] = Field(
        description="height of the messenger wire over the contact wire at a support [m]"
    )
    contact_wire: WireSpec = Field(description="the wire that the pantograph touches")
    messenger_wire: WireSpec = Field(description="the wire that carries; outside a stitch its tension is the named one")
    stitch: StitchSpec | None = Field(default=None, description="stitch wire; only for kind 'stitched'")
    auxiliary_wire: AuxiliarySpec | None = Field(
        default=None, description="wire from which the droppers hang in place of the messenger; only for 'compound'"
    )
    droppers: DropperSpec = Field(description="droppers of one span, or of all spans before the line repeats")
    support: SupportSpec = Field(description="supports")
    damping: DamperSpec = Field(description="Rayleigh damping")
    mesh: MeshSpec = Field(default=MeshSpec(), description="finite-element mesh")
    section: SectionSpec | None = Field(
        default=None,
        description="makes the spans a line that ends, as a line file by stations does; without it they repeat",
    )
    repeat: RepeatSpec | None = Field(
        default=None,
        description="makes a period of several such spans, with defects of droppers and of the contact wire in places; "
        "without it a line repeats after the spans that it names",
    )
    track: TrackSpec | None = Field(default=None, description="curves, cant and gradient; spatial only")
    wind: WindSpec | None = Field(default=None, description="steady wind across the track; spatial only")
    ice: IceSpec | None = Field(default=None, description="on wires that weights hold; droppers are cut without it")
    temperature: TemperatureSpec | None = Field(default=None, description="of wires that are fixed at both ends")
    provenance: dict[str, LineMark] = Field(
        default_factory=dict,
        max_length=1000,
        description="where each value comes from: p paper, s public source, r recalled, d derived, c chosen here, "
        "u given by the user, t:NAME copied from line NAME and to be checked",
    )

    @property
    def spans(self) -> tuple[float, ...]:
        """Lengths of the spans before the line repeats [m]."""
        return (self.span_length, *self.further_spans)

    @property
    def supports(self) -> tuple[float, ...]:
        """Stations of the supports of one period, the one that begins the next included [m]."""
        return tuple(accumulate(self.spans, initial=0.0))

    @property
    def period(self) -> float:
        """Length after which the line repeats [m]: a span, or several of unequal length."""
        return self.supports[-1]

    @property
    def ends(self) -> bool:
        """Whether the spans are all of the line, and do not repeat."""
        return self.section is not None and self.repeat is None

    @property
    def mirrored(self) -> bool:
        """Whether a span is the mirror image of the next: it is, on straight track in still air."""
        return self.wind is None and (self.track is None or self.track.radius is None)

    @property
    def repeating(self) -> Self:
        """The line, or where it cannot repeat on its track and in its wind, itself on straight track in still air."""
        track = self.track
        outside = track is not None and track.radius is not None and abs(track.radius) < track.outside_below
        if (self.mirrored or outside or self.spans_of_a_period % 2 == 0) and not (track and track.ends):
            return self
        return self.model_copy(update={"track": None, "wind": None})

    @property
    def spans_of_a_period(self) -> int:
        """Spans after which the line repeats, its defects included."""
        return len(self.spans) if self.repeat is None else self.repeat.spans

    @property
    def what_repeats(self) -> str:
        """Period of the line, in words behind a number of steps."""
        if self.ends:
            return "for a mean span"
        return f"for {self.spans_of_a_period} spans" if self.spans_of_a_period > 1 else "a span"

    @property
    def one_period(self) -> str:
        """Section that form-finding takes of the infinite line, in words; a line by stations is all of it."""
        count = self.spans_of_a_period
        if self.ends:
            return f"the line's {count} spans"
        return f"{'one span' if count == 1 else f'{count} spans'} of the infinite line"

    @property
    def mean_span(self) -> float:
        """Mean length of the spans [m]."""
        return self.period / len(self.spans)

    @property
    def pace(self) -> float:
        """Length that takes a whole number of time steps [m]: the period, or the mean span of a line that ends."""
        return self.mean_span if self.ends else self.period

    @property
    def dropper_positions(self) -> tuple[float, ...]:
        """Stations of all droppers that the line names [m], those of an auxiliary wire last."""
        own = self.auxiliary_wire
        return self.droppers.positions + (() if own is None else own.droppers.positions)

    def dropper_makes(self, name: str) -> tuple[float, ...]:
        """Stiffness [N/m], mass [kg/m] or clamp mass [kg], by its key among the droppers', of every dropper named."""
        own = () if self.section is None else getattr(self.section, DROPPER_MAKES.get(name, ""), ())
        hung = own or (getattr(self.droppers, name),) * len(self.droppers.positions)
        return hung if self.auxiliary_wire is None else (*hung, *self.auxiliary_wire.droppers.makes(name))

    def periods(self, spans: int) -> int:
        """Whole periods that hold so many spans."""
        return -(-spans // self.spans_of_a_period)

    def station(self, spans: float) -> float:
        """Place on the line so many spans, parts of one included, from its first support [m]."""
        whole, rest = divmod(spans, len(self.spans))
        k = int(rest)
        return whole * self.period + self.supports[k] + (rest - k) * self.spans[k]

    def with_droppers(
        self,
        *,
        heights_mm: Iterable[float] | None = None,
        positions_m: Iterable[float] | None = None,
        lengths_mm: Iterable[float] | None = None,
    ) -> Self:
        """Copy with other droppers, one value each along the span.

        Parameters
        ----------
        heights_mm : iterable of float, optional
            Contact-wire heights at the droppers, relative to the support [mm]; pre-sag is negative. Lengths follow.
        positions_m : iterable of float, optional
            Stations from the support [m].
        lengths_mm : iterable of float, optional
            Lengths to which the droppers are cut [mm], in place of heights, which then follow.

        Raises
        ------
        InputError
            If heights and lengths are given both, are not numbers, or there is not one for each dropper.
        """
        from catenary.spec.given import given_droppers  # it reads Specs itself

        return self.with_changes(droppers=given_droppers(heights_mm, positions_m, lengths_mm))

    @property
    def in_words(self) -> str:
        """Describe the line: its name, spans, droppers and tensions."""
        return (
            f"{self.name}: {self.kind}, {self._spans_in_words}, "
            f"{len(self.droppers.positions)} droppers, contact wire {self.contact_wire.pull_in_words}, "
            f"messenger wire {self.messenger_wire.pull_in_words}"
            + (f", auxiliary wire {self.auxiliary_wire.tension / 1e3:g} kN" if self.auxiliary_wire else "")
        )

    @property
    def _spans_in_words(self) -> str:
        """Lengths of the spans; of a line that ends how many there are, and its length."""
        if self.ends:
            return f"{len(self.spans)} spans on {self.period:g} m"
        return f"{'span' if len(self.spans) == 1 else 'spans'} {' + '.join(f'{span:g}' for span in self.spans)} m"

    def __str__(self) -> str:
        """Say the same as the repr: print shows no dump of all keys."""
        return repr(self)

    def __repr__(self) -> str:
        """Name the line and say what it is, on one line."""
        return f"<line {self.in_words}>"

    def _repr_html_(self) -> str:
        """Words of the line above a table of its droppers."""
        return dropper_table(self.in_words, self.droppers)

    @model_serializer(mode="wrap")
    def _usual_unsaid(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out what a line does not have, and coupled tensions: it reads as it did."""
        content: dict[str, Any] = handler(self)
        if content.get("section"):  # what came later is unsaid where there is none
            later = ("tension_sections", "profiles", "kinks", "irregularity", "elements", "wear")
            content["section"] = {k: v for k, v in content["section"].items() if v or k not in later}
        usual: dict[str, tuple[Any, ...]] = {"further_spans": ([], ()), "tension_in_motion": ("coupled",)}
        usual |= dict.fromkeys(("section", "repeat", "track", "wind", "ice", "temperature", "auxiliary_wire"), (None,))
        return {k: v for k, v in content.items() if v not in usual.get(k, ())}

    @model_validator(mode="before")
    @classmethod
    def _names_have_marks(cls, content: object) -> object:
        return marks_of_names(content)

    @model_validator(mode="after")
    def _stations_inside_the_spans(self) -> Self:
        own, hung = () if self.section is None else self.section.tension_sections, self.droppers.positions_by_section
        ranges = [(each.first_support, each.last_support) for each in own]
        problems = stations_outside(self.droppers.positions, hung, self.supports, ranges)
        if self.section is not None:
            half = 0.5 * self.stitch.length if self.stitch else 0.0
            problems += self.section.problems(self.supports, hung, half)
        elif len(self.further_spans) > MOST_FURTHER:
            problems.append(f"further_spans must list at most {MOST_FURTHER} values: got {len(self.further_spans)}")
        if self.repeat is not None:
            problems += self.repeat.problems(self.supports, self.droppers.positions, self.section, self.ice)
        if len(self.droppers.by_section) != len(own) or (own and self.repeat is not None):
            problems.append(
                f"droppers.by_section must count the droppers of {len(own)} tension sections of a line that ends"
            )
        if self.dimension == "spatial" and self.support.steady_arm is None:
            problems.append("support.steady_arm (length, axial_stiffness) is missing: the spatial model needs it")
        around = Surroundings(self.track, self.wind, self.ice, self.temperature, own)
        problems += problems_of_surroundings(around, self.dimension, self.kind)
        if (self.kind == "stitched") != (self.stitch is not None):
            problems.append(f"kind is '{self.kind}' but stitch is {'given' if self.stitch else 'missing'}")
        if self.stitch is None and self.damping.stitch is not None:
            problems.append("damping.stitch must not be given for a line without a stitch wire")
        if self.stitch is not None:
            problems += stitch_problems(self.supports, hung, ranges, 0.5 * self.stitch.length)
        room = Room(self.supports, ranges, hung, self.encumbrance)
        others = {key: getattr(self, key) for key in ("section", "repeat", "wind", "stitch")}
        count = max(self.contact_wire.count, self.messenger_wire.count)
        problems += wires_that_do_not_fit(self.kind, self.auxiliary_wire, room, others, count) + self._misplaced_names()
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def _misplaced_names(self) -> list[str]:
        """List wires that are named where another kind is needed, or pulled beyond their breaking load."""
        blocks = {name: getattr(self, name) for name in BLOCKS if getattr(self, name) is not None}
        tensions = {name: block.tension for name, block in blocks.items() if hasattr(block, "tension")}
        return misplaced({name: block.wire for name, block in blocks.items()}, tensions)
