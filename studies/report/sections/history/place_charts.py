"""Charts of what happens at places that the pantographs pass: droppers and supports."""

from __future__ import annotations

import numpy as np

from dynamics.charts.numbers import number
from dynamics.charts.parts import Chart, Curve, HeatMap, Mark, Role
from studies.report.content.history_content import DropperHistories, SupportHistories
from studies.report.content.pieces import Array

__all__ = ["dropper_extremes_chart", "dropper_history_chart", "uplift_chart"]

MM = 1.0e3
SLACK_N = 1.0e-3


def dropper_history_chart(droppers: DropperHistories | None) -> Chart | None:
    """Force of every dropper while the pantograph comes, passes and leaves, as colours."""
    if droppers is None or not droppers.x.size or not np.isfinite(droppers.force).any():
        return None
    margin = 0.5 * float(np.diff(droppers.x).min()) if droppers.x.size > 1 else 1.0
    low, high = float(droppers.x.min()) - margin, float(droppers.x.max()) + margin
    passing = Curve("", np.zeros(2), np.array([low, high]), "m", "m", "muted", "segments")
    return Chart(
        name="dropper_history",
        title="Force in the droppers while the pantograph passes",
        caption="One row for each dropper of the spans that count. The leading pantograph stands below the dropper at "
        "0; to the right it has passed. Grey is outside the run.",
        x_label="Distance of the leading pantograph past the dropper",
        y_label="Station of the dropper",
        curves=(passing,),
        x_range=(float(droppers.past.min()), float(droppers.past.max())),
        y_range=(low, high),
        pick="cell",
        heat=HeatMap("dropper force", "N", droppers.past, droppers.x, droppers.force, SLACK_N, "slack"),
        height=0.5,
    )


def dropper_extremes_chart(droppers: DropperHistories | None) -> Chart | None:
    """Smallest and largest force of every dropper with that at rest."""
    if droppers is None or not droppers.x.size:
        return None

    def marks(label: str, force: Array, role: Role, mark: Mark) -> Curve:
        pairs = zip(droppers.x, force, strict=True)
        notes = tuple(f"{label}: {number(float(f), 1)} N in the dropper at {number(float(x), 1)} m" for x, f in pairs)
        return Curve(label, droppers.x, force, "m", "N", role, mark, notes)

    return Chart(
        name="dropper_extremes",
        title="Smallest and largest force in the droppers",
        caption="Over the whole run. A smallest force of zero means that the dropper goes slack.",
        x_label="Station of the dropper",
        y_label="Dropper force",
        curves=(
            marks("largest", droppers.most, "best", "dots"),
            marks("at rest", droppers.rest, "muted", "rings"),
            marks("smallest", droppers.least, "nominal", "crosses"),
        ),
        pick="point",
        height=0.34,
    )


def uplift_chart(uplifts: SupportHistories | None) -> Chart | None:
    """Uplift of every support along the evaluated spans while the pantograph passes."""
    if uplifts is None or not uplifts.x.size or not np.isfinite(uplifts.uplift).any():
        return None
    largest = int(np.nanargmax(np.nan_to_num(uplifts.uplift, nan=-np.inf).max(axis=1)))
    curves = []
    for k in sorted(range(uplifts.x.size), key=lambda k: k == largest):
        known = np.isfinite(uplifts.uplift[k])
        if known.sum() < 2:
            continue
        label = f"support at {number(float(uplifts.x[k]), 1)} m, the largest" if k == largest else ""
        curves.append(
            Curve(label, uplifts.past[known], MM * uplifts.uplift[k, known], "m", "mm", "best" if label else "muted")
        )
    others = "grey those at the other supports of the spans that count" if len(curves) > 1 else "no other was kept"
    return Chart(
        name="support_uplift",
        title="Uplift at the steady arms",
        caption=f"Rise of the contact wire from rest; blue is the largest, {others}. The leading pantograph stands "
        "below the support at 0.",
        x_label="Distance of the leading pantograph past the support",
        y_label="Uplift",
        curves=tuple(curves),
        height=0.34,
    )
