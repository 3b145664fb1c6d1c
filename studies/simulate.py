"""One line, one pantograph, one speed: static state and dynamics.

Writes summary.json, result.nc, figures and report.html into the run folder.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catenary.errors import InputError
from catenary.files import write_json_atomic
from catenary.record import config_sha256
from studies.compose import Composed, compose_job
from studies.run_folder import RunFolder, fresh_folder
from studies.spec import ELASTICITY_LOADS, SimulateJob, case_of

if TYPE_CHECKING:
    from catenary.equilibrium import Equilibrium
    from catenary.spec import CatenarySpec
    from dynamics.numerical_error import NumericalError
    from dynamics.solved import Solution
    from dynamics.spec import CaseSpec

__all__ = [
    "JOB",
    "compose",
    "error_summary",
    "refuse_coarse_step",
    "refuse_slack_line",
    "run",
    "static_summary",
]

JOB = SimulateJob
SMALLEST_WINDOW = 2  # spans: whether a step is too long shows in one cell


def compose(overrides: list[str]) -> Composed[SimulateJob]:
    """Resolve and validate the input."""
    return compose_job("simulate", JOB, overrides)


def run(composed: Composed[SimulateJob]) -> int:
    """Simulate, write, draw and report; 1 when a solver failed."""
    job = composed.job
    case = case_of(job)
    refuse_coarse_step(case, refuse_slack_line(case.catenary))
    return _simulate_into(fresh_folder("simulate", case.catenary.name, job.run_dir), composed, case)


def _simulate_into(path: Path, composed: Composed[SimulateJob], case: CaseSpec) -> int:
    from dynamics.dataset import write_result
    from dynamics.numerical_error import estimate_error
    from dynamics.slack_companion import compare_slack_readings
    from dynamics.solution import solve
    from studies.report import write_simulation_report

    folder = RunFolder(path, "simulate", composed)
    folder.say(_headline(case))
    begin = time.perf_counter()
    solution = solve(case)
    spent = time.perf_counter() - begin
    loads = composed.job.elasticity_force_N
    error = estimate_error(case, solution) if composed.job.error_estimate else None
    reading = compare_slack_readings(case, solution) if composed.job.error_estimate else None
    summary = summarise(case, solution, spent, config_sha256(composed.job), loads, error)
    summary["slack_damping"] = None if reading is None else {**asdict(reading), "warning": reading.warning}
    write_result(folder.path / "result.nc", solution, composed.job, loads)
    write_json_atomic(folder.path / "summary.json", summary)
    write_simulation_report(folder.path, folder.say)
    for line in _closing_lines(summary):
        folder.say(line)
    folder.say(f"Written to {folder.path}/ (report.html, summary.json, result.nc, figures/)")
    return 0 if solution.status.has_figures else 1


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


def static_summary(equilibrium: Equilibrium, loads_N: Sequence[float] = ELASTICITY_LOADS) -> dict[str, Any]:
    """Static state of one span: droppers, contact-wire height and elasticity, as in summary.json.

    ``elasticity_mm_per_N`` is that at the first load [N]; span means and values by load name each.
    """
    from catenary.dataset import static_table
    from catenary.elasticity import span_mean

    tables = [static_table(equilibrium, load) for load in loads_N]
    x = tables[0]["station"].tolist()
    height = tables[0]["contact_wire_static_height"].tolist()
    elasticity = [1.0e3 * table["elasticity"] for table in tables]
    return {
        "dropper_force_N": equilibrium.dropper_force.tolist(),
        "dropper_length_m": equilibrium.dropper_length.tolist(),
        "contact_wire_height_m": {"x_m": x, "z_m": height},
        "elasticity_mm_per_N": {"x_m": x, "value": elasticity[0].tolist()},
        "elasticity_by_load_mm_per_N": {"force_N": [*loads_N], "x_m": x, "value": [e.tolist() for e in elasticity]},
        "elasticity_span_mean_mm_per_N": {"force_N": [*loads_N], "value": [span_mean(e) for e in elasticity]},
    }


def summarise(
    case: CaseSpec,
    solution: Solution,
    total: float,
    config_hash: str,
    elasticity_force_N: Sequence[float] = ELASTICITY_LOADS,
    error: NumericalError | None = None,
) -> dict[str, Any]:
    """Content of summary.json."""
    from catenary.equilibrium import EquilibriumStatus
    from dynamics.assessment import assess
    from dynamics.force_history import force_history
    from dynamics.losses import contact_losses

    found = solution.equilibrium.status is EquilibriumStatus.OK
    statistics = solution.statistics
    pantographs: list[dict[str, Any]] = []
    assessment = []
    if statistics is not None:
        for each in solution.pantographs:
            assert each.statistics is not None
            pantographs.append({"applied_force_N": float(each.applied_force_N), **asdict(each.statistics)})
            criteria = assess(each.statistics, case.speed_kmh, case.supply)
            assessment.append({"all_met": all(c.met for c in criteria), "criteria": [asdict(c) for c in criteria]})
        history = force_history(solution)
        for figures, losses in zip(pantographs, () if history is None else contact_losses(history), strict=True):
            figures["losses"] = losses.summary
    return {
        "schema_version": 1,
        "status": solution.status.value,
        "message": solution.message,
        "catenary": case.catenary.name,
        "pantograph": [case.pantograph.name] * (1 + len(case.trailing.distances_m)),
        "solver": case.solver,
        "formulation": case.catenary.formulation,
        "kinematics": case.kinematics,
        "integrator": case.open_line.integrator if case.on_open_line else "newmark",
        "speed_kmh": case.speed_kmh,
        "supply": case.supply,
        "mean_force_N": case.mean_force_N,
        "contact_stiffness_N_per_m": case.contact.stiffness,
        "dt_s": case.time_step,
        "filter": f"{case.signal.kind} {case.signal.cutoff_hz:g} Hz, zero phase",
        "config_sha256": config_hash,
        "static": {"of": case.catenary.one_period, **static_summary(solution.equilibrium, elasticity_force_N)}
        if found
        else {},
        "pantographs": pantographs,
        "dropper_slack_time_s": [None if math.isnan(t) else float(t) for t in solution.dropper_slack_time],
        "numerical_error": None if error is None else error_summary(error),
        "assessment": assessment,
        "wall_time_s": {**{k: float(v) for k, v in solution.wall_time_s.items()}, "total": total},
    }


def error_summary(error: NumericalError) -> dict[str, Any]:
    """Estimated numerical error as in summary.json; null where a part could not be estimated, with the reason."""
    return {
        "of": "contact_force_std_N",
        "total_N": error.total,
        "total_percent": error.percent,
        "parts": {part.name: {"error_N": part.error_N, "message": part.message} for part in error.parts},
        "wall_time_s": error.wall_time_s,
    }


def _error_lines(error: dict[str, Any] | None) -> list[str]:
    """Estimated numerical error in words."""
    if error is None:
        return []
    if error["total_N"] is None:
        missing = [f"{name}: {part['message']}" for name, part in error["parts"].items() if part["error_N"] is None]
        return [f"the numerical error of the standard deviation could not be estimated ({'; '.join(missing)})"]
    parts = ", ".join(f"{name.replace('_', ' ')} {part['error_N']:.3f} N" for name, part in error["parts"].items())
    return [
        f"estimated numerical error of the standard deviation ± {error['total_N']:.2f} N "
        f"({error['total_percent']:.1f} %): {parts}; {error['wall_time_s']:.1f} s"
    ]


def _headline(case: CaseSpec) -> str:
    if case.mean_force_N is not None:
        held = f"mean force {case.mean_force_N:.2f} N held"
    else:
        held = f"applied force {case.applied_force_N:.2f} N"
    return (
        f"{case.catenary.name} with {case.pantograph.name} at {case.speed_kmh:g} km/h, {case.solver}, "
        f"{held}, contact {case.contact.stiffness / 1e3:g} kN/m, dt {1e3 * case.time_step:.5f} ms "
        f"(asked {1e3 * case.dt:g} ms), {case.steps_per_period} steps {case.catenary.what_repeats}"
        f"{case.part_of_a_period}"
    )


def _losses_told(losses: dict[str, Any]) -> str:
    """Number and size of losses in words; nothing where contact is never lost."""
    if not losses["count"]:
        return ""
    return f" ({losses['count']} times, at most {1e3 * losses['longest_s']:.0f} ms, {losses['longest_m']:.2f} m)"


def _closing_lines(summary: dict[str, Any]) -> list[str]:
    lines = []
    if not summary["pantographs"]:
        said = summary["message"] or summary["status"]
        if not said.startswith(summary["status"]):
            said = f"{summary['status']}. {said}"
        lines.append(f"The solver failed: {said}")
    elif summary["message"]:
        lines.append(f"{summary['status']}: {summary['message']}")
    for k, figures in enumerate(summary["pantographs"]):
        which = f"pantograph {k + 1}: " if len(summary["pantographs"]) > 1 else ""
        lines.append(
            f"{which}contact force: mean {figures['contact_force_mean_N']:.2f} N, standard deviation "
            f"{figures['contact_force_std_N']:.2f} N, {figures['contact_force_min_N']:.1f} to "
            f"{figures['contact_force_max_N']:.1f} N, loss {figures['contact_loss_percent']:.2f} %"
            f"{_losses_told(figures['losses'])}; "
            f"applied force {figures['applied_force_N']:.2f} N"
        )
        lines.append(
            f"largest uplift at supports {figures['max_uplift_at_supports_mm']:.1f} mm, contact point moves "
            f"{figures['contact_point_range_mm']:.1f} mm"
        )
    lines += _error_lines(summary["numerical_error"])
    for assessed in summary["assessment"]:
        missed = [c["source"] for c in assessed["criteria"] if not c["met"]]
        said = f"not met: {', '.join(missed)}" if missed else "all met"
        lines.append(f"limits of EN 50367 and EN 50119, as recalled, for supply {summary['supply']}: {said}")
    slack = [f"{k + 1} for {1e3 * t:.0f} ms" for k, t in enumerate(summary["dropper_slack_time_s"]) if t]
    if slack:
        lines.append(f"slack while the train passes: dropper {', '.join(slack)}")
    if summary.get("slack_damping") and summary["slack_damping"]["warning"]:
        lines.append(f"Warning: {summary['slack_damping']['warning']}.")
    times = summary["wall_time_s"]
    lines.append(f"wall time {times['total']:.2f} s (form-finding {times.get('equilibrium', 0.0):.3f} s)")
    return lines
