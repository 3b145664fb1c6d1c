"""Tolerances of dropper lengths on record, of a campaign's best design or of a simulated line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from studies.report.readers.stored import read_json
from studies.report.sections.length_tolerance import DropperTolerance, LengthTolerances

__all__ = ["read_length_tolerances"]


def read_length_tolerances(path: Path, same: Callable[[dict[str, Any]], bool]) -> LengthTolerances | None:
    """Tolerances in a file, if they are of what the page shows."""
    content = read_json(path) if path.exists() else {}
    if not content or not same(content) or not content["droppers"]:
        return None
    droppers = tuple(
        DropperTolerance(
            int(row["dropper"]),
            float(row["position_m"]),
            row["tolerance_mm"],
            row["tolerance_error_mm"],
            row["more_than_mm"],
            row["wrong_way"],
            row["both_directions_mm"],
            row["message"],
        )
        for row in content["droppers"]
    )
    lines = tuple((float(d["share"]), int(d["within"]), len(d["rise_percent"])) for d in content["lines"])
    return LengthTolerances(float(content["rise_percent"]), droppers, lines)
