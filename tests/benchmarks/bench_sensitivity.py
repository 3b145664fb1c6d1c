"""Processor time of a point of a Sobol study of twelve inputs, and what a whole study would take."""

import time

import numpy as np
import pytest

from optimise.evaluation.batch_points import evaluate_samples
from optimise.parameter_study.sensitivity_points import sample_plan, sample_strands
from studies.commands.sensitivity import compose
from studies.jobs.simulation import case_of

BASE_SAMPLES = 16


@pytest.mark.benchmark
@pytest.mark.parametrize("inputs", ["twelve_bruni", "twelve_re330"])
def test_processor_time_of_a_point(figure, inputs):
    # one whole strand, as a worker evaluates it: what it learns pays over a few hundred points
    settings = ["sensitivity.methods=[sobol]", f"sensitivity.sobol.samples={8 * BASE_SAMPLES}"]
    job = compose([f"inputs={inputs}", *settings]).job
    case, study = case_of(job), job.sensitivity
    task = sample_strands(sample_plan(study, case), study)[0]
    assert len(task.indices) == BASE_SAMPLES * 14
    from dataclasses import replace

    first = replace(task, indices=task.indices[:1], values=task.values[:1], places=task.places[:1])
    evaluate_samples(first, (case, tuple(study.inputs)))  # compiles
    begin = time.process_time()
    result = evaluate_samples(task, (case, tuple(study.inputs)))
    each = (time.process_time() - begin) / len(result.points)
    failed = sum(not p.statistics for p in result.points)
    sigma = [p.statistics["contact_force_std_N"] for p in result.points if p.statistics]
    minutes = 1024 * 14 * each / 2 / 60
    figure(
        f"{inputs}: processor time a point ({len(result.points)} points of a Sobol study)",
        f"{1e3 * each:.0f} ms; 2^10 base samples on two cores would take {minutes:.0f} minutes",
        "84 ms, 10 minutes",
    )
    figure(
        "  points without figures; sigma", f"{failed}; {np.mean(sigma):.1f} N, standard deviation {np.std(sigma):.2f} N"
    )
