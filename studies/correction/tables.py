"""Tables of an as-built line and of a correction list, as CSV and as content of summary.json."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np

from catenary.layout.dropper_places import DropperPlace, defect_places, places_by_design
from catenary.spec.line import CatenarySpec
from catenary.storage.files import write_text_atomic
from optimise.correction_list.find import Corrections, figures_of
from optimise.entry.as_built import AsBuilt

__all__ = ["as_built_summary", "correction_summary", "write_corrections", "write_droppers", "write_heights"]


def _write(path: Path, head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    write_text_atomic(path, text.getvalue())


def write_heights(path: Path, found: AsBuilt, origin: float) -> None:
    """Write measured heights, those of the design and of the lengths found, and what is left between them."""
    x, z = found.measured.station + origin, found.measured.height
    names = found.measured.section or ("",) * len(x)
    rows = [
        (name, f"{a:.3f}", *(f"{1e3 * value:.2f}" for value in (b, c, d, d - b)))
        for name, a, b, c, d in zip(names, x, z, found.fit.designed, found.fit.found, strict=True)
    ]
    _write(path, ("section", "station_m", "measured_mm", "design_mm", "found_mm", "residual_mm"), rows)


def write_droppers(path: Path, found: AsBuilt, line: CatenarySpec, origin: float) -> None:
    """Write the length of every dropper as designed and as found, its error with its uncertainty."""
    places, fit, wrong = list(places_by_design(line)), found.fit, set(defect_places(line, found.wrong))
    rows = []
    for k, design, error, unsure, may_be_loose in zip(
        fit.dropper.tolist(), fit.design, fit.error, fit.uncertainty, fit.may_be_loose, strict=True
    ):
        note = "may hang loose: at least about this long" if may_be_loose else ""
        lengths = (f"{1e3 * value:.1f}" for value in (design, design + error, error, unsure))
        is_wrong = "yes" if places[k] in wrong else ""
        rows.append((*places[k][:3], f"{line.droppers.positions[k] + origin:.3f}", *lengths, is_wrong, note))
    head = ("section", "span", "dropper", "station_m", "design_mm", "found_mm", "error_mm", "uncertainty_mm")
    _write(path, (*head, "wrong", "note"), rows)


def as_built_summary(found: AsBuilt) -> dict[str, Any]:
    """Figures of an as-built line, and its wrong droppers."""
    left = 1e3 * (found.fit.found - found.measured.height)
    places = defect_places(found.line, found.wrong)
    return {
        "heights": len(left),
        "residual_rms_mm": found.residual_rms_mm,
        "residual_max_mm": float(np.abs(left).max()),
        "residual_of_design_rms_mm": 1e3 * float(((found.fit.designed - found.measured.height) ** 2).mean() ** 0.5),
        "uncertainty_median_mm": 1e3 * float(np.median(found.fit.uncertainty)),
        "doubtful": found.doubtful,
        "may_hang_loose": int(found.fit.may_be_loose.sum()),
        "unexplained": found.unexplained,
        "droppers": len(found.fit.error),
        "wrong": [{**_named(p), "by_mm": 1e3 * (d.by or 0.0)} for p, d in zip(places, found.wrong, strict=True)],
    }


def write_corrections(path: Path, found: Corrections, origin: float) -> None:
    """Write all wrong droppers in the order in which they are corrected, and what that leads to.

    Parameters
    ----------
    path : Path
    found : Corrections
    origin : float
        Station of the first support as the plan counts [m].
    """
    chosen, line = found.count or 0, found.case.catenary
    places, stations = defect_places(line, found.wrong), places_by_design(line)
    rows = []
    for k, number in enumerate(found.order, start=1):
        d, place, run = found.wrong[number], places[number], found.runs.get(k)
        expected, figures = found.predicted[k], None if run is None else figures_of(run)
        shown = (f"{value:.2f}" for value in expected)
        ran = ("",) * 3 if figures is None else tuple(f"{value:.2f}" for value in figures)
        recut = f"{-1e3 * (d.by or 0.0):+.1f}"
        where = (*place[:3], f"{stations[place] + origin:.3f}")
        rows.append((k, *where, recut, "yes" if k <= chosen else "", *shown, *ran))
    names = ("sigma_N", "worst_span_sigma_N", "uplift_mm")
    head = ("order", "section", "span", "dropper", "station_m", "recut_mm", "cut_again")
    _write(path, (*head, *(f"added_up_{name}" for name in names), *(f"run_{name}" for name in names)), rows)


def _named(place: DropperPlace) -> dict[str, Any]:
    """Name of a dropper as content of summary.json, with its tension section where there are some."""
    section = {"section": place.section} if place.section else {}
    return {**section, "span": place.span, "dropper": place.number}


def correction_summary(found: Corrections) -> dict[str, Any]:
    """Content of the correction list in summary.json."""
    names = ("sigma_N", "worst_span_sigma_N", "uplift_mm")
    places = defect_places(found.case.catenary, found.chosen)
    return {
        "limits": {name: float(x) if np.isfinite(x) else None for name, x in zip(names, found.limits, strict=True)},
        "wrong_droppers": len(found.wrong),
        "cut_again": found.count,
        "droppers": [
            {**_named(place), "recut_mm": -1e3 * (d.by or 0.0)} for place, d in zip(places, found.chosen, strict=True)
        ],
        "runs": [
            {
                "cut_again": count,
                **dict(zip(names, figures_of(run).tolist(), strict=True)),
                **{f"added_up_{name}": x for name, x in zip(names, found.predicted[count].tolist(), strict=True)},
                "worst_span": run.worst_span,
                "contact_force_mean_N": run.mean_N,
                "applied_force_N": run.applied_force_N,
                "wall_time_s": run.wall_time_s,
            }
            for count, run in found.runs.items()
        ],
        "wall_time_s": found.wall_time_s,
    }
