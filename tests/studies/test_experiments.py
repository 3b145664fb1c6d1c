"""Every ready sweep and set of inputs is a study that the solver can run: its corners, on a coarse mesh."""

import numpy as np
import pytest

from catenary.storage.configuration import group_options
from dynamics.spec.case import case_of
from dynamics.steady_state.nearest_start import NearestStart
from optimise.evaluation.evaluate import evaluate_batch
from optimise.evaluation.job import Batch, Job, Setting
from optimise.parameter_study.sensitivity_points import sample_plan
from optimise.spec.jobs import SensitivityJob, SweepJob
from studies.input.compose import compose_job

COARSE = [
    "catenary.mesh.elements_per_bay=2",
    "catenary.mesh.largest_element_length=60",
    "periodic.spans_behind=4",
    "periodic.spans_ahead=5",
    "periodic.tolerance=5e-3",
]


def corners(rows, places, case, names):
    """Figures of a few points, as workers evaluate them."""
    pairs = enumerate(zip(rows, places, strict=True))
    jobs = tuple(Job(n, values=tuple(row), place=tuple(place)) for n, (row, place) in pairs)
    points = evaluate_batch(Batch(0, jobs), Setting(case, names=tuple(names), policy=NearestStart)).outcomes
    assert [p.message for p in points if not p.statistics] == []
    return np.array([p.statistics["contact_force_std_N"] for p in points])


@pytest.mark.parametrize("array", group_options("array"))
def test_a_ready_sweep_runs_at_both_ends_of_its_axes(array):
    job = compose_job("sweep", SweepJob, [f"array={array}", *COARSE]).job
    values = job.sweep.values
    # what moves sigma up and what moves it down may cancel: the last axis once more by itself
    low, high = ([v[end] for v in values.values()] for end in (0, -1))
    sigma = corners([low, high, [*low[:-1], high[-1]]], [[0.0], [1.0], [0.5]], case_of(job), values)
    assert ((sigma > 2.0) & (sigma < 150.0)).all() and np.ptp(sigma) > 0.05 * sigma.min()


@pytest.mark.parametrize("inputs", group_options("inputs"))
def test_a_ready_set_of_inputs_runs_within_its_ranges(inputs):
    job = compose_job("sensitivity", SensitivityJob, [f"inputs={inputs}", *COARSE]).job
    study = job.sensitivity.model_copy(update={"methods": ("sobol",)})
    plan = sample_plan(study, case_of(job))
    first = np.r_[0, 1, 13]  # a base sample, one input of it changed, and all changed
    sigma = corners(plan.values[first].tolist(), plan.shares[first].tolist(), case_of(job), plan.names)
    assert ((sigma > 5.0) & (sigma < 120.0)).all() and np.ptp(sigma) > 0.1


def test_the_ready_studies_are_the_ones_asked_about():
    for line in ("bruni", "re330"):
        axes = compose_job("sweep", SweepJob, [f"array=damping_stiffness_{line}"]).job.sweep.values
        assert [len(v) for v in axes.values()] == [20, 20, 3] and axes["speed_kmh"] == (250.0, 300.0, 320.0)
        speeds = compose_job("sweep", SweepJob, [f"array=speed_{line}"]).job.sweep.values["speed_kmh"]
        assert (speeds[0], speeds[-1], len(speeds)) == (160.0, 360.0, 41)
