"""Nominal line against best design in every scenario of a campaign: one row a condition, over its samples of errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from optimise.evaluation.scenarios import ScenarioSet
from optimise.record.campaign_folder import TrialRecord
from optimise.search.result import CampaignResult
from studies.report.content.pieces import Array
from studies.report.drawing.parts import Section, Table
from studies.report.sections.tables import change_percent, value_text

__all__ = ["COMBINED", "ScenarioFigures", "scenario_figures", "scenario_section"]

SIGMA, LARGEST, LEAST = "contact_force_std_N", "contact_force_max_N", "contact_force_min_N"
UPLIFT = "max_uplift_at_supports_mm"
COMBINED = {"mean": "weighted mean", "worst": "worst", "mean_plus_std": "mean and deviation"}


@dataclass(frozen=True)
class ScenarioFigures:
    """What both designs came to in every scenario.

    Attributes
    ----------
    conditions : tuple of str
        Speed, pantograph, contact and damping in words.
    samples : int
        Lines with errors of installation in each condition; 1 where there are none.
    errors : str
        The errors in words; empty where there are none.
    nominal, best : dict
        Statistics by name, float array (condition, sample), NaN where the nominal line has no figures.
    combined : str
        How all of them become one number, in words.
    nominal_sigma_N, best_sigma_N : float
        That number for the standard deviation [N].
    sigma_errors_N : float array (design, condition, sample), optional
        Numerical errors of the standard deviation of both designs [N], NaN where not known.
    """

    conditions: tuple[str, ...]
    samples: int
    errors: str
    nominal: dict[str, Array]
    best: dict[str, Array]
    combined: str
    nominal_sigma_N: float
    best_sigma_N: float
    sigma_errors_N: Array | None = None

    @property
    def sigma_changes_percent(self) -> Array:
        """Change of the standard deviation in every scenario, NaN without figures of both [%]."""
        return np.asarray(100.0 * (self.best[SIGMA] / self.nominal[SIGMA] - 1.0).ravel())

    @property
    def relative_errors(self) -> Array | None:
        """Numerical error of sigma_best / sigma_nominal relative to it in every scenario [-]; None: not estimated."""
        if self.sigma_errors_N is None:
            return None
        sizes = self.sigma_errors_N / np.stack([self.nominal[SIGMA], self.best[SIGMA]])
        return np.asarray(np.hypot(*sizes).ravel())

    @property
    def missing(self) -> int:
        """Scenarios that the nominal line has no figures in."""
        return int(np.count_nonzero(np.isnan(self.nominal[SIGMA])))


def scenario_figures(
    result: CampaignResult, best: TrialRecord | None, errors: Mapping[int, Mapping[str, Any]] = MappingProxyType({})
) -> ScenarioFigures | None:
    """Read both designs in every scenario, and their ``errors`` by trial; None without scenarios or a best design."""
    found = result.scenarios
    if found is None or best is None or best.outcome is None or result.nominal.outcome is None:
        return None
    sigma = [np.nan if (e := r.outcome) is None or e.sigma_N is None else e.sigma_N for r in (result.nominal, best)]
    nominal, own = _by_condition(result.nominal, found), _by_condition(best, found)
    # both are compared where both have figures
    known = np.isfinite(nominal[SIGMA]) & np.isfinite(own[SIGMA])
    sizes = [errors.get(record.number, {}).get("scenarios_std_N") for record in (result.nominal, best)]
    shape = (2, len(found.conditions), found.samples)
    estimated = all(each is not None and len(each) == known.size for each in sizes)
    return ScenarioFigures(
        conditions=tuple(w.label or f"{w.case.speed_kmh:g} km/h" for w in found.conditions),
        samples=found.samples,
        errors=found.spec.errors.in_words,
        nominal={name: np.where(known, values, np.nan) for name, values in nominal.items()},
        best={name: np.where(known, values, np.nan) for name, values in own.items()},
        combined=COMBINED[found.spec.combine],
        nominal_sigma_N=sigma[0],
        best_sigma_N=sigma[1],
        sigma_errors_N=np.array(sizes, dtype=float).reshape(shape) if estimated else None,
    )


def _by_condition(record: TrialRecord, found: ScenarioSet) -> dict[str, Array]:
    held = {} if record.outcome is None else record.outcome.scenarios
    shape = (len(found.conditions), found.samples)
    nothing = (None,) * len(found.labels)
    return {
        name: np.array(held.get(name, nothing), dtype=float).reshape(shape) for name in (SIGMA, LARGEST, LEAST, UPLIFT)
    }


def scenario_section(figures: ScenarioFigures | None) -> Section:
    """Show both designs in every condition; nothing without scenarios."""
    title = "In each scenario of the search"
    if figures is None:
        return Section(title)
    count = len(figures.conditions)
    text = f"Every design was evaluated in {'one condition' if count == 1 else f'{count} conditions'}"
    if figures.errors:
        text += f", each with {figures.samples} lines as installed with errors (standard deviation {figures.errors})"
    notes = (f"{text}, by the solver of the search.{' Worst is over these lines.' * bool(figures.errors)}",)
    if figures.missing:
        notes += (
            f"In {figures.missing} of {figures.nominal[SIGMA].size} scenarios the nominal line has a dropper slack at "
            "rest and no figures: rows compare both designs in the others.",
        )
    return Section(title, text=notes, tables=(_sigma_table(figures), _extremes_table(figures)))


def _sigma_table(figures: ScenarioFigures) -> Table:
    """Show the standard deviation: over samples its mean and its worst, or the number itself without samples."""
    nominal, best = figures.nominal[SIGMA], figures.best[SIGMA]
    many = figures.samples > 1
    rows = []
    for k, condition in enumerate(figures.conditions):
        cells = _three(_known(np.mean, nominal[k]), _known(np.mean, best[k]))
        rows.append((condition, *cells, *(_three(_known(np.max, nominal[k]), _known(np.max, best[k])) if many else ())))
    all_of_them = _three(figures.nominal_sigma_N, figures.best_sigma_N)
    worst = _three(_known(np.max, nominal), _known(np.max, best))
    rows.append((f"all, {figures.combined}", *all_of_them, *(worst if many else ())))
    heads = ("mean, nominal\n[N]", "mean, best\n[N]", "change", "worst, nominal\n[N]", "worst, best\n[N]", "change")
    columns = heads if many else ("nominal\n[N]", "best\n[N]", "change")
    return Table(
        "Standard deviation σ",
        ("condition", *columns),
        tuple(rows),
        "l" + "r" * len(columns),
        "The last row has σ as the search combines all scenarios" + (", and the worst of all." if many else "."),
    )


def _extremes_table(figures: ScenarioFigures) -> Table:
    """Show the extremes, the worst over the samples."""
    rows = []
    for k, condition in enumerate(figures.conditions):
        pairs = ((LARGEST, np.max), (LEAST, np.min), (UPLIFT, np.max))
        values = [_known(pick, each[name][k]) for name, pick in pairs for each in (figures.nominal, figures.best)]
        rows.append((condition, *(value_text(v, 1) for v in values)))
    quantities = (("max", "N"), ("min", "N"), ("uplift", "mm"))
    heads = [f"{what}, {which}\n[{unit}]" for what, unit in quantities for which in ("nominal", "best")]
    caption = "Max and min of the contact force, filtered; uplift is the largest at a support."
    if figures.samples > 1:
        caption += " The worst over the lines with errors."
    return Table("Extremes", ("condition", *heads), tuple(rows), "l" + "r" * len(heads), caption)


def _three(nominal: float, best: float) -> tuple[str, str, str]:
    return value_text(nominal, 2), value_text(best, 2), change_percent(best, nominal)


def _known(pick: Callable[[Array], np.floating], values: Array) -> float:
    """Mean or extreme of the values that there are."""
    known = values[np.isfinite(values)]
    return float(pick(known)) if known.size else np.nan
