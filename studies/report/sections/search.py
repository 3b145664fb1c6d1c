"""Charts and the table of a search: its history, and the front of several objectives."""

from __future__ import annotations

from itertools import combinations
from pathlib import PurePath

import numpy as np

from dynamics.charts.numbers import number
from dynamics.charts.parts import Chart, Curve, Level, Mark, Role
from optimise.evaluation.objectives import Objective
from studies.report.content.pieces import Array, Front, SearchHistory
from studies.report.drawing.parts import Table
from studies.report.sections.tables import OBJECTIVE_DECIMALS, objective_change

__all__ = ["front_charts", "front_table", "search_chart"]


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
        "Trial", _label(o), tuple(c for c in (*curves, line) if c.x.size),
        levels=(Level(f"nominal {_text(o, history.nominal)}", history.nominal),),
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
        other = "" if np.isclose(value, given) or np.isnan(given) else f", to the sampler {_text(o, given)}"
        notes.append(f"{label}: {o.symbol} {_text(o, value)}{other}")
    height = np.clip(np.nan_to_num(history.value[which], nan=edges[0]), *edges)
    return Curve(label, history.trial[which].astype(float), height, "", o.unit, role, mark, tuple(notes))


def front_charts(front: Front) -> tuple[Chart, ...]:
    """Draw the front, one chart for each pair of objectives, with the nominal line and the other designs."""
    return tuple(_front_chart(front, pair) for pair in combinations(range(len(front.objectives)), 2))


def _front_chart(front: Front, pair: tuple[int, int]) -> Chart:
    x, y = (front.objectives[k] for k in pair)
    ours = front.values[:, pair]
    limits = _limits(np.vstack([ours, front.nominal[None, pair]]))
    inside = np.all((front.others[:, pair] >= limits[0]) & (front.others[:, pair] <= limits[1]), axis=1)
    others = front.others[inside][:, pair]
    units, names = (x.unit, y.unit), tuple(PurePath(file).stem for file in front.files)
    curves = (
        Curve("other feasible designs", others[:, 0], others[:, 1], *units, "muted", "dots"),
        Curve("front", ours[:, 0], ours[:, 1], *units, "best", "dots", _notes(front), names),
        Curve("nominal", front.nominal[[pair[0]]], front.nominal[[pair[1]]], *units, "nominal", "rings", ("nominal",)),
    )
    outside = int(np.count_nonzero(~inside))
    return Chart(
        name="front" if len(front.objectives) == 2 else f"front_{x.slug}_{y.slug}",
        title=f"The front: {x.symbol} and {y.symbol}",
        caption="Each numbered point is a design that no other feasible design betters in every objective; its "
        "number is that of its trial and of its file, pareto/NNN.yaml. Where points crowd, a number is left out: "
        "hovering tells it, and the table has them all."
        + (f" {outside} other feasible designs lie outside the axes." if outside else ""),
        x_label=_label(x), y_label=_label(y), curves=tuple(c for c in curves if c.x.size),
        x_range=(float(limits[0, 0]), float(limits[1, 0])), y_range=(float(limits[0, 1]), float(limits[1, 1])),
        pick="point", height=0.7,
    )  # fmt: skip


def _limits(points: Array) -> Array:
    """Limits of both axes with room for numbers next to the points, shape (2, axis)."""
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.1 * np.maximum(high - low, 0.02 * np.maximum(np.abs(high), 1.0))
    return np.array([low - margin, high + margin])


def _notes(front: Front) -> tuple[str, ...]:
    return tuple(
        f"{file}: " + ", ".join(f"{o.symbol} {_text(o, float(v))}" for o, v in zip(front.objectives, row, strict=True))
        for file, row in zip(front.files, front.values, strict=True)
    )


def front_table(front: Front) -> Table:
    """Show every design of the front: its file, its objectives, and their change against the nominal line."""
    heads = [head for o in front.objectives for head in (f"{o.symbol}\n[{o.unit}]", "change")]
    rows = [("nominal line", *_cells(front, front.nominal))]
    rows += [(file, *_cells(front, values)) for file, values in zip(front.files, front.values, strict=True)]
    maximised = [o.symbol for o in front.objectives if o.maximised]
    return Table(
        "Designs of the front", ("file", *heads), tuple(rows), "l" + "r" * len(heads),
        f"Best in {front.objectives[0].symbol} first; that one is best_design.yaml as well. Each file is a "
        "complete line that simulate and export take. Less is better"
        + (f", but for the {' and the '.join(maximised)} more." if maximised else "."),
    )  # fmt: skip


def _cells(front: Front, values: Array) -> list[str]:
    found: list[str] = []
    for o, value, nominal in zip(front.objectives, values.tolist(), front.nominal.tolist(), strict=True):
        found += number(value, OBJECTIVE_DECIMALS[o.unit]), objective_change(o, value, nominal)
    return found


def _label(objective: Objective) -> str:
    """Symbol as the name of an axis; a Greek letter stays as it is."""
    first = objective.symbol[:1]
    return (first.upper() if first.isascii() else first) + objective.symbol[1:]


def _text(objective: Objective, value: float) -> str:
    return f"{number(value, OBJECTIVE_DECIMALS[objective.unit])} {objective.unit}"
