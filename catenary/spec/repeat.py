"""Validated description of a period of several spans of which some differ: a super-cell of a line that repeats."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated

from pydantic import Field

from catenary.spec.attached.wear import WearSpec
from catenary.spec.components import Spec
from catenary.spec.placing.elements import misplaced_wear
from catenary.spec.placing.wires import Wires
from catenary.spec.running_surface.surface import KinkSpec, elsewhere, unlike_at_ends
from catenary.spec.section import MOST_SPANS, DefectSpec, SectionSpec
from catenary.spec.surroundings.ice import IceSpec

__all__ = ["RepeatSpec"]

# spans of a period and defects in it: beyond these a window holds too many spans to be marched for a steady state
LONGEST, MOST_DEFECTS = 24, 40


class RepeatSpec(Spec):
    """A period of several spans that are alike but for their defects, and for wear and bends of the contact wire."""

    spans: Annotated[int, Field(ge=1, le=min(LONGEST, MOST_SPANS))] = Field(
        description="spans after which the line repeats with all its defects; a multiple of the spans that it names"
    )
    defects: tuple[DefectSpec, ...] = Field(
        default=(), max_length=MOST_DEFECTS, description="droppers that are not as designed, in one of these spans each"
    )
    wear: tuple[WearSpec, ...] = Field(
        default=(),
        max_length=MOST_DEFECTS,
        exclude_if=lambda value: not value,  # records read as they did
        description="worn stretches of the contact wire, from the first support of the period; droppers keep their "
        "lengths",
    )
    kinks: tuple[KinkSpec, ...] = Field(
        default=(),
        max_length=MOST_DEFECTS,
        exclude_if=lambda value: not value,
        description="local bends of the contact wire, from the first support of the period",
    )

    def problems(
        self,
        supports: tuple[float, ...],
        droppers: tuple[float, ...],
        section: SectionSpec | None = None,
        ice: IceSpec | None = None,
    ) -> Iterator[str]:
        """Say what does not fit a line's supports and droppers [m], and what it names one by one."""
        if section is not None:
            for name in ("elements", "profiles", "irregularity"):
                if getattr(section, name):
                    yield f"section.{name} must be left out of a line that repeats"
            for name in ("defects", "wear", "kinks"):
                if getattr(self, name):
                    yield f"repeat.{name} must be left out of a line with a section, which names its own"
        if ice is not None and (self.wear or (section is not None and section.wear)):
            yield "repeat.wear must be left out with catenary.ice, whose mass would count as wire"
        named = len(supports) - 1
        if self.spans % named:
            yield f"repeat.spans must be a multiple of the {named} spans that the line names: got {self.spans}"
            return
        length = supports[-1] * (self.spans // named)
        yield from misplaced_wear(self.wear, [Wires(None, 0, (0.0, length), ())], "repeat")
        yield from elsewhere((), self.kinks, [("", 0.0, length)], "repeat")
        for block, kinks in (("repeat", self.kinks), ("section", () if section is None else section.kinks)):
            yield from unlike_at_ends(kinks, length, block)
        counts = [sum(1 for x in droppers if a < x < b) for a, b in pairwise(supports)] * (self.spans // named)
        seen: dict[tuple[int, int], str] = {}
        for k, defect in enumerate(self.defects):
            at = (defect.span, defect.dropper)
            if defect.section is not None:
                yield f"repeat.defects[{k}].section must be left out: a line that repeats has one section"
            elif defect.span > self.spans:
                yield f"repeat.defects[{k}].span must be 1 to {self.spans}: got {defect.span}"
            elif defect.dropper > counts[defect.span - 1]:
                yield (
                    f"repeat.defects[{k}].dropper must be 1 to {counts[defect.span - 1]}, the droppers of span "
                    f"{defect.span}: got {defect.dropper}"
                )
            elif at in seen and {seen[at], defect.kind} != {"length", "stiffness"}:
                yield f"repeat.defects[{k}] is the second of dropper {at[1]} of span {at[0]}, which is {seen[at]}"
            seen[at] = defect.kind
