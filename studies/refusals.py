"""What is refused before anything is written: a line that hangs slack, a step too long for its spans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catenary.errors import InputError

if TYPE_CHECKING:
    from catenary.equilibrium import Equilibrium
    from catenary.spec import CatenarySpec
    from dynamics.spec import CaseSpec

__all__ = ["refuse_coarse_step", "refuse_slack_line"]


SMALLEST_WINDOW = 2  # spans: whether a step is too long shows in one cell


def refuse_slack_line(line: CatenarySpec) -> Equilibrium:
    """Refuse a line that is none at rest (slack or too short droppers, upright arms), before anything is written.

    Returns the line's equilibrium, which may be one that did not converge.

    Raises
    ------
    InputError
        With one sentence per fault.
    """
    from catenary.equilibrium import EquilibriumStatus, periodic_equilibrium
    from catenary.static_checks import faults_at_rest

    equilibrium = periodic_equilibrium(line)
    if equilibrium.status is not EquilibriumStatus.OK:
        return equilibrium  # the solver says so in its own result
    problems = [f"catenary.{fault.key} {fault.sentence}" for fault in faults_at_rest(equilibrium)]
    if problems:
        raise InputError(problems)
    return equilibrium


def refuse_coarse_step(case: CaseSpec, equilibrium: Equilibrium) -> None:
    """Refuse a time step that is too long for the spans of a line, before anything is written.

    Raises
    ------
    InputError
        With the sentence of the travelling window, which the step must suit.
    """
    from catenary.cell import vertical_cell
    from dynamics.static_status import static_status
    from dynamics.status import Status
    from dynamics.travel import TravellingWindow

    if not case.on_open_line and static_status(equilibrium) is Status.OK:
        TravellingWindow(case, vertical_cell(equilibrium), SMALLEST_WINDOW, SMALLEST_WINDOW)
    if case.on_open_line and case.open_line.integrator == "rk4":
        from dynamics.whole_line.run import refuse_long_substep

        refuse_long_substep(case)
