"""Refuse, before anything is written, a line that is slack at rest or a step too long for its spans."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zipfile import is_zipfile

from catenary.errors import InputError

if TYPE_CHECKING:
    from catenary.form_finding.equilibrium import Equilibrium
    from catenary.spec.line import CatenarySpec
    from dynamics.spec.case import CaseSpec

__all__ = ["refuse_coarse_step", "refuse_slack_line", "refuse_unfit_case", "refuse_unusable_pantograph"]


SMALLEST_WINDOW = 2  # spans: whether a step is too long shows in one cell


def refuse_slack_line(line: CatenarySpec) -> Equilibrium:
    """Refuse a line that is invalid at rest (slack or too short droppers, upright arms), before anything is written.

    Returns the equilibrium of one period, or of a whole line by stations; it may be one that did not converge.

    Raises
    ------
    InputError
        With one sentence per fault.
    """
    from catenary.form_finding.equilibrium import EquilibriumStatus, equilibrium_at_rest
    from catenary.linearised.static_checks import faults_in_words

    equilibrium = equilibrium_at_rest(line)
    if equilibrium.status is not EquilibriumStatus.OK:
        return equilibrium  # the solver says so in its own result
    problems = [f"catenary.{text}" for text in faults_in_words(equilibrium)]
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
    from catenary.form_finding.equilibrium import periodic_equilibrium
    from catenary.linearised.cell import vertical_cell
    from dynamics.spec.static_status import static_status
    from dynamics.spec.status import Status
    from dynamics.steady_state.tiled_start import without_repeat
    from dynamics.travelling_window.window import TravellingWindow

    no_window = case.on_open_line or bool(case.catenary.damping.own)
    marched = [] if no_window else [(case, equilibrium)]
    designed = without_repeat(case)  # from whose steady state that of several spans is sought
    if marched and designed is not None:
        marched.append((designed, periodic_equilibrium(designed.catenary)))
    for each, rest in marched:
        if static_status(rest) is Status.OK:
            TravellingWindow(each, vertical_cell(rest), SMALLEST_WINDOW, SMALLEST_WINDOW)
    if case.on_open_line and case.open_line.integrator == "rk4":
        from dynamics.open_line.run import refuse_long_substep

        refuse_long_substep(case)


def refuse_unusable_pantograph(case: CaseSpec) -> None:
    """Refuse a pantograph whose file cannot be read, is not the one on record, or does not say what a run needs.

    Raises
    ------
    InputError
        With one sentence per fault.
    """
    from dynamics.pantograph.linear import linear_pantograph
    from dynamics.pantograph.matrices_file import refuse_other_content

    given = case.pantograph
    asked = {} if given.control is None else {"python": given.control.python, "fmu": given.control.fmu}
    for key, code in asked.items():
        if code is not None:
            refuse_other_content(code.file, code.sha256, f"pantograph.control.{key}")
        if code is not None and key == "fmu":
            _refuse_no_fmu(code.file, "pantograph.control.fmu")
    if given.stepped is not None:
        refuse_other_content(given.stepped.file, given.stepped.sha256, f"pantograph.{given.kind}")
        if given.fmu is not None:
            _refuse_no_fmu(given.fmu.file, "pantograph.fmu")
        return
    enters = case.on_open_line and max(case.distances) > case.catenary.station(case.open_line.start)
    moved = "base_motion" if case.base_motion is not None else "a trailing pantograph that enters the line"
    if (case.base_motion is not None or enters) and not linear_pantograph(given).base_is_known:
        assert given.matrices is not None
        raise InputError([f"pantograph.matrices.file '{given.matrices.file}' holds no base, which {moved} needs"])
    if given.matrices is not None:
        linear_pantograph(given)


def _refuse_no_fmu(file: str, key: str) -> None:
    """Refuse a file that cannot be an FMU, before a run begins that it would end."""
    if not is_zipfile(file):
        raise InputError([f"{key}.file must be an FMU, a zip archive with its description in it: got '{file}'"])


def refuse_unfit_case(case: CaseSpec) -> None:
    """Refuse a case whose line hangs slack at rest, carries waves too slowly, or whose step is too long for it.

    Nothing has been written then.

    Raises
    ------
    InputError
        With one sentence per fault.
    """
    refuse_unusable_pantograph(case)
    equilibrium = refuse_slack_line(case.catenary)
    _refuse_slow_waves(case, equilibrium)
    refuse_coarse_step(case, equilibrium)


def _refuse_slow_waves(case: CaseSpec, equilibrium: Equilibrium) -> None:
    """Refuse a speed too near to that of waves on a contact wire as it hangs at its temperature and under its ice."""
    from dynamics.spec.wave_limit import slow_waves

    problems = slow_waves(case, equilibrium)
    if problems:
        raise InputError(problems)
