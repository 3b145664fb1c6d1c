"""One line, one pantograph, one speed: from values by key to a run with its figures, from Python and for a command."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Unpack

from dynamics.accuracy.assured import estimated
from dynamics.refusals import refuse_unfit_case
from dynamics.run import Run
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import CaseChanges, Line, Pantograph, job_input

__all__ = ["run_case", "simulate"]


def simulate(
    line: Line,
    pantograph: Pantograph,
    speed_kmh: float,
    *,
    error_estimate: bool = True,
    **changes: Unpack[CaseChanges],
) -> Run:
    """Run a pantograph under a line, as ``catenary simulate`` does.

    Parameters
    ----------
    line : CatenarySpec, str or path
        A line, the name of one, or its file.
    pantograph : PantographSpec, str or path
        A pantograph, the name of one, or its file.
    speed_kmh : float
        Train speed [km/h].
    error_estimate : bool
        Whether the numerical error of the standard deviation is estimated, by further runs of other numerics.
    changes
        Other keys of the case, as on the command line: ``solver="open_line"``, ``contact={"stiffness": 100e3}``.

    Returns
    -------
    Run
        Statistics, histories and pictures; where the solver failed, its ``status`` and ``message`` say why.

    Raises
    ------
    InputError
        If a key is not known, values cannot be, or the line hangs slack at rest.
    """
    case = job_input(CaseSpec, line, pantograph, {"speed_kmh": speed_kmh, **changes})
    refuse_unfit_case(case)
    return run_case(case, error_estimate=error_estimate)


def run_case(case: CaseSpec, *, error_estimate: bool = True, tell: Callable[[str], None] | None = None) -> Run:
    """Solve a case and estimate the numerical error of its figures.

    Parameters
    ----------
    case : CaseSpec
    error_estimate : bool
        Whether the error is estimated.
    tell : callable, optional
        Called with a sentence before what takes minutes.
    """
    begin = time.perf_counter()
    solution = solve(case)
    spent = time.perf_counter() - begin
    if not error_estimate:
        return Run(solution, None, spent)
    solution, error = estimated(case, solution, tell)
    return Run(solution, error, spent)
