"""What is asked of an evaluation: the design of one task, and what all evaluations of a campaign share."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from catenary.spec.line import CatenarySpec
from dynamics.spec.case import CaseSpec
from optimise.evaluation.constraints import Reference
from optimise.evaluation.scenarios import ScenarioSet
from optimise.spec.campaign import LimitsSpec

__all__ = ["Job", "Setting"]


@dataclass(frozen=True)
class Job:
    """One design to evaluate: the number of its trial, its line, and a tolerance [-] where not the case's own holds."""

    number: int
    catenary: CatenarySpec
    tolerance: float | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class Setting:
    """What every evaluation of a campaign shares, sent to each worker once.

    Attributes
    ----------
    case : CaseSpec
        The nominal case; a task's line takes the place of its own.
    limits : LimitsSpec
    reference : Reference, optional
        Figures of the nominal line; without them a design is its own reference, as the nominal line is.
    start : object, optional
        Steady state of the nominal line, from which neighbouring designs start.
    time_limit_s : float
        Longest wall time of one evaluation [s].
    scenarios : ScenarioSet, optional
        Where a design has to be good; without them in the case alone.
    assured : bool
        Whether the numerical error of the standard deviation is estimated, and what has a large share of it refined.
    """

    case: CaseSpec
    limits: LimitsSpec
    reference: Reference | None = None
    start: Any = None
    time_limit_s: float = math.inf
    scenarios: ScenarioSet | None = None
    assured: bool = False
