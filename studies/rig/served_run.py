"""Files of a served test in addition to its journal: run.nc, summary.json and figures."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from catenary.storage.files import write_bytes_atomic, write_json_atomic
from dynamics.charts.drawing import charts_figure
from dynamics.charts.files import figure_png
from dynamics.charts.parts import Chart, Curve, Stations
from dynamics.rig.service.frames import Reason
from dynamics.rig.service.journal import read_journal
from dynamics.rig.service.run import Blocks, Course, blocks_of, course_of, write_run
from dynamics.rig.service.steps import SENTENCES, Counts
from studies.jobs.service import ServeJob
from studies.writing.run_folder import RunFolder

__all__ = ["finish", "settled_sentence", "span_charts", "span_statistics"]

SHOWN_SPANS = 5


def finish(folder: RunFolder, job: ServeJob, about: dict[str, Any], counts: Counts, reason: Reason) -> int:
    """Write run.nc, summary.json and the figures of a test that is over; 1 where no span was whole."""
    _, columns = read_journal(folder.path / "run.journal")
    ended = {"reason": reason.name.lower(), "message": SENTENCES[reason]}
    attributes = {**about, **ended, "title": f"rig test on {about['catenary']}"}
    write_run(folder.path / "run.nc", columns, job, attributes)
    blocks = blocks_of(columns, int(about["steps_per_span"]), float(about["span_m"]), float(about["dt_s"]), job.signal)
    course = course_of(columns, float(about["dt_s"]))
    trips = columns["round_trip"][np.isfinite(columns["round_trip"])]
    summary = {
        "schema_version": 1,
        **ended,
        "steps": len(columns["step"]),
        "frames": {**asdict(counts), "lost": counts.lost},
        "round_trip_ms": _percentiles(1e3 * trips),
        "service_time_ms": _percentiles(1e3 * columns["service_time"]),
        **({} if course is None else _extremes(course)),
        **({} if blocks is None else span_statistics(blocks, about, job.loop.ramp_s)),
    }
    write_json_atomic(folder.path / "summary.json", summary)
    if blocks is not None:
        for chart in span_charts(blocks):
            write_bytes_atomic(folder.path / "figures" / f"{chart.name}.png", figure_png(charts_figure([chart])))
    _say(folder, summary)
    return int(blocks is None)


def _say(folder: RunFolder, summary: dict[str, Any]) -> None:
    frames = summary["frames"]
    folder.say(
        f"{summary['steps']} steps; {frames['substituted']} forces had a substitute ({frames['lost']} lost, "
        f"{frames['late']} late, {frames['out_of_order']} out of order, {frames['absurd']} absurd); "
        f"{frames['repeated']} repeated, {frames['foreign'] + frames['broken']} foreign or broken"
    )
    if summary["round_trip_ms"]:
        trip = summary["round_trip_ms"]
        folder.say(
            f"Round trip: median {trip['median']:.3f} ms, p99.9 {trip['p99.9']:.3f} ms, "
            f"largest {trip['largest']:.3f} ms"
        )
    if "contact_force_std_N" in summary:
        folder.say(
            f"Contact force, mean of the last {summary['spans_averaged']} spans: mean "
            f"{summary['contact_force_mean_N']:.1f} N, standard deviation {summary['contact_force_std_N']:.2f} N"
        )
        folder.say(settled_sentence(summary))
    if "largest_force_N" in summary:
        folder.say(f"Largest force {summary['largest_force_N']:.0f} N, at {summary['largest_force_at_s']:.1f} s")
    if summary.get("contact_lost_s"):
        folder.warn(
            f"CONTACT WAS LOST for {summary['contact_lost_s']:.2f} s between {summary['contact_lost_from_s']:.1f} and "
            f"{summary['contact_lost_to_s']:.1f} s of the test: see figures/force_by_span.png; fewer "
            "loop.height_harmonics or a longer loop.ramp_s lose less"
        )
    figures = ", figures/" if "spans" in summary else ""
    folder.say(f"Wrote to {folder.path}/ (run.nc, run.journal, summary.json{figures})")


def settled_sentence(summary: dict[str, Any]) -> str:
    """Distance of the last spans from a state that repeats."""
    if not summary["ramp_ended"]:
        return "Not settled: these spans lie within the ramp (loop.ramp_s), so they say nothing of the line"
    if summary["last_change_N"] is None:
        return "Not settled: a single span shows no change"
    change = f"The force still changes by {summary['last_change_N']:.3g} N RMS from span to span"
    left = summary["left_to_settle_N"]
    if left is None:
        return change
    return f"{change}; by the spectral radius, up to {left:.3g} N RMS may be left to the state that repeats"


def _extremes(course: Course) -> dict[str, float | None]:
    return {
        "largest_force_N": course.largest_N,
        "largest_force_at_s": course.largest_at_s,
        "contact_lost_s": course.lost_s,
        "contact_lost_from_s": course.lost_from_s,
        "contact_lost_to_s": course.lost_to_s,
    }


def _percentiles(values: np.ndarray) -> dict[str, float]:
    """Median, 99.9th percentile and largest; nothing where there is nothing."""
    if not len(values):
        return {}
    return {
        "median": float(np.median(values)),
        "p99.9": float(np.percentile(values, 99.9)),
        "largest": float(values.max()),
    }


def span_statistics(blocks: Blocks, about: dict[str, Any], ramp: float) -> dict[str, float | int | None]:
    """Figures of the last spans; ``ramp`` is its length [s]."""
    mean, spans = blocks.mean, len(blocks.force)
    before = (spans - blocks.averaged) * int(about["steps_per_span"]) * float(about["dt_s"])
    change, left = (float(blocks.change[-1]) if spans > 1 else None), None
    radius = float(about.get("spectral_radius", 1.0))
    if change is not None and radius < 1.0:
        # a geometric series: what each further span changes is at most the radius times what the one before did
        left = change * radius / (1.0 - radius)
    return {
        "spans": spans,
        "spans_averaged": blocks.averaged,
        "contact_force_mean_N": float(mean.mean()),
        "contact_force_std_N": float(mean.std()),
        "contact_force_max_N": float(mean.max()),
        "contact_force_min_N": float(mean.min()),
        "ramp_ended": bool(before >= ramp),
        "last_change_N": change,
        "left_to_settle_N": left,
    }


def span_charts(blocks: Blocks) -> list[Chart]:
    """Force along the span, force of every span, and change from span to span."""
    last = blocks.force[-min(blocks.averaged, SHOWN_SPANS) :]
    spans = np.arange(1.0, len(blocks.force) + 1.0)
    along = [Curve("last spans", blocks.x, y, "m", "N", "muted") for y in last]
    along.append(Curve(f"mean of the last {blocks.averaged} spans", blocks.x, blocks.mean, "m", "N"))
    by_span = [
        Curve("largest", spans, blocks.force.max(axis=1), "", "N", "nominal"),
        Curve("mean", spans, blocks.force.mean(axis=1), "", "N", "best"),
        Curve("least", spans, blocks.force.min(axis=1), "", "N", "other"),
    ]
    from_second = slice(1 if len(spans) > 1 else 0, None)
    change = np.log10(np.maximum(blocks.change, 1e-12))[from_second]
    supports = Stations("supports", np.array([0.0, blocks.x[-1] + blocks.x[1]]), full_height=True)
    return [
        Chart(
            "force_along_the_span",
            "Contact force along the span",
            "",
            "Station",
            "Contact force, filtered",
            tuple(along),
            (supports,),
        ),
        Chart(
            "force_by_span",
            "Contact force of every span",
            "",
            "Span of the test",
            "Contact force, filtered",
            tuple(by_span),
        ),
        Chart(
            "convergence",
            "Change from block to block",
            "",
            "Span of the test",
            "RMS change of the force, power of ten",
            (Curve("change from the span before", spans[from_second], change, "", "log10 N"),),
        ),
    ]
