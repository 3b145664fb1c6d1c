"""The points of a sensitivity study, in the order in which each has a near one before it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynamics.spec.case import CaseSpec
from optimise.evaluation.case_inputs import value_at
from optimise.evaluation.job import Batch, Job
from optimise.spec.sensitivity import SensitivityInputsSpec

__all__ = ["SamplePlan", "morris_problem", "sample_batches", "sample_plan"]

# points that a batch holds at most; a longer one starts its steady states from more that are known
POINTS_IN_BATCH, FEWEST_BATCHES = 600, 8
# exact derivatives are formed in these shares of the case's window and by these shares of its step, then in all of it
SHORTER = ((1.0 / 2.0, 1.0 / 2.0), (2.0 / 3.0, 1.0))
# step towards which an exact derivative is formed, share of an input's range: small enough for first order
SMALL_STEP = 1.0e-4


@dataclass(frozen=True)
class SamplePlan:
    """Every point of a study.

    Attributes
    ----------
    names : tuple of str
        Dotted paths of the inputs.
    shares : float array (point, input)
        Place of every point in the ranges of its inputs [-].
    values : float array (point, input)
        Values, in the units of the inputs.
    blocks : dict
        First and last but one point of each method, by its name.
    groups : dict
        Points that belong together, by method: a base sample, a trajectory, an input's differences.
    """

    names: tuple[str, ...]
    shares: NDArray[np.float64]
    values: NDArray[np.float64]
    blocks: dict[str, tuple[int, int]]
    groups: dict[str, int]

    def of(self, method: str) -> slice:
        """Points of a method."""
        return slice(*self.blocks[method])


def sample_plan(spec: SensitivityInputsSpec, case: CaseSpec) -> SamplePlan:
    """All points of a study; the same spec and case give the same points."""
    ranges, d = list(spec.inputs.values()), len(spec.inputs)
    parts: list[NDArray[np.float64]] = []
    blocks: dict[str, tuple[int, int]] = {}
    for method in spec.methods:
        if method == "sobol":
            part = _sobol(d, spec.sobol.samples, spec.seed)
        elif method == "morris":
            part = _morris(spec)
        elif method == "gradient":
            part = np.repeat([[r.share(value_at(case, n)) for n, r in spec.inputs.items()]], len(SHORTER) + 1, axis=0)
        else:
            part = _local([r.share(value_at(case, n)) for n, r in spec.inputs.items()], spec.local.step)
        begin = sum(map(len, parts))
        blocks[method] = (begin, begin + len(part))
        parts.append(part)
    shares = np.vstack(parts)
    values = np.array([[r.value(s) for r, s in zip(ranges, row, strict=True)] for row in shares])
    groups = {"sobol": d + 2, "morris": d + 1, "local": 4 * d + 1, "gradient": 1}
    return SamplePlan(tuple(spec.inputs), shares, values, blocks, groups)


def sample_batches(plan: SamplePlan, spec: SensitivityInputsSpec) -> list[Batch]:
    """Points in batches of whole groups, the division depending on the plan alone."""
    batches: list[Batch] = []
    for method, (begin, end) in plan.blocks.items():
        size = plan.groups[method]
        length = size * max(1, min(POINTS_IN_BATCH // size, (end - begin) // size // FEWEST_BATCHES))
        for first in range(begin, end, length):
            jobs = tuple(
                replace(job, values=_row(plan.values, job.number), place=_row(plan.shares, job.number))
                for job in (_job(n, n - begin, method, spec) for n in range(first, min(first + length, end)))
            )
            batches.append(Batch(len(batches), jobs))
    return batches


def _job(number: int, place: int, method: str, spec: SensitivityInputsSpec) -> Job:
    """What is asked for at one of a method's points."""
    if method == "gradient":
        steps = tuple(SMALL_STEP * (r.high - r.low) for r in spec.inputs.values())
        window, step_share = (*SHORTER, (None, 1.0))[place]
        return Job(number, tolerance=spec.local.tolerance, steps=steps, window=window, step_share=step_share)
    return Job(number, tolerance=spec.local.tolerance if method == "local" else None)


def _row(table: NDArray[np.float64], number: int) -> tuple[float, ...]:
    return tuple(map(float, table[number]))


def _sobol(d: int, samples: int, seed: int) -> NDArray[np.float64]:
    """Rows A_j, AB_1j to AB_dj and B_j for every base sample j; all but the last differ from A_j in one input."""
    from scipy.stats import qmc  # slow to load, and not needed to read a record

    both = qmc.Sobol(2 * d, scramble=True, seed=seed, bits=64).random(samples)
    A, B = both[:, :d], both[:, d:]
    rows = np.repeat(A[:, None, :], d + 2, axis=1)
    for i in range(d):
        rows[:, 1 + i, i] = B[:, i]
    rows[:, d + 1] = B
    return rows.reshape(-1, d)


def _morris(spec: SensitivityInputsSpec) -> NDArray[np.float64]:
    """Trajectories of Morris, from one point of which to the next one input changes."""
    from SALib.sample import morris

    settings = spec.morris
    problem = morris_problem(len(spec.inputs))
    return np.asarray(morris.sample(problem, settings.trajectories, num_levels=settings.levels, seed=spec.seed))


def morris_problem(d: int) -> dict[str, object]:
    """Problem of d inputs for SALib: shares of their ranges."""
    return {"num_vars": d, "names": [f"x{k}" for k in range(d)], "bounds": [[0.0, 1.0]] * d}


def _local(nominal: list[float], step: float) -> NDArray[np.float64]:
    """The case's own values, then each input moved up and down by the step and by half of it."""
    base = np.array(nominal)
    rows = [base]
    for i in range(base.size):
        for move in (step, 0.5 * step, -0.5 * step, -step):
            row = base.copy()
            row[i] += move
            rows.append(row)
    return np.array(rows)
