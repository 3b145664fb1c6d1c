"""Charts of a correction list: figures against the number of droppers that are cut again."""

from __future__ import annotations

import numpy as np

from dynamics.charts.parts import Chart, Curve, Level
from optimise.correction_list.find import Corrections, figures_of

__all__ = ["correction_charts"]

FIGURES = (
    ("sigma", "Standard deviation of the contact force", "N"),
    ("worst_span_sigma", "Largest standard deviation within a span", "N"),
    ("uplift", "Largest uplift at supports", "mm"),
)


def correction_charts(found: Corrections) -> list[Chart]:
    """Draw sigma, and whatever else is held, against the number of droppers cut again."""
    counts = np.arange(float(len(found.predicted)))
    run = np.array(sorted(found.runs), dtype=np.float64)
    charts = []
    for k, (name, title, unit) in enumerate(FIGURES):
        limit = float(found.limits[k])
        if k and not np.isfinite(limit):
            continue
        values = np.array([figures_of(found.runs[int(count)])[k] for count in run])
        charts.append(
            Chart(
                name=name,
                title=title,
                caption="",
                x_label="Droppers cut again",
                y_label=title,
                curves=(
                    Curve("added up from single effects", counts, found.predicted[:, k], "", unit, "muted"),
                    Curve("run", run, values, "", unit, "best", "dots"),
                ),
                levels=(Level(f"limit {limit:.1f} {unit}", limit),) if np.isfinite(limit) else (),
                x_range=(-0.5, float(len(counts)) - 0.5),
                height=0.36,
            )
        )
    return charts
