"""Processor time of a point of a Sobol study of twelve inputs, and what a whole study would take."""

import time

import numpy as np
import pytest

from dynamics.spec.case import case_of
from dynamics.steady_state.nearest_start import NearestStart
from optimise.evaluation.evaluate import evaluate_batch
from optimise.evaluation.job import Setting
from optimise.parameter_study.sensitivity_points import sample_batches, sample_plan
from studies.commands.sensitivity import compose

BASE_SAMPLES = 16


@pytest.mark.benchmark
@pytest.mark.parametrize("inputs", ["twelve_bruni", "twelve_re330"])
def test_processor_time_of_a_point(figure, inputs):
    # one whole batch, as a worker evaluates it: what it learns pays over a few hundred points
    settings = ["sensitivity.methods=[sobol]", f"sensitivity.sobol.samples={8 * BASE_SAMPLES}"]
    job = compose([f"inputs={inputs}", *settings]).job
    case, study = case_of(job), job.sensitivity
    batch = sample_batches(sample_plan(study, case), study)[0]
    assert batch.size == BASE_SAMPLES * 14
    from dataclasses import replace

    setting = Setting(case, names=tuple(study.inputs), policy=NearestStart)
    evaluate_batch(replace(batch, jobs=batch.jobs[:1]), setting)  # compiles
    begin = time.process_time()
    result = evaluate_batch(batch, setting)
    each = (time.process_time() - begin) / len(result.outcomes)
    failed = sum(not p.statistics for p in result.outcomes)
    sigma = [p.statistics["contact_force_std_N"] for p in result.outcomes if p.statistics]
    minutes = 1024 * 14 * each / 2 / 60
    figure(
        f"{inputs}: processor time a point ({len(result.outcomes)} points of a Sobol study)",
        f"{1e3 * each:.0f} ms; 2^10 base samples on two cores would take {minutes:.0f} minutes",
        "84 ms, 10 minutes",
    )
    figure(
        "  points without figures; sigma", f"{failed}; {np.mean(sigma):.1f} N, standard deviation {np.std(sigma):.2f} N"
    )
