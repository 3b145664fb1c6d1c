"""What a report says, as plain frozen data that no solver is needed to make.

Readers of run folders fill these; `campaign_page` and `simulation_page` turn them into pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from studies.report.parts import Curve

__all__ = [
    "CampaignContent",
    "Confirmation",
    "Constraint",
    "Curve",
    "DesignTable",
    "LineDrawing",
    "Provenance",
    "RunFacts",
    "SearchHistory",
    "SimulationContent",
    "SpanResult",
    "TrialState",
]

Array = NDArray[np.float64]
TrialState = Literal["feasible", "infeasible", "failed"]


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
    keys of summary.json.
    """

    label: str
    drawing: LineDrawing | None
    force: Curve | None
    dropper_x: Array
    dropper_force: Array
    statistics: Mapping[str, float]
    height: Curve | None = None
    elasticity: Curve | None = None


@dataclass(frozen=True)
class Confirmation:
    """Sigma [N] of the best design by the long transient, of the whole evaluation and of its two halves."""

    sigma_N: float
    first_half_N: float
    second_half_N: float
    spans_evaluated: int
    message: str = ""


@dataclass(frozen=True)
class SearchHistory:
    """Every trial of a campaign in order.

    ``sigma`` and ``told`` [N] may be NaN, which is what a failed trial has; ``best`` is the lowest feasible
    sigma so far, NaN before the first one. ``messages`` gives the reason of a failure.
    """

    trial: NDArray[np.int64]
    sigma: Array
    told: Array
    state: tuple[TrialState, ...]
    messages: tuple[str, ...]
    nominal_sigma: float

    @property
    def best(self) -> Array:
        """Lowest feasible sigma up to each trial [N]."""
        feasible = np.array([s == "feasible" for s in self.state], dtype=bool)
        running = (
            np.fmin.accumulate(np.where(feasible, self.sigma, np.inf)) if self.sigma.size else self.sigma
        )
        return np.where(np.isfinite(running), running, np.nan)


@dataclass(frozen=True)
class DesignTable:
    """Variables of the best designs beside the nominal; ``designs`` is (variable, design), best first."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    lower: Array
    upper: Array
    nominal: Array
    designs: Array
    trials: tuple[int, ...]
    sigma_N: tuple[float, ...]
    nominal_sigma_N: float


@dataclass(frozen=True)
class Constraint:
    """One thing that is held, its value at the nominal and at the best design, and its limit in words."""

    name: str
    unit: str
    limit: str
    nominal: float
    best: float
    margin: float


@dataclass(frozen=True)
class Provenance:
    """One input value and where it comes from, in words."""

    name: str
    value: str
    unit: str
    origin: str


@dataclass(frozen=True)
class RunFacts:
    """What was run, as names and values, and the whole command line that runs it again."""

    facts: tuple[tuple[str, str], ...]
    command: str


@dataclass(frozen=True)
class SimulationContent:
    """Everything the page of one simulation says."""

    title: str
    result: SpanResult
    x_note: str
    provenance: tuple[Provenance, ...]
    run: RunFacts
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class CampaignContent:
    """Everything the page of one campaign says; ``best`` is None while nothing feasible was found."""

    title: str
    nominal: SpanResult
    best: SpanResult | None
    best_trial: int | None
    confirmation: Confirmation | None
    history: SearchHistory
    designs: DesignTable
    constraints: tuple[Constraint, ...]
    provenance: tuple[Provenance, ...]
    run: RunFacts
    warnings: tuple[str, ...] = ()
