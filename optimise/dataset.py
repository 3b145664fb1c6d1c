"""Trials of a campaign as a labelled data set (trial, variable, dropper) with CF units and long names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from catenary.component_spec import Spec
from catenary.files import whole_file
from catenary.record import commit, config_json, config_sha256, versions
from optimise.constraints import CONSTRAINTS
from optimise.evaluate import Evaluation, EvaluationStatus
from optimise.objectives import OBJECTIVES, raw_values, told_values
from optimise.record import SCHEMA_VERSION, CampaignInput, TrialRecord, campaign_sha256

if TYPE_CHECKING:
    from optimise.result import CampaignResult
    from optimise.sensitivity import SensitivityResult
    from optimise.sweep import SweepResult

__all__ = ["sensitivity_dataset", "sweep_dataset", "trials_dataset", "write_sensitivity", "write_sweep", "write_trials"]

# Units stand at the end of a name.
UNITS = {"N": "N", "mm": "mm", "percent": "%", "m": "m", "s": "s"}
POINT_FIGURES = (
    ("applied_force_N", "applied force", "N"),
    ("static_dropper_force_min_N", "smallest static dropper force", "N"),
    ("wall_time_s", "wall time of the evaluation", "s"),
)
POINT_TEXTS = (("status", "how the evaluation ended"), ("message", "reason where there are no figures"))
STATES = ("running", *(status.value for status in EvaluationStatus))


def write_trials(result: CampaignResult, path: Path) -> None:
    """Write the trials of a campaign as netCDF4, whole or not at all."""
    with whole_file(path) as temporary:
        trials_dataset(result).to_netcdf(temporary, engine="netcdf4", format="NETCDF4")


def trials_dataset(result: CampaignResult) -> xr.Dataset:
    """Every trial with its variables, line, objective, violations, told value, statistics and state."""
    records = result.records
    data = xr.Dataset(attrs=_attributes(result))
    data["trial"] = _named("trial", [r.number for r in records], "number of the trial", "1")
    _add_designs(data, result)
    _add_scenarios(data, result)
    _add_objectives(data, result)
    for name, text in CONSTRAINTS.items():
        data[name] = _figures(records, lambda e, n=name: e.constraints.get(n), f"{text}; held when not positive", "1")
    data["static_dropper_force_min"] = _figures(
        records, lambda e: e.static_dropper_force_min_N, "smallest static dropper force", "N"
    )
    data["applied_force"] = _figures(records, lambda e: e.applied_force_N, "applied force", "N")
    for name in sorted({n for r in records if r.evaluation for n in r.evaluation.statistics}):
        long_name, unit = _long_name_and_unit(name)
        data[name] = _figures(records, lambda e, n=name: e.statistics.get(n), long_name, unit)
    data["wall_time"] = _figures(records, lambda e: e.wall_time_s.get("total"), "wall time of the evaluation", "s")
    _add_states(data, records)
    return data


def _add_designs(data: xr.Dataset, result: CampaignResult) -> None:
    space, records = result.space, result.records
    variables = space.variables
    units = {v.unit for v in variables}
    unit = units.pop() if len(units) == 1 else "variable_unit"  # lengths alone, or each in its own unit
    data["variable"] = _named("variable", [v.name for v in variables], "name of the design variable", None)
    for label, text in (
        ("low", "lower bound"),
        ("high", "upper bound"),
        ("nominal", "value for the nominal line"),
    ):
        data[f"variable_{label}"] = _named("variable", [getattr(v, label) for v in variables], text, unit)
    data["value"] = _named(("trial", "variable"), [r.values for r in records], "value of the design variable", unit)
    data["variable_unit"] = _named("variable", [v.unit for v in variables], "unit of the design variable", None)
    droppers = [space.spec_of(r.values).droppers for r in records]
    most = max(len(d.positions) for d in droppers)
    data["dropper"] = _named("dropper", range(1, most + 1), "number of the dropper", "1")
    for name, text in (
        ("positions", "station of the dropper from the support"),
        ("contact_wire_heights", "contact-wire height at the dropper, relative to the support"),
    ):
        rows = [(*getattr(d, name), *[np.nan] * (most - len(d.positions))) for d in droppers]
        data[f"dropper_{name}"] = _named(("trial", "dropper"), rows, text, "m")


def _add_objectives(data: xr.Dataset, result: CampaignResult) -> None:
    """Sigma in every campaign; its other objectives beside it; which trials are on the front of several."""
    records, told = result.records, "as told to samplers that ignore constraints"
    data["sigma"] = _figures(records, lambda e: e.sigma_N, OBJECTIVES["sigma"].long_name + ", as computed", "N")
    data["told"] = _figures(records, lambda e: e.told_N, f"{OBJECTIVES['sigma'].long_name}, {told}", "N")
    for name in (n for n in result.campaign.objectives if n != "sigma"):
        o, short = OBJECTIVES[name], OBJECTIVES[name].slug
        sense = "; more is better" if o.maximised else ""
        data[short] = _figures(
            records, lambda e, n=name: (raw_values((n,), e) or (None,))[0], f"{o.long_name}, as computed{sense}", o.unit
        )
        data[f"told_{short}"] = _figures(
            records, lambda e, n=name: _told(n, e, result.nominal), f"{o.long_name}, {told}{sense}", o.unit
        )
    if len(result.campaign.objectives) > 1:
        numbers = {record.number for record in result.front}
        flags = np.array([int(r.number in numbers) for r in records], dtype=np.int8)
        data["non_dominated"] = _named("trial", flags, "1 when feasible and on the front of the objectives", "1")


def _add_scenarios(data: xr.Dataset, result: CampaignResult) -> None:
    """What every design has in each scenario, where a campaign has any."""
    found = result.scenarios
    if found is None:
        return
    labels, records = found.labels, result.records
    data["scenario"] = _named("scenario", np.array(labels, dtype=object), "speed, errors and so on of a scenario", None)
    data["scenario_weight"] = _named("scenario", found.weights, "weight of a scenario, sum one", "1")
    names = sorted({n for r in records if r.evaluation for n in r.evaluation.scenarios})
    for name in names:
        rows = [r.evaluation.scenarios.get(name) if r.evaluation else None for r in records]
        values = np.array([(np.nan,) * len(labels) if row is None else row for row in rows], dtype=float)
        long_name, unit = _long_name_and_unit(name)
        data[f"scenario_{name}"] = _named(("trial", "scenario"), values, f"{long_name} in each scenario", unit)


def _told(name: str, evaluation: Evaluation, nominal: TrialRecord) -> float | None:
    if evaluation.told_N is None or nominal.evaluation is None:
        return None
    return told_values((name,), evaluation, nominal.evaluation)[0]


def _add_states(data: xr.Dataset, records: list[TrialRecord]) -> None:
    states = [STATES.index(r.evaluation.status.value if r.evaluation else "running") for r in records]
    data["state"] = xr.DataArray(
        np.array(states, dtype=np.int8),
        dims="trial",
        attrs={
            "long_name": "how the evaluation ended",
            "flag_values": np.arange(len(STATES), dtype=np.int8),
            "flag_meanings": " ".join(STATES),
        },
    )
    feasible = [int(r.evaluation is not None and r.evaluation.feasible) for r in records]
    data["feasible"] = _named("trial", np.array(feasible, dtype=np.int8), "1 when every limit is held", "1")
    origins = np.array([_origin_of(r) for r in records], dtype=object)
    data["origin"] = _named("trial", origins, "where the design comes from, when no sampler proposed it", None)
    messages = np.array([r.evaluation.message if r.evaluation else "" for r in records], dtype=object)
    data["message"] = _named("trial", messages, "reason of a failure", None)


def _origin_of(record: TrialRecord) -> str:
    """Polish of a trial, or a warm start; empty for what the sampler proposed and for the nominal line."""
    origin = record.origin
    if origin is None:
        return ""
    where = f" of campaign {origin.campaign}" if origin.campaign else ""
    return f"{origin.kind.replace('_', ' ')} from trial {origin.trial}{where}"


def _named(dims: str | tuple[str, ...], values: Any, long_name: str, unit: str | None) -> xr.DataArray:
    attributes = {"long_name": long_name} if unit is None else {"long_name": long_name, "units": unit}
    return xr.DataArray(np.asarray(values), dims=dims, attrs=attributes)


def _figures(records: list[TrialRecord], pick: Any, long_name: str, unit: str) -> xr.DataArray:
    """One number per trial; not-a-number where there is none."""
    found = [pick(r.evaluation) if r.evaluation else None for r in records]
    numbers = [np.nan if value is None else float(value) for value in found]
    return _named("trial", np.array(numbers, dtype=float), long_name, unit)


def _long_name_and_unit(name: str) -> tuple[str, str]:
    stem, _, unit = name.replace("_0_5Hz", " 0 to 5 Hz").replace("_5_20Hz", " 5 to 20 Hz").rpartition("_")
    stem = stem.replace("_std", " standard deviation")
    return (stem.replace("_", " "), UNITS[unit]) if unit in UNITS else (name.replace("_", " "), "1")


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


def write_sweep(result: SweepResult, path: Path) -> None:
    """Write the array of a sweep as netCDF4, whole or not at all."""
    with whole_file(path) as temporary:
        sweep_dataset(result).to_netcdf(temporary, engine="netcdf4", format="NETCDF4")


def sweep_dataset(result: SweepResult) -> xr.Dataset:
    """Every statistic over the swept inputs, NaN with its reason where a point has none.

    A coordinate is named after its input, dots replaced by underscores.
    """
    from optimise.sweep import SweepInput
    from optimise.sweep_axes import axis_unit

    given = SweepInput(sweep=result.sweep, case=result.case)
    data = xr.Dataset(attrs=_origin(f"sweep {result.sweep.name}", given))
    dims = tuple(name.replace(".", "_") for name in result.sweep.values)
    for dim, (name, values) in zip(dims, result.sweep.values.items(), strict=True):
        data[dim] = _named(dim, values, f"input {name}", axis_unit(name) or "1")
    names = sorted({n for point in result.points.values() for n in point.statistics})
    for name in names:
        long_name, unit = _long_name_and_unit(name)
        data[name] = _named(dims, result.figures(name), long_name, unit)
    for name, long_name, unit in POINT_FIGURES:
        found = np.full(result.sweep.shape, np.nan)
        for index, point in result.points.items():
            value = getattr(point, name)
            found[index] = np.nan if value is None else value
        data[name] = _named(dims, found, long_name, unit)
    for name, long_name in POINT_TEXTS:
        texts = np.full(result.sweep.shape, "", dtype=object)
        for index, point in result.points.items():
            texts[index] = getattr(point, name)
        data[name] = _named(dims, texts, long_name, None)
    return data


def _origin(title: str, given: Spec) -> dict[str, Any]:
    """Attributes that say what a file holds and what it was made from."""
    return {
        "Conventions": "CF-1.11",
        "title": title,
        "schema_version": SCHEMA_VERSION,
        "config": config_json(given),
        "config_sha256": config_sha256(given),
        "versions": " ".join(f"{name}={version}" for name, version in versions().items()),
        "commit": commit(),
    }


def write_sensitivity(result: SensitivityResult, path: Path) -> None:
    """Write a sensitivity study as netCDF4, whole or not at all."""
    with whole_file(path) as temporary:
        sensitivity_dataset(result).to_netcdf(temporary, engine="netcdf4", format="NETCDF4")


def sensitivity_dataset(result: SensitivityResult) -> xr.Dataset:
    """Every point with its inputs, figures and reasons, and every sensitivity over output and input."""
    from optimise.sensitivity import SensitivityInput
    from optimise.sensitivity_indices import OUTPUTS

    plan, points = result.plan, result.points
    given = SensitivityInput(sensitivity=result.spec, case=result.case)
    data = xr.Dataset(attrs=_origin(f"sensitivity study {result.spec.name}", given))
    total = len(plan.values)
    data["point"] = _named("point", np.arange(total), "number of the point", "1")
    data["input"] = _named("input", np.array(plan.names, dtype=object), "dotted path of the input", None)
    data["output"] = _named("output", np.array([o.name for o in OUTPUTS], dtype=object), "name of the output", None)
    data["value"] = _named(("point", "input"), plan.values, "value of the input, in its own unit", "1")
    methods = [m for n in range(total) for m, (a, b) in plan.blocks.items() if a <= n < b]
    data["method"] = _named("point", np.array(methods, dtype=object), "method that asks for the point", None)
    for k, output in enumerate(OUTPUTS):
        data[output.key] = _named("point", result.outputs[:, k], output.meaning, output.unit)
    for name, long_name, unit in POINT_FIGURES:
        found = [getattr(points[n], name) if n in points else None for n in range(total)]
        data[name] = _named("point", np.array([np.nan if v is None else v for v in found]), long_name, unit)
    for name, long_name in POINT_TEXTS:
        texts = [getattr(points[n], name) if n in points else "" for n in range(total)]
        data[name] = _named("point", np.array(texts, dtype=object), long_name, None)
    for method in result.spec.methods:
        for name, values in vars(getattr(result, method)).items():
            if isinstance(values, np.ndarray):
                dims = {2: ("output", "input"), 1: ("input",) if name == "steps" else ("output",)}[values.ndim]
                words = name.replace("_", " ")
                data[f"{method}_{name}"] = _named(dims, values, f"{words}, method {method}, see its class", None)
            else:
                data.attrs[f"{method}_{name}"] = values
    return data
