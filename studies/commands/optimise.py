"""Search a design space for the geometry that is best in one objective, or for the front of several.

The campaign's folder has a stable name: the same command resumes after Ctrl-C or a power cut, or with more
trials; so does `catenary optimise resume=FOLDER`, wherever the campaign was started.
`objectives=[sigma,uplift] sampler=nsga2` looks for all designs that no other betters in both.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from catenary.errors import InputError
from catenary.storage.files import read_json_again
from catenary.storage.yaml_file import read_yaml_mapping
from dynamics.refusals import refuse_unfit_case
from dynamics.spec.case import case_of
from optimise.spec.jobs import campaign_of
from studies.input.compose import Composed, compose_job, typed_command
from studies.input.typed_text import typed_value
from studies.jobs.simulation import CampaignJob
from studies.writing.report_head import keep_head, limits_of
from studies.writing.run_folder import HYDRA, RunFolder, asked_folder, write_hydra_record
from studies.writing.search_head import print_search

if TYPE_CHECKING:
    from optimise.search.prepare import PreparedCampaign
    from optimise.search.result import CampaignResult

from optimise.entry.progress_line import ProgressLine

__all__ = ["JOB", "compose", "run", "run_campaign_study"]

JOB = CampaignJob
# keys of what follows a search
AFTERWARDS = ("trust", "error_estimate", "report")
NOT_KNOWN = (
    "What {0} was asked to run after its search is not known: neither its status.json nor .hydra/overrides.yaml can be "
    "read. Those runs take the defaults; to have others, interrupt this and type trust.*, error_estimate or report.* "
    "next to resume={0}."
)
STAYS = "what was written before stays"
# in their order; each is on record as a whole or not at all, but for the search
TOLERANCES, OBJECTIVES = "table of length tolerances", "errors of the objectives"
STEPS = ("search", "confirmation", OBJECTIVES, "off-design table", TOLERANCES, "report")


def compose(overrides: list[str]) -> Composed[CampaignJob]:
    """Resolve and validate the input; ``resume=FOLDER`` stands for that of the campaign there."""
    from optimise.record.campaign_folder import CampaignFolder

    typed = [text.partition("=")[2] for text in overrides if text.startswith("resume=")]
    if not typed or typed[-1] in ("", "null"):
        return compose_job("optimise", JOB, overrides)
    named = str(typed_value("resume", typed[-1]))
    campaign, case, _ = CampaignFolder(Path(named)).read_input()
    recorded = campaign.model_dump(mode="json", exclude={"name", "schema_version"}) | case.model_dump(mode="json")
    recorded |= {"campaign": campaign.name, "run_dir": named}
    words = _words_on_record(Path(named))
    composed = compose_job("optimise", JOB, [*_for_afterwards(words or [], overrides), *overrides], recorded=recorded)
    return composed if words is not None else replace(composed, notes=(*composed.notes, NOT_KNOWN.format(named)))


def _words_on_record(folder: Path) -> list[str] | None:
    """Words of the command that was last given to a campaign; None where neither of its two places can be read."""
    from optimise.record.campaign_folder import CampaignFolder

    command = read_json_again(CampaignFolder(folder).status_json).get("command")
    if isinstance(command, str):
        with suppress(ValueError):
            return shlex.split(command)
    with suppress(InputError):
        words = read_yaml_mapping(folder / HYDRA / "overrides.yaml", "record").get("overrides")
        return [str(word) for word in words] if isinstance(words, list) else None
    return None


def _for_afterwards(words: list[str], overrides: list[str]) -> list[str]:
    """Words on record about what follows a search, which is not part of a campaign's input."""
    chosen = any(text.startswith("experiment=") for text in overrides)
    kept = AFTERWARDS if chosen else (*AFTERWARDS, "experiment")
    return [word for word in words if word.partition("=")[0].partition(".")[0] in kept]


def run(composed: Composed[CampaignJob]) -> int:
    """Search, confirm, report; 1 without the nominal line's solution or a feasible design, 75 when interrupted."""
    from optimise.record.campaign_folder import CampaignFolder

    if composed.job.cost:
        return _show_cost(composed)
    code, result = run_campaign_study(composed)
    if result is not None and result.best is not None:
        designs, place = [result.best_words], CampaignFolder(result.folder)
        if len(result.campaign.objectives) > 1:
            designs.append((f"catenary={place.pareto_yaml(result.front[-1].number)}",))
        named = composed.job.run_dir is None
        exported = f"campaign={result.campaign.name}" if named else f"catenary={place.best_design_yaml}"
        commands = [typed_command("simulate", design) for design in designs]
        # a bundle is of a line that repeats, under one pantograph
        if not (result.case.on_open_line or result.case.trailing.distances_m):
            commands.append(typed_command("export", (exported,)))
        print("\n  ".join(["Next:", *commands]))
    return code


def _show_cost(composed: Composed[CampaignJob]) -> int:
    """Say what the campaign will cost, before anything is submitted; 75 when interrupted."""
    from optimise.afterwards.cost import campaign_cost, cost_lines, not_counted
    from optimise.search.campaign import Interrupted, NominalFailedError

    case, campaign = case_of(composed.job), campaign_of(composed.job)
    refuse_unfit_case(case)
    print("Measuring a few designs on one core of this machine.", flush=True)
    try:
        cost = campaign_cost(campaign, case)
    except Interrupted as stop:
        print(f"{stop}:\n  {typed_command('optimise', composed.overrides)}", file=sys.stderr)
        return stop.exit_code
    except NominalFailedError as failure:
        print(failure, file=sys.stderr)
        return failure.exit_code
    print("\n".join(cost_lines(cost, campaign.cluster, [not_counted(campaign, case, composed.job.trust)])))
    return 0


def run_campaign_study(
    composed: Composed[CampaignJob], study: str = "optimise", *, exported: bool = False
) -> tuple[int, CampaignResult | None]:
    """Run or resume a campaign, which that study resumes; return its exit code, and its result if there is one.

    Where the best design is ``exported`` afterwards, the kernel of its matrices is compiled meanwhile, too.
    """
    from catenary.storage.end_request import end_request_interrupts
    from dynamics.kernels import compiled_ahead
    from optimise.entry.campaigns import campaign_folder, prepared_campaign
    from optimise.executors import NoWorkersError, interruption
    from optimise.record.driver_lock import driver_lock
    from optimise.record.growing_record import ChangedRecordError
    from optimise.search.campaign import Interrupted, NominalFailedError, drive_campaign
    from studies.afterwards.made_files import refuse_damaged_plan

    job = composed.job
    limits_of(job.report)  # a file that cannot be used is refused before any work
    campaign = campaign_of(job)
    path = asked_folder(job.run_dir, campaign_folder(job))
    prepared = prepared_campaign(job, path)  # before it is said that anything is kept
    refuse_damaged_plan(path, prepared.case.catenary, composed.overrides)
    print_search(job, prepared)
    command = typed_command(study, composed.overrides)
    done: list[str] = []
    written = False

    def begun() -> None:
        nonlocal written
        written = True
        _keep_input(prepared, composed)

    try:
        ahead = compiled_ahead(case_of(job), matrices=exported) if _has_idle_cores(job) else nullcontext()
        with end_request_interrupts(), ahead:
            with _shown_line() as line:
                result = drive_campaign(prepared, progress=line.show, doing=line.doing, command=command, begun=begun)
            done.append("search")
            # what follows the search has a record, too
            with driver_lock(prepared.place.lock, f"campaign '{campaign.name}'", campaign.cluster.driver_silence_s):
                return _conclude(composed, result, done), result
    except Interrupted as stop:
        print(f"{stop}:\n  {command}", file=sys.stderr)
    except InputError as error:
        if written and error.outcome == InputError.outcome:
            error.outcome = STAYS
        raise
    except NominalFailedError as failure:
        print(failure, file=sys.stderr)
        return failure.exit_code, None
    except (KeyboardInterrupt, NoWorkersError, ChangedRecordError) as stop:
        asked = f"campaign '{campaign.name}' was interrupted: " if isinstance(stop, KeyboardInterrupt) else ""
        left, does = _on_record(path, done, _steps(job))
        print(f"{interruption(stop, f'{asked}{left}', does=does)}:\n  {command}", file=sys.stderr)
    return Interrupted.exit_code, None


def _keep_input(prepared: PreparedCampaign, composed: Composed[CampaignJob]) -> None:
    """Keep what was typed, of which status.json has the only other copy, and the workbook of a line by stations."""
    from studies.afterwards.design_workbook import keep_plan

    write_hydra_record(prepared.place.path, "optimise", composed)
    keep_plan(prepared.place, prepared.case.catenary, composed.overrides)


def _has_idle_cores(job: CampaignJob) -> bool:
    """Whether this machine's other cores are the campaign's, and what follows its search has errors estimated."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return job.cluster.kind == "local" and job.error_estimate and cores > 1


def _steps(job: CampaignJob) -> tuple[str, ...]:
    """Steps that a campaign's command has."""
    without = {TOLERANCES} if job.on_open_line else set()
    if not job.error_estimate or (len(job.objectives) == 1 and not job.scenarios.wanted):
        without.add(OBJECTIVES)
    return tuple(step for step in STEPS if step not in without)


def _on_record(path: Path, done: list[str], steps: tuple[str, ...]) -> tuple[str, str]:
    """Say what is on record of a campaign that was interrupted and what is not, and what its command then does."""
    missing = [step for step in steps if step not in done]
    kept = "".join(f", {step} too" for step in done[1:])
    designs = f"every design that was evaluated is on record in {path}"
    if not done:
        return f"{designs}; {', '.join(missing)} are not", "resumes from there"
    then = f", then {', '.join(missing[1:])}" if missing[1:] else ""
    if len(missing) == 1:
        return f"{designs}{kept}; report is not", "writes it"
    runs = f"every finished run of the {missing[0]}"
    return f"{designs}{kept}, and {runs}", f"resumes the {missing[0]} from there{then}"


@contextmanager
def _shown_line() -> Iterator[ProgressLine]:
    """Progress on one line, which what is said next does not write over."""
    line = ProgressLine()
    try:
        yield line
    finally:
        line.end()


def _conclude(composed: Composed[CampaignJob], result: CampaignResult, done: list[str]) -> int:
    """Confirm, show away from the design point, report; what is on record is added to ``done``."""
    from studies.afterwards.confirmation import confirm_campaign, confirmation_lines
    from studies.afterwards.design_workbook import show_design_workbook
    from studies.afterwards.length_tolerance import length_tolerance_lines, show_length_tolerance
    from studies.afterwards.made_files import set_damaged_aside
    from studies.afterwards.objective_errors import objective_error_lines, show_objective_errors
    from studies.afterwards.off_design import off_design_lines, show_fitter_schedule, show_off_design
    from studies.report import write_report
    from studies.report.sections.basins import certainty_lines

    folder = RunFolder(result.folder, "optimise", composed)
    set_damaged_aside(result.folder)
    keep_head(result.folder, composed.job.report, None if result.best is None else result.best.number)
    errors = composed.job.error_estimate
    with _shown_line() as line:
        content = confirm_campaign(result, line.doing, error_estimate=errors)
    done.append("confirmation")
    if content is None:
        folder.say("No feasible design was found: relax limits.*, widen design.*, or run more trials.")
    else:
        with _shown_line() as line:
            with line.doing("lengths of the best design's droppers"):
                show_fitter_schedule(result)
            book = show_design_workbook(result, composed.overrides)
            with line.doing("report"):
                write_report("campaign", result.folder)
        if book is not None:
            folder.say(f"Design, figures and cutting list in the line's workbook: {book}")
        folder.say(f"Report without the off-design table, which follows: {result.folder / 'report.html'}")
        trust = composed.job.trust
        with _shown_line() as line:
            own = show_objective_errors(result, line.write) if errors else None
            if own:  # which stand in the workbook, too
                done.append(OBJECTIVES)
                show_design_workbook(result, composed.overrides)
            off_design = show_off_design(result, trust, line.write, error_estimate=errors)
            done.append("off-design table")
            tolerance = show_length_tolerance(result, trust.length_tolerance, line.write, error_estimate=errors)
            done.append(TOLERANCES)
        known = objective_error_lines(own, result) if own else []
        for sentence in [*confirmation_lines(content), *known, *(off_design_lines(off_design) if off_design else [])]:
            folder.say(sentence)
        for sentence in [*(length_tolerance_lines(tolerance) if tolerance else []), *certainty_lines(result)]:
            folder.say(sentence)
    if result.front == [result.nominal]:
        folder.say("No design was better than the nominal line: best_design.yaml is that line as it was given.")
    write_report("campaign", result.folder)
    objectives, several = result.campaign.objectives, len(result.campaign.objectives) > 1
    if several:
        folder.say(
            f"On the front of {', '.join(objectives)}: {len(result.front)} "
            f"design{'s' if len(result.front) > 1 else ''}; best_design.yaml is the one best in {objectives[0]}"
        )
    best = "".join(f"{path.name}, " for path in result.best_files)
    folder.say(f"Wrote to {result.folder}/ (report.html, {best}trials.nc{', pareto/' if several else ''})")
    return 0 if result.best else 1  # limits that no design keeps are a gate that is missed
