"""A contact force against limits of standards, which a file names with edition, source and confirmation."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from catenary.spec.checked import checked
from catenary.storage.configuration import conf_content
from catenary.storage.yaml_file import read_yaml_mapping
from dynamics.spec.mean_force import Supply
from dynamics.spec.standard_limits import LimitRowSpec, StandardLimitsSpec

__all__ = ["SHIPPED_LIMITS", "Criterion", "assess", "limits_file", "standard_limits"]

# the file that is taken where none is given, in conf
SHIPPED_LIMITS = "standards/contact_force"


@dataclass(frozen=True)
class Criterion:
    """One limit with the value that is compared with it, in the unit at the end of the statistic's name.

    Attributes
    ----------
    row : LimitRowSpec
        The limit's row, with standard, edition, source and confirmation.
    value, limit : float
    met : bool
        Whether the value keeps the limit.
    error : float, optional
        Estimated numerical error of the value.
    """

    row: LimitRowSpec
    value: float
    limit: float
    met: bool
    error: float | None = None

    @property
    def sure(self) -> bool | None:
        """Whether the value is farther from where the verdict turns than its error; None where that is not known.

        What no companion moves at all, such as a loss of contact that never is, is sure wherever its limit is.
        """
        if self.error is None:
            return None
        tolerance = self.row.tolerance if self.row.sense == "at most" else -self.row.tolerance
        return self.error == 0.0 or abs(self.value - self.limit - tolerance) > self.error

    @property
    def verdict(self) -> str:
        """Whether the limit is kept, in words."""
        return "not decided" if self.sure is False else "kept" if self.met else "not kept"

    @property
    def content(self) -> dict[str, object]:
        """Content as in summary.json."""
        row = self.row
        return {
            "name": row.statistic,
            "value": self.value,
            "limit": self.limit,
            "sense": row.sense,
            "met": self.met,
            "error": self.error,
            "sure": self.sure,
            "source": f"{row.standard}, {row.clause}",
            "edition": row.edition,
            "known_from": row.source,
            "provenance": row.provenance,
            "confirmed": row.confirmed,
        }


def standard_limits(file: str | os.PathLike[str] | None = None) -> StandardLimitsSpec:
    """Read limits from a YAML file of your own, or those that the program ships.

    Raises
    ------
    InputError
        With every problem of the file.
    """
    if file is None:
        return StandardLimitsSpec.model_validate(conf_content(SHIPPED_LIMITS))
    content = read_yaml_mapping(Path(file), "limits")
    return checked(StandardLimitsSpec, content, {}, lambda path: f" in {os.fspath(file)}")


def assess(
    statistics: Mapping[str, float],
    speed_kmh: float,
    supply: Supply,
    limits: StandardLimitsSpec,
    errors: Mapping[str, float | None] | None = None,
) -> tuple[Criterion, ...]:
    """Check the statistics of one pantograph against every limit for a speed [km/h] and a supply system.

    Maximum and minimum are those of the filtered force. A statistic that is missing is left out. ``errors`` are
    estimated numerical errors of statistics, by name.
    """
    return tuple(
        _criterion(row, statistics, speed_kmh, (errors or {}).get(row.statistic))
        for row in limits.limits
        if row.holds_for(speed_kmh, supply) and row.statistic in statistics
    )


def _criterion(row: LimitRowSpec, statistics: Mapping[str, float], speed_kmh: float, error: float | None) -> Criterion:
    value = float(statistics[row.statistic])
    limit = row.at(speed_kmh, float(statistics["contact_force_mean_N"]))
    met = {
        "at most": value <= limit + row.tolerance,
        "at least": value >= limit - row.tolerance,
        "above": value > limit - row.tolerance,
    }[row.sense]
    return Criterion(row, value, limit, met, error)


def limits_file(file: str | None) -> str:
    """Name of the file of limits for a page: as it was given, or the shipped one's."""
    return file or f"conf/{SHIPPED_LIMITS}.yaml of the program"
