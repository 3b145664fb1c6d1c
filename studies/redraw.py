"""Draw the HTML report and the figures of a run or campaign folder anew.

Nothing is computed: the page is made from the files that the run left.
"""

from __future__ import annotations

from pathlib import Path

from catenary.errors import InputError
from studies.compose import Composed, compose_job
from studies.spec import FolderJob

__all__ = ["JOB", "compose", "run"]

JOB = FolderJob


def compose(overrides: list[str]) -> Composed[FolderJob]:
    """Resolve and validate the input."""
    return compose_job("report", JOB, overrides)


def run(composed: Composed[FolderJob]) -> int:
    """Draw the report of a folder."""
    from studies.report import write_campaign_report, write_simulation_report

    folder = Path(composed.job.run_dir)
    if (folder / "campaign.yaml").is_file():
        write_campaign_report(folder)
    elif (folder / "summary.json").is_file():
        write_simulation_report(folder)
    else:
        raise InputError(
            [f"run_dir must be a run or campaign folder: {folder} has neither summary.json nor campaign.yaml"]
        )
    print(f"Written: {folder / 'report.html'}")
    return 0
