"""A driver of an off-design table in a process of its own: record, log of the runs that began, kind of workers."""

import os
import sys
import time
import warnings
from pathlib import Path

import cheap_evaluation

from optimise.afterwards import off_design
from optimise.afterwards.finished_runs import FinishedRuns
from optimise.evaluation.job import Job
from optimise.evaluation.outcome import Outcome, OutcomeStatus
from optimise.spec.campaign import ClusterSpec, OffDesignSpec

LOG = "RUNS_OF_THE_TABLE"
WANTED = OffDesignSpec(speeds=3, samples=2)


def variation(job, setting):
    """An outcome with odd last digits that follows from the condition; its beginning goes into the log."""
    with open(os.environ[LOG], "a", encoding="utf-8") as log:
        log.write(f"{job.number}\n")
    time.sleep(0.05)
    condition = job.condition
    sigma = 30.0 + (condition.value + sum(condition.heights) + sum(condition.lengths)) / 7.0 + (job.number % 2) / 3.0
    share = None if condition.installed else sigma / 1e4
    shown = {"share": 0.0 if job.short_window_share is None else job.short_window_share}
    return Outcome(
        job.number,
        OutcomeStatus.OK,
        sigma_N=sigma,
        sigma_error_N=0.1 * sigma,
        statistics=shown,
        short_window_share=share,
    )


def table(record, cluster):
    """Rows of the table, the runs on record taken from there."""
    case = cheap_evaluation.case_of()
    other = case.catenary.model_copy(update={"name": "other"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        designs = Job(0, case.catenary), Job(1, other)
        return off_design.run_conditions(case, designs, WANTED, cluster, FinishedRuns(record))


if __name__ == "__main__":
    off_design.evaluate_variation = variation
    table(Path(sys.argv[1]), ClusterSpec.model_validate_json(sys.argv[2]))
