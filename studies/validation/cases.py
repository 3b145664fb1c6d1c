"""Cases of a comparison, as typed on the command line, and their solutions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dynamics.solution import solve
from dynamics.spec.case import CaseSpec, case_of
from studies.input.compose import compose_job
from studies.jobs.simulation import SimulateJob

if TYPE_CHECKING:
    from dynamics.results.solution import Solution

__all__ = ["case_from", "failure_of", "solve_typed"]


def case_from(overrides: Iterable[str]) -> CaseSpec:
    """Case of what is typed after ``catenary simulate``."""
    return case_of(compose_job("simulate", SimulateJob, list(overrides)).job)


def solve_typed(overrides: Iterable[str]) -> Solution:
    """Solution of what is typed after ``catenary simulate``."""
    return solve(case_from(overrides))


def failure_of(solution: Solution) -> str:
    """Why a solution has no figures."""
    return f"{solution.status.value}. {solution.message}".strip()
