"""The distinct basins that polished designs end in, as data: `basins.json`.

A polish that was stopped, by the limit of its steps or by a failure, ended on its way: it is in none that is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from catenary.storage.files import read_json_again, write_json_atomic
from optimise.descent.distances import distance, distinct, ranked
from optimise.descent.polish import PolishRun
from optimise.design.space import DesignSpace
from optimise.evaluation.objectives import OBJECTIVES, raw_values
from optimise.record.campaign_folder import SCHEMA_VERSION, CampaignFolder, TrialRecord
from optimise.spec.campaign import CampaignSpec

__all__ = ["MET", "ended_by_itself", "polish_is_due", "read_basins", "write_basins"]

# A limit or bound this near is met; the violations are shares of their limits, the variables of their ranges.
MET = 2e-3
# messages of a polish that found no further descent from where it ended
BY_ITSELF = ("converged", "no descent beyond the noise of an evaluation", "nothing but counts can change")


def polish_is_due(folder: CampaignFolder, campaign: CampaignSpec, searched: int) -> bool:
    """Whether a polish is wanted that is not on record for this many trials of the search."""
    if not campaign.polish.best:
        return False
    content = read_basins(folder)
    asked = campaign.polish.model_dump(mode="json")
    return content.get("polish") != asked or content.get("trials") != searched


def read_basins(folder: CampaignFolder) -> dict[str, Any]:
    """Content of a campaign's `basins.json`; empty if it cannot be read."""
    return read_json_again(folder.basins_json)


def ended_by_itself(message: str) -> bool:
    """Whether a polish with this message ended since nothing better was near, and not since it was stopped."""
    return message in BY_ITSELF


def write_basins(
    folder: CampaignFolder,
    campaign: CampaignSpec,
    space: DesignSpace,
    records: Sequence[TrialRecord],
    runs: list[PolishRun],
) -> None:
    """Write what was polished, how far it went, and the distinct basins where it ended by itself, the best first.

    Parameters
    ----------
    folder : CampaignFolder
    campaign : CampaignSpec
    space : DesignSpace
    records : sequence of TrialRecord
        Trials of the campaign.
    runs : list of PolishRun
    """
    objective = OBJECTIVES[campaign.objectives[0]]
    settled = [run.end for run in runs if run.end and ended_by_itself(run.message)]
    ends = ranked({end.number: end for end in settled}.values(), campaign.objectives)
    bests = distinct(ends, space, campaign.polish.distance, len(ends))
    polished = [_polished(campaign, space, run, bests, records[0]) for run in runs]
    basins = [
        {
            "basin": k,
            "trial": best.number,
            "value": _value(campaign, best),
            "distance_to_best": distance(space, best.values, bests[0].values),
            "starts": [p["start_trial"] for p in polished if p["basin"] == k],
            "active": _active(space, best, records[0]),
            "variables": dict(zip((v.name for v in space.variables), best.values, strict=True)),
        }
        for k, best in enumerate(bests, start=1)
    ]
    content = {
        "schema_version": SCHEMA_VERSION,
        "objective": objective.name,
        "unit": objective.unit,
        "nominal_value": _value(campaign, records[0]),
        "trials": sum(not r.polished for r in records),
        "polish": campaign.polish.model_dump(mode="json"),
        "polished": polished,
        "basins": basins,
        "certainty": _certainty(basins, polished),
    }
    write_json_atomic(folder.basins_json, content)


def _certainty(basins: Sequence[Mapping[str, Any]], polished: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How sure the best basin is: how many starts ended there, and at all; what the next best has, what it meets."""
    best, following = (*basins[:2], None, None)[:2]
    return {
        "starts": len(polished),
        "ended_by_themselves": sum(p["ended_by_itself"] for p in polished),
        "in_best_basin": 0 if best is None else len(best["starts"]),
        "best_value": None if best is None else best["value"],
        "next_best_value": None if following is None else following["value"],
        "active": [] if best is None else best["active"],
    }


def _polished(
    campaign: CampaignSpec, space: DesignSpace, run: PolishRun, bests: list[TrialRecord], nominal: TrialRecord
) -> dict[str, Any]:
    """One polish; its basin is that of the nearest of the basins' best designs, None if it did not end by itself."""
    found: dict[str, Any] = {
        "start_trial": run.start.number,
        "start_value": _value(campaign, run.start),
        "start_value_as_polished": _value(campaign, run.start_polished),
        "evaluations": run.evaluations,
        "message": run.message,
        "ended_by_itself": run.end is not None and ended_by_itself(run.message),
    }
    if run.end is None:
        return {**found, "end_trial": None, "end_value": None, "distance": None, "active": [], "basin": None}
    apart = [distance(space, run.end.values, best.values) for best in bests] if found["ended_by_itself"] else []
    return {
        **found,
        "end_trial": run.end.number,
        "end_value": _value(campaign, run.end),
        "distance": distance(space, run.start.values, run.end.values),
        "active": _active(space, run.end, nominal),
        "basin": 1 + apart.index(min(apart)) if apart else None,
    }


def _value(campaign: CampaignSpec, record: TrialRecord) -> float | None:
    found = raw_values(campaign.objectives, record.outcome)
    return None if found is None else found[0]


def _active(space: DesignSpace, record: TrialRecord, nominal: TrialRecord) -> list[str]:
    """Limits that a design meets, and bounds of the variables that it stands at.

    What equals the nominal line's (no loss of contact where none is allowed) holds nothing back.
    """
    own, other = (r.outcome.constraints if r.outcome else {} for r in (record, nominal))
    names = [name for name, g in own.items() if g > -MET and g != other.get(name)]
    for v, value in zip(space.variables, record.values, strict=True):
        share = (value - v.low) / (v.high - v.low)
        if not v.integer and min(share, 1.0 - share) < MET:
            names.append(f"{v.name} {'lowest' if share < 0.5 else 'highest'}")
    return names
