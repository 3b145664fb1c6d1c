"""Estimated numerical error of sigma: read from summary.json, shown with the figure and as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studies.report.drawing.parts import Table
from studies.report.sections.tables import plus_minus, value_text

__all__ = ["ErrorEstimate", "error_table", "read_error", "sigma_with_error"]

NAMES = {
    "time_step": "time step",
    "mesh": "mesh",
    "window": "length of the window",
    "iteration": "end of the iteration",
    "spread": "spread of the march",
}


@dataclass(frozen=True)
class ErrorEstimate:
    """Estimated numerical error of sigma: total and parts (name, size, how it was found) [N].

    A size that could not be estimated is None, and so is then the total. Settings, as a command takes them, make
    smaller what has a large share of it.
    """

    total_N: float | None
    parts: tuple[tuple[str, float | None, str], ...]
    finer_settings: tuple[str, ...] = ()


def read_error(summary: Mapping[str, Any]) -> ErrorEstimate | None:
    """Take the estimate out of summary.json; a run without one has none."""
    recorded = summary.get("numerical_error")
    if not recorded:
        return None
    parts = tuple((NAMES[name], part["error_N"], str(part["message"])) for name, part in recorded["parts"].items())
    return ErrorEstimate(recorded["total_N"], parts, tuple(map(str, recorded.get("finer_settings", ()))))


def sigma_with_error(sigma: float, error: ErrorEstimate | None) -> str:
    """Sigma with its estimated numerical error, where there is one."""
    return f"{plus_minus(sigma, None if error is None else error.total_N, 2)} N"


def error_table(error: ErrorEstimate, label: str = "") -> Table:
    """Show the parts of an estimate, what each was found from, and the total; ``label`` names the line."""
    missing = [name for name, size, _ in error.parts if size is None]
    total = f"no total, since these could not be estimated: {', '.join(missing)}" if missing else "root of the squares"
    rows = [(name, value_text(size, 3), message) for name, size, message in error.parts]
    return Table(
        title="Estimated numerical error of σ" + (f", {label}" if label else ""),
        columns=("part", "size [N]", "found from"),
        rows=(*rows, ("total", value_text(error.total_N, 3), total)),
        align="lrl",
        caption="What finer numerics would change, by companion runs that are each coarser or finer in one thing. "
        "Parts are taken as independent of each other; where a line has several steady states this is rough. "
        "Errors of the input and of the model are not in it."
        + (f" To make it smaller, run again with: {' '.join(error.finer_settings)}" if error.finer_settings else ""),
    )
