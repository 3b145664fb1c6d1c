"""History of a search: every trial at its value of the first objective, and the chart of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dynamics.charts.parts import Chart, Curve, Level, Mark, Role
from optimise.evaluation.objectives import OBJECTIVES, Objective, raw_values, sampler_values
from optimise.evaluation.outcome import Outcome
from optimise.record.trial import TrialRecord
from optimise.search.result import CampaignResult

__all__ = ["SearchHistory", "evaluation_of", "search_chart", "search_history", "state_of"]

State = Literal["feasible", "infeasible", "failed"]
Array = NDArray[np.float64]


@dataclass(frozen=True)
class SearchHistory:
    """Every trial of a campaign in order, at its value of the first objective.

    ``value`` and ``sampler_value`` [unit of the objective] are NaN in a failed trial; ``best`` is the best feasible
    value so far, NaN before the first one. ``messages`` gives the reason of a failure.
    """

    trial: NDArray[np.int64]
    value: Array
    sampler_value: Array
    state: tuple[State, ...]
    messages: tuple[str, ...]
    nominal: float
    objective: Objective = OBJECTIVES["sigma"]

    @property
    def best(self) -> Array:
        """Best feasible value up to each trial."""
        feasible = np.array([s == "feasible" for s in self.state], dtype=bool)
        sign = self.objective.cost(1.0)
        costs = np.where(feasible, sign * self.value, np.inf)
        running = sign * np.fmin.accumulate(costs) if self.value.size else self.value
        return np.where(np.isfinite(running), running, np.nan)


def search_history(result: CampaignResult) -> SearchHistory:
    """Every trial in order at its value of the first objective."""
    first = result.campaign.objectives[:1]
    nominal = evaluation_of(result.nominal)
    done = [(r, r.outcome) for r in result.records if r.outcome is not None]
    sampler_value = [math.nan if e.sampler_value_N is None else sampler_values(first, e, nominal)[0] for _, e in done]
    return SearchHistory(
        trial=np.array([r.number for r, _ in done], dtype=np.int64),
        value=np.array([_first(raw_values(first, e)) for _, e in done]),
        sampler_value=np.array(sampler_value),
        state=tuple(state_of(e) for _, e in done),
        messages=tuple(e.message for _, e in done),
        nominal=_first(raw_values(first, nominal)),
        objective=result.objectives[0],
    )


def _first(values: tuple[float, ...] | None) -> float:
    return math.nan if values is None else values[0]


def evaluation_of(record: TrialRecord) -> Outcome:
    """Outcome of a trial that has ended."""
    if record.outcome is None:
        raise ValueError(f"trial {record.number} must have been evaluated: it has not")
    return record.outcome


def state_of(outcome: Outcome) -> State:
    """Word for a trial; one that was slack at rest is infeasible and has no sigma."""
    if outcome.feasible:
        return "feasible"
    return "failed" if outcome.sampler_value_N is None else "infeasible"


def search_chart(history: SearchHistory) -> Chart | None:
    """Draw the first objective of every trial, the best so far, and which were infeasible or failed."""
    state, o = np.array(history.state), history.objective
    known = np.isfinite(history.value)
    if not known.any():
        return None
    # a few wild designs must not press the rest flat: they stand at the edge
    worst = float(np.quantile(history.value[known], 0.1 if o.maximised else 0.9))
    ends = (float(history.value[known].min()), float(history.value[known].max()), worst, history.nominal)
    low, high = (min(ends[2:]), ends[1]) if o.maximised else (ends[0], max(ends[2:]))
    low, high = min(low, history.nominal), max(high, history.nominal)
    margin = 0.12 * max(high - low, 0.02 * abs(high))
    bottom, top = low - 1.5 * margin, high + 1.5 * margin
    edges = (bottom + 0.4 * margin, top - 0.4 * margin)
    curves = [
        _trials(history, (state == "feasible") & known, ("feasible", "best", "dots"), edges),
        _trials(history, (state == "infeasible") & known, ("infeasible", "nominal", "rings"), edges),
        _trials(history, (state == "infeasible") & ~known, ("slack at rest", "nominal", "crosses"), edges),
        _trials(history, state == "failed", ("failed", "muted", "crosses"), edges),
    ]
    best = np.isfinite(history.best)
    line = Curve("best so far", history.trial[best].astype(float), history.best[best], "", o.unit, "other", "step")
    beyond = int(np.count_nonzero((history.value[known] > edges[1]) | (history.value[known] < edges[0])))
    return Chart(
        "search", "History of the search",
        f"Each point is one design, at its own {o.symbol}; an infeasible one breaks a limit whatever its "
        f"{o.symbol}. Trials without a {o.symbol} stand at the lower edge: a dropper was slack at rest, or they failed."
        + (f" {beyond} of {int(known.sum())} lie beyond the scale and stand at its edge." if beyond else ""),
        "Trial", o.axis_label, tuple(c for c in (*curves, line) if c.x.size),
        levels=(Level(f"nominal {o.text(history.nominal)}", history.nominal),),
        x_range=(float(history.trial.min()) - 0.5, float(history.trial.max()) + 0.5),
        y_range=(bottom, top), pick="point", height=0.42,
    )  # fmt: skip


def _trials(
    history: SearchHistory, which: np.ndarray, look: tuple[str, Role, Mark], edges: tuple[float, float]
) -> Curve:
    """Trials at their value, at the nearer edge where it lies beyond; those without one at the lower edge."""
    o, (label, role, mark) = history.objective, look
    notes = []
    for k in np.flatnonzero(which):
        value, given = float(history.value[k]), float(history.sampler_value[k])
        if np.isnan(value):
            notes.append(f"{label}: {history.messages[k] or 'no reason recorded'}")
            continue
        other = "" if np.isclose(value, given) or np.isnan(given) else f", to the sampler {o.text(given)}"
        notes.append(f"{label}: {o.symbol} {o.text(value)}{other}")
    height = np.clip(np.nan_to_num(history.value[which], nan=edges[0]), *edges)
    return Curve(label, history.trial[which].astype(float), height, "", o.unit, role, mark, tuple(notes))
