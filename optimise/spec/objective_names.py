"""Names of objectives as they are typed: which statistic, at which condition, how several scenarios become one number.

    sigma    sigma@320    uplift:worst    sigma@320@dsa380:mean_plus_std    worst_span:sigma@broken1

A condition is a mark of scenarios, such as a speed in km/h; without one all scenarios count. What follows the colon
goes before ``scenarios.combine``. ``worst_span:`` before a statistic is its worst over the spans before a line repeats.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field

__all__ = ["BASES", "DEFAULT_OBJECTIVES", "Combine", "NameParts", "ObjectiveNames", "name_parts"]

Combine = Literal["mean", "worst", "mean_plus_std"]
WORST_SPAN = "worst_span:"
BASES = (
    "sigma",
    "force_range",
    "statistical_minimum",
    "uplift",
    *(f"{WORST_SPAN}{name}" for name in ("sigma", "force_max", "force_min", "force_range")),
)
NAME = re.compile(rf"(?P<base>(?:{WORST_SPAN})?[^@:]*)(?P<marks>(?:@[^@:]+)*)(?::(?P<combine>[^@:]*))?")


@dataclass(frozen=True)
class NameParts:
    """Parts of an objective's name: statistic, marks that a scenario must have, and how scenarios are combined."""

    base: str
    marks: tuple[str, ...] = ()
    combine: Combine | None = None

    @property
    def plain(self) -> bool:
        """Whether the name says nothing of scenarios."""
        return not self.marks and self.combine is None


def name_parts(name: str) -> NameParts:
    """Parts of an objective's name.

    Raises
    ------
    ValueError
        With a sentence, if it names no objective.
    """
    found = NAME.fullmatch(name)
    base = found["base"] if found else name
    if found is None or base not in BASES:
        choices = ", ".join(BASES)
        raise ValueError(f"an objective must be one of {choices}, with @condition where one is meant: got '{name}'")
    how = found["combine"]
    kinds = [kind for kind in get_args(Combine) if kind == how]
    if how is not None and not kinds:
        choices = ", ".join(get_args(Combine))
        raise ValueError(f"what follows the colon of '{name}' must be one of {choices}: got '{how}'")
    return NameParts(base, tuple(found["marks"].split("@")[1:]), kinds[0] if kinds else None)


def _is_objective(name: str) -> str:
    name_parts(name)
    return name


def _each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"each objective must stand once, {', '.join(twice)} stands twice")
    return names


ObjectiveNames = Annotated[
    tuple[Annotated[str, AfterValidator(_is_objective)], ...],
    AfterValidator(_each_once),
    Field(
        min_length=1,
        max_length=3,
        description="what a design is judged by, one to three of sigma, force_range, statistical_minimum and uplift; "
        "or, of the worst span before the line repeats, worst_span:sigma, worst_span:force_max, worst_span:force_min "
        "and worst_span:force_range; all are minimised but statistical_minimum and worst_span:force_min, which are "
        "maximised; of several, the best design is the one best in the first. With scenarios sigma@320 is that of the "
        "ones at 320 km/h, and sigma:worst, sigma:mean or sigma:mean_plus_std says how they are combined",
    ),
]
DEFAULT_OBJECTIVES: tuple[str, ...] = ("sigma",)
