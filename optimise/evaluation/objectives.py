"""What a design is judged by: one to three numbers, each a sum of statistics of the contact force.

    force_range = F_max - F_min        statistical_minimum = F_mean - 3 sigma

of the low-pass filtered force. Those of the worst span are the largest standard deviation, maximum and range, and the
smallest minimum, within any span before the line repeats; where it does so after one, they are the whole's.

A sampler that ignores constraints gets for an infeasible design the nominal line made worse by the sum of its
violations, V: a minimised objective as f_ref (1 + V). The statistical minimum is to be maximised and may be near zero,
where a factor means nothing: the sampler gets what the nominal line's would be with sigma_ref (1 + V), that is
f_ref - 3 sigma_ref V. So does the worst span's minimum.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from dynamics.charts.numbers import number
from optimise.evaluation.constraints import feasible, total_violation
from optimise.evaluation.outcome import Outcome
from optimise.spec.objective_names import Combine, name_parts

__all__ = ["OBJECTIVES", "Objective", "over_scenarios", "raw_values", "sampler_values", "with_worst_spans"]

DECIMALS = {"N": 2, "mm": 1}
Terms = tuple[tuple[str, float], ...]
COMBINED: dict[Combine, str] = {"mean": "mean", "worst": "worst", "mean_plus_std": "mean and deviation"}


@dataclass(frozen=True)
class Objective:
    """One number that a design is judged by.

    Attributes
    ----------
    name, symbol, unit, long_name : str
        Name on the command line, short name for tables, unit, and what it is.
    terms : tuple of (str, float)
        Statistics by name and the factor of each; their sum is the objective.
    maximised : bool
        Whether more is better.
    one_span : tuple of (str, float)
        What stands for the terms where a line repeats after one span, and has no figures of its worst one.
    scale : tuple of (str, float)
        For a maximised objective: sum of the nominal line's statistics by which the sampler's value falls when
        the violations sum up to one.
    """

    name: str
    symbol: str
    unit: str
    long_name: str
    terms: Terms
    maximised: bool = False
    scale: Terms = ()
    one_span: Terms = ()

    def raw(self, statistics: Mapping[str, float]) -> float | None:
        """Value of a design from its statistics, in `unit`; None where one of them was not computed."""
        found = _sum(self.terms, statistics)
        return _sum(self.one_span, statistics) if found is None and self.one_span else found

    @property
    def decimals(self) -> int:
        """Decimals with which values are written."""
        return DECIMALS[self.unit]

    @property
    def axis_label(self) -> str:
        """Symbol as the name of an axis; a Greek letter stays as it is."""
        first = self.symbol[:1]
        return (first.upper() if first.isascii() else first) + self.symbol[1:]

    def text(self, value: float) -> str:
        """Write a value with its unit."""
        return f"{number(value, self.decimals)} {self.unit}"

    @property
    def slug(self) -> str:
        """Name for a file or a variable: letters, digits and underscores."""
        return self.name.replace("@", "_at_").replace(":", "_").replace(".", "_")

    @property
    def relative(self) -> bool:
        """Whether a ratio of two values says anything: not where they may be near zero or below it."""
        return not self.scale

    def cost(self, value: float) -> float:
        """Value as something to minimise."""
        return -value if self.maximised else value

    def worsened(self, value: float, nominal: Mapping[str, float], violation: float) -> float:
        """Value of the nominal line, which has these statistics, made worse by a sum of violations."""
        scale = _sum(self.scale, nominal)
        if scale is None:
            raise ValueError(f"the nominal line must have the statistics of {self.name}: it has not")
        return value - scale * violation if self.maximised else value * (1.0 + violation)


def _sum(terms: Terms, statistics: Mapping[str, float]) -> float | None:
    if any(name not in statistics for name, _ in terms):
        return None
    return sum(factor * float(statistics[name]) for name, factor in terms)


_ALL = (
    Objective(
        "sigma",
        "σ",
        "N",
        "standard deviation of the contact force, low-pass filtered",
        (("contact_force_std_N", 1.0),),
    ),
    Objective(
        "force_range",
        "force range",
        "N",
        "range of the contact force, largest less smallest, low-pass filtered",
        (("contact_force_max_N", 1.0), ("contact_force_min_N", -1.0)),
    ),
    Objective(
        "statistical_minimum",
        "statistical minimum",
        "N",
        "statistical minimum of the contact force, mean - 3 sigma, low-pass filtered",
        (("contact_force_statistical_min_N", 1.0),),
        maximised=True,
        scale=(("contact_force_std_N", 3.0),),
    ),
    Objective("uplift", "uplift", "mm", "largest uplift at the supports", (("max_uplift_at_supports_mm", 1.0),)),
    Objective(
        "worst_span:sigma",
        "worst span's σ",
        "N",
        "largest standard deviation of the contact force within a span, low-pass filtered",
        (("worst_span_contact_force_std_N", 1.0),),
        one_span=(("contact_force_std_N", 1.0),),
    ),
    Objective(
        "worst_span:force_max",
        "worst span's maximum",
        "N",
        "largest contact force within a span, low-pass filtered",
        (("worst_span_contact_force_max_N", 1.0),),
        one_span=(("contact_force_max_N", 1.0),),
    ),
    Objective(
        "worst_span:force_min",
        "worst span's minimum",
        "N",
        "smallest contact force within a span, low-pass filtered",
        (("worst_span_contact_force_min_N", 1.0),),
        maximised=True,
        scale=(("contact_force_std_N", 3.0),),
        one_span=(("contact_force_min_N", 1.0),),
    ),
    Objective(
        "worst_span:force_range",
        "worst span's force range",
        "N",
        "largest range of the contact force within a span, largest less smallest, low-pass filtered",
        (("worst_span_contact_force_range_N", 1.0),),
        one_span=(("contact_force_max_N", 1.0), ("contact_force_min_N", -1.0)),
    ),
)


class _Objectives(dict[str, Objective]):
    """All statistics by name; one with a condition or a way to combine scenarios is made from its name."""

    def __missing__(self, name: str) -> Objective:
        parts = name_parts(name)
        if parts.plain:
            raise KeyError(name)
        base = self[parts.base]
        where = "".join(f" at {_condition(mark)}" for mark in parts.marks)
        how = "" if parts.combine is None else COMBINED[parts.combine]
        symbol = f"{how} of {base.symbol}" if " " in how else f"{how} {base.symbol}".lstrip()
        # what it is of stands before the remarks that a comma sets apart
        head, comma, rest = base.long_name.partition(",")
        over = f" ({how} of the scenarios)" if how else ""
        long_name = f"{head}{where}{over}{comma}{rest}"
        return replace(base, name=name, symbol=f"{symbol}{where}", long_name=long_name)


def _condition(mark: str) -> str:
    """A condition as people read it: a bare number is a speed."""
    return f"{mark} km/h" if mark[:1].isdigit() else mark


OBJECTIVES: dict[str, Objective] = _Objectives({objective.name: objective for objective in _ALL})


def with_worst_spans(figures: Sequence[dict[str, float]]) -> list[dict[str, float]]:
    """Statistics of several runs, all with those of the worst span where some have them: of one span they are its own.

    Returns
    -------
    list of dict
        As they are where no run has any.
    """
    of_spans = [objective for objective in _ALL if objective.one_span]
    if not any(objective.terms[0][0] in each for objective in of_spans for each in figures):
        return list(figures)
    found = []
    for each in figures:
        values = {o.terms[0][0]: o.raw(each) for o in of_spans}
        found.append({**each, **{name: value for name, value in values.items() if value is not None}})
    return found


def over_scenarios(values: NDArray[np.float64], weights: NDArray[np.float64], how: Combine, deviations: float) -> float:
    """Combine one number's values in scenarios (scenario,); ``deviations`` added to the mean are below 0 to maximise.

    The worst of what is to be maximised is the least.
    """
    if how == "worst":
        return float(values.min() if deviations < 0.0 else values.max())
    share = weights / weights.sum()
    mean = math.fsum(share * values)
    return mean if how == "mean" else mean + deviations * math.sqrt(math.fsum(share * (values - mean) ** 2))


def raw_values(names: Sequence[str], outcome: Outcome | None) -> tuple[float, ...] | None:
    """Objectives of a design as computed, feasible or not; None where they were not computed."""
    if outcome is None or outcome.sigma_N is None:
        return None
    found = [_value(name, outcome) for name in names]
    values = [value for value in found if value is not None]
    if len(values) < len(found):
        raise InputError([f"trial {outcome.number} must have the statistics of {', '.join(names)}: it has not"])
    return tuple(values)


def _value(name: str, outcome: Outcome) -> float | None:
    """Objective over scenarios where it was computed so, else from the statistics of the single case."""
    if name in outcome.objectives:
        return float(outcome.objectives[name])
    return OBJECTIVES[name].raw(outcome.statistics) if name_parts(name).plain else None


def sampler_values(names: Sequence[str], outcome: Outcome, nominal: Outcome) -> tuple[float, ...]:
    """Objectives of a design as given to a sampler that ignores constraints.

    Parameters
    ----------
    names : sequence of str
        Names of the objectives.
    outcome, nominal : Outcome
        The design, which must not have failed, and the nominal line.
    """
    raw = raw_values(names, outcome)
    if raw is not None and feasible(outcome.constraints):
        return raw
    violation = total_violation(outcome.constraints)
    values = raw_values(names, nominal)
    if values is None:
        raise ValueError(f"the nominal line must have {', '.join(names)}: it has not")
    return tuple(
        OBJECTIVES[name].worsened(value, nominal.statistics, violation)
        for name, value in zip(names, values, strict=True)
    )
