"""A measured force and its prediction on one span: the same filter, figures side by side, a page and a picture."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np

from catenary.errors import InputError
from catenary.storage.files import write_json_atomic
from dynamics.charts.numbers import number
from dynamics.charts.parts import Chart, Curve, Stations
from dynamics.contact_force.measured_force import FoldedRecord, best_offset, fold_record, record_problems
from studies.input.compose import Composed
from studies.jobs.service import CompareJob
from studies.report.drawing.page import write_overlay
from studies.report.drawing.parts import Page, Section, Table
from studies.report.sections.tables import STATISTICS, change_percent, signed, value_text
from studies.rig.measured import Source, read_source
from studies.writing.run_folder import RunFolder, fresh_folder

__all__ = ["compare_forces"]

SPANS_APART = 1.0e-3


def compare_forces(composed: Composed[CompareJob]) -> None:
    """Compare a measured force with its prediction, draw both, and write the figures."""
    job = composed.job
    predicted = read_source(Path(job.prediction), job.record)
    measured = read_source(Path(job.measured), job.record)
    span = _common_span(job, predicted, measured)
    first = _fold(job, predicted, span, 0.0)
    second = _fold(job, measured, span, job.record.offset_m or 0.0)
    if job.record.align:
        second = _fold(job, measured, span, best_offset(second, first.x, first.mean))
    difference = second.mean - first.mean
    figures = {
        "schema_version": 1,
        "prediction": _figures(predicted, first),
        "measured": _figures(measured, second),
        "offset_m": second.offset,
        "filter": f"{job.signal.kind} {job.signal.cutoff_hz:g} Hz, zero phase",
        "curve_difference_rms_N": float(np.sqrt(np.mean(difference[:-1] ** 2))),
        "curve_difference_largest_N": float(np.abs(difference).max()),
    }
    folder = RunFolder(fresh_folder("rig_compare", "comparison", job.run_dir), "rig_compare", composed)
    write_json_atomic(folder.path / "comparison.json", figures)
    description, warnings = _counted((predicted, measured), (first, second))
    page = _page(figures, (description, warnings), (first, second))
    picture = write_overlay(page, folder.path / "comparison.html")
    for line in description:
        folder.say(line)
    for line in warnings:
        folder.warn(line)
    table = page.sections[0].tables[0]
    for row in (table.columns, *table.rows):
        folder.say(f"{row[0]:<42} {row[1]:>9} {row[2]:>9} {row[3]:>20} {row[4]}")
    folder.say(f"{page.headline}")
    folder.say(f"Wrote to {folder.path}/ (comparison.json, comparison.html, {picture.name})")


def _common_span(job: CompareJob, predicted: Source, measured: Source) -> float:
    """Span of both [m]."""
    known = [s.span for s in (predicted, measured) if s.span is not None]
    if job.record.span_length is not None:
        known = [job.record.span_length, *known]
    if not known:
        raise InputError(["record.span_length is missing: neither side says how long a span is"])
    if max(known) - min(known) > SPANS_APART * known[0]:
        listed = " and ".join(f"{s:g} m" for s in known)
        raise InputError([f"prediction and measured must have spans of one length: got {listed}"])
    return known[0]


def _fold(job: CompareJob, source: Source, span: float, offset: float) -> FoldedRecord:
    problems = record_problems(source.record, span, job.signal)
    if problems:
        raise InputError(problems)
    return fold_record(source.record, span, job.signal, offset, job.last_spans)


def _counted(
    sources: tuple[Source, Source], folded: tuple[FoldedRecord, FoldedRecord]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Counted stretch of either side, with a warning where they are not equally long."""
    description = tuple(
        f"{name}: {s.description}; {f.spans} span{'s' if f.spans > 1 else ''} count{'' if f.spans > 1 else 's'}, from "
        f"{f.time[0]:.2f} to {f.time[1]:.2f} s, {f.position[0]:.1f} to {f.position[1]:.1f} m"
        for name, s, f in zip(("Predicted", "Measured"), sources, folded, strict=True)
    )
    first, second = (f.spans for f in folded)
    if first == second or any(s.repeats for s in sources):
        return description, ()
    return description, (
        f"The sides do not count equally many spans: {first} predicted, {second} measured; "
        f"last_spans={min(first, second)} makes them equal",
    )


def _figures(source: Source, folded: FoldedRecord) -> dict[str, object]:
    """Content of comparison.json on one side."""
    return {
        "what": source.description,
        "spans": folded.spans,
        "begin_s": folded.time[0],
        "end_s": folded.time[1],
        "begin_m": folded.position[0],
        "end_m": folded.position[1],
        **_statistics(folded),
        **{key: value for key, (_, value) in _of_mean_curve(folded).items()},
    }


def _of_mean_curve(folded: FoldedRecord) -> dict[str, tuple[str, float]]:
    """Name and value [N] by key of what the mean of the spans has, as a served test's summary gives it.

    What differs from span to span is averaged out of it, so that it swings less than all samples do.
    """
    curve = folded.mean[:-1]  # the last station is the first one of the next span
    return {
        "mean_curve_std_N": ("mean of the spans: standard deviation σ", float(curve.std())),
        "mean_curve_max_N": ("mean of the spans: maximum", float(curve.max())),
        "mean_curve_min_N": ("mean of the spans: minimum", float(curve.min())),
    }


def _page(
    figures: dict[str, object],
    said: tuple[tuple[str, ...], tuple[str, ...]],
    folded: tuple[FoldedRecord, FoldedRecord],
) -> Page:
    """Page of the comparison; ``said`` is what counts of either side, and warnings."""
    first, second = folded
    names = ("predicted", "measured")
    curves = [Curve("", second.x, edge, "m", "N", "muted") for edge in (second.low, second.high) if second.spans > 1]
    curves += [
        Curve(name, f.x, f.mean, "m", "N", role)
        for name, f, role in zip(names, folded, ("nominal", "best"), strict=True)
    ]
    chart = Chart(
        name="contact_force",
        title="Contact force along the span",
        caption=f"Mean of the spans; in grey the lowest and highest measured. Filter: {figures['filter']}.",
        x_label="Station of the pantograph",
        y_label="Contact force, filtered",
        curves=tuple(curves),
        stations=(Stations("supports", np.array([0.0, first.x[-1]]), full_height=True),),
        x_range=(0.0, float(first.x[-1])),
    )
    a, b = (_statistics(f) for f in folded)
    rows = [
        (name, value_text(a[key], digits), value_text(b[key], digits), _difference(a[key], b[key], digits), unit)
        for key, name, unit, digits in STATISTICS
        if key in a
    ]
    of_curves = [_of_mean_curve(f) for f in folded]
    for key, (name, one) in of_curves[0].items():
        two, digits = of_curves[1][key][1], 2 if "std" in key else 1
        rows.append((name, value_text(one, digits), value_text(two, digits), _difference(one, two, digits), "N"))
    rms, largest = float(str(figures["curve_difference_rms_N"])), float(str(figures["curve_difference_largest_N"]))
    rows.append(("difference of the curves, RMS", "", "", number(rms, 2), "N"))
    rows.append(("difference of the curves, largest", "", "", number(largest, 2), "N"))
    table = Table(
        "Figures",
        ("contact force", *names, "difference", "unit"),
        tuple(rows),
        "lrrrl",
        "Of all filtered samples of the spans that count, except where the mean of the spans is named: from that, what "
        "differs from span to span is averaged out. The summary of a served test is of the mean.",
    )
    return Page(
        kicker="Rig test",
        title="Measured and predicted",
        warnings=said[1],
        headline=f"Standard deviation {number(b['contact_force_std_N'], 2)} N measured, "
        f"{number(a['contact_force_std_N'], 2)} N predicted; the curves differ by {number(rms, 2)} N RMS.",
        sections=(
            Section("The contact force", text=tuple(f"{line}." for line in said[0]), charts=(chart,), tables=(table,)),
        ),
    )


def _statistics(folded: FoldedRecord) -> dict[str, float]:
    """Statistics without the bands, whose names are those of a cut-off at 20 Hz."""
    return {key: value for key, value in asdict(folded.statistics).items() if "Hz" not in key}


def _difference(first: float, second: float, digits: int) -> str:
    percent = change_percent(second, first)
    return signed(second - first, digits) + ("" if percent == "–" else f" ({percent})")
