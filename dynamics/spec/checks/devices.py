"""Whether a run can have a pantograph or controller whose code comes from outside, and whether that may run."""

from __future__ import annotations

from dynamics.spec.checks.checked_case import CheckedCase
from dynamics.spec.control.controller import ControlSpec
from dynamics.spec.control.given_file import GivenFile

__all__ = ["TYPED_ALONE", "faults_of_devices"]

# keys that let code from outside run, which no file and no record sets
TYPED_ALONE = ("run_fmu", "run_python")
_WHATEVER = "whatever its maker wants with this machine, and its content on record has sha256"


def faults_of_devices(case: CheckedCase) -> list[str]:
    """Say what a controller, arms, an FMU or Python code cannot do, and that code runs only where typed."""
    control = case.pantograph.control
    rk4 = case.on_open_line and case.open_line.integrator == "rk4"
    if control is not None and rk4:
        return ["open_line.integrator must be newmark or hht with pantograph.control: got rk4"]
    if case.pantograph.articulated is not None and case.base_motion is not None:
        return ["base_motion must be left out with pantograph.kind articulated, whose arms it would accelerate"]
    problems = _faults_of_what_steps_itself(case, rk4=rk4)
    return problems if control is None else problems + _faults_of_asked_code(case, control)


def _faults_of_asked_code(case: CheckedCase, control: ControlSpec) -> list[str]:
    """Say where a controller's code cannot be asked, or that it must be typed that it runs."""
    function, problems = control.python, []
    if control.asked is not None and not case.on_open_line:
        key, what = ("fmu", "it") if function is None else ("python", "its function")
        problems.append(
            f"pantograph.control.{key} needs solver=open_line, where {what} is asked step by step: got "
            f"solver={case.solver}, which repeats its march from a state that must hold all that a law remembers, as "
            "pid and feedback do"
        )
    if function is not None and not case.run_python:
        problems.append(_python_not_typed(f"function {function.function}", function))
    if control.fmu is not None and not case.run_fmu:
        problems.append(_fmu_not_typed(control.fmu))
    return problems


def _fmu_not_typed(fmu: GivenFile) -> str:
    return (
        f"run_fmu=true must be typed to run the code of the FMU {fmu.file}: an FMU can do {_WHATEVER} "
        f"{fmu.sha256[:16]}..."
    )


def _python_not_typed(what: str, code: GivenFile) -> str:
    return (
        f"run_python=true must be typed to run the {what} of {code.file}: Python code can do {_WHATEVER} "
        f"{code.sha256[:16]}..."
    )


def _faults_of_what_steps_itself(case: CheckedCase, *, rk4: bool) -> list[str]:
    own, fmu, python = case.pantograph, case.pantograph.fmu, case.pantograph.python
    if own.stepped is None:
        return []
    asked = {
        f"solver={case.solver}": not case.on_open_line,
        f"open_line.integrator={case.open_line.integrator}": rk4,
        "base_motion": case.base_motion is not None,
        "a trailing pantograph that enters the line on its way": (
            case.on_open_line and max(case.distances) > case.catenary.station(case.open_line.start)
        ),
    }
    problems = [
        f"pantograph.kind {own.kind} takes solver=open_line with an implicit integrator, a base that does not move and "
        f"pantographs that all begin under the line: got {what}"
        for what, wrong in asked.items()
        if wrong
    ]
    if fmu is not None and not case.run_fmu:
        problems.append(_fmu_not_typed(fmu))
    if python is not None and not case.run_python:
        problems.append(_python_not_typed(f"class {python.model}", python))
    return problems
