"""Limits of a campaign's search: what nominal line and best design come to, and how wrong the margins may be."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from optimise.descent.basins import MET
from optimise.evaluation.constraints import BLOW_OFF, Reference, scenario_changes
from optimise.evaluation.outcome import Outcome
from optimise.search.result import CampaignResult
from optimise.spec.campaign import LimitsSpec
from studies.report.content.pieces import Constraint, SpanResult

__all__ = ["constraints_of_search", "errors_of_search"]

SIGMA, UPLIFT, LOSS = "contact_force_std_N", "max_uplift_at_supports_mm", "contact_loss_percent"
# errors of a design's statistics by name, and those of both designs
Sizes = Mapping[str, float | None]
Both = Mapping[str, Sizes]
Sense = Literal["at most", "at least", "fixed at"]


def errors_of_search(result: CampaignResult, solved: Mapping[str, SpanResult], sizes: Both) -> Both:
    """Numerical errors of the statistics that the search judged by, of nominal line and best design.

    ``sizes`` are those in the case's own condition, where ``solved`` has the figures. What the search has is the worst
    of its scenarios: it is taken to be wrong by the same share, and by no less than the figure of the own condition.
    """
    if result.scenarios is None:
        return sizes
    records = {"nominal": result.nominal, "best": result.best}
    found: dict[str, dict[str, float | None]] = {}
    for name, own in sizes.items():
        record = records[name]
        worst = {} if record is None or record.outcome is None else record.outcome.statistics
        found[name] = {key: _scaled(own.get(key), solved[name].statistics.get(key), worst.get(key)) for key in own}
    return found


def _scaled(error: float | None, own: float | None, worst: float | None) -> float | None:
    """Error of the worst figure of all scenarios, from that of the own condition; None where nothing can be said."""
    if error is None or own is None or worst is None:
        return None
    if worst <= own:
        return error
    return error * worst / own if own > 0.0 else None


def constraints_of_search(
    result: CampaignResult, nominal: Outcome, best: Outcome | None, sizes: Both
) -> tuple[Constraint, ...]:
    """Limits of the search; ``sizes`` are the errors of both designs' statistics as the search has them.

    The force of a dropper at rest and the blow-off are of the line at rest and have no estimated error: they decide
    unless they are as near to their limit as what a search calls met.
    """
    limits = result.campaign.limits
    highest = limits.uplift_factor * nominal.statistics[UPLIFT]
    own, other = (sizes.get(name, {}) for name in ("best", "nominal"))
    up, down = own.get(UPLIFT), other.get(UPLIFT)
    lifted = None if up is None or down is None else math.hypot(up, limits.uplift_factor * down)

    def row(
        name: str, unit: str, sense: Sense, limit: float, pick: Callable[[Outcome], float | None],
        error: float | None = None, near: float = math.inf,
    ) -> Constraint:  # fmt: skip
        values = [math.nan if e is None or (v := pick(e)) is None else float(v) for e in (nominal, best)]
        return Constraint(name, unit, sense, limit, values[0], values[1], error, near)

    least, loss, blown = limits.static_dropper_force, limits.contact_loss_percent, limits.blow_off_m
    rows = [
        row("largest uplift at supports", "mm", "at most", highest, lambda e: e.statistics[UPLIFT], lifted),
        row(_force_in_words(result), "N", "at least", least, lambda e: _force_held(e, limits), None, MET * least),
        row("loss of contact", "%", "at most", loss, lambda e: e.statistics[LOSS], own.get(LOSS)),
    ]
    if blown is not None:
        held = row("blow-off in gusts", "m", "at most", blown, lambda e: e.statistics.get(BLOW_OFF), None, MET * blown)
        rows.append(held)
    if limits.scenario_change_percent is not None:
        reference = Reference(nominal.sigma_N or math.nan, highest, nominal.scenario_sigma_N)

        def change(outcome: Outcome) -> float | None:
            sigma = outcome.scenario_sigma_N
            return 100.0 * float(scenario_changes(sigma, reference).max()) if sigma else None

        relative = _relative_error(nominal, best, sizes)
        found = None if best is None else change(best)
        error = None if found is None or relative is None else (100.0 + found) * relative
        name, limit = "largest change of σ in a scenario", limits.scenario_change_percent
        rows.append(row(name, "%", "at most", limit, change, error))
    mean, scenarios = result.case.mean_force_N, result.scenarios
    if mean is not None and (scenarios is None or scenarios.one_mean_force):
        rows.append(row("mean contact force", "N", "fixed at", mean, lambda e: e.statistics["contact_force_mean_N"]))
    return (*rows, *_spacing(result))


def _relative_error(nominal: Outcome, best: Outcome | None, sizes: Both) -> float | None:
    """Numerical error of sigma of the best design over that of the nominal line, relative to it; None if not known."""
    parts = []
    for name, outcome in (("nominal", nominal), ("best", best)):
        size = sizes.get(name, {}).get(SIGMA)
        sigma = None if outcome is None else outcome.statistics.get(SIGMA)
        if size is None or not sigma:
            return None
        parts.append(size / sigma)
    return math.hypot(*parts)


def _force_in_words(result: CampaignResult) -> str:
    """What must hold the limit on the static dropper force: the line, or a share of the lines with errors."""
    found = result.scenarios
    if found is None or not found.spec.errors.wanted:
        return "least dropper force at rest"
    return (
        f"least dropper force at rest that {100.0 * result.campaign.limits.fitted_share:g} % of the fitted lines hold"
    )


def _force_held(outcome: Outcome, limits: LimitsSpec) -> float | None:
    """Least static dropper force that the limit is compared with [N], from its violation."""
    violation = outcome.constraints.get("g_static_dropper_force")
    if violation is None:
        return outcome.static_dropper_force_min_N
    return limits.static_dropper_force * (1.0 - violation)


def _spacing(result: CampaignResult) -> tuple[Constraint, ...]:
    """Least distance between droppers, where they may move; a distance is typed in, and exact."""
    if not result.space.moves:
        return ()
    nearest = []
    for record in (result.nominal, result.best):
        line = None if record is None else result.catenary_of(record)
        x = [] if line is None else [*line.droppers.positions, line.droppers.positions[0] + line.period]
        nearest.append(float(np.diff(x).min()) if line is not None else math.nan)
    least = result.campaign.design.minimum_spacing
    return (Constraint("least distance between droppers", "m", "at least", least, nearest[0], nearest[1], 0.0),)
