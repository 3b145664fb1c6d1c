"""Points of a sweep or of a sensitivity study as a labelled data set with CF units and long names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import xarray as xr

from catenary.storage.dataset import write_dataset
from optimise.evaluation.outcome import Outcome
from optimise.parameter_study.sensitivity_indices import OUTPUTS
from optimise.parameter_study.sensitivity_result import SensitivityInput, SensitivityResult
from optimise.parameter_study.sweep_axes import axis_unit
from optimise.parameter_study.sweep_result import SweepInput, SweepResult
from optimise.record.campaign_folder import SCHEMA_VERSION
from optimise.record.labelled import labelled, long_name_and_unit, origin_attributes

__all__ = ["sensitivity_dataset", "sweep_dataset", "write_sensitivity", "write_sweep"]

POINT_FIGURES: tuple[tuple[str, Callable[[Outcome], float | None], str, str], ...] = (
    ("applied_force_N", lambda point: point.applied_force_N, "applied force", "N"),
    (
        "static_dropper_force_min_N",
        lambda point: point.static_dropper_force_min_N,
        "smallest static dropper force",
        "N",
    ),
    ("wall_time_s", lambda point: point.seconds, "wall time of the evaluation", "s"),
)
ASSURED_FIGURES = (
    ("sigma_N", "standard deviation of the contact force on refined numerics"),
    ("error_N", "numerical error of the standard deviation on refined numerics"),
)
POINT_TEXTS: tuple[tuple[str, Callable[[Outcome], str], str], ...] = (
    ("status", lambda point: point.status.on_point, "how the evaluation ended"),
    ("message", lambda point: point.message, "reason where there are no figures"),
)


def write_sweep(result: SweepResult, path: Path) -> None:
    """Write the array of a sweep as netCDF4, whole or not at all."""
    write_dataset(path, sweep_dataset(result), compressed=False)


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
    _add_points(data, dims, [result.points.get(index) for index in np.ndindex(result.sweep.shape)])
    for name, long_name in ASSURED_FIGURES:
        found = np.full(result.sweep.shape, np.nan)
        for assured in result.assured:
            value = getattr(assured, name)
            found[assured.index] = np.nan if value is None else value
        data[f"assured_{name}"] = labelled(dims, found, f"{long_name}; NaN: not estimated", "N")
    return data


def write_sensitivity(result: SensitivityResult, path: Path) -> None:
    """Write a sensitivity study as netCDF4, whole or not at all."""
    write_dataset(path, sensitivity_dataset(result), compressed=False)


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
    _add_points(data, ("point",), [points.get(n) for n in range(total)])
    for method in result.spec.methods:
        for name, values in vars(getattr(result, method)).items():
            if isinstance(values, np.ndarray):
                dims = {2: ("output", "input"), 1: ("input",) if name == "steps" else ("output",)}[values.ndim]
                words = name.replace("_", " ")
                data[f"{method}_{name}"] = labelled(dims, values, f"{words}, method {method}, see its class", None)
            else:
                data.attrs[f"{method}_{name}"] = values
    return data


def _add_points(data: xr.Dataset, dims: tuple[str, ...], points: Sequence[Outcome | None]) -> None:
    """Figures and reasons of every point, in the order of the array; one that is not evaluated yet has none."""
    shape = tuple(data.sizes[dim] for dim in dims)
    for name, figure, long_name, unit in POINT_FIGURES:
        found = [None if point is None else figure(point) for point in points]
        numbers = np.array([np.nan if value is None else value for value in found], dtype=float)
        data[name] = labelled(dims, numbers.reshape(shape), long_name, unit)
    for name, text, long_name in POINT_TEXTS:
        texts = np.array(["" if point is None else text(point) for point in points], dtype=object)
        data[name] = labelled(dims, texts.reshape(shape), long_name, None)
