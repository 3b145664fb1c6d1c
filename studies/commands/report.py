"""Redraw the HTML report of a run or campaign folder, or compare several contact forces.

catenary report FOLDER                     redraw the report of one folder (also run_dir=FOLDER)
catenary report A B output=cmp.html        runs side by side; a campaign stands for its nominal and its best design
catenary report A measured.csv record.speed_kmh=275 record.align=true output=cmp.html
catenary report SWEEP SWEEP output=cmp.html   sweeps over one input in one picture, as of two lines

Nothing is computed again: pages are made from the files that runs left. A force record from elsewhere is a CSV file
whose first line names columns and units (time_s or position_m, and force_N), or a netCDF file whose variables have
them. It may be sampled unevenly; it is brought to even steps, filtered like the forces of the first run, and its
whole spans are laid over one another.
"""

from __future__ import annotations

import os
from pathlib import Path

from catenary.errors import InputError
from studies.ended import TRACEBACK
from studies.input.compose import Composed, compose_job
from studies.input.typed_text import quoted
from studies.jobs.report_head import ReportSpec
from studies.jobs.simulation import ReportJob

__all__ = ["JOB", "compose", "run"]

JOB = ReportJob
CONFIG = "report"
# what taking a record apart raises where it holds something else than what was written
NO_RECORD = (ValueError, KeyError, TypeError, AttributeError, IndexError, ArithmeticError, RecursionError)


def compose(overrides: list[str]) -> Composed[ReportJob]:
    """Resolve and validate the input; what is not key=value is a path."""
    paths = [text for text in overrides if "=" not in text]
    keyed = [text for text in overrides if "=" in text]
    if len(paths) == 1 and not any(text.startswith(("output=", "record.")) for text in keyed):
        keyed.append(f"run_dir={paths[0]}")
    elif paths:
        keyed.append("runs=[" + ",".join(map(quoted, paths)) + "]")
    composed = compose_job("report", JOB, keyed)
    return Composed(composed.job, tuple(overrides), composed.notes)


def run(composed: Composed[ReportJob]) -> int:
    """Draw the report of a folder, or a comparison; records that are not what was written are refused."""
    job = composed.job
    try:
        return _compare(job) if job.runs else _draw(Path(str(job.run_dir)), job.report)
    except InputError:
        raise
    except NO_RECORD as error:  # a name that is missing, a text for a number
        if os.environ.get(TRACEBACK):
            raise
        where = ", ".join(job.runs) if job.runs else job.run_dir
        said = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise InputError(
            [
                f"the records in {where} must be those that this version writes: {said}; restore them, or give the "
                "command again that made them"
            ]
        ) from error


def _draw(folder: Path, head: ReportSpec) -> int:
    from studies.report import write_report
    from studies.report.readers.stored import read_json

    _keep_head(folder, head)
    if (folder / "campaign.yaml").is_file():
        write_report("campaign", folder)
    elif (folder / "sweep.yaml").is_file():
        write_report("sweep", folder)
    elif (folder / "sensitivity.yaml").is_file():
        write_report("sensitivity", folder)
    elif (folder / "summary.json").is_file():
        study = read_json(folder / "summary.json").get("study")
        if study == "rig_emulate":
            from studies.rig.emulation.folder import write_emulated_report

            write_emulated_report(folder)
        else:
            write_report("convergence" if study == "convergence" else "simulation", folder)
    elif folder.is_file():
        raise InputError([f"{folder} is a file: give a run folder too, to compare it with"])
    else:
        raise InputError(
            [f"run_dir must be a run or campaign folder: {folder} has neither summary.json nor campaign.yaml"]
        )
    print(f"Wrote {folder / 'report.html'}")
    return 0


def _keep_head(folder: Path, head: ReportSpec) -> None:
    """Put what was typed of the page's head on record, for the best design as it is now."""
    if head == ReportSpec():
        return
    from optimise.search.result import load_result
    from studies.writing.report_head import keep_head

    design = None
    if (folder / "campaign.yaml").is_file():
        best = load_result(folder).best
        design = None if best is None else best.number
    elif not (folder / "result.nc").is_file() or (folder / "sweep.yaml").is_file():
        raise InputError([f"report must be left out for {folder}: the pages of runs and campaigns alone have a head"])
    keep_head(folder, head, design)


def _compare(job: ReportJob) -> int:
    from studies.report import write_comparison

    page = Path(job.output or "comparison.html")
    picture = write_comparison(job.runs, job.record, page)
    print(f"Wrote {page}, {picture}")
    return 0
