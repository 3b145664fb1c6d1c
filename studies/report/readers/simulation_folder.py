"""The folder of one simulation, read into what its page says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from catenary.linearised.rest_warnings import rest_warnings
from studies.report.content.history_content import read_histories
from studies.report.content.provenance import case_provenance
from studies.report.readers.campaign_record import read_droppers
from studies.report.readers.given_input import input_origins
from studies.report.readers.page_content import SimulationContent
from studies.report.readers.stored import (
    command_of,
    note_of_train,
    origin_facts,
    page_head,
    read_json,
    read_stored,
    run_facts,
    slack_warning,
    span_result,
    stored_case,
    varies_most,
)
from studies.report.sections.assessment import assessed
from studies.writing.figure_errors import figure_errors
from studies.writing.report_head import read_head

__all__ = ["read_simulation"]

NOTES = {
    "periodic": "One pantograph in steady state on the infinite line, over one span from support to support, or all "
    "spans before the line repeats.",
    "transient": "The last span of the long transient, or all spans before the line repeats, from support to support.",
    "open_line": "The last span evaluated on an open line, all of one by stations; statistics are of all evaluated.",
}
STATIC_NOTE = "Shape, droppers and elasticity are those of {period}; the open line that was run differs near its ends."


def read_simulation(folder: Path) -> SimulationContent:
    """Read summary.json, result.nc and .hydra/ of a simulation.

    Raises
    ------
    InputError
        If the folder does not hold a simulation.
    """
    summary = read_json(folder / "summary.json")
    stored = read_stored(folder / "result.nc")
    about = stored.attributes
    case = stored_case(stored, folder / "result.nc")
    figures = summary.get("pantographs") or [{}]
    each = [{k: float(v) for k, v in own.items() if isinstance(v, int | float)} for own in figures]
    labels = [f"pantograph {k}" for k in range(1, len(each) + 1)] if len(each) > 1 else ["value"]
    shown, pantographs = varies_most(each), tuple(zip(labels, each, strict=True))
    statistics = each[shown]
    versions = json.loads(about.get("versions", "{}"))
    facts = origin_facts(folder / "result.nc", {**summary, "commit": about.get("commit", ""), "versions": versions})
    held = [("applied force", f"{statistics['applied_force_N']:.2f} N")] if "applied_force_N" in statistics else []
    steps = f"{1e3 * case.time_step:.6g} ms, {case.steps_per_period} steps {case.catenary.what_repeats}"
    held.append(("time step, adjusted", steps))
    times = {k: float(v) for k, v in summary.get("wall_time_s", {}).items()}
    head, error = read_head(folder), summary.get("numerical_error") or None
    errors = {label: figure_errors(error, k) for k, label in enumerate(labels, start=1)}
    status, message = (str(summary.get(key, "")) for key in ("status", "message"))
    return SimulationContent(
        title=about.get("title", folder.name),
        result=span_result(stored, case, case.catenary.name, "best", statistics, shown),
        x_note=note_of_train(NOTES[case.solver], shown, len(each)),
        static_note=STATIC_NOTE.format(period=case.catenary.one_period)
        * (case.on_open_line and not case.catenary.ends),
        filter_note=filter_note(about.get("filter", "")),
        provenance=case_provenance(case, (), input_origins(folder, "simulate", case)),
        pantographs=pantographs,
        shown=shown,
        figure_errors=errors,
        assessment=assessed(head, pantographs, case, summary, errors),
        head=page_head("run", folder.name, folder / "result.nc", head),
        elasticity=_span_means(summary),
        error=error,
        by_span=tuple(summary.get("by_span", ())),
        by_wire=tuple(summary.get("by_wire", ())),
        by_overlap=tuple(summary.get("by_overlap", ())),
        fixed_wires=summary.get("fixed_wires") or {},
        tolerances=read_droppers(folder / "length_tolerance.json"),
        gradient=read_droppers(folder / "gradient.json"),
        histories=read_histories(stored, case, [p["losses"] for p in figures if "losses" in p]),
        run=run_facts([*held, *facts], times, command_of(folder, "simulate")),
        warnings=(
            *(() if status == "ok" else (f"The solver did not finish: {status}. {message}".strip(),)),
            *rest_warnings(case.catenary),
            *slack_warning(summary),
        ),
    )


def _span_means(summary: Mapping[str, Any]) -> tuple[tuple[float, float], ...]:
    """Loads [N] with the span means of the static elasticity [mm/N]; a folder without them has none."""
    recorded = summary.get("static", {}).get("elasticity_span_mean_mm_per_N", {"force_N": [], "value": []})
    return tuple(zip(map(float, recorded["force_N"]), map(float, recorded["value"]), strict=True))


def filter_note(recorded: str) -> str:
    """Sentence on the filter that every force went through."""
    kind, _, rest = recorded.partition(" ")
    named = {"butterworth": "Butterworth", "brick_wall": "brick wall"}.get(kind, kind)
    return f"Forces are low-pass filtered: {named}, {rest}." if recorded else ""
