"""How sure figures are: the estimated error of sigma, and objectives by the runs that confirm them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dynamics.charts.numbers import with_error
from optimise.afterwards.confirm import Confirmation
from studies.report.drawing.parts import Table
from studies.report.sections.tables import plus_minus, value_text

__all__ = ["error_tables", "objective_in_words", "objective_table", "sigma_with_error"]

NAMES = {"time_step": "time step", "mesh": "mesh", "window": "length of the window"}
NAMES |= {"iteration": "end of the iteration", "spread": "spread of the march", "resolution": "harmonics and samples"}
NAMES |= {"differences": "window of what defects change"}


def sigma_with_error(sigma: float, error: Mapping[str, Any] | None) -> str:
    """Sigma with its estimated numerical error, where there is one."""
    return f"{plus_minus(sigma, None if error is None else error['total_N'], 2)} N"


def error_tables(error: Mapping[str, Any], label: str = "") -> tuple[Table, ...]:
    """Tables of a summary's ``numerical_error``, one for each pantograph of a train that it knows them of."""
    finer = {"finer_settings": error.get("finer_settings", ())}
    whose = error.get("pantograph", 1)
    train = [each | finer if each["pantograph"] == whose else each for each in error.get("of_train", ())]
    return tuple(error_table(each, label, of_train=True) for each in train) or (error_table(error, label),)


def error_table(error: Mapping[str, Any], label: str = "", *, of_train: bool = False) -> Table:
    """Show the parts of a summary's ``numerical_error``, what each was found from, and the total.

    ``label`` names the line. Of a train the pantograph is named.
    """
    parts = [(NAMES[name], part["error_N"], str(part["message"])) for name, part in error["parts"].items()]
    missing = [name for name, size, _ in parts if size is None]
    total = f"no total, since these could not be estimated: {', '.join(missing)}" if missing else "root of the squares"
    rows = [(name, value_text(size, 3), message) for name, size, message in parts]
    finer, whose = " ".join(error.get("finer_settings", ())), error.get("pantograph", 1)
    label += f"{', ' * bool(label)}pantograph {whose}" if whose > 1 or of_train else ""
    return Table(
        title="Estimated numerical error of σ" + (f", {label}" if label else ""),
        columns=("part", "size [N]", "found from"),
        rows=(*rows, ("total", value_text(error["total_N"], 3), total)),
        align="lrl",
        caption="Each part estimates by how much finer numerics would change σ, from companion runs that are each "
        "coarser or finer in one setting. The total takes the parts as independent of each other; it is rough where a "
        "line has several steady states. It does not include errors of the input or of the model."
        + (f" To make it smaller, run again with: {finer}" if finer else ""),
    )


def objective_in_words(confirmation: Confirmation | None, name: str) -> str:
    """Say how an objective other than sigma changes by the runs that confirm it; empty where they have none of it."""
    if confirmation is None:
        return ""
    for change in confirmation.objectives:
        if change.objective.name == name:
            o, finer = change.objective, with_error(change.finer, change.error, 2, signed=True)
            return f"{o.symbol} by the {confirmation.by} {finer} {o.unit}"
    return ""


def objective_table(confirmation: Confirmation, condition: str = "") -> Table | None:
    """What else the search was for, by the search and by what confirms it; None where it was for sigma alone."""
    rows = []
    for change in confirmation.objectives:
        o, both = change.objective, (change.nominal, change.best)
        for label, one in zip(("nominal", "best"), both, strict=True):
            rows.append((f"{o.symbol} [{o.unit}], {label}", value_text(one.searched, 2), value_text(one.finer, 2), ""))
        finer = with_error(change.finer, change.error, 2, signed=True)
        rows.append(("change", with_error(change.searched, None, 2, signed=True), finer, change.verdict))
    if not rows:
        return None
    return Table(
        title="What the search was for, on finer numerics" + (f", {condition}" if condition else ""),
        columns=("", "by the search", confirmation.by, ""),
        rows=tuple(rows),
        align="lrrl",
        caption="Both lines on the same numerics; ± is what a refinement moved the change between them by.",
    )
