"""Find how fine is fine enough: one open line on many meshes and steps, by every formulation and integrator.

catenary convergence                                              bruni_2015 at 275 km/h, linearised, two minutes
catenary convergence speed_kmh=320 lattice.kinematics=[linearised,nonlinear] longest_minutes=60
catenary convergence lattice.integrators=[newmark,rk4] lattice.elements_per_bay=[2,3,4] longest_minutes=60

Every setting is compared with a reference finer than all, under the same applied forces, and costs processor time per
simulated second. The conclusion is the cheapest setting that, with every finer one, stays within error_percent. Writes
summary.json, result.nc (all force curves), the picture of error against cost and report.html.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from catenary.errors import InputError
from catenary.storage.files import write_json_atomic
from catenary.storage.provenance import config_sha256
from dynamics.refusals import refuse_unfit_case
from dynamics.spec.case import case_of
from studies.input.compose import Composed, compose_job
from studies.jobs.convergence import ConvergenceJob
from studies.writing.run_folder import RunFolder, fresh_folder

if TYPE_CHECKING:
    from dynamics.accuracy.refinement import Passage, Setting
    from dynamics.open_line.build import WholeLine
    from dynamics.spec.case import CaseSpec

__all__ = ["JOB", "compose", "reference_settings", "run", "settings_of"]

JOB = ConvergenceJob
# steps of a trial that tells what a step costs: Runge-Kutta takes some hundred of its own in each
TRIAL_STEPS = {"newmark": 40, "hht": 40, "rk4": 3}


def compose(overrides: list[str]) -> Composed[ConvergenceJob]:
    """Resolve and validate the input."""
    return compose_job("convergence", JOB, overrides)


def run(composed: Composed[ConvergenceJob]) -> int:
    """Run the lattice, write, draw and report; 1 when a reference or the held mean force failed."""
    job = composed.job
    case = case_of(job)
    refuse_unfit_case(case)
    path = fresh_folder("convergence", case.catenary.name, job.run_dir)
    bench = _Bench(job, case)
    print("Timing a few steps of every formulation and integrator; compiling them where they are new ...", flush=True)
    minutes = bench.minutes
    _refuse_long_study(job, minutes)
    return _study_into(RunFolder(path, "convergence", composed), composed, bench)


def settings_of(job: ConvergenceJob) -> list[Setting]:
    """Every setting of the lattice, and the case's own; Runge-Kutta with the shortest step alone."""
    from dynamics.accuracy.refinement import Setting, setting_of

    wanted = job.lattice
    found = [
        Setting(kinematics, formulation, integrator, mesh, dt)
        for kinematics, formulation, integrator, mesh, dt in product(
            wanted.kinematics,
            wanted.formulations,
            wanted.integrators,
            sorted(wanted.elements_per_bay),
            sorted(wanted.dt, reverse=True),
        )
        if integrator != "rk4" or dt == min(wanted.dt)
    ]
    own = setting_of(job)
    return found if own in found else [*found, own]


def reference_settings(job: ConvergenceJob) -> list[Setting]:
    """Reference of each kinematics: Newmark, in the case's own formulation."""
    from dynamics.accuracy.refinement import Setting

    finest, formulation = job.reference, job.catenary.formulation
    return [
        Setting(kinematics, formulation, "newmark", finest.elements_per_bay, finest.dt)
        for kinematics in job.lattice.kinematics
    ]


class _Bench:
    """Runs settings: builds each line once a mesh, and shares the applied forces."""

    def __init__(self, job: ConvergenceJob, case: CaseSpec) -> None:
        self.job, self.case = job, case
        self.settings, self.references = settings_of(job), reference_settings(job)
        self._lines: dict[tuple[str, int], WholeLine | None] = {}

    def hold(self) -> str:
        """Fix the applied forces, a held mean force by the case's own setting; return why that failed, or nothing."""
        from dynamics.solution import solve
        from dynamics.spec.status import Status

        case = self.case
        if case.mean_force_N is None:
            return ""
        found = solve(case)
        behind = tuple(p.applied_force_N for p in found.pantographs[1:]) or None
        trailing = case.trailing.model_copy(update={"applied_forces_N": behind})
        update = {"mean_force_N": None, "applied_force_N": found.applied_force_N, "trailing": trailing}
        self.case = case.model_copy(update=update)
        return "" if found.status is Status.OK else found.message or found.status.value

    def passage(self, setting: Setting) -> Passage:
        """Run one setting."""
        from dynamics.accuracy.refinement import passage_of

        return passage_of(setting.applied_to(self.case), self._line(setting), self.job.repeats)

    def _line(self, setting: Setting) -> WholeLine | None:
        from dynamics.accuracy.refinement import line_of

        key = setting.formulation, setting.elements_per_bay
        if key not in self._lines:
            self._lines[key] = line_of(setting.applied_to(self.case))
        return self._lines[key]

    @cached_property
    def minutes(self) -> dict[str, float]:
        """Estimated processor time [min] of the whole study by integrator, the reference counting as Newmark's."""
        found: dict[str, float] = {}
        trials: dict[tuple[str, str, str], tuple[float, float]] = {}
        for setting in (*self.references, *self.settings):
            if setting.family not in trials:
                trials[setting.family] = self._trial(setting)
            case = setting.applied_to(self.case)
            line = case.open_line
            steps = case.steps_between(line.start, line.last_evaluated + line.spans_after)
            begin, step = trials[setting.family]
            spent = (begin + step * steps * self._own_steps(setting)) * setting.elements_per_bay * self.job.repeats
            found[setting.integrator] = found.get(setting.integrator, 0.0) + spent / 60.0
        return found

    def _own_steps(self, setting: Setting) -> int:
        from dynamics.open_line.run import refuse_long_substep

        return refuse_long_substep(setting.applied_to(self._driven)) if setting.integrator == "rk4" else 1

    @property
    def _driven(self) -> CaseSpec:
        """The case with any applied force: what a step costs depends little on it."""
        force = self.case.applied_force_N or self.case.mean_force_N
        others = self.case.trailing.model_copy(update={"applied_forces_N": None})
        update = {"applied_force_N": force, "mean_force_N": None, "trailing": others}
        return self.case.model_copy(update=update)

    def _trial(self, setting: Setting) -> tuple[float, float]:
        """Processor time [s] an element a bay on the coarsest mesh: to begin a run, of one of the method's steps."""
        from dataclasses import replace

        from dynamics.open_line.run import run_whole_line

        mesh = min(self.job.lattice.elements_per_bay)
        coarse = replace(setting, elements_per_bay=mesh)
        line = self._line(coarse)
        if line is None:
            raise InputError(
                [f"lattice.elements_per_bay must suit the line: form-finding fails with {mesh} elements a bay"]
            )
        case, spent = coarse.applied_to(self._driven), []
        few = TRIAL_STEPS[setting.integrator]
        for steps in (1, 1, 1 + few):  # the first one compiles
            began = time.process_time()
            run_whole_line(case, line, case.open_line.start, steps * len(case.catenary.spans) / case.steps_per_period)
            spent.append(time.process_time() - began)
        return spent[1] / mesh, max(0.0, spent[2] - spent[1]) / (few * mesh * self._own_steps(coarse))


def _refuse_long_study(job: ConvergenceJob, minutes: dict[str, float]) -> None:
    """Refuse a study that would take longer than its limit, before anything is written."""
    total = sum(minutes.values())
    if total <= job.longest_minutes:
        print(f"{len(settings_of(job))} settings, about {total:.1f} minutes of processor time.", flush=True)
        return
    parts = ", ".join(f"{name} {_duration(value)}" for name, value in minutes.items())
    raise InputError(
        [
            f"longest_minutes must hold the study's processor time, estimated at {_duration(total)} ({parts}): got "
            f"{job.longest_minutes:g} min; raise it, or shorten lattice.integrators, lattice.elements_per_bay, "
            f"lattice.dt, lattice.kinematics or the line"
        ]
    )


def _duration(minutes: float) -> str:
    return f"{minutes:.1f} min" if minutes < 90.0 else f"{minutes / 60.0:.1f} h"


def _study_into(folder: RunFolder, composed: Composed[ConvergenceJob], bench: _Bench) -> int:
    from studies.report import write_report
    from studies.writing.convergence_result import summarise, write_curves

    job, began = composed.job, time.process_time()
    if job.mean_force_N is not None:
        folder.say(f"Finding the applied force that holds {job.mean_force_N:.2f} N with the setting in use ...")
    failure = bench.hold()
    if failure:
        folder.warn(f"The mean force could not be held with the case's own setting: {failure}")
        return 1
    references = _progress(folder, bench, bench.references, "reference")
    failed = [p for p in references if p.message]
    if failed:
        folder.warn(f"Cannot compute errors: the {failed[0].setting.kinematics} reference failed: {failed[0].message}")
        return 1
    passages = _progress(folder, bench, bench.settings, "setting")
    summary = summarise(job, bench.case, references, passages)
    summary["config_sha256"] = config_sha256(job)
    summary["cpu_time_s"] = time.process_time() - began
    write_curves(folder.path / "result.nc", job, references, passages)
    write_json_atomic(folder.path / "summary.json", summary)
    write_report("convergence", folder.path)
    for conclusion in summary["conclusions"]:
        folder.say(conclusion["sentence"])
    folder.say(f"Wrote to {folder.path}/ (report.html, summary.json, result.nc, figures/)")
    return 0


def _progress(folder: RunFolder, bench: _Bench, settings: Iterable[Setting], what: str) -> list[Passage]:
    """Run settings, telling each as it is done."""
    from studies.writing.convergence_result import setting_text

    found, listed = [], list(settings)
    for k, setting in enumerate(listed, start=1):
        passage = bench.passage(setting)
        found.append(passage)
        figures = passage.message or f"sigma {passage.sigma:.3f} N, {passage.cost:.4f} s a simulated second"
        folder.say(f"{what} {k} of {len(listed)}: {setting_text(setting)}: {figures}")
    return found
