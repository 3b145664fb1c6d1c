"""Validated description of defects as scenarios: the sound line, and a line of like spans with one thing wrong."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Literal, NamedTuple, Self, TypeAlias

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from catenary.errors import sentences_of
from catenary.spec.components import Spec
from catenary.spec.line import CatenarySpec
from catenary.spec.repeat import LONGEST, MOST_DEFECTS, RepeatSpec
from catenary.spec.section import DefectSpec

__all__ = ["SOUND", "DefectCase", "DefectCaseSpec", "DefectScenariosSpec", "with_defects"]

# mark of the line without a defect
SOUND = "sound"
FIRST_FOUR = (1, 2, 3, 4)

# in a span
MOST_DROPPERS = 40
LONGEST_SENTENCE = 300

DropperNumber: TypeAlias = Annotated[int, Field(ge=1, le=MOST_DROPPERS)]
Weight: TypeAlias = Annotated[float, Field(gt=0.0, le=1.0e6)]
WORDS = ("each", "each_of_first_four")


def _numbers_or_word(given: object) -> object:
    """Refuse in one sentence what is neither a list of numbers nor one of the words."""
    listed = given if isinstance(given, list | tuple) else (None,)
    known = len(listed) <= MOST_DROPPERS and all(type(n) is int and 1 <= n <= MOST_DROPPERS for n in listed)
    if not known and given not in WORDS:
        raise ValueError(
            f"it must list numbers of droppers, 1 to {MOST_DROPPERS}, or be one of {', '.join(WORDS)}: got {given!r}"[
                :LONGEST_SENTENCE
            ]
        )
    return given


BrokenDropper: TypeAlias = Annotated[
    Annotated[tuple[DropperNumber, ...], Field(max_length=MOST_DROPPERS)] | Literal["each", "each_of_first_four"],
    BeforeValidator(_numbers_or_word),
]


class DefectCase(NamedTuple):
    """One condition of a line: its mark, what it is in words, and its period; None for the sound line."""

    name: str
    words: str
    repeat: RepeatSpec | None


class DefectCaseSpec(Spec):
    """Some defects that a line has at the same time, by a name of their own."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,31}$")] = Field(
        description="by which an objective asks for it, as sigma@NAME: letters, digits, '_' and '-'"
    )
    defects: tuple[DefectSpec, ...] = Field(
        max_length=MOST_DEFECTS, description="droppers that are not as designed, as in catenary.repeat"
    )


def with_defects(line: CatenarySpec, defects: tuple[DefectSpec, ...]) -> CatenarySpec:
    """A line by stations with further defects, whatever its droppers are."""
    own = line.section
    assert own is not None
    return line.model_copy(update={"section": own.model_copy(update={"defects": (*own.defects, *defects)})})


class DefectScenariosSpec(Spec):
    """Defects of the line, one case a scenario, next to the line without them.

    A design is cut as it is without the defect, and every case stands once in so many spans, or at its place on a line
    by stations.
    """

    spans: Annotated[int, Field(ge=2, le=LONGEST)] = Field(
        default=6,
        description="spans after which a line with a defect repeats; a multiple of the spans that the line names; not "
        "used on a line by stations",
    )
    span: Annotated[int, Field(ge=1, le=LONGEST)] = Field(
        default=1, description="span whose droppers broken_dropper numbers, the first one being 1"
    )
    broken_dropper: BrokenDropper = Field(
        default=(),
        description="droppers that break, one a scenario: numbers in their span, the first one being 1; "
        "each_of_first_four; or each",
    )
    cases: tuple[DefectCaseSpec, ...] = Field(
        default=(), max_length=40, description="other defects, each case a scenario by its name"
    )
    weights: tuple[Weight, ...] = Field(
        default=(),
        max_length=81,
        description="weight of the sound line, of each broken dropper and of each case; without them all weigh the "
        "same [-]",
    )

    @property
    def wanted(self) -> bool:
        """Whether there is a defect at all."""
        return bool(self.broken_dropper or self.cases)

    @property
    def conditions(self) -> tuple[DefectCase, ...]:
        """Sound line first, then each line with a defect; none where none is listed."""
        if not self.wanted:
            return ()
        found = [DefectCase(SOUND, "sound line", None)]
        for number in self._numbers:
            broken = DefectSpec(span=self.span, dropper=number, kind="broken")
            where = f"dropper {number}" if self.span == 1 else f"dropper {number} of span {self.span}"
            found.append(DefectCase(f"broken{number}", f"{where} broken", self._repeat((broken,))))
        named = (DefectCase(each.name, each.name, self._repeat(each.defects)) for each in self.cases)
        return (*found, *named)

    @property
    def largest_number(self) -> int:
        """Largest number of a dropper that a scenario names; 0 without any."""
        return max((*self._numbers, *(d.dropper for case in self.cases for d in case.defects)), default=0)

    @property
    def _numbers(self) -> tuple[int, ...]:
        if isinstance(self.broken_dropper, tuple):
            return self.broken_dropper
        return FIRST_FOUR if self.broken_dropper == "each_of_first_four" else ()

    def _repeat(self, defects: tuple[DefectSpec, ...]) -> RepeatSpec:
        return RepeatSpec(spans=self.spans, defects=defects)

    def for_line(self, line: CatenarySpec) -> Self:
        """The same with the numbers of the droppers that a line has where each of them is to break."""
        if self.broken_dropper != "each":
            return self
        return self.model_copy(update={"broken_dropper": tuple(range(1, self._droppers(line) + 1))})

    def _droppers(self, line: CatenarySpec) -> int:
        """Count the droppers of the span whose droppers break."""
        begin, end = list(pairwise(line.supports))[(self.span - 1) % len(line.spans)]
        return sum(1 for x in line.droppers.positions if begin < x < end)

    def problems(self, line: CatenarySpec) -> Iterator[str]:
        """Say what does not fit a line."""
        key = "scenarios.defects"
        if not self.wanted:
            return
        if line.ends:
            yield from self._problems_by_stations(line, key)
            return
        if line.repeat is not None:
            yield (
                f"catenary.repeat must be left out with {key}, which make a period of {self.spans} spans of their own: "
                f"got one of {line.repeat.spans} spans"
            )
        if self.spans % len(line.spans):
            yield f"{key}.spans must be a multiple of the {len(line.spans)} spans that the line names: got {self.spans}"
            return
        if self.span > self.spans:
            yield f"{key}.span must be 1 to {self.spans}, one of {key}.spans: got {self.span}"
        else:
            count = self._droppers(line)
            for number in self._numbers:
                if number > count:
                    yield (f"{key}.broken_dropper must be 1 to {count}, the droppers of span {self.span}: got {number}")
        for k, case in enumerate(self.cases):
            for sentence in self._repeat(case.defects).problems(line.supports, line.droppers.positions):
                yield f"{key}.cases[{k}].{sentence.removeprefix('repeat.')}"

    def _problems_by_stations(self, line: CatenarySpec, key: str) -> Iterator[str]:
        """Say which defects a line by stations cannot have, next to its own."""
        for case in self.conditions:
            if case.repeat is None:
                continue
            try:
                CatenarySpec.model_validate(with_defects(line, case.repeat.defects).model_dump())
            except ValidationError as error:
                yield from (f"{key}, {case.name}: {sentence}" for sentence in sentences_of(error))

    @model_validator(mode="after")
    def _weights_are_one_a_scenario(self) -> Self:
        count = len(self.conditions)
        if self.weights and self.broken_dropper != "each" and len(self.weights) != count:
            raise ValueError(
                f"weights must be one a scenario, the sound line first: {count} scenarios, {len(self.weights)} weights"
            )
        return self
