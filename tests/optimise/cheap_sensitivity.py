"""Evaluations of closed forms in place of the solver, in a module that worker processes can import."""

import math
from dataclasses import replace

from optimise.evaluation.outcome import BatchOutcome, Outcome, OutcomeStatus
from optimise.parameter_study.sensitivity_indices import OUTPUTS
from optimise.spec.sensitivity import SensitivitySpec

THREE = ("contact.stiffness", "catenary.damping.alpha", "speed_kmh")
RANGES = {
    "contact.stiffness": {"low": 50e3, "high": 150e3},
    "catenary.damping.alpha": {"low": 0.0, "high": 0.2},
    "speed_kmh": {"low": 200.0, "high": 300.0},
}


def study_of(inputs=None, cluster=None, **settings):
    content = {"name": "test", "inputs": RANGES if inputs is None else inputs, **settings}
    return SensitivitySpec.model_validate({"sensitivity": content, "cluster": {"kind": "serial", **(cluster or {})}})


def angles(values):
    """Three inputs as angles, -pi to pi over their ranges."""
    shares = [(v - r["low"]) / (r["high"] - r["low"]) for v, r in zip(values, RANGES.values(), strict=True)]
    return [math.pi * (2.0 * s - 1.0) for s in shares]


def ishigami_of(values, a=7.0, b=0.1):
    x, y, z = angles(values)
    return math.sin(x) + a * math.sin(y) ** 2 + b * z**4 * math.sin(x)


def result_of(batch, function):
    """Every output is a multiple of the function but the loss, which never varies."""
    points = []
    for job in batch.jobs:
        figures = {o.key: (k + 1.0) * function(job.values) for k, o in enumerate(OUTPUTS)}
        figures["contact_loss_percent"] = 0.0
        points.append(
            Outcome(
                job.number, OutcomeStatus.OK, statistics=figures, static_dropper_force_min_N=20.0, applied_force_N=100.0
            )
        )
    return BatchOutcome(batch.number, tuple(points))


def ishigami(batch, setting):
    return result_of(batch, ishigami_of)


def ishigami_with_holes(batch, setting):
    """No figures at two points of the plan, of two base samples."""
    whole = ishigami(batch, setting)

    def hole(number):
        return Outcome(number, OutcomeStatus.DIVERGED, "ran away")

    return BatchOutcome(batch.number, tuple(hole(p.number) if p.number in (7, 23) else p for p in whole.outcomes))


def plane_of(values):
    x, y, z = angles(values)
    return 3.0 * x - 2.0 * y + 0.5 * z


def plane(batch, setting):
    return result_of(batch, plane_of)


def product(batch, setting):
    """Two inputs that act together only, and a third that does nothing."""
    return result_of(batch, lambda values: angles(values)[0] * angles(values)[1])


def cubic(batch, setting):
    """A cubic in the first input alone, in its own unit, about 100 kN/m."""
    return result_of(batch, lambda values: 40.0 + (values[0] - 1e5) / 1e4 + ((values[0] - 1e5) / 1e4) ** 3)


def quintic(batch, setting):
    return result_of(batch, lambda values: 40.0 + ((values[0] - 1e5) / 1e4) ** 5 + (values[0] - 1e5) / 1e4)


def sloped(batch, setting):
    """Derivatives that the length of the window moves: little by the first input, by more than all by the second."""
    found = plane(batch, setting)

    def with_slopes(job, point):
        cut = 1.0 - (job.window or 1.0)
        slopes = {"contact_force_std_N": (2.0 + 0.1 * cut, 1.0 - 3.0 * cut, -4.0)}
        return replace(point, slopes=slopes if job.window else {**slopes, "check": (-0.5, -0.4)})

    return replace(found, outcomes=tuple(map(with_slopes, batch.jobs, found.outcomes)))


def nothing(batch, setting):
    return batch.failed("broken")


def never(batch, setting):
    raise AssertionError("nothing is left to evaluate")
