"""Design variables of a line by stations: heights, elevations and staggers in its overlaps, and single droppers.

Each variable is a change from the nominal line [m], of one wire at one support or of one dropper (or of the two that
lie alike from either end of a span). Where lengths vary, the nominal line is the one that is cut as its design hangs.
Every line of a search, the nominal one too, is on a coarser mesh than its type's; what confirms the best one is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from catenary.form_finding.defects import as_designed
from catenary.form_finding.equilibrium import EquilibriumStatus, equilibrium_at_rest
from catenary.form_finding.prescribed import prescribed_by_lengths
from catenary.spec.components import PRESCRIBED
from catenary.spec.line import CatenarySpec
from catenary.spec.mesh import COARSE, MeshSpec
from catenary.spec.problems import find_problems
from optimise.design.cut_lengths import no_lengths
from optimise.design.dropper_space import Variable
from optimise.design.line_layout import quantity_of
from optimise.design.space import DesignSpace
from optimise.spec.design import LINE_QUANTITIES, DesignSpec
from optimise.spec.station_design import STATION_KEYS, OverlapRangeSpec, SpansRangeSpec, StationRange, misfits_of

__all__ = ["StationSpace", "space_of"]

MOST_VARIABLES = 200
OF_OVERLAPS = {"overlap_heights": "contact_heights", "overlap_elevations": "contact_heights"}
OF_OVERLAPS |= {"overlap_staggers": "staggers"}
# quantities of the line as a whole that move no dropper
ANYWHERE = ("contact_wire_tension", "messenger_wire_tension", "stitch_tension")
ANYWHERE += ("clamp_mass_contact_wire", "clamp_mass_messenger_wire")
SAME, DIGITS = 1e-9, 9


def coarser(mesh: MeshSpec) -> MeshSpec:
    """Mesh of a search, nowhere finer than a given one."""
    longest = max(mesh.largest_element_length, COARSE.largest_element_length)
    return MeshSpec(
        elements_per_bay=min(mesh.elements_per_bay, COARSE.elements_per_bay), largest_element_length=longest
    )


def space_of(nominal: CatenarySpec, design: DesignSpec) -> DesignSpace:
    """Design space of a line, by stations or one that repeats.

    Raises
    ------
    InputError
        If the nominal line cannot be varied so.
    """
    return StationSpace(nominal, design) if nominal.ends else DesignSpace(nominal, design)


@dataclass(frozen=True)
class _Place:
    """Where a variable acts: a list of the line's values, and the places in it."""

    values: str
    places: tuple[int, ...]


@dataclass(frozen=True)
class StationSpace(DesignSpace):
    """Box of changes of a line by stations, whose nominal line is at zero."""

    def __post_init__(self) -> None:
        problems = misfits_of(self.nominal, self.design) or [*self._refused()]
        count = 0 if problems else len(self._found)
        least = 0 if self.design.of_train else 1
        if not problems and not least <= count <= MOST_VARIABLES:
            problems.append(
                f"design must leave {least} to {MOST_VARIABLES} variables on {self.nominal.name}: got {count}"
            )
        problems = problems or [*self._beyond()]
        if problems:
            raise InputError(problems)

    def _beyond(self) -> Iterator[str]:
        """Say which values a range takes beyond what a line may have: each varies by itself, so ends are the worst."""
        for end in ("low", "high"):
            content = self._content(np.array([getattr(v, end) for v in self.variables]))
            for text in find_problems(CatenarySpec, content, self.base.model_dump(), lambda _: ""):
                yield f"every line of the design space must be valid: at the {end} end of all ranges {text}"

    def _refused(self) -> Iterator[str]:
        """Say what of a design belongs to lines that repeat."""
        name = self.nominal.name
        if self.design.kind != "stations":
            yield f"design.kind must be stations for a line by stations: got {self.design.kind} on {name}"
        for key, (low, high) in self.design.line_ranges.items():
            if key not in ANYWHERE:
                yield f"design.{key} must be left out for a line by stations: {name} has its own spans and droppers"
            elif not low <= (own := quantity_of(self.nominal, key)) <= high:
                yield f"design.{key} must hold {own:g}, that of {name}: got {low:g} to {high:g}"
        if self.design.as_built:
            yield "design.station_grid and design.length_step must be left out for a line by stations"

    @property
    def moves(self) -> int:
        """No variable moves a station."""
        return 0

    @property
    def lifts(self) -> int:
        """No variable is a coordinate of the heights of all droppers."""
        return 0

    @cached_property
    def base(self) -> CatenarySpec:
        """Line at zero: the nominal one on the mesh of a search, its droppers prescribed by lengths where these vary.

        Raises
        ------
        InputError
            If it hangs nowhere.
        """
        line = self.nominal.model_copy(update={"mesh": coarser(self.nominal.mesh)})
        if "dropper_lengths" not in self.design.station_ranges or line.droppers.prescribed == "lengths":
            return line
        found = equilibrium_at_rest(as_designed(self.nominal))
        if found.status is not EquilibriumStatus.OK:
            raise InputError([no_lengths(line, found.status)])
        cut = prescribed_by_lengths(found)
        return line.model_copy(update={"droppers": cut.droppers, "provenance": cut.provenance})

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """Variables in the order of the design's keys, then quantities of the line as a whole."""
        whole = tuple(
            Variable(
                key, low, high, quantity_of(self.nominal, key), LINE_QUANTITIES[key][1], key.replace("_", " ")
            )
            for key, (low, high) in self.design.line_ranges.items()
        )  # fmt: skip
        return (*(variable for variable, _ in self._found), *whole)

    @cached_property
    def _found(self) -> list[tuple[Variable, _Place]]:
        found = []
        for key, wanted in self.design.station_ranges.items():
            for name, place in self._places(key, wanted):
                label = f"{STATION_KEYS[key]} {name}"
                low, high = wanted.change
                found.append((Variable(label.replace(" ", "_"), low, high, 0.0, "m", f"change of {label}"), place))
        return found

    def _places(self, key: str, wanted: StationRange) -> Iterator[tuple[str, _Place]]:
        if isinstance(wanted, OverlapRangeSpec):
            yield from self._in_overlaps(key, wanted)
        else:
            yield from self._of_droppers(key, wanted)

    def _in_overlaps(self, key: str, wanted: OverlapRangeSpec) -> Iterator[tuple[str, _Place]]:
        """Wires at supports of overlaps: all between where both are held, or the two ends that are raised."""
        section = self.nominal.section
        assert section is not None
        own = section.tension_sections
        begins = list(accumulate((each.supports for each in own), initial=0))
        for k, (a, b) in enumerate(pairwise(own)):
            if wanted.section not in (None, a.name):
                continue
            first, last = b.first_support, a.last_support
            inner = [(which, s) for which in (k, k + 1) for s in range(first + 1, last)]
            places = [(k, last), (k + 1, first)] if key == "overlap_elevations" else inner
            for which, s in places:
                place = begins[which] + s - own[which].first_support
                yield f"{own[which].name} support {s + 1}", _Place(OF_OVERLAPS[key], (place,))

    def _of_droppers(self, key: str, wanted: SpansRangeSpec) -> Iterator[tuple[str, _Place]]:
        line, supports = self.nominal, self.nominal.supports
        own = line.section.tension_sections if line.section else ()
        begin, last = 0, min(wanted.last_span, len(line.spans))
        for k, stations in enumerate(line.droppers.positions_by_section):
            name = own[k].name if own else ""
            for span in range(wanted.first_span, last + 1):
                a, b = supports[span - 1], supports[span]
                here = [i for i, x in enumerate(stations) if a < x < b]
                if not here or wanted.section not in (None, name):
                    continue
                where = f"{name} span {span}".lstrip()
                for number, group in enumerate(_alike(here, stations, (a, b), wanted.alike), start=1):
                    places = tuple(begin + i for i in group)
                    yield f"{where} dropper {number}", _Place(f"droppers.{key.rpartition('_')[2]}", places)
            begin += len(stations)

    def spec_of(self, values: Sequence[float] | NDArray[np.float64]) -> CatenarySpec:
        """Line that a point of the box stands for, as it is built and evaluated.

        Raises
        ------
        InputError
            If the point is not in the box.
        ValidationError
            If its values leave the range that a line may have.
        """
        return self.as_drawn(values)

    def as_drawn(self, values: Sequence[float] | NDArray[np.float64]) -> CatenarySpec:
        """Line of a point; the same as `spec_of`."""
        v = np.asarray(values, dtype=float)
        self._check_in_box(v)
        return CatenarySpec.model_validate(self._content(v))

    def _content(self, v: NDArray[np.float64]) -> dict[str, Any]:
        """Content of the line of a point."""
        content = self.base.model_dump()
        names = dict.fromkeys(place.values for _, place in self._found)
        lists = {name: list(self._values(self.base, name)) for name in names}
        for (_, place), change in zip(self._found, v.tolist(), strict=False):
            for k in place.places:
                lists[place.values][k] += change
        for name, found in lists.items():
            block, key = _path(name)
            # to a nanometre: a table holds it as it is
            content[block] = {**content[block], key: tuple(round(value, DIGITS) for value in found)}
        for key, value in self._whole(v).items():
            *path, last = LINE_QUANTITIES[key][0]
            content[path[0]] = {**content[path[0]], last: value}
        return content

    def values_of(self, spec: CatenarySpec) -> NDArray[np.float64]:
        """Point of the box that stands for a line, the inverse of `as_drawn`, shape (variable,).

        Raises
        ------
        InputError
            If no point of the space stands for the line.
        """
        if len(spec.droppers.positions) != len(self.base.droppers.positions) or spec.supports != self.base.supports:
            raise InputError([f"the line must have the supports and droppers of {self.base.name}: use its own"])
        spec = replace(self, nominal=spec).base if spec.ends else spec
        found = [
            self._values(spec, place.values)[place.places[0]] - self._values(self.base, place.values)[place.places[0]]
            for _, place in self._found
        ]
        values = np.array([*found, *(quantity_of(spec, key) for key in self.design.line_ranges)])
        self._check_in_box(values)
        return values

    def typical_of(self, line: CatenarySpec) -> CatenarySpec:
        """A line as designs are written: on their mesh, by the lengths of its droppers where these vary."""
        return replace(self, nominal=line).base if line != self.nominal else self.base

    @property
    def exact(self) -> DesignSpace:
        """The space itself: nothing is rounded."""
        return self

    def _whole(self, v: NDArray[np.float64]) -> Mapping[str, float]:
        return dict(zip(self.design.line_ranges, v[len(self._found) :].tolist(), strict=True))

    def _values(self, line: CatenarySpec, name: str) -> tuple[float, ...]:
        """Values of one list of a line [m]; where a line names none, those that all have."""
        block, key = _path(name)
        own: tuple[float, ...] = getattr(getattr(line, block), key)
        if own or block == "droppers" or line.section is None:
            return own
        return (0.0,) * (line.section.wire_supports or len(line.supports))


def _path(name: str) -> tuple[str, str]:
    """Block and key of a list: droppers' heights or lengths, or a section's values by support."""
    block, _, key = name.rpartition(".")
    return ("droppers", PRESCRIBED[key][0]) if block else ("section", key)


def _alike(here: list[int], stations: Sequence[float], span: tuple[float, float], alike: str) -> list[tuple[int, ...]]:
    """Droppers of a span that change together."""
    if alike == "none":
        return [(i,) for i in here]
    half = (len(here) + 1) // 2
    pairs = [tuple(dict.fromkeys((here[k], here[-1 - k]))) for k in range(half)]
    a, b = span
    if any(abs((stations[p[0]] - a) - (b - stations[p[-1]])) > SAME for p in pairs):
        raise InputError([f"design: droppers from {a:g} to {b:g} m do not lie alike from either end: use alike=none"])
    return pairs
