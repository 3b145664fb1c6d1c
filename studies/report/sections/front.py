"""Charts and the table of the front of several objectives."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from pathlib import PurePath

import numpy as np

from dynamics.charts.numbers import with_error
from dynamics.charts.parts import Chart, Curve
from optimise.search.front import no_better
from studies.report.content.pieces import Array, Front
from studies.report.drawing.parts import Table
from studies.report.sections.tables import objective_change

__all__ = ["front_charts", "front_table"]


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
        "number is that of its trial and of its file, pareto/NNN.yaml. Where points crowd, the chart leaves some "
        "numbers out: hover over a point to see its number; the table lists all."
        + (f" {outside} other feasible designs lie outside the axes." if outside else ""),
        x_label=x.axis_label, y_label=y.axis_label, curves=tuple(c for c in curves if c.x.size),
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
        f"{file}: " + ", ".join(f"{o.symbol} {text} {o.unit}" for o, text in zip(front.objectives, row, strict=True))
        for file, row in zip(front.files, map(partial(_texts, front), front.values, _errors(front)), strict=True)
    )


def _errors(front: Front) -> Array:
    """Numerical errors of all designs (design, objective), not a number where not known."""
    return np.full(front.values.shape, np.nan) if front.errors is None else front.errors


def _texts(front: Front, values: Array, errors: Array) -> list[str]:
    """Objectives of a design with their errors."""
    rows = zip(front.objectives, values.tolist(), errors.tolist(), strict=True)
    return [with_error(value, size, o.decimals) for o, value, size in rows]


def front_table(front: Front) -> Table:
    """Show every design of the front: its file, its objectives, and their change against the nominal line."""
    heads = [head for o in front.objectives for head in (f"{o.symbol}\n[{o.unit}]", "change")]
    sizes = np.full(len(front.objectives), np.nan) if front.nominal_errors is None else front.nominal_errors
    rows = [("nominal line", *_cells(front, front.nominal, sizes))]
    each = zip(front.files, front.values, _errors(front), strict=True)
    rows += [(file, *_cells(front, values, errors)) for file, values, errors in each]
    others = _no_better(front)
    if others:
        heads.append("may be\nno better than")
        rows = [(*row, text) for row, text in zip(rows, ("", *others), strict=True)]
    maximised = [o.symbol for o in front.objectives if o.maximised]
    align = "l" + "rr" * len(front.objectives) + "l" * bool(others)
    return Table(
        "Designs of the front", ("file", *heads), tuple(rows), align,
        f"Best in {front.objectives[0].symbol} first; that one is best_design.yaml as well. Each file is a "
        "complete line that simulate and export take. Less is better"
        + (f", but for the {' and the '.join(maximised)} more." if maximised else ".")
        + ("" if not others else " A design may be no better than another where it is better in no objective "
           "by more than the numerical errors of both, the root of the sum of their squares."),
    )  # fmt: skip


def _no_better(front: Front) -> list[str]:
    """Trials of the front than which each design may be no better; nothing where no errors were estimated."""
    if front.errors is None:
        return []
    signs = np.array([o.cost(1.0) for o in front.objectives])
    found = no_better(signs * front.values, front.errors)
    return [", ".join(PurePath(front.files[k]).stem for k in others) for others in found]


def _cells(front: Front, values: Array, errors: Array) -> list[str]:
    found: list[str] = []
    rows = zip(front.objectives, _texts(front, values, errors), values.tolist(), front.nominal.tolist(), strict=True)
    for o, text, value, nominal in rows:
        found += text, objective_change(o, value, nominal)
    return found
