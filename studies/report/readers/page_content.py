"""What a whole page says: the contents of a simulation's page and of a campaign's page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from optimise.afterwards.confirm import Confirmation
from optimise.search.history import SearchHistory
from studies.report.content.history_content import Histories
from studies.report.content.pieces import (
    Assessment,
    Constraint,
    DesignTable,
    Front,
    OffDesign,
    SpanResult,
)
from studies.report.content.provenance import Provenance, RunFacts
from studies.report.sections.choice import Choice

__all__ = ["CampaignContent", "SimulationContent"]


@dataclass(frozen=True, kw_only=True)
class PageContent:
    """What the pages of a simulation and of a campaign both say.

    ``assessment`` holds the lines against limits of standards, ``tolerances`` and ``gradient`` are what
    length_tolerance.json and gradient.json hold; ``head`` has the fields of the page's head with what stands in them,
    empty where a person has to write.
    """

    title: str
    x_note: str
    filter_note: str
    provenance: tuple[Provenance, ...]
    run: RunFacts
    warnings: tuple[str, ...] = ()
    assessment: Assessment | None = None
    tolerances: Mapping[str, Any] | None = None
    gradient: Mapping[str, Any] | None = None
    head: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class SimulationContent(PageContent):
    """Everything the page of one simulation says; ``elasticity`` has loads [N] and span means [mm/N].

    ``pantographs`` are label and statistics of every one, ``shown`` is the place of the one whose force varies most,
    which curves are of, ``figure_errors`` the estimated numerical errors of all by label. ``error``, ``by_span``,
    ``by_wire``, ``by_overlap`` and ``fixed_wires`` are those of summary.json, the last empty for wires that weights
    hold. ``static_note`` says of which line the static figures are, where that is not the one that ran.
    """

    result: SpanResult
    pantographs: tuple[tuple[str, Mapping[str, float]], ...] = ()
    shown: int = 0
    figure_errors: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    elasticity: tuple[tuple[float, float], ...] = ()
    error: Mapping[str, Any] | None = None
    histories: Histories | None = None
    static_note: str = ""
    by_span: tuple[Mapping[str, float], ...] = ()
    by_wire: tuple[Mapping[str, Any], ...] = ()
    by_overlap: tuple[Mapping[str, Any], ...] = ()
    fixed_wires: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class CampaignContent(PageContent):
    """Everything the page of one campaign says.

    ``schedule`` is what fitter_schedule.json holds. ``best`` is None while nothing feasible was found, ``front`` where
    there is one objective. ``first_errors`` are the numerical errors of the first objective of nominal line and best
    design, where it is of a front or over scenarios. ``errors`` has the estimated numerical errors of 'nominal' and
    'best' where they are on record, as summary.json has them, ``figure_errors`` those of their statistics by name.
    ``condition`` is the case's own one in words where the search had scenarios, and empty otherwise: forces, their
    statistics, the long transient and the numerical errors of runs are of it alone, while the objectives in ``designs``
    are over all scenarios. ``trains`` has the statistics of each pantograph under 'nominal' and 'best', where there are
    several.
    """

    nominal: SpanResult
    best: SpanResult | None
    best_trial: int | None
    confirmation: Confirmation | None
    off_design: OffDesign | None
    schedule: Mapping[str, Any] | None
    history: SearchHistory
    designs: DesignTable
    constraints: tuple[Constraint, ...]
    choice: Choice
    least_dropper_force_N: float | None
    front: Front | None = None
    first_errors: tuple[float, float] = (math.nan, math.nan)
    condition: str = ""
    errors: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    trains: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)
    figure_errors: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)

    @property
    def nothing_better(self) -> bool:
        """Whether the best design is the nominal line itself, trial 0, which then is not compared with itself."""
        return self.best_trial == 0
