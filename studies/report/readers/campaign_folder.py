"""The folder of one campaign, read into what its page says.

In addition to the record of the campaign it holds nominal/result.nc, best/result.nc and confirmation.json, as
`studies.afterwards.confirmation` writes them, and trust.json and fitter_schedule.json, as
`studies.afterwards.off_design` does. What is missing is left out and named, what is damaged is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

from catenary.linearised.rest_warnings import rest_warnings
from catenary.storage.provenance import config_sha256
from dynamics.charts.parts import Role
from dynamics.results.dataset import StoredResult
from dynamics.results.solution import worst_figures
from optimise.evaluation.scenarios import own_condition
from optimise.record.campaign_folder import CampaignFolder, TrialRecord
from optimise.search.history import evaluation_of, search_history, state_of
from optimise.search.result import CampaignResult, load_result
from studies.afterwards.made_files import refuse_damaged
from studies.afterwards.objective_errors import errors_by_trial
from studies.input.compose import typed_command
from studies.report.content.pieces import SpanResult
from studies.report.content.provenance import Provenance, case_provenance
from studies.report.readers.campaign_limits import constraints_of_search, errors_of_search
from studies.report.readers.campaign_record import (
    first_errors,
    front_of_designs,
    newest_record,
    ranked_trials,
    read_confirmation,
    read_droppers,
    read_off_design,
    signed_head,
    variables_of_designs,
)
from studies.report.readers.given_input import input_origins
from studies.report.readers.page_content import CampaignContent
from studies.report.readers.simulation_folder import NOTES, filter_note
from studies.report.readers.stored import (
    command_of,
    note_of_train,
    origin_facts,
    page_head,
    read_json,
    read_mapping,
    read_stored,
    run_facts,
    slack_warning,
    span_result,
    varies_most,
)
from studies.report.sections.assessment import assessed
from studies.report.sections.choice import choice_of
from studies.writing.figure_errors import errors_of_statistics

__all__ = ["read_campaign"]

BEST_SHOWN = 5


def read_campaign(folder: Path) -> CampaignContent:
    """Read a campaign's record, solutions and confirmation.

    Raises
    ------
    InputError
        If the folder does not hold a campaign with its nominal line on record, or a file in it is damaged.
    """
    result = _undamaged(folder)
    ranked = ranked_trials(result)
    nominal = evaluation_of(result.nominal)
    best = ranked[0] if ranked else None
    outcome = None if best is None else evaluation_of(best)
    better = list(takewhile(lambda record: record is not result.nominal, ranked))  # which has a column of its own
    shown = (better or ranked)[:BEST_SHOWN]
    records = {"nominal": result.nominal} | ({} if best is None else {"best": best})
    summaries = {name: _summary(result, name, record) for name, record in records.items()}
    errors = {name: error for name, found in summaries.items() if (error := found.get("numerical_error"))}
    solved, missing = _span_results(result, records, summaries)
    sizes = {name: errors_of_statistics(summaries[name], found.statistics) for name, found in solved.items()}
    case, alone = result.case, own_condition(result.campaign.scenarios, result.case)
    head, unsigned = signed_head(folder, best)
    confirmation, remarks = read_confirmation(folder, best)
    known = errors_by_trial(folder, result)
    judged = [(name, found.statistics) for name, found in solved.items()]
    return CampaignContent(
        title=_title(result),
        x_note=note_of_train(NOTES[case.solver], _shown(summaries), len(case.distances)),
        filter_note=filter_note(f"{case.signal.kind} {case.signal.cutoff_hz:g} Hz, zero phase"),
        nominal=solved["nominal"],
        best=solved.get("best"),
        best_trial=None if best is None else best.number,
        confirmation=confirmation,
        off_design=None if best is None else read_off_design(folder / "trust.json", case, best.number),
        schedule=None if best is None else read_droppers(folder / "fitter_schedule.json", best.number),
        tolerances=None if best is None else read_droppers(folder / "length_tolerance.json", best.number),
        history=search_history(result),
        designs=variables_of_designs(result, shown),
        constraints=constraints_of_search(result, nominal, outcome, errors_of_search(result, solved, sizes)),
        least_dropper_force_N=result.campaign.limits.static_dropper_force,
        provenance=_provenance(folder, result),
        run=_run(folder, result),
        warnings=(
            *missing,
            *remarks,
            *unsigned,
            *_unfinished(result),
            *(f"{name} line: {text}" for name, found in summaries.items() for text in slack_warning(found)),
            *rest_warnings(case.catenary),
        ),
        front=front_of_designs(result, known),
        first_errors=first_errors(result, best, known),
        condition=alone,
        errors=errors,
        trains={name: tuple(found.get("pantographs", ())) for name, found in summaries.items()},
        figure_errors=sizes,
        choice=choice_of(result, shown, known),
        assessment=assessed(head, judged, case, [*summaries.values()][-1], sizes, alone),
        head=page_head("campaign", result.campaign.name, newest_record(folder), head),
    )


def _unfinished(result: CampaignResult) -> tuple[str, ...]:
    """Say that a campaign has not ended, or that the best design's line, which is made at its end, is not there."""
    done, wanted = sum(r.outcome is not None and not r.polished for r in result.records), result.campaign.trials
    if done < wanted:
        return (f"The campaign has not ended: {done} of {wanted} designs are on record.",)
    line = CampaignFolder(result.folder).best_design_yaml
    if result.best is None or line.exists():
        return ()
    again = typed_command("optimise", (f"resume={result.folder}",))
    return (f"{line.name} is not in the folder; make it again with: {again}",)


def _undamaged(folder: Path) -> CampaignResult:
    result = load_result(folder)
    refuse_damaged(result.folder)
    return result


def _title(result: CampaignResult) -> str:
    case, found = result.case, result.scenarios
    where = f"{case.speed_kmh:g} km/h"
    if found is not None:
        count = len(found.labels)
        where = f"{found.speeds_in_words}, {count} scenario{'s' if count > 1 else ''}"
    return f"{case.catenary.name} with {case.pantograph.name} at {where}"


def _span_results(
    result: CampaignResult, records: dict[str, TrialRecord], summaries: dict[str, dict[str, Any]]
) -> tuple[dict[str, SpanResult], tuple[str, ...]]:
    """Results of the nominal and of the best line, and what is missing of them."""
    found, remarks = {}, []
    for name, record in records.items():
        path, case = result.folder / name / "result.nc", result.case_of(record)
        stored = read_stored(path) if path.exists() else StoredResult({}, {}, {})
        if stored.attributes.get("config_sha256") != config_sha256(case):
            stored = StoredResult({}, {}, {})
            hint = f"make it with: catenary optimise resume={result.folder}"
            remarks.append(f"There is no solution of the {name} line on record; {hint}")
        if result.scenarios is None:
            outcome = evaluation_of(record)
            applied = {} if outcome.applied_force_N is None else {"applied_force_N": outcome.applied_force_N}
            statistics = outcome.statistics | applied
        else:  # those on record are over all scenarios, the force that is drawn is the case's own
            statistics = worst_figures(summaries[name].get("pantographs", ()))
        role: Role = "nominal" if name == "nominal" else "best"
        found[name] = span_result(stored, case, name, role, statistics, _shown(summaries))
    return found, tuple(remarks)


def _shown(summaries: Mapping[str, Mapping[str, Any]]) -> int:
    """Place of the pantograph that is drawn under both lines: whose force varies most under the best one, if any."""
    return varies_most([*summaries.values()][-1].get("pantographs", ()))


def _summary(result: CampaignResult, name: str, record: TrialRecord) -> dict[str, Any]:
    """Summary on record of a design's line in the campaign's case; empty without one."""
    path, case = result.folder / name / "summary.json", result.case_of(record)
    summary = read_json(path) if path.exists() else {}
    return summary if summary.get("config_sha256") == config_sha256(case) else {}


def _provenance(folder: Path, result: CampaignResult) -> tuple[Provenance, ...]:
    """Every input of the nominal line's runs, on the mesh that all designs share where there is one."""
    case, mesh = result.case, result.line_of(result.nominal).mesh
    origins = input_origins(folder, "optimise", case)
    for name, value in mesh:
        if value != (given := getattr(case.catenary.mesh, name)):
            origins[f"catenary.mesh.{name}"] = f"one mesh for all designs of the search; {given:g} in the line's file"
    line = case.catenary.model_copy(update={"mesh": mesh})
    return case_provenance(case.model_copy(update={"catenary": line}), (), origins)


def _run(folder: Path, result: CampaignResult) -> Any:
    """Say what was run: counts, hash, versions, and the time that the evaluations took."""
    done = [r.outcome for r in result.records if r.outcome is not None]
    count = {state: sum(1 for e in done if state_of(e) == state) for state in ("feasible", "infeasible", "failed")}
    campaign = result.campaign
    facts = [
        ("campaign", campaign.name),
        ("designs", f"{len(done)}: " + ", ".join(f"{n} {state}" for state, n in count.items())),
        ("objectives", ", ".join(campaign.objectives)),
        ("search", f"{campaign.sampler.kind}, {campaign.design.what}, seed {campaign.seed}"),
        (
            "reproducible",
            "yes" if campaign.reproducible else "no: outcomes go to the sampler as they come; set synchronous=true",
        ),
        *origin_facts(folder / "campaign.yaml", read_mapping(folder / "campaign.yaml")),
    ]
    times = {"all evaluations": sum(e.wall_time_s.get("total", 0.0) for e in done)}
    return run_facts(facts, times, command_of(folder, "optimise", (f"resume={folder}",)))
