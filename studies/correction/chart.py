"""Charts of a correction list: figures against the number of droppers that are cut again."""

from __future__ import annotations

import numpy as np

from catenary.layout.dropper_places import defect_places
from dynamics.charts.parts import Chart, Curve, Level, Role
from optimise.correction_list.find import Corrections, figures_of

__all__ = ["correction_charts"]

FIGURES = (
    ("sigma", "Standard deviation of the contact force", "N"),
    ("worst_span_sigma", "Largest standard deviation within a span", "N"),
    ("uplift", "Largest uplift at supports", "mm"),
)


FEW = 13  # numbers of droppers that are all labelled
ROLES: tuple[Role, ...] = ("nominal", "other", "fourth", "sixth", "fifth")


def correction_charts(found: Corrections) -> list[Chart]:
    """Draw sigma, and whatever else is held, against the number of droppers cut again, each with its section."""
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
                    *_by_section(found, k, unit),
                    Curve("run", run, values, "", unit, "best", "dots"),
                ),
                levels=(Level(f"limit {limit:.1f} {unit}", limit),) if np.isfinite(limit) else (),
                x_range=(-0.5, float(len(counts)) - 0.5),
                sampled=(tuple(counts.tolist()) if len(counts) <= FEW else (), ()),
                height=0.36,
            )
        )
    return charts


def _by_section(found: Corrections, k: int, unit: str) -> list[Curve]:
    """Figures added up where the last dropper that is cut again hangs in a section, of a line in tension sections."""
    places = defect_places(found.case.catenary, [found.wrong[number] for number in found.order])
    curves = []
    for n, section in enumerate(dict.fromkeys(place.section for place in sorted(places))):
        if section:
            at = np.array([count for count, place in enumerate(places, start=1) if place.section == section])
            role = ROLES[n % len(ROLES)]
            curves.append(
                Curve(f"a dropper of section {section}", at * 1.0, found.predicted[at, k], "", unit, role, "rings")
            )
    return curves
