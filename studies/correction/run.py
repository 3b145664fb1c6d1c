"""A run of `catenary correct`: the as-built line, its correction list, their tables and charts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from catenary.library.columns import read_rows
from catenary.library.line_file import LineFile
from catenary.library.with_defects import write_with_defects
from catenary.spec.line import CatenarySpec
from catenary.storage.files import write_bytes_atomic, write_json_atomic
from catenary.storage.provenance import config_sha256
from dynamics.charts.drawing import charts_figure
from dynamics.charts.files import figure_png
from dynamics.refusals import refuse_unfit_case
from dynamics.spec.case import CaseSpec, case_of
from optimise.correction_list.evaluation import corrected, wrong_lengths
from optimise.correction_list.find import Corrections, NoLineFiguresError, find_corrections, refuse_uncorrectable
from optimise.entry.as_built import AsBuilt, as_built_line, line_file
from optimise.entry.progress_line import ProgressLine
from studies.correction.chart import correction_charts
from studies.correction.tables import (
    as_built_summary,
    correction_summary,
    write_corrections,
    write_droppers,
    write_heights,
)
from studies.ended import FAILED
from studies.input.compose import Composed
from studies.jobs.correction import CorrectJob
from studies.writing.run_folder import HYDRA, RunFolder, fresh_folder

__all__ = ["correct"]

SHOWN = 12


def correct(composed: Composed[CorrectJob]) -> int:
    """Find, write and draw; 1 when a line that must be run has no figures, or no list meets the limits."""
    job = composed.job
    case, file = case_of(job), _file_of(composed)
    if job.correction_list:
        refuse_uncorrectable(case)
        refuse_unfit_case(case)
    path = fresh_folder("correct", case.catenary.name, job.run_dir)
    built = None
    if job.measured is not None:
        built = as_built_line(case.catenary, file, Path(job.measured), job.survey)
        case = case.model_copy(update={"catenary": built.line})
    folder = RunFolder(path, "correct", composed)
    summary: dict[str, Any] = {"schema_version": 1, "config_sha256": config_sha256(job), "as_built": None}
    if built is not None:
        summary["as_built"] = as_built_summary(built)
        for line in _write_as_built(path, built, case.catenary, file):
            folder.say(line)
    summary["corrections"], code = None, 0
    if job.correction_list:
        code = _correction_list(folder, case, job, file, summary)
    write_json_atomic(path / "summary.json", summary)
    shown = sorted(p.name for p in path.iterdir() if p.suffix != ".log" and p.name != HYDRA)
    folder.say(f"Wrote to {path}/ ({', '.join(shown)})")
    return code


def _file_of(composed: Composed[CorrectJob]) -> LineFile | None:
    """File of the line that was typed."""
    typed = [text.partition("=")[2].strip().strip("'\"") for text in composed.overrides if text.startswith("catenary=")]
    return line_file(typed[-1]) if typed else None


def _origin(file: LineFile | None) -> float:
    """Station of the first support as the plan counts [m]."""
    return 0.0 if file is None else float(read_rows("supports", file.tables["supports"], [])[0].values["station"])


def _write_as_built(path: Path, built: AsBuilt, line: CatenarySpec, file: LineFile | None) -> list[str]:
    """Write the as-built line with its tables; what there is to say about it."""
    origin, found = _origin(file), as_built_summary(built)
    write_heights(path / "heights.csv", built, origin)
    write_droppers(path / "droppers.csv", built, line, origin)
    if file is not None:
        built.save(path / "as_built.yaml")
    lines = [
        f"{found['heights']} measured heights: {found['residual_rms_mm']:.2f} mm off on average (rms) with the lengths "
        f"found, at most {found['residual_max_mm']:.1f} mm, and {found['residual_of_design_rms_mm']:.2f} mm off those "
        f"of the design; a length is known within ± {found['uncertainty_median_mm']:.1f} mm (median)",
        f"{len(built.wrong)} of {found['droppers']} droppers are cut wrong: {_named(found['wrong'], 'by_mm')}"
        + (
            f"; {built.doubtful} more are beyond the tolerance, but within twice their uncertainty"
            if built.doubtful
            else ""
        ),
    ]
    loose = found["may_hang_loose"]
    if loose:
        lines.append(f"{loose} droppers may hang loose; each is at least about as long as found (droppers.csv)")
    if built.unexplained:
        left = np.abs(built.fit.found - built.measured.height)
        of_section = f" of section {built.measured.section[left.argmax()]}" if built.measured.section else ""
        lines.append(
            f"lengths do not explain these heights: {1e3 * float(left.max()):.1f} mm are left at "
            f"{built.measured.station[left.argmax()] + origin:g} m{of_section}. Something else is wrong: the datum "
            "(survey.nominal_height_m), heights of supports, stations, a mass, or survey.accuracy_mm. Look for it "
            "before any dropper is cut"
        )
    return lines


def _named(rows: list[dict[str, Any]], key: str) -> str:
    """Name droppers with millimetres, the first of a long list."""
    shown = [
        f"{'section {section} '.format(**r) if 'section' in r else ''}span {r['span']} dropper {r['dropper']} by "
        f"{r[key]:+.1f} mm"
        for r in rows[:SHOWN]
    ]
    more = len(rows) - SHOWN
    return ", ".join([*shown, *([f"and {more} more"] if more > 0 else [])]) or "none"


def _correction_list(
    folder: RunFolder, case: CaseSpec, job: CorrectJob, file: LineFile | None, summary: dict[str, Any]
) -> int:
    """Find the list, write and draw it."""
    shown = ProgressLine()
    try:
        found = find_corrections(case, job.limits, job.cluster, shown.write)
    except NoLineFiguresError as error:
        shown.end()
        folder.say(f"There is no correction list: {error}")
        return FAILED
    finally:
        shown.end()
    summary["corrections"] = correction_summary(found)
    write_corrections(folder.path / "corrections.csv", found, _origin(file))
    for chart in correction_charts(found) if found.wrong else ():
        write_bytes_atomic(folder.path / "figures" / f"{chart.name}.png", figure_png(charts_figure([chart])))
    if file is not None and found.count is not None:
        line = corrected(found.case.catenary, found.order[: found.count or 0])
        defects = line.section.defects if line.section else ()
        left = f"{len(wrong_lengths(line))} wrong droppers of {case.catenary.name} are left."
        write_with_defects(folder.path / "corrected.yaml", file, defects, "corrected", left)
    for text in _words(found, summary["corrections"]):
        folder.say(text)
    return FAILED if found.count is None else 0


def _words(found: Corrections, content: dict[str, Any]) -> list[str]:
    """Say the list, what was run, and what it is known by."""
    held = ", ".join(f"{name} {limit:.2f}" for name, limit in content["limits"].items() if limit is not None)
    runs = "; ".join(
        f"{r['cut_again']}: {r['sigma_N']:.2f} N, worst span {r['worst_span']} {r['worst_span_sigma_N']:.2f} N, uplift "
        f"{r['uplift_mm']:.1f} mm"
        for r in content["runs"]
    )
    lines = [f"lines that were run, by the number of droppers cut again: {runs}", f"limits: {held}"]
    if not found.wrong:
        met = "meets its limits as it is" if found.count == 0 else "misses its limits"
        lines.append(f"the line {met}; it has no defect of kind length or loose, so that no dropper can be cut again")
    elif found.count is None:
        lines.append(
            f"no list was found that meets the limits: all {len(found.wrong)} droppers cut again miss them; in this "
            "order, by the figures added up, no shorter list comes closer than those that were run, and lists of other "
            "droppers were not tried"
        )
    elif not found.count:
        lines.append("the line meets its limits as it is: no dropper need be cut again")
    else:
        less = f"with the first {found.count - 1} of them alone" if found.count > 1 else "as the line is"
        lines.append(
            f"cut again {found.count} of {len(found.wrong)} wrong droppers: {_named(content['droppers'], 'recut_mm')}; "
            f"{less} the limits are missed"
        )
    if found.unknown:
        lines.append(f"{len(found.unknown)} droppers come last, for their single effects have no figures")
    return [*lines, f"the list took {found.wall_time_s:.0f} s"]
