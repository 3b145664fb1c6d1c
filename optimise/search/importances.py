"""Importance of the variables by a search's own trials: `importances.json`, written when a campaign ends.

PED-ANOVA (Watanabe et al. 2023, as Optuna has it): for each variable the distance of its distribution among the best
tenth of the trials, five at least, from that among all of them, scaled to a sum of one. The trials are those that the
search chose: no independent sample of the ranges, so that this screens and measures no effect.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from catenary.storage.files import read_json_again, write_json_atomic
from optimise.design.space import DesignSpace
from optimise.evaluation.objectives import OBJECTIVES, sampler_values
from optimise.evaluation.outcome import OutcomeStatus
from optimise.record.campaign_folder import SCHEMA_VERSION, CampaignFolder, TrialRecord
from optimise.spec.campaign import CampaignSpec

__all__ = ["FEWEST_TRIALS", "read_importances", "write_importances"]

FEWEST_TRIALS = 20
BEST_SHARE = 0.1
# fewer than this many best trials make no distribution
FEWEST_BEST = 5


def read_importances(folder: CampaignFolder) -> dict[str, Any]:
    """Content of a campaign's `importances.json`; empty if it cannot be read."""
    return read_json_again(folder.importances_json)


def write_importances(
    folder: CampaignFolder, campaign: CampaignSpec, space: DesignSpace, records: Sequence[TrialRecord]
) -> None:
    """Write the share of each variable in each objective, or why it is missing; not again for the same trials.

    Trials that failed are left out, as are those of a polish, which the search did not choose. A design that breaks a
    limit counts at the penalised value given to samplers that ignore limits.
    """
    searched = [r for r in records if not r.polished]
    if read_importances(folder).get("trials") == len(searched):
        return
    used = [(r, r.outcome) for r in searched if r.outcome and r.outcome.status is not OutcomeStatus.FAILED]
    reason = _reason(len(used), len(space.variables))
    best = max(FEWEST_BEST, math.ceil(BEST_SHARE * len(used)))
    shares: dict[str, dict[str, float]] = {}
    if not reason:
        nominal = used[0][1]
        sampled = [sampler_values(campaign.objectives, outcome, nominal) for _, outcome in used]
        for k, name in enumerate(campaign.objectives):
            costs = [OBJECTIVES[name].cost(values[k]) for values in sampled]
            found = _shares(space, [r for r, _ in used], costs, best)
            if found:
                shares[name] = found
        reason = "" if shares else "the best of the trials are spread as all of them are"
    content = {
        "schema_version": SCHEMA_VERSION,
        "method": "PED-ANOVA",
        "trials": len(searched),
        "used": len(used),
        "feasible": sum(outcome.feasible for _, outcome in used),
        "best": best if shares else 0,
        "reason": reason,
        "objectives": shares,
    }
    write_json_atomic(folder.importances_json, content)


def _reason(used: int, variables: int) -> str:
    """Why there are no importances; empty where there are."""
    if variables < 2:
        return "there is one variable, so nothing to weigh it against"
    if used < FEWEST_TRIALS:
        return f"they take at least {FEWEST_TRIALS} trials that did not fail: there are {used}"
    return ""


def _shares(space: DesignSpace, records: Sequence[TrialRecord], costs: Sequence[float], best: int) -> dict[str, float]:
    """Share of each variable, the largest first, by the best so many trials; nothing where none differs."""
    if sorted(costs)[best - 1] >= max(costs):
        return {}  # the best are all of them

    import optuna  # slow to load, and not needed where importances are only read
    from optuna.importance import PedAnovaImportanceEvaluator
    from optuna.storages import InMemoryStorage
    from optuna.study import StudyDirection
    from optuna.trial import create_trial

    from optimise.search.samplers import distributions

    ranges, storage = distributions(space), InMemoryStorage()
    number = storage.create_new_study([StudyDirection.MINIMIZE], "importances")
    for record, cost in zip(records, costs, strict=True):
        pairs = zip(space.variables, record.values, strict=True)
        params = {v.name: round(value) if v.integer else value for v, value in pairs}
        storage.create_new_trial(number, create_trial(params=params, distributions=ranges, value=cost))
    study = optuna.load_study(study_name="importances", storage=storage)
    share = (best - 0.5) / len(costs)  # Optuna rounds up to a whole trial
    found = PedAnovaImportanceEvaluator(target_quantile=share).evaluate(study)
    total = sum(found.values())
    if not total > 0.0:
        return {}
    return {name: value / total for name, value in sorted(found.items(), key=lambda pair: -pair[1])}
