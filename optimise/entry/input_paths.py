"""Inputs named by their dotted paths on the command line of a study: known, numeric, within their ranges."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from catenary.errors import InputError
from catenary.spec.keys import KeyTree, format_value
from catenary.storage.configuration import conf_content, group_options
from dynamics.spec.case import CaseSpec
from optimise.evaluation.case_inputs import value_at

__all__ = ["chosen_inputs", "fitting_inputs", "missing_inputs", "path_problems", "ranges_around"]


def path_problems(key: str, name: str, values: Iterable[float], between: bool = False) -> list[str]:
    """Report that a path is not a numeric input of a case, or which of its values is out of range.

    Parameters
    ----------
    key : str
        Key under which the input is named, the subject of the sentences.
    name : str
        Dotted path.
    values : iterable of float
        Values that it is to take.
    between : bool
        Whether it is to take values between them too, which a whole number cannot.
    """
    keys = KeyTree(CaseSpec)
    path = [int(part) if part.isdigit() else part for part in name.split(".")]
    node = keys.node(path)
    if node is not None and node.get("type") in ("number", "integer"):
        if between and node["type"] == "integer":
            return [f"{key}: {name} must be a number that may be broken: it is a whole one; catenary sweep varies it"]
        low, high = keys.bounds(path)
        bad = [v for v in values if (low is not None and v < low) or (high is not None and v > high)]
        whole = "a whole number " if node["type"] == "integer" else ""
        if whole:
            bad += [v for v in values if v not in bad and v != round(v)]
        allowed = f"{whole}{keys.allowed(path)}".strip()
        return [f"{key}: {name} must be {allowed}: got {format_value(v, keys.unit(path))}" for v in bad]
    near = None if node is not None else keys.nearest(name)
    advice = f"; did you mean {near}?" if near else "; catenary simulate --help lists the keys"
    what = "is not a known key" if node is None else "is not one number (an item of a list is named as masses.0)"
    return [f"{key}: {name} {what}{advice}"]


def missing_inputs(case: CaseSpec, names: Iterable[str]) -> list[str]:
    """Inputs that are not numbers of a case, such as the stitch of a line without one."""
    missing = []
    for name in names:
        try:
            value_at(case, name)
        except InputError:
            missing.append(name)
    return missing


def chosen_inputs(case: CaseSpec, choice: str) -> str:
    """Override that varies the inputs of a choice of ``inputs=`` about a case: the choice, or ranges moved there."""
    ranges = conf_content(f"inputs/{choice}")["sensitivity"]["inputs"]
    away = [name for name, r in ranges.items() if not r["low"] <= value_at(case, name) <= r["high"]]
    return ranges_around(case, ranges) if away else f"inputs={choice}"


def ranges_around(case: CaseSpec, ranges: Mapping[str, Mapping[str, Any]]) -> str:
    """Ranges as an override, those without the case's own value moved to it: the same factors below and above it.

    One of a value of zero is left out where its range is elsewhere.
    """
    parts = []
    for name, given in ranges.items():
        low, high = float(given["low"]), float(given["high"])
        value, centre = value_at(case, name), math.sqrt(low * high) if low * high > 0.0 else 0.5 * (low + high)
        if not low <= value <= high:
            if not value or not centre:
                continue
            ends = (value * low / centre, value * high / centre)
            low, high = float(f"{min(ends):.4g}"), float(f"{max(ends):.4g}")
        spacing = ",spacing:log" if given.get("spacing") == "log" else ""
        parts.append(f"{name}:{{low:{low:.6g},high:{high:.6g}{spacing}}}")
    return f"sensitivity.inputs={{{','.join(parts)}}}"


def fitting_inputs(case: CaseSpec) -> list[str]:
    """Choices of ``inputs=`` of which a case has every input; first that with most of its values in their ranges."""
    fitting = []
    for choice in group_options("inputs"):
        ranges = conf_content(f"inputs/{choice}")["sensitivity"]["inputs"]
        if not missing_inputs(case, ranges):
            outside = sum(not r["low"] <= value_at(case, name) <= r["high"] for name, r in ranges.items())
            fitting.append((outside, choice))
    return [choice for _, choice in sorted(fitting)]
