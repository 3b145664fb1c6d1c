"""Write, after a search of several objectives or in scenarios, how sure its own figures are: objective_errors.json.

What confirms a search is of its case's own condition alone, and of one design. Designs of a front, and figures over
scenarios, have their numerical errors here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from catenary.storage.files import read_json, write_json_atomic
from catenary.storage.provenance import config_sha256
from dynamics.charts.numbers import with_error
from optimise.evaluation.objectives import raw_values
from optimise.evaluation.verdict import verdict
from optimise.search.progress import counted
from studies.afterwards.confirmation import on_record

if TYPE_CHECKING:
    from optimise.search.result import CampaignResult

__all__ = ["NAME", "errors_by_trial", "estimates_objectives", "objective_error_lines", "show_objective_errors"]

NAME = "objective_errors.json"


def estimates_objectives(result: CampaignResult) -> bool:
    """Whether a search has figures whose error no confirmation says: of a front, or over scenarios."""
    return result.best is not None and (len(result.campaign.objectives) > 1 or result.scenarios is not None)


def show_objective_errors(result: CampaignResult, show: Callable[[str], None]) -> dict[str, Any] | None:
    """Errors of the objectives of nominal line and front; content of objective_errors.json. None where not wanted.

    What stands on record for the same designs, case and scenarios is not run again, the whole file or run by run.
    """
    from optimise.afterwards.finished_runs import finished_runs
    from optimise.afterwards.objective_errors import objective_errors

    if not estimates_objectives(result):
        return None
    names, target = result.campaign.objectives, result.folder / NAME
    key = {**_key(result), "trials": sorted({0, *(record.number for record in result.front)})}
    held = on_record(target, lambda content: all(content.get(name) == value for name, value in key.items()))
    if held is not None:
        return held
    runs = finished_runs(result.folder, counted("errors of the objectives", "runs", show))
    found = objective_errors(result, runs)
    content = {
        "schema_version": 1,
        **key,
        "wall_time_s": runs.spent_s,
        "designs": [
            {
                "trial": trial,
                "objectives": {name: _known(found[trial].of(name, result.scenarios)) for name in names},
                "scenarios_std_N": list(map(_known, found[trial].sigma_N)),
                "message": found[trial].message,
            }
            for trial in key["trials"]
        ],
    }
    write_json_atomic(target, content)
    return content


def _key(result: CampaignResult) -> dict[str, Any]:
    """What a campaign's errors are of, but for the designs."""
    return {
        "case_sha256": config_sha256(result.case),
        "scenarios_sha256": config_sha256(result.campaign.scenarios),
        "objectives": list(result.campaign.objectives),
    }


def _known(size: float) -> float | None:
    return size if math.isfinite(size) else None


def errors_by_trial(folder: Path, result: CampaignResult) -> dict[int, Mapping[str, Any]]:
    """Errors of designs by trial, from objective_errors.json; none where that is of another case, or not there."""
    path = folder / NAME
    return _by_trial(read_json(path), result) if path.exists() else {}


def _by_trial(content: Mapping[str, Any], result: CampaignResult) -> dict[int, Mapping[str, Any]]:
    if any(content.get(name) != value for name, value in _key(result).items()):
        return {}
    return {int(design["trial"]): design for design in content["designs"]}


def objective_error_lines(content: Mapping[str, Any], result: CampaignResult) -> list[str]:
    """Objectives of nominal line and best design with their errors, and designs of the front not known to be on it."""
    from optimise.search.front import no_better

    known, best = _by_trial(content, result), result.best
    assert best is not None
    found = []
    for objective, name in zip(result.objectives, result.campaign.objectives, strict=True):
        (before, size), (after, own) = (_figure(record, name, known) for record in (result.nominal, best))
        word = verdict(objective.cost(before), size, objective.cost(after), own)
        nominal, design = (with_error(x, e, objective.decimals) for x, e in ((before, size), (after, own)))
        best_one = f", best design {design} {objective.unit}: {word}" if best.number else f" {objective.unit}"
        found.append(f"{objective.symbol} by the search: nominal line {nominal}{best_one}")
    if len(result.front) < 2:
        return found
    every = np.array([[_figure(record, name, known) for name in result.campaign.objectives] for record in result.front])
    signs = np.array([o.cost(1.0) for o in result.objectives])
    doubted = sum(map(bool, no_better(signs * every[..., 0], every[..., 1])))
    count = len(result.front)
    found.append(f"within the errors {doubted} of {count} designs of the front may be no better than another one of it")
    return found


def _figure(record: Any, name: str, known: Mapping[int, Mapping[str, Any]]) -> tuple[float, float]:
    """Objective of a design and its error, not a number where not known."""
    values = raw_values((name,), record.outcome)
    size = known.get(record.number, {}).get("objectives", {}).get(name)
    return math.nan if values is None else values[0], math.nan if size is None else float(size)
