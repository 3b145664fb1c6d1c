"""What a search could choose from, what it chose, and what that cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from dynamics.charts.numbers import number
from dynamics.charts.parts import Chart, Curve, Role
from dynamics.spec.case import CaseSpec
from optimise.evaluation.outcome import Outcome
from optimise.evaluation.scenarios import ScenarioSet
from optimise.record.campaign_folder import TrialRecord
from optimise.search.result import CampaignResult
from studies.report.sections.basins import Basins, basins_of
from studies.report.sections.scenario_tables import COMBINED, ScenarioFigures, scenario_figures
from studies.report.sections.variable_importance import VariableImportance, importance_of

__all__ = ["Choice", "choice_of", "designs_chart"]

MM = 1.0e3
ROLES: tuple[Role, ...] = ("best", "other", "fourth", "fifth", "sixth")


@dataclass(frozen=True)
class Choice:
    """What was varied and held, each in a sentence; the designs drawn; rows of cost; what was polished; importance.

    ``drawn`` has the contact-wire height [mm] at the droppers over their station [m], nominal line first; ``scenarios``
    both designs in every scenario of the search, where there are any; ``met`` says what those are.
    """

    varied: str
    held: str
    drawn: tuple[Curve, ...]
    cost: tuple[tuple[str, str], ...]
    basins: Basins | None = None
    importance: VariableImportance | None = None
    scenarios: ScenarioFigures | None = None
    met: str = ""


def choice_of(
    result: CampaignResult, ranked: list[TrialRecord], errors: Mapping[int, Mapping[str, Any]] = MappingProxyType({})
) -> Choice:
    """Read the choice from a campaign; ``ranked`` are the feasible designs, best first, ``errors`` theirs by trial."""
    variables, campaign, case = result.space.variables, result.campaign, result.case
    groups: dict[str, int] = {}
    for variable in variables:
        # not of a key of the input, which ends in a number of its own
        name = variable.label if "." in variable.label else variable.label.rstrip("0123456789").rstrip()
        groups[name] = groups.get(name, 0) + 1
    counted = ", ".join(name if n == 1 else f"{name}s ({n})" for name, n in groups.items())
    met, found = "", result.scenarios
    if found is not None:
        how = COMBINED[found.spec.combine]
        met = f"Every design was evaluated in {found.in_words}. Unless an objective says otherwise it is their {how}."
    lines: list[tuple[TrialRecord, str, Role]] = [(result.nominal, "nominal", "nominal")]
    lines.extend((r, f"trial {r.number}", role) for r, role in zip(ranked, ROLES, strict=False))
    return Choice(
        varied=f"{len(variables)} variable{'s' if len(variables) > 1 else ''}: {counted}. The table has their values.",
        held=_held(case, campaign.limits.uplift_factor, campaign.limits.static_dropper_force, found),
        met=met,
        drawn=tuple(curve for record, label, role in lines for curve in _drawn(result, record, label, role)),
        basins=basins_of(result),
        importance=importance_of(result),
        scenarios=scenario_figures(result, ranked[0] if ranked else None, errors),
        cost=_cost([r.outcome for r in result.records if r.outcome is not None]),
    )


def _held(case: CaseSpec, uplift_factor: float, least_force: float, found: ScenarioSet | None) -> str:
    press = (
        f"a mean force of {number(case.mean_force_N, 1)} N"
        if case.mean_force_N is not None
        else f"an applied force of {number(case.applied_force_N or 0.0, 1)} N"
    )
    where = f"pantograph {case.pantograph.name} at {case.speed_kmh:g} km/h with {press}"
    if found is not None:
        press = press if found.one_mean_force else "each speed's own mean force"
        where = f"what the scenarios do not list of pantograph and run, and {press}"
    return (
        f"Not varied: everything else of line {case.catenary.name}, {where}. Limits: uplift at most {uplift_factor:g} "
        f"times the nominal line's, at least {least_force:g} N in every dropper at rest."
    )


def _drawn(result: CampaignResult, record: TrialRecord, label: str, role: Role) -> Iterator[Curve]:
    """Contact-wire heights of a design at its droppers, a curve for the wire of each tension section."""
    line, height = result.line_of(record), MM * np.asarray(result.heights_of(record))
    begin = 0
    for stations in line.droppers.positions_by_section:
        own, x = height[begin : begin + len(stations)], np.asarray(stations)
        notes = tuple(
            f"{label}, dropper {k}: {number(float(h), 1)} mm at {number(float(s), 2)} m"
            for k, (s, h) in enumerate(zip(x, own, strict=True), start=begin + 1)
        )
        begin += len(stations)
        yield Curve(label, x, own, "m", "mm", role, notes=notes)


def _cost(done: list[Outcome]) -> tuple[tuple[str, str], ...]:
    seconds = np.array([e.wall_time_s.get("total", 0.0) for e in done])
    lost = float(sum(s for s, e in zip(seconds, done, strict=True) if e.sampler_value_N is None))
    quick, middle, slow = np.quantile(seconds, [0.1, 0.5, 0.9])
    return (
        ("designs evaluated", f"{len(done)}"),
        ("core-hours, one thread a design", number(float(seconds.sum()) / 3600.0, 3)),
        ("of them on designs that failed", number(lost / 3600.0, 3)),
        ("seconds a design, median", number(float(middle), 2)),
        ("seconds a design, nine of ten between", f"{number(float(quick), 2)} and {number(float(slow), 2)}"),
    )


def designs_chart(choice: Choice) -> Chart:
    """Draw the contact wire of the best designs at their droppers with that of the nominal line."""
    return Chart(
        name="best_designs",
        title="The best designs, side by side",
        caption="Contact-wire height at each dropper, joined by straight lines, over the supports' height. Designs "
        "that differ much and do equally well may lie in different basins.",
        x_label="Station along the span",
        y_label="Contact-wire height",
        curves=choice.drawn,
        height=0.36,
    )
