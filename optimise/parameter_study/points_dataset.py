"""Points of a sweep or of a sensitivity study as a labelled data set with CF units and long names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray as xr

from catenary.storage.files import whole_file
from optimise.parameter_study.sensitivity_indices import OUTPUTS
from optimise.parameter_study.sensitivity_result import SensitivityInput, SensitivityResult
from optimise.parameter_study.sweep_axes import axis_unit
from optimise.parameter_study.sweep_result import SweepInput, SweepResult
from optimise.record.campaign_folder import SCHEMA_VERSION
from optimise.record.labelled import labelled, long_name_and_unit, origin_attributes

__all__ = ["sensitivity_dataset", "sweep_dataset", "write_sensitivity", "write_sweep"]

POINT_FIGURES = (
    ("applied_force_N", "applied force", "N"),
    ("static_dropper_force_min_N", "smallest static dropper force", "N"),
    ("wall_time_s", "wall time of the evaluation", "s"),
)
ASSURED_FIGURES = (
    ("sigma_N", "standard deviation of the contact force on refined numerics"),
    ("error_N", "numerical error of the standard deviation on refined numerics"),
)
POINT_TEXTS = (("status", "how the evaluation ended"), ("message", "reason where there are no figures"))


def write_sweep(result: SweepResult, path: Path) -> None:
    """Write the array of a sweep as netCDF4, whole or not at all."""
    with whole_file(path) as temporary:
        sweep_dataset(result).to_netcdf(temporary, engine="netcdf4", format="NETCDF4")


def sweep_dataset(result: SweepResult) -> xr.Dataset:
    """Every statistic over the swept inputs, NaN with its reason where a point has none.

    A coordinate is named after its input, dots replaced by underscores.
    """
    given = SweepInput(sweep=result.sweep, case=result.case)
    data = xr.Dataset(attrs=origin_attributes(f"sweep {result.sweep.name}", given, SCHEMA_VERSION))
    dims = tuple(name.replace(".", "_") for name in result.sweep.values)
    for dim, (name, values) in zip(dims, result.sweep.values.items(), strict=True):
        data[dim] = labelled(dim, values, f"input {name}", axis_unit(name) or "1")
    names = sorted({n for point in result.points.values() for n in point.statistics})
    for name in names:
        long_name, unit = long_name_and_unit(name)
        data[name] = labelled(dims, result.figures(name), long_name, unit)
    for name, long_name, unit in POINT_FIGURES:
        found = np.full(result.sweep.shape, np.nan)
        for index, point in result.points.items():
            value = getattr(point, name)
            found[index] = np.nan if value is None else value
        data[name] = labelled(dims, found, long_name, unit)
    for name, long_name in POINT_TEXTS:
        texts = np.full(result.sweep.shape, "", dtype=object)
        for index, point in result.points.items():
            texts[index] = getattr(point, name)
        data[name] = labelled(dims, texts, long_name, None)
    for name, long_name in ASSURED_FIGURES:
        found = np.full(result.sweep.shape, np.nan)
        for assured in result.assured:
            value = getattr(assured, name)
            found[assured.index] = np.nan if value is None else value
        data[f"assured_{name}"] = labelled(dims, found, f"{long_name}; NaN: not estimated", "N")
    return data


def write_sensitivity(result: SensitivityResult, path: Path) -> None:
    """Write a sensitivity study as netCDF4, whole or not at all."""
    with whole_file(path) as temporary:
        sensitivity_dataset(result).to_netcdf(temporary, engine="netcdf4", format="NETCDF4")


def sensitivity_dataset(result: SensitivityResult) -> xr.Dataset:
    """Every point with its inputs, figures and reasons, and every sensitivity over output and input."""
    plan, points = result.plan, result.points
    given = SensitivityInput(sensitivity=result.spec, case=result.case)
    data = xr.Dataset(attrs=origin_attributes(f"sensitivity study {result.spec.name}", given, SCHEMA_VERSION))
    total = len(plan.values)
    data["point"] = labelled("point", np.arange(total), "number of the point", "1")
    data["input"] = labelled("input", np.array(plan.names, dtype=object), "dotted path of the input", None)
    data["output"] = labelled("output", np.array([o.name for o in OUTPUTS], dtype=object), "name of the output", None)
    data["value"] = labelled(("point", "input"), plan.values, "value of the input, in its own unit", "1")
    methods = [m for n in range(total) for m, (a, b) in plan.blocks.items() if a <= n < b]
    data["method"] = labelled("point", np.array(methods, dtype=object), "method that asks for the point", None)
    for k, output in enumerate(OUTPUTS):
        data[output.key] = labelled("point", result.outputs[:, k], output.meaning, output.unit)
    for name, long_name, unit in POINT_FIGURES:
        found = [getattr(points[n], name) if n in points else None for n in range(total)]
        data[name] = labelled("point", np.array([np.nan if v is None else v for v in found]), long_name, unit)
    for name, long_name in POINT_TEXTS:
        texts = [getattr(points[n], name) if n in points else "" for n in range(total)]
        data[name] = labelled("point", np.array(texts, dtype=object), long_name, None)
    for method in result.spec.methods:
        for name, values in vars(getattr(result, method)).items():
            if isinstance(values, np.ndarray):
                dims = {2: ("output", "input"), 1: ("input",) if name == "steps" else ("output",)}[values.ndim]
                words = name.replace("_", " ")
                data[f"{method}_{name}"] = labelled(dims, values, f"{words}, method {method}, see its class", None)
            else:
                data.attrs[f"{method}_{name}"] = values
    return data
