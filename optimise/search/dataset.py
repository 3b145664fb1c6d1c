"""Trials of a campaign as a labelled data set (trial, variable, dropper) with CF units and long names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from catenary.storage.dataset import write_dataset
from catenary.storage.provenance import commit, config_json, versions
from optimise.evaluation.constraints import constraints_of
from optimise.evaluation.figures import HEIGHTS, LENGTHS, how_combined
from optimise.evaluation.objectives import OBJECTIVES, Objective, raw_values, sampler_values
from optimise.evaluation.outcome import Outcome, OutcomeStatus
from optimise.record.campaign_folder import SCHEMA_VERSION, CampaignInput, TrialRecord, campaign_sha256
from optimise.record.labelled import labelled, long_name_and_unit

if TYPE_CHECKING:
    from optimise.search.result import CampaignResult

__all__ = ["trials_dataset", "write_trials"]

STATES = ("running", *(status.value for status in OutcomeStatus))


def write_trials(result: CampaignResult, path: Path) -> None:
    """Write the trials of a campaign as netCDF4, whole or not at all."""
    write_dataset(path, trials_dataset(result), compressed=False)


def trials_dataset(result: CampaignResult) -> xr.Dataset:
    """Every trial with its variables, line, objective, violations, sampler's value, statistics and state."""
    records = result.records
    data = xr.Dataset(attrs=_attributes(result))
    data["trial"] = labelled("trial", [r.number for r in records], "number of the trial", "1")
    _add_designs(data, result)
    _add_scenarios(data, result)
    _add_objectives(data, result)
    for name, text in constraints_of(result.campaign.limits).items():
        data[name] = _figures(records, lambda e, n=name: e.constraints.get(n), f"{text}; held when not positive", "1")
    data["static_dropper_force_min_N"] = _figures(
        records, lambda e: e.static_dropper_force_min_N, "smallest static dropper force", "N"
    )
    data["applied_force_N"] = _figures(records, lambda e: e.applied_force_N, "applied force", "N")
    known = {n for r in records if r.outcome for n in r.outcome.statistics}
    for name in sorted(known - set(data)):  # an objective may be one of them
        long_name, unit = long_name_and_unit(name)
        how = "" if result.scenarios is None else f" ({how_combined(name)} of the scenarios)"
        data[name] = _figures(records, lambda e, n=name: e.statistics.get(n), f"{long_name}{how}", unit)
    data["wall_time_s"] = _figures(records, lambda e: e.wall_time_s.get("total"), "wall time of the evaluation", "s")
    _add_states(data, records)
    return data


def _add_designs(data: xr.Dataset, result: CampaignResult) -> None:
    space, records = result.space, result.records
    variables = space.variables
    units = {v.unit for v in variables}
    unit = units.pop() if len(units) == 1 else "variable_unit"  # lengths alone, or each in its own unit
    data["variable"] = labelled("variable", [v.name for v in variables], "name of the design variable", None)
    for label, text in (
        ("low", "lower bound"),
        ("high", "upper bound"),
        ("nominal", "value for the nominal line"),
    ):
        data[f"variable_{label}"] = labelled("variable", [getattr(v, label) for v in variables], text, unit)
    data["value"] = labelled(("trial", "variable"), [r.values for r in records], "value of the design variable", unit)
    data["variable_unit"] = labelled("variable", [v.unit for v in variables], "unit of the design variable", None)
    droppers = [space.as_drawn(r.values).droppers for r in records]
    most = max(len(d.positions) for d in droppers)
    rows = {"positions": [d.positions for d in droppers], HEIGHTS: [d.contact_wire_heights for d in droppers]}
    if result.campaign.design.length_step is not None:
        # heights of a line whose droppers are cut are those at which it hangs, known once it is evaluated
        held = [r.outcome.droppers if r.outcome else {} for r in records]
        rows |= {key: [h.get(key, ()) for h in held] for key in (HEIGHTS, LENGTHS)}
    data["dropper"] = labelled("dropper", range(1, most + 1), "number of the dropper", "1")
    for name, key, text in (
        ("dropper_position", "positions", "station of the dropper from the support"),
        (
            "contact_wire_height",
            HEIGHTS,
            "contact-wire height at the dropper, relative to the support",
        ),
        ("dropper_length", LENGTHS, "length to which the dropper is cut"),
    ):
        if key in rows:
            filled = [(*values, *[np.nan] * (most - len(values))) for values in rows[key]]
            data[name] = labelled(("trial", "dropper"), filled, text, "m")


def _add_objectives(data: xr.Dataset, result: CampaignResult) -> None:
    """Sigma and the other objectives, each with the sampler's value; which trials are on the front of several."""
    records = result.records
    for name in dict.fromkeys(("sigma", *result.campaign.objectives)):
        o = OBJECTIVES[name]
        sense = "; more is better" if o.maximised else ""
        data[_column_of(o, result)] = _figures(
            records, lambda e, n=name: _raw_value(n, e), f"{o.long_name}, as computed{sense}", o.unit
        )
        data["sampler_value_N" if name == "sigma" else f"sampler_value_{o.slug}_{o.unit}"] = _figures(
            records,
            lambda e, n=name: e.sampler_value_N if n == "sigma" else _sampler_value(n, e, result.nominal),
            f"{o.long_name}, as given to samplers that ignore constraints{sense}",
            o.unit,
        )
    if len(result.campaign.objectives) > 1:
        numbers = {record.number for record in result.front}
        flags = np.array([int(r.number in numbers) for r in records], dtype=np.int8)
        data["non_dominated"] = labelled("trial", flags, "1 when feasible and on the front of the objectives", "1")


def _add_scenarios(data: xr.Dataset, result: CampaignResult) -> None:
    """What every design has in each scenario, where a campaign has any."""
    found = result.scenarios
    if found is None:
        return
    labels, records = found.labels, result.records
    data["scenario"] = labelled(
        "scenario", np.array(labels, dtype=object), "speed, errors and so on of a scenario", None
    )
    data["scenario_weight"] = labelled("scenario", found.weights, "weight of a scenario, sum one", "1")
    names = sorted({n for r in records if r.outcome for n in r.outcome.scenarios})
    for name in names:
        rows = [r.outcome.scenarios.get(name) if r.outcome else None for r in records]
        values = np.array([(np.nan,) * len(labels) if row is None else row for row in rows], dtype=float)
        long_name, unit = long_name_and_unit(name)
        data[f"scenario_{name}"] = labelled(("trial", "scenario"), values, f"{long_name} in each scenario", unit)


def _column_of(objective: Objective, result: CampaignResult) -> str:
    """Name of an objective: that of the statistic that it is, unless it is made of several or of several scenarios."""
    if result.scenarios is None and len(objective.terms) == 1:
        return objective.terms[0][0]
    return f"objective_{objective.slug}_{objective.unit}"


def _raw_value(name: str, outcome: Outcome) -> float | None:
    if name == "sigma":  # also where a search that is over other objectives combines scenarios
        return outcome.sigma_N
    return (raw_values((name,), outcome) or (None,))[0]


def _sampler_value(name: str, outcome: Outcome, nominal: TrialRecord) -> float | None:
    if outcome.sampler_value_N is None or nominal.outcome is None:
        return None
    return sampler_values((name,), outcome, nominal.outcome)[0]


def _add_states(data: xr.Dataset, records: list[TrialRecord]) -> None:
    states = [STATES.index(r.outcome.status.value if r.outcome else "running") for r in records]
    data["state"] = xr.DataArray(
        np.array(states, dtype=np.int8),
        dims="trial",
        attrs={
            "long_name": "how the evaluation ended",
            "flag_values": np.arange(len(STATES), dtype=np.int8),
            "flag_meanings": " ".join(STATES),
        },
    )
    feasible = [int(r.outcome is not None and r.outcome.feasible) for r in records]
    data["feasible"] = labelled("trial", np.array(feasible, dtype=np.int8), "1 when every limit is held", "1")
    origins = np.array([_origin_of(r) for r in records], dtype=object)
    data["origin"] = labelled("trial", origins, "where the design comes from, when no sampler proposed it", None)
    messages = np.array([r.outcome.message if r.outcome else "" for r in records], dtype=object)
    data["message"] = labelled("trial", messages, "reason of a failure", None)


def _origin_of(record: TrialRecord) -> str:
    """Polish of a trial, or a warm start; empty for what the sampler proposed and for the nominal line."""
    origin = record.origin
    if origin is None:
        return ""
    where = f" of campaign {origin.campaign}" if origin.campaign else ""
    return f"{origin.kind.replace('_', ' ')} from trial {origin.trial}{where}"


def _figures(records: list[TrialRecord], pick: Any, long_name: str, unit: str) -> xr.DataArray:
    """One number per trial; not-a-number where it is missing."""
    found = [pick(r.outcome) if r.outcome else None for r in records]
    numbers = [np.nan if value is None else float(value) for value in found]
    return labelled("trial", np.array(numbers, dtype=float), long_name, unit)


def _attributes(result: CampaignResult) -> dict[str, Any]:
    best = result.best
    return {
        "Conventions": "CF-1.11",
        "title": f"trials of campaign {result.campaign.name}",
        "schema_version": SCHEMA_VERSION,
        "config": config_json(CampaignInput(campaign=result.campaign, case=result.case)),
        "config_sha256": campaign_sha256(result.campaign, result.case),
        "versions": " ".join(f"{name}={version}" for name, version in versions().items()),
        "commit": commit(),
        "seed": result.campaign.seed,
        "reproducible": int(result.campaign.reproducible),
        "objectives": " ".join(result.campaign.objectives),
        "best_trial": -1 if best is None else best.number,
    }
