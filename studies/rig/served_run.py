"""What a served test leaves behind beside its journal: run.nc, summary.json and figures."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from catenary.files import write_bytes_atomic, write_json_atomic
from dynamics.rig_service.frames import Reason
from dynamics.rig_service.journal import read_journal
from dynamics.rig_service.run import Blocks, blocks_of, write_run
from dynamics.rig_service.steps import SENTENCES, Counts
from studies.report.parts import Chart, Curve, Stations
from studies.report.png import chart_png
from studies.rig.service_jobs import ServeJob
from studies.run_folder import RunFolder

__all__ = ["finish"]

SHOWN_SPANS = 5


def finish(folder: RunFolder, job: ServeJob, about: dict[str, Any], counts: Counts, reason: Reason) -> int:
    """Write run.nc, summary.json and the figures of a test that is over; 1 where no span was whole."""
    _, columns = read_journal(folder.path / "run.journal")
    ended = {"reason": reason.name.lower(), "message": SENTENCES[reason]}
    attributes = {**about, **ended, "title": f"rig test on {about['catenary']}"}
    write_run(folder.path / "run.nc", columns, job, attributes)
    blocks = blocks_of(columns, int(about["steps_per_span"]), float(about["span_m"]), float(about["dt_s"]), job.signal)
    trips = columns["round_trip"][np.isfinite(columns["round_trip"])]
    summary = {
        "schema_version": 1,
        **ended,
        "steps": len(columns["step"]),
        "frames": {**asdict(counts), "lost": counts.lost},
        "round_trip_ms": _percentiles(1e3 * trips),
        "service_time_ms": _percentiles(1e3 * columns["service_time"]),
        **({} if blocks is None else _statistics(blocks)),
    }
    write_json_atomic(folder.path / "summary.json", summary)
    if blocks is not None:
        for chart in _charts(blocks):
            write_bytes_atomic(folder.path / "figures" / f"{chart.name}.png", chart_png(chart))
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
            f"{summary['contact_force_mean_N']:.1f} N, standard deviation {summary['contact_force_std_N']:.2f} N, "
            f"change from block to block {summary['last_change_N']:.3g} N"
        )
    figures = ", figures/" if "spans" in summary else ""
    folder.say(f"Written to {folder.path}/ (run.nc, run.journal, summary.json{figures})")


def _percentiles(values: np.ndarray) -> dict[str, float]:
    """Median, 99.9th percentile and largest; nothing where there is nothing."""
    if not len(values):
        return {}
    return {
        "median": float(np.median(values)),
        "p99.9": float(np.percentile(values, 99.9)),
        "largest": float(values.max()),
    }


def _statistics(blocks: Blocks) -> dict[str, float | int]:
    mean = blocks.mean
    return {
        "spans": len(blocks.force),
        "spans_averaged": blocks.averaged,
        "contact_force_mean_N": float(mean.mean()),
        "contact_force_std_N": float(mean.std()),
        "contact_force_max_N": float(mean.max()),
        "contact_force_min_N": float(mean.min()),
        "last_change_N": float(blocks.change[-1]),
    }


def _charts(blocks: Blocks) -> list[Chart]:
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
    change = np.log10(np.maximum(blocks.change, 1e-12))
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
            (Curve("change from the span before", spans, change, "", "log10 N"),),
        ),
    ]
