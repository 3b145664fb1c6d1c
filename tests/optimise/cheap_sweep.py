"""Strands that cost next to nothing, in a module that worker processes can import; run, a driver of its own."""

import json
import math
import os
import signal
import sys
import time
from pathlib import Path

import cheap_evaluation

from optimise.evaluation import batch_points as strand_points
from optimise.evaluation.batch_points import PointResult, StrandResult
from optimise.parameter_study.sweep import run_sweep
from optimise.spec.sweep import SweepSpec

AXES = {"contact.stiffness": (50e3, 1e5, 2e5), "speed_kmh": (250.0, 300.0), "catenary.damping.alpha": (0.0, 0.1)}


def sweep_of(axes, **cluster):
    return SweepSpec.model_validate({"sweep": {"name": "test", "axes": axes}, "cluster": {"kind": "serial", **cluster}})


def height_of(values):
    stiffness, speed, alpha = values
    return stiffness / 1e4 + speed / 10.0 - 7.0 * alpha


def plane(task, setting):
    """A plane over the three inputs."""
    figures = [{"contact_force_std_N": height_of(v), "max_uplift_at_supports_mm": 50.0} for v in task.values]
    return StrandResult(task.number, tuple(PointResult("ok", "", f, 100.0, 20.0) for f in figures))


def curve(task, lift):
    """A tenth of the first input and a lift, one strand after another."""
    figures = [{"contact_force_std_N": 0.1 * v[0] + lift, "max_uplift_at_supports_mm": 50.0} for v in task.values]
    return StrandResult(task.number, tuple(PointResult("ok", "", f, 100.0, 20.0) for f in figures))


def plane_with_holes(task, setting):
    whole = plane(task, setting)
    hole = PointResult("diverged", "did not converge")
    points = zip(task.values, whole.points, strict=True)
    return StrandResult(task.number, tuple(hole if v[:2] == (1e5, 300.0) else p for v, p in points))


def plane_that_breaks(task, setting):
    if task.values[0][1:] == (250.0, 0.1):
        raise RuntimeError("broken")
    return plane(task, setting)


def plane_with_every_fault(task, setting):
    """Four strands that raise, have no number, hang or kill their process."""
    if task.number == 0:
        raise RuntimeError("broken on the worker")
    if task.number == 1:
        points = [PointResult("ok", "", {"contact_force_std_N": math.nan}) for _ in task.values]
        return StrandResult(task.number, tuple(points))
    if task.number == 2:
        time.sleep(600.0)
    if task.number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return plane(task, setting)


def plane_of_possible_cases(task, setting):
    """The workers' own function, whose solver is a plane."""
    kept, strand_points._evaluate = (
        strand_points._evaluate,
        lambda *_: PointResult("ok", "", {"contact_force_std_N": 1.0}),
    )
    try:
        return strand_points.evaluate_strand(task, setting)
    finally:
        strand_points._evaluate = kept


def slow_plane(task, setting):
    time.sleep(0.2)
    return plane(task, setting)


def never(task, setting):
    raise AssertionError("nothing is left to evaluate")


if __name__ == "__main__":
    run_sweep(
        sweep_of(json.loads(sys.argv[2]) if len(sys.argv) > 2 else AXES), cheap_evaluation.case_of(), Path(sys.argv[1]),
        evaluate=slow_plane, progress=lambda p: print(p.done, flush=True),
    )  # fmt: skip
