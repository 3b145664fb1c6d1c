"""Solve one line, one pantograph, one speed: static state and dynamics.

Writes summary.json, result.nc, figures and report.html into the run folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catenary.layout.dropper_places import DropperPlace, dropper_places
from catenary.storage.files import write_json_atomic
from catenary.storage.provenance import config_sha256
from dynamics.charts.numbers import with_error
from dynamics.refusals import refuse_unfit_case
from dynamics.spec.case import case_of
from dynamics.spec.status import Status
from studies.input.compose import Composed, compose_job
from studies.jobs.simulation import SimulateJob
from studies.writing.dropper_sentences import dropper_sentences
from studies.writing.figure_errors import error_in_words, figure_errors
from studies.writing.run_folder import RunFolder, fresh_folder

if TYPE_CHECKING:
    from dynamics.spec.case import CaseSpec

from studies.writing.report_head import keep_head, limits_of
from studies.writing.summary import assessment_summary, slack_summary, summarise

__all__ = ["JOB", "compose", "run"]

JOB = SimulateJob
# decimals of what limits are set for, next to sigma
LIMITED = {
    "contact_force_min_N": 1,
    "contact_force_max_N": 1,
    "contact_loss_percent": 2,
    "max_uplift_at_supports_mm": 1,
}
SOLVED_BY = {"operator": "by the line's operator", "difference": "marched as a difference to the line as designed"}


def compose(overrides: list[str]) -> Composed[SimulateJob]:
    """Resolve and validate the input."""
    return compose_job("simulate", JOB, overrides)


def run(composed: Composed[SimulateJob]) -> int:
    """Simulate, write, draw and report; 1 when a solver failed."""
    job = composed.job
    case = case_of(job)
    refuse_unfit_case(case)
    limits_of(job.report)
    return _simulate_into(fresh_folder("simulate", case.catenary.name, job.run_dir), composed, case)


def _simulate_into(path: Path, composed: Composed[SimulateJob], case: CaseSpec) -> int:
    from dynamics.accuracy.slack_companion import compare_slack_damping
    from dynamics.results.dataset import write_result
    from dynamics.simulation import run_case
    from studies.afterwards.gradient import gradient_said
    from studies.report import write_report

    folder = RunFolder(path, "simulate", composed)
    folder.say(_headline(case))
    found = run_case(case, error_estimate=composed.job.error_estimate, tell=folder.say)
    solution, simulation, loads = found.solution, composed.job.simulation, composed.job.elasticity_force_N
    summary = summarise(case, solution, found.wall_time_s, config_sha256(simulation), loads, found.error)
    head = keep_head(folder.path, composed.job.report)
    summary["assessment"] = assessment_summary(case, solution, summary["numerical_error"], head)
    slack = compare_slack_damping(case, solution) if composed.job.error_estimate else None
    summary["slack_damping"] = slack_summary(slack)
    write_result(folder.path / "result.nc", solution, simulation, loads)
    write_json_atomic(folder.path / "summary.json", summary)
    write_report("simulation", folder.path, folder.say)
    for line in _closing_lines(summary, dropper_places(case.catenary)):
        folder.say(line)
    if composed.job.gradient and solution.status.has_figures:
        for line in gradient_said(folder.path, solution, with_errors=composed.job.error_estimate):
            folder.say(line)
        write_report("simulation", folder.path)
    if composed.job.length_tolerance and solution.status.has_figures:
        folder.say(f"Report without the tolerances of lengths, which follow: {folder.path / 'report.html'}")
        for line in _length_tolerances(folder.path, case, composed.job):
            folder.say(line)
        write_report("simulation", folder.path)
    folder.say(f"Wrote to {folder.path}/ (report.html, summary.json, result.nc, figures/)")
    return 0 if solution.status.has_figures else 1


def _length_tolerances(path: Path, case: CaseSpec, job: SimulateJob) -> list[str]:
    """Tolerances of dropper lengths in words, written into the run folder."""
    from optimise.entry.progress_line import ProgressLine
    from optimise.spec.cluster import ClusterSpec
    from optimise.spec.off_design import LengthToleranceSpec
    from studies.afterwards.length_tolerance import length_tolerance_into, length_tolerance_lines

    line, alone = ProgressLine(), ClusterSpec(kind="serial")
    try:
        wish, key = LengthToleranceSpec(), {"errors": job.error_estimate}
        return length_tolerance_lines(length_tolerance_into(path, case, wish, alone, line.write, key=key))
    finally:
        line.end()


def _headline(case: CaseSpec) -> str:
    if case.mean_force_N is not None:
        held = f"mean force {case.mean_force_N:.2f} N held"
    else:
        held = f"applied force {case.applied_force_N:.2f} N"
    return (
        f"{case.in_words}, {case.solver}, "
        f"{held}, contact {case.contact.stiffness / 1e3:g} kN/m, dt {1e3 * case.time_step:.5f} ms "
        f"(asked {1e3 * case.dt:g} ms), {case.steps_per_period} steps {case.catenary.what_repeats}"
        f"{case.part_of_a_period}"
    )


def _loss_sentences(losses: dict[str, Any]) -> str:
    """Number and size of losses in words; nothing where contact is never lost."""
    if not losses["count"]:
        return ""
    return f" ({losses['count']} times, at most {1e3 * losses['longest_s']:.0f} ms, {losses['longest_m']:.2f} m)"


def _worst_span(spans: list[dict[str, Any]]) -> list[str]:
    """Name the span of an open line in which the force varies most, where several count."""
    if len({each["span"] for each in spans}) < 2:
        return []
    worst = max(spans, key=lambda each: each["contact_force_std_N"])
    which = f", pantograph {worst['pantograph']}" if spans[-1]["pantograph"] > 1 else ""
    return [
        f"worst span {worst['span']} ({worst['begin_m']:g} to {worst['end_m']:g} m{which}): standard deviation "
        f"{worst['contact_force_std_N']:.2f} N, {worst['contact_force_min_N']:.1f} to "
        f"{worst['contact_force_max_N']:.1f} N, uplift {worst['uplift_begin_mm']:.1f} and "
        f"{worst['uplift_end_mm']:.1f} mm at its supports"
    ]


def _by_wire(wires: list[dict[str, Any]]) -> list[str]:
    """Say of each pantograph how it shares its time and force between the wires of tension sections."""
    return [
        f"pantograph {w['pantograph']} on section {w['section']}: {w['contact_time_percent']:.1f} % of the time, "
        f"{w['shared_time_percent']:.1f} % together with another, {w['load_percent']:.1f} % of the force, at most "
        f"{w['contact_force_max_N']:.1f} N"
        for w in wires
    ]


def _by_overlap(overlaps: list[dict[str, Any]]) -> list[str]:
    """Say of each pantograph what its force is in each overlap."""
    return [
        f"pantograph {o['pantograph']} from section {o['ends']} to {o['begins']}, {o['begin_m']:g} to "
        f"{o['end_m']:g} m: standard deviation {o['contact_force_std_N']:.2f} N, {o['contact_force_min_N']:.1f} to "
        f"{o['contact_force_max_N']:.1f} N"
        for o in overlaps
    ]


def _fixed_wires(fixed: dict[str, Any] | None) -> list[str]:
    """Say what wires that are fixed at both ends pull at their temperature, section by section where there are some."""
    if fixed is None:
        return []
    strung = fixed["tension_strung_N"]
    of_sections = {f", section {name}": pulled for name, pulled in fixed.get("by_section", {}).items()}
    return [
        f"fixed at both ends, at {fixed['temperature_C']:g} C{where}: "
        + ", ".join(f"{k} wire {1e-3 * v:.2f} kN ({1e-3 * strung[k]:.2f} as strung)" for k, v in pulled.items())
        for where, pulled in (of_sections or {"": fixed["tension_N"]}).items()
    ]


def _blow_off(blown: dict[str, Any] | None) -> list[str]:
    """Say how far the wind blows the wire off the middle of the head, at rest and as a head passes."""
    if blown is None:
        return []
    wind = f"wind of {blown['wind_speed_m_s']:g} m/s"
    wind += "" if blown["gust_factor"] == 1.0 else f" with gusts of {blown['gust_factor']:g} times its load"
    if blown["at_rest_m"] is None:
        return [f"the line does not hang in a {wind} from either side"]
    text = (
        f"{wind} from either side: the wire stands up to {blown['at_rest_m']:.3f} m off the middle of the head at rest"
    )
    text += "" if blown["passing_m"] is None else f", {blown['passing_m']:.3f} m as the head passes"
    return [
        text if blown["margin_m"] is None else f"{text}; {1e3 * blown['margin_m']:.0f} mm to its working range's end"
    ]


def _on_head(heads: list[dict[str, Any]]) -> list[str]:
    """Say where the wire touches every head, and what the head does under it."""
    lines = []
    for head in heads:
        which = f"pantograph {head['pantograph']}: " if len(heads) > 1 else ""
        text = f"{which}the wire touches the head from {head['place_min_m']:.3f} to {head['place_max_m']:.3f} m"
        if head["working_margin_m"] is not None:
            text += (
                f", {1e3 * abs(head['working_margin_m']):.0f} mm "
                f"{'inside' if head['working_margin_m'] >= 0.0 else 'beyond'} its working range; roll up to "
                f"{head['roll_max_mrad']:.1f} mrad, strips up to {head['front_strip_max_N']:.1f} N (front) and "
                f"{head['rear_strip_max_N']:.1f} N (rear), which carry "
                f"{' + '.join(f'{100.0 * share:.1f}' for share in head['strip_shares'])} % of the mean force"
            )
        if head["pitch_max_mrad"] is not None:
            text += f"; pitch up to {head['pitch_max_mrad']:.1f} mrad"
        lines.append(text)
    return lines


def _arms(arms: list[dict[str, Any]]) -> list[str]:
    """Say how far the arms of every pantograph turn, and what their joints carry."""
    lines = []
    for one in arms:
        which = f"pantograph {one['pantograph']}: " if len(arms) > 1 else ""
        joints = ", ".join(f"{each['joint']} {each['force_max_N']:.0f} N" for each in one["joints"])
        lines.append(
            f"{which}the lower arm stands at {one['lower_arm_angle_min_deg']:.2f} to "
            f"{one['lower_arm_angle_max_deg']:.2f} deg; joints carry up to: {joints}"
        )
    return lines


def _closing_lines(summary: dict[str, Any], places: Sequence[DropperPlace]) -> list[str]:
    lines = []
    if not summary["pantographs"]:
        said = summary["message"] or summary["status"]
        if not said.startswith(summary["status"]):
            said = f"{summary['status']}. {said}"
        what = "run" if summary["status"] == Status.DEVICE_FAILED.value else "solver"
        lines.append(f"The {what} failed: {said}")
    elif summary["message"]:
        lines.append(f"{summary['status']}: {summary['message']}")
    for k, figures in enumerate(summary["pantographs"]):
        which = f"pantograph {k + 1}: " if len(summary["pantographs"]) > 1 else ""
        errors = figure_errors(summary["numerical_error"], k + 1)
        # a loss of contact that never is has no error either
        told = {name: with_error(figures[name], errors.get(name) or None, digits) for name, digits in LIMITED.items()}
        lines.append(
            f"{which}contact force: mean {figures['contact_force_mean_N']:.2f} N, standard deviation "
            f"{figures['contact_force_std_N']:.2f} N, {told['contact_force_min_N']} to "
            f"{told['contact_force_max_N']} N, loss {told['contact_loss_percent']} %"
            f"{_loss_sentences(figures['losses'])}; "
            f"applied force {figures['applied_force_N']:.2f} N"
        )
        lines.append(
            f"largest uplift at supports {told['max_uplift_at_supports_mm']} mm, contact point moves "
            f"{figures['contact_point_range_mm']:.1f} mm"
        )
    lines += _worst_span(summary["by_span"])
    lines += _by_wire(summary["by_wire"])
    lines += _by_overlap(summary["by_overlap"])
    lines += _on_head(summary.get("on_head", []))
    lines += _arms(summary.get("arms", []))
    lines += _blow_off(summary.get("blow_off"))
    lines += _fixed_wires(summary.get("fixed_wires"))
    lines += error_in_words(summary["numerical_error"])
    for k, assessed in enumerate(summary["assessment"]):
        which = f"pantograph {k + 1}: " if len(summary["assessment"]) > 1 else ""
        missed = [c["source"] for c in assessed["criteria"] if not c["met"] and c["sure"] is not False]
        names = (f"{c['source'].partition(',')[0]}:{c['edition']}" for c in assessed["criteria"])
        unsure = sum(c["confirmed"] is None for c in assessed["criteria"])
        near = [c["source"] for c in assessed["criteria"] if c["sure"] is False]
        asked = summary["numerical_error"] is not None
        # the mean is held, or follows, and nobody estimates its error
        bare = [c["source"] for c in assessed["criteria"] if c["error"] is None and "mean" not in c["name"] and asked]
        parts = [f"not met: {'; '.join(missed)}"] if missed else []
        parts += [f"not decided, within the numerical error: {'; '.join(near)}"] if near else []
        parts += ["" if missed or near else "all met"]
        parts += [f"numerical error not known: {'; '.join(bare)}"] if bare else []
        lines.append(
            f"{which}limits of {', '.join(dict.fromkeys(names))} for supply {summary['supply']} "
            f"({unsure} of {len(assessed['criteria'])} rows unconfirmed): {' | '.join(filter(None, parts))}"
        )
    lines += dropper_sentences(places, summary)
    if summary.get("slack_damping") and summary["slack_damping"]["warning"]:
        lines.append(f"Warning: {summary['slack_damping']['warning']}.")
    times = summary["wall_time_s"]
    how = f"; steady state {SOLVED_BY.get(summary['method'], 'marched')}" if summary["solver"] == "periodic" else ""
    lines.append(f"wall time {times['total']:.2f} s (form-finding {times.get('equilibrium', 0.0):.3f} s{how})")
    return lines
