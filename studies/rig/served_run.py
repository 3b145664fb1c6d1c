"""Files of a served test in addition to its journal: run.nc, summary.json and figures."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from catenary.errors import WriteError
from catenary.storage.files import write_bytes_atomic, write_json_atomic
from dynamics.charts.drawing import charts_figure
from dynamics.charts.files import figure_png
from dynamics.charts.numbers import beside_limit
from dynamics.rig.service.frames import Reason
from dynamics.rig.service.journal import read_journal
from dynamics.rig.service.run import (
    Blocks,
    Columns,
    Course,
    blocks_of,
    course_of,
    steps_before_the_stop,
    write_run,
)
from dynamics.rig.service.steps import SENTENCES, Counts, StepTaker
from studies.jobs.service import ServeJob
from studies.rig.span_charts import span_charts
from studies.writing.run_folder import RunFolder

__all__ = ["finish", "settled_sentence", "span_statistics", "tell"]

# what had a substitute, and why
SUBSTITUTES = ("substituted", "lost", "late", "out_of_order", "absurd")


def tell(folder: RunFolder, line: str, *, warning: bool = False) -> None:
    """Print a line and keep it in the log; where the disk does not take it, what follows is still said and done."""
    with suppress(WriteError):
        (folder.warn if warning else folder.say)(line)


def finish(folder: RunFolder, job: ServeJob, about: dict[str, Any], taken: StepTaker, ended: tuple[Reason, str]) -> int:
    """Say what a test that is over was, and write what the disk takes of run.nc, summary.json and its figures.

    Parameters
    ----------
    ended : (Reason, str)
        Why the test ended, and the sentence that says it.

    Returns
    -------
    int
        1 where no span was whole, or a file could not be written.
    """
    _, columns = read_journal(folder.path / "run.journal")
    why = {"reason": ended[0].name.lower(), "message": SENTENCES[ended[0]]}
    blocks = blocks_of(columns, int(about["steps_per_span"]), float(about["span_m"]), float(about["dt_s"]), job.signal)
    course = course_of(columns, float(about["dt_s"]))
    trips = columns["round_trip"][np.isfinite(columns["round_trip"])]
    summary = {
        "schema_version": 1,
        **why,
        "steps": taken.number,
        "frames": _frames(taken, job.service.loss.largest_share_percent),
        "round_trip_ms": _percentiles(1e3 * trips),
        "service_time_ms": _percentiles(1e3 * columns["service_time"]),
        **({} if course is None else _extremes(course)),
        **({} if blocks is None else span_statistics(blocks, about, job.loop.ramp_s)),
    }
    attributes = {**about, **why, "title": f"rig test on {about['catenary']}"}
    files = {
        "run.nc": partial(write_run, folder.path / "run.nc", columns, job, attributes),
        "summary.json": partial(write_json_atomic, folder.path / "summary.json", summary),
    }
    if blocks is not None:
        files["figures/"] = partial(_draw, folder.path / "figures", blocks, what_repeats(about))
    missing = _write(files)
    _say(folder, summary)
    there = [name for name in ("run.journal", *files) if name not in missing]
    tell(folder, f"Wrote to {folder.path}/ ({', '.join(there)})")
    tell(folder, ended[1])
    if missing:
        tell(
            folder,
            _what_holds_it(folder.path, missing, columns, taken.number, 2 * int(about["steps_per_span"])),
            warning=True,
        )
    return int(blocks is None or bool(missing))


def _draw(folder: Path, blocks: Blocks, what: str) -> None:
    """Write the figures."""
    for chart in span_charts(blocks, what):
        write_bytes_atomic(folder / f"{chart.name}.png", figure_png(charts_figure([chart])))


def _write(files: dict[str, Callable[[], None]]) -> dict[str, str]:
    """Write every file that the disk takes; the system's reason by the name of each that it does not."""
    missing = dict[str, str]()
    for name, write in files.items():
        try:
            write()
        except WriteError as error:
            missing[name] = str(error.strerror)
    return missing


def _what_holds_it(folder: Path, missing: dict[str, str], columns: Columns, steps: int, needed: int) -> str:
    """Sentence that says what was not written, what holds the test all the same, and which command reads it."""
    kept = len(columns["step"])
    which = f"all {steps} steps" if kept == steps else f"the first {kept} of {steps} steps"
    said = (
        f"{', '.join(missing)} could not be written: {next(iter(missing.values()))}. {folder}/run.journal holds the "
        f"record of {which}"
    )
    if steps_before_the_stop(columns) < needed:
        return f"{said}, fewer than the {needed} of a test that `catenary rig compare` reads"
    return (
        f"{said}: `catenary rig compare prediction=... measured={folder}` reads that, and needs neither run.nc nor "
        "summary.json"
    )


def _frames(taken: StepTaker, allowed: float) -> dict[str, Any]:
    """Counts of the frames, all of them and those that had a substitute in the test and on the way down; share [%]."""
    whole, down, steps = taken.counts, taken.on_way_down, taken.number
    count = steps if taken.steps_of_test is None else min(steps, taken.steps_of_test)
    substituted = whole.substituted - down.substituted
    judged = {"share_percent": 100.0 * substituted / count if count else 0.0, "largest_share_percent": allowed}
    return {
        **asdict(whole),
        "lost": whole.lost,
        "test": {"steps": count, **{name: _part(whole, name) - _part(down, name) for name in SUBSTITUTES}, **judged},
        "way_down": {"steps": steps - count, **{name: _part(down, name) for name in SUBSTITUTES}},
    }


def _part(counts: Counts, name: str) -> int:
    return int(getattr(counts, name))


def _substitutes(counts: dict[str, Any], share: str = "") -> str:
    return (
        f"{counts['substituted']} of {counts['steps']} forces{share} had a substitute ({counts['lost']} lost, "
        f"{counts['late']} late, {counts['out_of_order']} out of order, {counts['absurd']} absurd)"
    )


def _say(folder: RunFolder, summary: dict[str, Any]) -> None:
    frames = summary["frames"]
    test, down = frames["test"], frames["way_down"]
    judged = summary["reason"] in (Reason.DONE.name.lower(), Reason.SUBSTITUTES.name.lower())
    allowed = test["largest_share_percent"] if judged else None
    share = f" ({beside_limit(test['share_percent'], allowed, 1)} %"
    if judged:
        share += f", judged against {allowed:.12g} %"
    tell(folder, f"{summary['steps']} steps. In the test {_substitutes(test, f'{share})')}")
    if down["steps"]:
        tell(folder, f"On the way to the safe height, which is not judged, {_substitutes(down)}")
    tell(
        folder,
        f"Of all datagrams {frames['repeated']} were repeated, "
        f"{frames['foreign'] + frames['broken']} foreign or broken",
    )
    if summary["round_trip_ms"]:
        trip = summary["round_trip_ms"]
        tell(
            folder,
            f"Round trip: median {trip['median']:.3f} ms, p99.9 {trip['p99.9']:.3f} ms, "
            f"largest {trip['largest']:.3f} ms",
        )
    if "contact_force_std_N" in summary:
        tell(
            folder,
            f"Contact force, mean of the last {_averaged(summary)}: mean "
            f"{summary['contact_force_mean_N']:.1f} N, standard deviation {summary['contact_force_std_N']:.2f} N",
        )
        tell(folder, settled_sentence(summary))
    if "largest_force_N" in summary:
        tell(folder, f"Largest force {summary['largest_force_N']:.0f} N, at {summary['largest_force_at_s']:.1f} s")
    if summary.get("contact_lost_s"):
        tell(
            folder,
            f"CONTACT WAS LOST for {summary['contact_lost_s']:.2f} s between {summary['contact_lost_from_s']:.1f} and "
            f"{summary['contact_lost_to_s']:.1f} s of the test: see figures/force_by_span.png; fewer "
            "loop.height_harmonics or a longer loop.ramp_s lose less",
        )


def what_repeats(about: dict[str, Any]) -> str:
    """Word for what the line repeats: a span, or a period of several."""
    return "period" if int(about.get("spans_of_a_period", 1)) > 1 else "span"


def _averaged(summary: dict[str, Any]) -> str:
    """Spans, or periods of several, that figures are a mean of."""
    if what_repeats(summary) == "span":
        return f"{summary['spans_averaged']} spans"
    return f"{summary['periods_averaged']} periods of {summary['spans_of_a_period']} spans"


def settled_sentence(summary: dict[str, Any]) -> str:
    """Distance of the last spans, or periods, from a state that repeats."""
    what = what_repeats(summary)
    if not summary["ramp_ended"]:
        return f"Not settled: these {what}s lie within the ramp (loop.ramp_s), so they say nothing of the line"
    if summary["last_change_N"] is None:
        return f"Not settled: a single {what} shows no change"
    change = f"The force still changes by {summary['last_change_N']:.3g} N RMS from {what} to {what}"
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
    """Figures of the last spans, or periods where several spans repeat; ``ramp`` is its length [s]."""
    mean, periods, each = blocks.mean, len(blocks.force), int(about.get("spans_of_a_period", 1))
    before = (periods - blocks.averaged) * int(about["steps_per_span"]) * float(about["dt_s"])
    change, left = (float(blocks.change[-1]) if periods > 1 else None), None
    radius = float(about.get("spectral_radius", 1.0))
    if change is not None and radius < 1.0:
        # a geometric series: what each further period changes is at most the radius times what the one before did
        left = change * radius / (1.0 - radius)
    return {
        "spans_of_a_period": each,
        "periods": periods,
        "periods_averaged": blocks.averaged,
        "spans": each * periods,
        "spans_averaged": each * blocks.averaged,
        "contact_force_mean_N": float(mean.mean()),
        "contact_force_std_N": float(mean.std()),
        "contact_force_max_N": float(mean.max()),
        "contact_force_min_N": float(mean.min()),
        "ramp_ended": bool(before >= ramp),
        "last_change_N": change,
        "left_to_settle_N": left,
    }
