"""Points that cost next to nothing, in a module that worker processes can import; run, a driver of its own."""

import json
import math
import os
import signal
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import cheap_evaluation

from optimise.evaluation import evaluate as evaluating
from optimise.evaluation.job import Job
from optimise.evaluation.outcome import BatchOutcome, Outcome, OutcomeStatus
from optimise.parameter_study.sweep import run_sweep
from optimise.spec.sweep import SweepSpec

AXES = {"contact.stiffness": (50e3, 1e5, 2e5), "speed_kmh": (250.0, 300.0), "catenary.damping.alpha": (0.0, 0.1)}


def sweep_of(axes, **cluster):
    return SweepSpec.model_validate({"sweep": {"name": "test", "axes": axes}, "cluster": {"kind": "serial", **cluster}})


def height_of(values):
    stiffness, speed, alpha = values
    return stiffness / 1e4 + speed / 10.0 - 7.0 * alpha


def point(job, sigma):
    """A point with that standard deviation."""
    figures = {"contact_force_std_N": sigma, "max_uplift_at_supports_mm": 50.0}
    return Outcome(
        job.number, OutcomeStatus.OK, statistics=figures, static_dropper_force_min_N=20.0, applied_force_N=100.0
    )


def each(batch, outcome_of):
    """Outcome of every job of a batch."""
    return BatchOutcome(batch.number, tuple(map(outcome_of, batch.jobs)))


def plane(batch, setting):
    """A plane over the three inputs."""
    return each(batch, lambda job: point(job, height_of(job.values)))


def curve(batch, lift):
    """A tenth of the first input and a lift."""
    return each(batch, lambda job: point(job, 0.1 * job.values[0] + lift))


def plane_with_holes(batch, setting):
    def outcome_of(job):
        if job.values[:2] == (1e5, 300.0):
            return Outcome(job.number, OutcomeStatus.DIVERGED, "did not converge")
        return point(job, height_of(job.values))

    return each(batch, outcome_of)


def plane_that_breaks(batch, setting):
    if batch.jobs[0].values[1:] == (250.0, 0.1):
        raise RuntimeError("broken")
    return plane(batch, setting)


def plane_of_failures_alone(batch, setting):
    """The plane where `plane_that_breaks` broke; other batches break."""
    if batch.jobs[0].values[1:] != (250.0, 0.1):
        raise RuntimeError("nothing is wrong with this batch")
    return plane(batch, setting)


def plane_that_breaks_elsewhere(batch, setting):
    """One point of the batch that `plane_that_breaks` breaks gives no figures, by an error."""

    def outcome_of(job):
        if job.values == (1e5, 250.0, 0.1):
            return job.failed("RuntimeError: broken here")
        return point(job, height_of(job.values))

    return each(batch, outcome_of)


def plane_with_every_fault(batch, setting):
    """Four batches that raise, have no number, hang or kill their process."""
    if batch.number == 0:
        raise RuntimeError("broken on the worker")
    if batch.number == 1:
        return each(batch, lambda job: point(job, math.nan))
    if batch.number == 2:
        time.sleep(600.0)
    if batch.number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return plane(batch, setting)


def plane_of_valid_cases(batch, setting):
    """The workers' own function, whose solver is a plane."""
    found = SimpleNamespace(warm_start=None, near_start=None)
    with (
        patch("dynamics.solution.solve", lambda case, *_, **__: found),
        patch.object(evaluating, "outcome_of", lambda number, _: point(Job(number), 1.0)),
    ):
        return evaluating.evaluate_batch(batch, setting)


def slow_plane(batch, setting):
    time.sleep(0.2)
    return plane(batch, setting)


def never(batch, setting):
    raise AssertionError("nothing is left to evaluate")


if __name__ == "__main__":
    run_sweep(
        sweep_of(json.loads(sys.argv[2]) if len(sys.argv) > 2 else AXES), cheap_evaluation.case_of(), Path(sys.argv[1]),
        evaluate=slow_plane, progress=lambda p: print(p.done, flush=True),
    )  # fmt: skip
