"""Validated description of wear as scenarios: the contact wire as it is strung, and worn by some of its height."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, NamedTuple, Self

from pydantic import Field, model_validator

from catenary.spec.attached.wear import WearSpec
from catenary.spec.attached.worn_wire import round_diameter, share_lost, worn_wire
from catenary.spec.components import Spec
from catenary.spec.line import CatenarySpec

__all__ = ["NEW", "WearCase", "WearScenariosSpec"]

# mark of the line with the contact wire that its keys describe
NEW = "new"
KEY = "scenarios.wear"


class WearCase(NamedTuple):
    """One condition of the contact wire: its mark, what it is in words, its height lost [m], and where [m].

    Nothing is lost of the new one; without a stretch the wire is worn over its whole length.
    """

    name: str
    words: str
    lost: float
    stretch: tuple[float, float] | None = None

    def on(self, line: CatenarySpec) -> CatenarySpec:
        """Line with a contact wire that is worn so, under the same tension.

        Droppers of a line by stations keep the lengths of its design. One that repeats must prescribe lengths, or its
        heights would be kept.
        """
        if self.lost == 0.0:
            return line
        own = line.section
        if own is None or not line.ends:
            return line.model_copy(update={"contact_wire": worn_wire(line.contact_wire, self.lost)})
        supports, (begin, end) = line.supports, self.stretch or (0.0, line.period)
        wires = [(each.name, each.first_support, each.last_support) for each in own.tension_sections]
        area, rows = share_lost(line.contact_wire, self.lost), []
        for name, first, last in wires or [(None, 0, len(supports) - 1)]:
            a, b = max(begin, supports[first]), min(end, supports[last])
            if a < b:
                rows.append(WearSpec(begin=a, end=b, area=area, depth=self.lost, section=name))
        return line.model_copy(update={"section": own.model_copy(update={"wear": tuple(rows)})})


class WearScenariosSpec(Spec):
    """Contact wires worn flat by the strips, each a scenario next to the new one; droppers stay as they were cut.

    Tensions stay as well: those of wires that weights hold.
    """

    lost_mm: tuple[Annotated[float, Field(gt=0.0, le=9.0)], ...] = Field(
        default=(),
        max_length=10,
        description="heights that the contact wire has lost, each a scenario next to the new wire [mm]; none: no wear",
    )
    begin: Annotated[float, Field(ge=0.0, le=7.2e3)] | None = Field(
        default=None,
        description="where the worn stretch of a line by stations begins, from the first support [m]; none: the whole "
        "line is worn, as one that repeats always is by these scenarios",
    )
    end: Annotated[float, Field(ge=0.0, le=7.2e3)] | None = Field(default=None, description="where it ends [m]")
    weights: tuple[Annotated[float, Field(gt=0.0, le=1.0e6)], ...] = Field(
        default=(), max_length=11, description="weight of the new wire, then of each worn one; none: the same [-]"
    )

    @property
    def wanted(self) -> bool:
        """Whether there is a worn wire at all."""
        return bool(self.lost_mm)

    @property
    def conditions(self) -> tuple[WearCase, ...]:
        """New wire first, then each worn one; none where none is listed."""
        if not self.wanted:
            return ()
        stretch = None if self.begin is None or self.end is None else (self.begin, self.end)
        where = f" from {self.begin:g} to {self.end:g} m" if stretch else ""
        worn = [WearCase(f"worn{h:g}", f"wire worn by {h:g} mm{where}", 1e-3 * h, stretch) for h in self.lost_mm]
        return (WearCase(NEW, "new wire", 0.0), *worn)

    def problems(self, line: CatenarySpec) -> Iterator[str]:
        """Say what keeps a line from being worn so."""
        if not self.wanted:
            return
        radius = 0.5e3 * round_diameter(line.contact_wire)
        if max(self.lost_mm) > radius:
            yield (
                f"{KEY}.lost_mm must be at most {radius:.2f} mm, half of a round wire of "
                f"{line.contact_wire.mass_per_length:g} kg/m: got {max(self.lost_mm):g}"
            )
        if self.begin is not None and not line.ends:
            yield f"{KEY}.begin and {KEY}.end need a line by stations: one that repeats is worn over its whole length"
        elif self.begin is not None and self.begin >= line.period:
            yield f"{KEY}.begin must lie on the line, before {line.period:g} m: got {self.begin:g} m"
        if any(own is not None and own.wear for own in (line.section, line.repeat)):
            yield f"{KEY} must be left out of a line with worn stretches of its own (its table wear, or repeat.wear)"
        if line.ice is not None:
            yield f"{KEY} must be left out with catenary.ice, whose mass would count as wire"
        if line.temperature is not None:
            yield f"{KEY} must be left out with catenary.temperature: wear takes tension off wires fixed at both ends"

    @model_validator(mode="after")
    def _stretch_is_whole(self) -> Self:
        if (self.begin is None) != (self.end is None):
            raise ValueError("wear.begin and wear.end must be given together, or neither")
        if self.begin is not None and self.end is not None and self.end <= self.begin:
            raise ValueError(f"wear.end must be beyond wear.begin, {self.begin:g} m: got {self.end:g} m")
        if not self.wanted and (self.begin is not None or self.weights):
            raise ValueError("wear.lost_mm is missing: wear.begin, wear.end and wear.weights have no effect without it")
        return self
