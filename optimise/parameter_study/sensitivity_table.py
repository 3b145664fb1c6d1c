"""Indices, effects and derivatives of a sensitivity study as rows of a table that any program reads."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from pathlib import Path

from catenary.storage.files import write_text_atomic
from optimise.parameter_study.sensitivity_indices import OUTPUTS
from optimise.parameter_study.sensitivity_result import SensitivityResult
from optimise.parameter_study.sweep_axes import axis_unit

__all__ = ["COLUMNS", "index_rows", "write_indices"]

COLUMNS = ("method", "quantity", "output", "input", "value", "low", "high", "unit")
Row = tuple[str, str, str, str, float, float, float, str]


def write_indices(result: SensitivityResult, path: Path) -> None:
    """Write every index, effect and derivative as CSV, whole or not at all; unknown numbers are left empty."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for row in index_rows(result):
        table.writerow(["" if isinstance(v, float) and not math.isfinite(v) else v for v in row])
    write_text_atomic(path, text.getvalue())


def index_rows(result: SensitivityResult) -> Iterator[Row]:
    """One row for each method, quantity, output and input, with the ends of its interval."""
    for k, output in enumerate(OUTPUTS):
        for i, name in enumerate(result.plan.names):
            if (s := result.sobol) is not None:
                ends = s.first_low[k, i], s.first_high[k, i]
                yield _row("sobol", "first_order", (output.name, name), s.first[k, i], ends, "1")
                ends = s.total_low[k, i], s.total_high[k, i]
                yield _row("sobol", "total", (output.name, name), s.total[k, i], ends, "1")
            if (m := result.morris) is not None:
                size, half = m.mean_absolute[k, i], m.interval[k, i]
                ends = size - half, size + half
                yield _row("morris", "mean_absolute_effect", (output.name, name), size, ends, output.unit)
                nothing = math.nan, math.nan
                yield _row("morris", "mean_effect", (output.name, name), m.mean[k, i], nothing, output.unit)
                yield _row("morris", "spread_of_effects", (output.name, name), m.spread[k, i], nothing, output.unit)
            if (d := result.local) is not None:
                value, error = d.derivative[k, i], d.error[k, i]
                unit = f"{output.unit}/({axis_unit(name) or '1'})"
                yield _row("local", "derivative", (output.name, name), value, (value - error, value + error), unit)
            if (g := result.gradient) is not None and math.isfinite(g.derivative[k, i]):
                value, error = g.derivative[k, i], g.error[k, i]
                unit = f"{output.unit}/({axis_unit(name) or '1'})"
                yield _row("gradient", "derivative", (output.name, name), value, (value - error, value + error), unit)


def _row(method: str, quantity: str, of: tuple[str, str], value: float, ends: tuple[float, float], unit: str) -> Row:
    return method, quantity, *of, float(value), float(ends[0]), float(ends[1]), unit
