"""What is left of a gain away from the search's own conditions: over a band of speeds, and on lines as fitted.

A change is that of one run: sigma of the best design over that of the nominal line under the same condition, with the
same errors of installation. Its error follows from both numerical errors, taken as independent.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.charts.numbers import with_error

__all__ = ["FITTED", "ComparedRun", "GainLeft", "gains_left"]

FITTED = {"height_error": "height errors", "length_error": "dropper length errors"}
"""Kinds of conditions under which a line is fitted with errors, in words."""


@dataclass(frozen=True)
class GainLeft:
    """Change of sigma over several runs that nominal line and best design both have; NaN without any.

    Attributes
    ----------
    where : str
        What the runs are, in words.
    runs, of : int
        Runs that both have, and all of them.
    mean_percent, mean_error_percent : float
        Mean change, and the mean of the errors of all, for these need not be independent [%].
    worst_percent, worst_error_percent : float
        Change of the run that gains least, with its error [%].
    highest_percent : float
        Largest change that the errors allow in any run; NaN where the error of one is not known [%].
    """

    where: str
    runs: int
    of: int
    mean_percent: float
    mean_error_percent: float
    worst_percent: float
    worst_error_percent: float
    highest_percent: float

    @property
    def holds(self) -> bool | None:
        """Whether the best design is better in every run by more than the error; None where that is not known."""
        if self.highest_percent < 0.0:
            return None if self.runs < self.of else True
        return False if self.worst_percent - self.worst_error_percent > 0.0 else None

    @property
    def in_words(self) -> str:
        """Mean and worst change, such as 'over 3 speeds: −20.1 ± 0.4 %, at worst −12.0 ± 0.8 %'."""
        if not self.runs:
            return f"{self.where}: not known"
        missing = f" ({self.of - self.runs} of {self.of} could not be run)" if self.runs < self.of else ""
        mean = with_error(self.mean_percent, self.mean_error_percent, 1, signed=True)
        worst = with_error(self.worst_percent, self.worst_error_percent, 1, signed=True)
        return f"{self.where}: {mean} % on average, {worst} % at worst{missing}"


@dataclass(frozen=True)
class ComparedRun:
    """Sigma and its error [N] of nominal line and best design under one condition; NaN where there is none.

    ``kind``, ``value`` and ``dimension`` are those of `off_design.OffDesignCondition`; ``messages`` say of each line
    why it has no figures, and ``slack`` whether a dropper is slack at rest, None where that is not on record.
    """

    kind: str
    value: float
    nominal: tuple[float, float]
    best: tuple[float, float]
    dimension: str = ""
    messages: tuple[str, str] = ("", "")
    slack: tuple[bool | None, bool | None] = (None, None)

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> ComparedRun:
        """Take a run from its row of an off-design table on record."""

        def sigma(line: str) -> tuple[float, float]:
            size, error = row[f"{line}_std_N"], row.get(f"{line}_error_N")
            return math.nan if size is None else float(size), math.nan if error is None else float(error)

        return cls(
            kind=row["kind"],
            value=float(row["value"]),
            nominal=sigma("nominal"),
            best=sigma("best"),
            dimension=row.get("dimension", ""),
            messages=(row.get("nominal_message", ""), row.get("best_message", "")),
            slack=(row.get("nominal_slack_at_rest"), row.get("best_slack_at_rest")),
        )


def gains_left(runs: Iterable[ComparedRun]) -> list[GainLeft]:
    """Sum up the runs at several speeds, and those of lines with each kind and size of errors of installation."""
    groups: dict[tuple[str, float], list[ComparedRun]] = {}
    for run in runs:
        if run.kind in FITTED or run.kind == "speed":
            groups.setdefault((run.kind, run.value if run.kind in FITTED else 0.0), []).append(run)
    return [
        _gain_left(_in_words(kind, value, same), same)
        for (kind, value), same in groups.items()
        if kind in FITTED or len(same) > 1
    ]


def _in_words(kind: str, value: float, runs: Sequence[ComparedRun]) -> str:
    if kind in FITTED:
        lines = f"{len(runs)} lines" if len(runs) > 1 else "one line"
        return f"over {lines} fitted with {FITTED[kind]} of {value:g} mm"
    speeds = [run.value for run in runs]
    return f"over {len(speeds)} speeds from {min(speeds):g} to {max(speeds):g} km/h"


def _gain_left(where: str, runs: Sequence[ComparedRun]) -> GainLeft:
    before, after = (
        np.array(each, dtype=np.float64) for each in zip(*((r.nominal, r.best) for r in runs), strict=True)
    )
    both = np.isfinite(before[:, 0]) & np.isfinite(after[:, 0])
    if not both.any():
        return GainLeft(where, 0, len(both), *5 * (math.nan,))
    change = 100.0 * (after[both, 0] / before[both, 0] - 1.0)
    error = (100.0 + change) * np.hypot(_relative(before[both]), _relative(after[both]))
    worst = int(change.argmax())
    figures = change.mean(), error.mean(), change[worst], error[worst], (change + error).max()
    return GainLeft(where, change.size, len(both), *map(float, figures))


def _relative(runs: NDArray[np.float64]) -> NDArray[np.float64]:
    return runs[:, 1] / runs[:, 0]
