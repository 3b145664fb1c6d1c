"""What a search found, read from a campaign's record: its history, its best designs, its front."""

from __future__ import annotations

import math

import numpy as np

from optimise.design.space import Variable
from optimise.evaluation.objectives import raw_values, sampler_values
from optimise.evaluation.outcome import Outcome
from optimise.record.campaign_folder import CampaignFolder, TrialRecord
from optimise.search.result import CampaignResult
from studies.report.content.pieces import Array, DesignTable, Front, SearchHistory, TrialState

__all__ = ["evaluation_of", "front_of_designs", "ranked_trials", "search_history", "state_of", "variables_of_designs"]

MM = 1.0e3


def evaluation_of(record: TrialRecord) -> Outcome:
    """Outcome of a trial that has ended."""
    if record.outcome is None:
        raise ValueError(f"trial {record.number} must have been evaluated: it has not")
    return record.outcome


def ranked_trials(result: CampaignResult) -> list[TrialRecord]:
    """Feasible trials, the best in the first objective first; of equals the better in the next, then the earlier.

    Of a polish its best design stands, its way and the neighbours for its derivatives do not.
    """
    names, objectives = result.campaign.objectives, result.objectives
    feasible = [r for r in result.records if r.outcome is not None and r.outcome.feasible]

    def rank(record: TrialRecord) -> tuple[tuple[float, ...], int]:
        values = raw_values(names, record.outcome) or ()
        return tuple(o.cost(v) for o, v in zip(objectives, values, strict=True)), record.number

    found: list[TrialRecord] = []
    polished: set[int] = set()
    for record in sorted(feasible, key=rank):
        if record.polished and record.origin is not None:
            if record.origin.trial in polished:
                continue
            polished.add(record.origin.trial)
        found.append(record)
    return found


def search_history(result: CampaignResult) -> SearchHistory:
    """Every trial in order at its value of the first objective."""
    first = result.campaign.objectives[:1]
    nominal = evaluation_of(result.nominal)
    done = [(r, r.outcome) for r in result.records if r.outcome is not None]
    sampler_value = [math.nan if e.sampler_value_N is None else sampler_values(first, e, nominal)[0] for _, e in done]
    return SearchHistory(
        trial=np.array([r.number for r, _ in done], dtype=np.int64),
        value=np.array([_first(raw_values(first, e)) for _, e in done]),
        sampler_value=np.array(sampler_value),
        state=tuple(state_of(e) for _, e in done),
        messages=tuple(e.message for _, e in done),
        nominal=_first(raw_values(first, nominal)),
        objective=result.objectives[0],
    )


def _first(values: tuple[float, ...] | None) -> float:
    return math.nan if values is None else values[0]


def state_of(outcome: Outcome) -> TrialState:
    """Word for a trial; one that was slack at rest is infeasible and has no sigma."""
    if outcome.feasible:
        return "feasible"
    return "failed" if outcome.sampler_value_N is None else "infeasible"


def front_of_designs(result: CampaignResult) -> Front | None:
    """Non-dominated designs with their files, and the other feasible ones; None with one objective."""
    names = result.campaign.objectives
    if len(names) < 2:
        return None
    place = CampaignFolder(result.folder)
    numbers = {r.number for r in result.front}
    others = [r for r in ranked_trials(result) if r.number not in numbers]
    return Front(
        objectives=result.objectives,
        trials=tuple(r.number for r in result.front),
        files=tuple(str(place.pareto_yaml(r.number).relative_to(result.folder)) for r in result.front),
        values=_objectives(result.front, names),
        others=_objectives(others, names),
        nominal=_objectives([result.nominal], names)[0],
    )


def _objectives(records: list[TrialRecord], names: tuple[str, ...]) -> Array:
    return np.array([raw_values(names, r.outcome) for r in records], dtype=float).reshape(-1, len(names))


def variables_of_designs(result: CampaignResult, best: list[TrialRecord]) -> DesignTable:
    """Variables of some designs, with the nominal line and their bounds."""
    variables = result.space.variables
    in_mm = [v.name.startswith("lift") for v in variables]
    scale = np.where(in_mm, MM, 1.0)
    values = np.array([r.values for r in best]).reshape(len(best), len(variables)).T
    return DesignTable(
        names=tuple(v.name.replace("_", " ") for v in variables),
        units=tuple(
            "mm" if lift else "–" if v.unit == "1" else v.unit for v, lift in zip(variables, in_mm, strict=True)
        ),
        lower=scale * [v.low for v in variables],
        upper=scale * [v.high for v in variables],
        nominal=scale * [v.nominal for v in variables],
        designs=scale[:, None] * values,
        trials=tuple(r.number for r in best),
        objectives=result.objectives,
        values=_objectives(best, result.campaign.objectives).T,
        nominal_values=_objectives([result.nominal], result.campaign.objectives)[0],
        caption=_meaning(variables),
    )


def _meaning(variables: tuple[Variable, ...]) -> str:
    """Explain the kinds of variables that a campaign has."""
    first = "Best feasible design first; lower and upper are the bounds of the search."
    droppers = [v for v in variables if v.name.startswith(("lift", "move"))]
    if not droppers:
        return first
    kinds = {v.name.partition("_")[0]: v.description.rpartition(": ")[2] for v in droppers}
    meant = "; ".join(f"{kind}, {text}" for kind, text in kinds.items())
    names = "Variables" if len(droppers) == len(variables) else "Lifts and moves"
    return (
        f"{first} {names} are changes against the nominal line, counted from the support to mid-span and the same on "
        f"both sides of it ({meant}). What they come to stands in the table of droppers."
    )
