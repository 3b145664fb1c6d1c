"""Inputs named by their dotted paths on the command line of a study: known, numeric, within their ranges."""

from __future__ import annotations

from collections.abc import Iterable

from dynamics.spec import CaseSpec
from studies.keys import KeyTree, format_value

__all__ = ["path_problems"]


def path_problems(key: str, name: str, values: Iterable[float], between: bool = False) -> list[str]:
    """Say that a path is no numeric input of a case, or which of its values is out of range.

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
        if node["type"] == "integer":
            bad += [v for v in values if v != round(v)]
        return [f"{key}: {name} must be {keys.allowed(path)}: got {format_value(v, keys.unit(path))}" for v in bad]
    near = None if node is not None else keys.nearest(name)
    advice = f"; did you mean {near}?" if near else "; catenary simulate --help lists the keys"
    what = "is not a known key" if node is None else "is not one number (an item of a list is named as masses.0)"
    return [f"{key}: {name} {what}{advice}"]
