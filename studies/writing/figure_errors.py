"""Numerical errors of a run's figures, as its summary.json has them."""

from __future__ import annotations

from collections.abc import Mapping
from math import isclose, nan
from typing import Any

from dynamics.charts.numbers import error_text

__all__ = ["error_in_words", "errors_of_statistics", "figure_errors"]


def figure_errors(error: Mapping[str, Any] | None, pantograph: int = 1) -> dict[str, float | None]:
    """Estimated numerical errors of one pantograph's statistics by name, from summary.json; without any it is empty.

    They are known of the pantograph with the largest standard deviation; the uplift is that of the whole train.
    """
    if error is None:
        return {}
    found = {"contact_force_std_N": error["total_N"], **error.get("others", {})}  # records from before have no others
    return found if error.get("pantograph", 1) == pantograph else {k: found[k] for k in found if "uplift" in k}


def errors_of_statistics(summary: Mapping[str, Any], statistics: Mapping[str, float]) -> dict[str, float | None]:
    """Estimated numerical errors of statistics that are, of a train, the worst of each figure over its pantographs.

    A figure that is another pantograph's than the one whose errors are known has none.
    """
    error = summary.get("numerical_error")
    known = figure_errors(error, (error or {}).get("pantograph", 1))
    every = summary.get("pantographs", ())
    if error is None or len(every) < 2:
        return known
    own = every[error.get("pantograph", 1) - 1]
    return {
        name: size
        for name, size in known.items()
        if name == "contact_force_std_N" or "uplift" in name or isclose(own[name], statistics.get(name, nan))
    }


def error_in_words(error: Mapping[str, Any] | None) -> list[str]:
    """Sentences about the estimated numerical error of sigma in summary.json; none without one."""
    if error is None:
        return []
    whose = f" of pantograph {error['pantograph']}" if error["pantograph"] > 1 else ""
    if error["total_N"] is None:
        missing = [f"{name}: {part['message']}" for name, part in error["parts"].items() if part["error_N"] is None]
        return [f"the numerical error of the standard deviation{whose} could not be estimated ({'; '.join(missing)})"]
    parts = ", ".join(f"{name.replace('_', ' ')} {part['error_N']:.3f} N" for name, part in error["parts"].items())
    lines = [
        f"estimated numerical error of the standard deviation{whose} ± {error_text(error['total_N'], 2)} N "
        f"({error['total_percent']:.1f} %): {parts}; {error['wall_time_s']:.1f} s"
    ]
    if error["finer_settings"]:
        lines.append(f"to make it smaller, run again with: {' '.join(error['finer_settings'])}")
    return lines
