"""What a report says, as plain frozen data that no solver is needed to make.

Readers of run folders fill these; `campaign_page` and `simulation_page` turn them into pages.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from catenary.layout.dropper_places import DropperPlace
from dynamics.charts.parts import Curve
from dynamics.contact_force.assessment import Criterion
from optimise.afterwards.gain_left import ComparedRun
from optimise.evaluation.objectives import Objective

__all__ = [
    "Array",
    "Assessment",
    "Constraint",
    "Curve",
    "DesignTable",
    "Front",
    "LineDrawing",
    "OffDesign",
    "SpanResult",
]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LineDrawing:
    """One design's line over one span, at rest.

    Attributes
    ----------
    wires : tuple of Curve
        Contact wire, messenger wire and pieces of stitch wire: height [m] over station [m].
    droppers : Curve
        Segments from the lower to the upper clamp.
    contact_wire : Curve
        Contact-wire height [mm] over station [m].
    dropper_x, dropper_height : float array (dropper,)
        Stations [m] and contact-wire heights [mm] there.
    supports : float array (support,)
        Stations of the supports in view [m].
    """

    wires: tuple[Curve, ...]
    droppers: Curve
    contact_wire: Curve
    dropper_x: Array
    dropper_height: Array
    supports: Array


@dataclass(frozen=True)
class SpanResult:
    """What one design gives: line, force along the span, static dropper forces, statistics.

    ``force`` is the filtered contact force [N] over the station [m]; ``height`` the height of the contact
    point [mm]; ``elasticity`` the static elasticity [mm/N], where it was computed. ``statistics`` has the
    keys of summary.json. ``dropper_cut_length`` is the length to cut each dropper to [m], ``dropper_slack_time`` how
    long each is slack while the train passes [ms], ``dropper_force_max`` its largest force meanwhile with its error
    [N], empty where they are not known, ``dropper_gap`` by how much each hangs loose at rest [mm], empty where none
    does. The last ``main_droppers`` of them hold an auxiliary wire; ``dropper_places`` names all as the line
    does. ``marks`` are stations of defects, masses and the like [m], by what they are.
    """

    label: str
    drawing: LineDrawing | None
    force: Curve | None
    dropper_x: Array
    dropper_force: Array
    statistics: Mapping[str, float]
    height: Curve | None = None
    elasticity: Curve | None = None
    dropper_cut_length: Array = field(default_factory=lambda: np.zeros(0))
    dropper_slack_time: Array = field(default_factory=lambda: np.zeros(0))
    dropper_force_max: Array = field(default_factory=lambda: np.zeros(0))
    dropper_force_max_error: Array = field(default_factory=lambda: np.zeros(0))
    dropper_gap: Array = field(default_factory=lambda: np.zeros(0))
    main_droppers: int = 0
    dropper_places: tuple[DropperPlace, ...] = ()
    marks: tuple[tuple[str, Array], ...] = ()


@dataclass(frozen=True)
class Front:
    """Feasible designs of which none is better than another in every objective.

    ``values`` (design, objective) are those of the front, best in the first objective first; ``others`` those
    of the other feasible designs; ``nominal`` (objective,) those of the nominal line, each in its own unit.
    ``files`` are the designs' line files, relative to the campaign's folder. ``errors`` and ``nominal_errors`` are the
    numerical errors of both, not a number where not known; None where they were not estimated.
    """

    objectives: tuple[Objective, ...]
    trials: tuple[int, ...]
    files: tuple[str, ...]
    values: Array
    others: Array
    nominal: Array
    errors: Array | None = None
    nominal_errors: Array | None = None


@dataclass(frozen=True)
class DesignTable:
    """Variables of the best designs and the nominal, and the recorded values by which they were judged.

    ``designs`` is (variable, design), best first; ``values`` (objective, design) and ``nominal_values`` (objective,)
    are each in its objective's unit.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    lower: Array
    upper: Array
    nominal: Array
    designs: Array
    trials: tuple[int, ...]
    objectives: tuple[Objective, ...]
    values: Array
    nominal_values: Array
    caption: str = ""

    @property
    def first_values(self) -> tuple[float, float]:
        """First objective of the nominal line and of the best design."""
        return float(self.nominal_values[0]), float(self.values[0, 0])


@dataclass(frozen=True)
class Constraint:
    """One quantity with a limit or a fixed value, and its value at the nominal and at the best design.

    ``error`` is the numerical error of the margin, None where it is not known: then a margin decides only beyond
    ``near``, which is infinite for what a run computes.
    """

    name: str
    unit: str
    sense: Literal["at most", "at least", "fixed at"]
    limit: float
    nominal: float
    best: float
    error: float | None = None
    near: float = math.inf

    @property
    def margin(self) -> float:
        """What the best design has left before it meets the limit; NaN where a value is fixed."""
        ways = {"at most": self.limit - self.best, "at least": self.best - self.limit, "fixed at": math.nan}
        return ways[self.sense]

    @property
    def decided(self) -> bool:
        """Whether the margin is larger than its error, either way; one without any error decides if it is exact."""
        if self.sense == "fixed at" or self.error == 0.0:
            return True
        return abs(self.margin) > (self.near if self.error is None else self.error)

    @property
    def broken(self) -> bool:
        """Whether the limit is not kept: beyond it by more than the error, as far as that is known."""
        return self.margin < 0.0 and abs(self.margin) > (self.error or 0.0)


@dataclass(frozen=True)
class OffDesign:
    """Both designs off the design point; the search's own speed and stiffness."""

    design_speed_kmh: float
    contact_stiffness: float
    runs: tuple[ComparedRun, ...]

    def of(self, kind: str, value: float | None = None) -> tuple[ComparedRun, ...]:
        """Runs of one kind, or of one kind and value."""
        return tuple(r for r in self.runs if r.kind == kind and value in (None, r.value))


@dataclass(frozen=True)
class Assessment:
    """Limits of standards with what designs come to: the limits' file and title, each design's label with its criteria.

    ``condition`` is the speed and supply that the limits are for, in words, with what else it is where a search had
    other conditions; ``recorded`` is the file by which the last
    design's summary.json was judged, empty where that is not on record.
    """

    file: str
    title: str
    designs: tuple[tuple[str, tuple[Criterion, ...]], ...]
    condition: str
    recorded: str = ""
