"""Numerical errors of a run's figures, as its summary.json has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isclose, nan
from typing import Any

from dynamics.charts.numbers import error_text

__all__ = ["error_in_words", "errors_of_statistics", "figure_errors"]


def figure_errors(error: Mapping[str, Any] | None, pantograph: int = 1) -> dict[str, float | None]:
    """Estimated numerical errors of one pantograph's statistics by name, from summary.json; without any it is empty.

    Records from before have them of the pantograph with the largest standard deviation alone; the uplift is that of
    the whole train.
    """
    if error is None:
        return {}
    of_train: Sequence[Mapping[str, Any]] = error.get("of_train", ())
    error = next((each for each in of_train if each["pantograph"] == pantograph), error)
    found = {"contact_force_std_N": error["total_N"], **error.get("others", {})}  # records from before have no others
    return found if error.get("pantograph", 1) == pantograph else {k: found[k] for k in found if "uplift" in k}


def errors_of_statistics(summary: Mapping[str, Any], statistics: Mapping[str, float]) -> dict[str, float | None]:
    """Estimated numerical errors of statistics that are, of a train, the worst of each figure over its pantographs.

    A figure that is that of a pantograph whose errors are not known has none.
    """
    error = summary.get("numerical_error")
    whose = (error or {}).get("pantograph", 1)
    known = figure_errors(error, whose)
    every = summary.get("pantographs", ())
    if error is None or len(every) < 2:
        return known
    # the pantograph by which the train is judged comes first where several have the same figure
    places = sorted(range(1, len(every) + 1), key=lambda place: place != whose)
    found = dict[str, float | None]()
    for name, size in known.items():
        if name == "contact_force_std_N" or "uplift" in name:
            found[name] = size
            continue
        same = (p for p in places if isclose(every[p - 1].get(name, nan), statistics.get(name, nan)))
        errors = figure_errors(error, next(same, 0))
        if name in errors:
            found[name] = errors[name]
    return found


def error_in_words(error: Mapping[str, Any] | None) -> list[str]:
    """Sentences about the estimated numerical error of sigma in summary.json, each pantograph's; none without one."""
    if error is None:
        return []
    of_train = error.get("of_train") or ()
    lines = [_in_words(each, f" of pantograph {each['pantograph']}") for each in of_train] or [_in_words(error, "")]
    if error["total_N"] is not None:
        lines[-1] += f"; {error['wall_time_s']:.1f} s"
    if error["total_N"] is not None and error["finer_settings"]:
        lines.append(f"to make it smaller, run again with: {' '.join(error['finer_settings'])}")
    return lines


def _in_words(error: Mapping[str, Any], whose: str) -> str:
    """Sentence about the error of one pantograph's sigma, or why there is none."""
    if error["total_N"] is None:
        missing = [f"{name}: {part['message']}" for name, part in error["parts"].items() if part["error_N"] is None]
        return f"the numerical error of the standard deviation{whose} could not be estimated ({'; '.join(missing)})"
    parts = ", ".join(f"{name.replace('_', ' ')} {part['error_N']:.3f} N" for name, part in error["parts"].items())
    size = f"{error_text(error['total_N'], 2)} N ({error['total_percent']:.1f} %)"
    return f"estimated numerical error of the standard deviation{whose} ± {size}: {parts}"
