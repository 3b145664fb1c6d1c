"""Five speeds, at each the line with eight draws of errors: what a design costs, and a search for the optimum."""

import os
import statistics
import time

import numpy as np
import pytest
from best_known import known
from searches import BY_OPERATOR, FITTED, PERFECT, ROBUST

from catenary.form_finding.equilibrium import periodic_equilibrium
from dynamics.spec.case import case_of
from optimise.design.space import DesignSpace
from optimise.evaluation.evaluate import evaluate, prepare
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.robust import prepare_scenarios
from optimise.evaluation.scenarios import scenario_set
from optimise.search.campaign import run_campaign
from optimise.spec.campaign import LimitsSpec
from optimise.spec.jobs import campaign_of
from studies.commands.optimise import compose

DESIGNS, SEED, SHARE = 3, 3, 0.3
OF_PERFECT_LINE = 60  # designs on the line without errors
LEAST_FORCE_N = 40.0  # at rest, so that errors of 5 mm leave every dropper in tension


def random_designs(space):
    rng, found = np.random.default_rng(SEED), []
    while len(found) < DESIGNS:
        line = space.spec_of([rng.uniform(SHARE * v.low, SHARE * v.high) for v in space.variables])
        if periodic_equilibrium(line).dropper_force.min() > LEAST_FORCE_N:
            found.append(line)
    return found


def measured(task, setting):
    begin = time.process_time()
    found = evaluate(task, setting)
    assert found.sigma_N is not None, found.message
    return found, time.process_time() - begin


@pytest.mark.benchmark
@pytest.mark.parametrize("line", ["bruni_2015", "re330"])
def test_robust_design(figure, line):
    pantograph = {"bruni_2015": "bruni_2015", "re330": "dsa380"}[line]
    typed = [f"catenary={line}", f"pantograph={pantograph}", "scenarios=robust", "design=both"]
    job = compose(typed).job
    case, campaign = case_of(job), campaign_of(job)
    scenarios = scenario_set(campaign.scenarios, campaign.objectives, case)
    begin = time.process_time()
    start = prepare_scenarios(scenarios, prepare)
    figure(
        f"{line}: states of the nominal line, once a campaign", f"{time.process_time() - begin:.1f} s processor time"
    )
    robust = Setting(case, LimitsSpec(uplift_factor=5.0), start=start, scenarios=scenarios)
    plain = [
        Setting(condition.case.model_copy(update={"periodic": case.periodic}), robust.limits, start=own)
        for condition, own in zip(scenarios.conditions, start.conditions, strict=True)
    ]
    ratios, errors = [], []
    for number, design in enumerate(random_designs(DesignSpace(case.catenary, campaign.design))):
        task = Job(number, design)
        one = statistics.mean(min(measured(task, each)[1] for _ in range(2)) for each in plain)
        found, spent = min((measured(task, robust) for _ in range(2)), key=lambda each: each[1])
        ratios.append(spent / one)
        again = exact(task, robust)
        errors.append(100.0 * (np.array(found.scenarios["contact_force_std_N"]) / again - 1.0))
        figure(f"  design {number}: one condition; 40 scenarios", f"{one:.3f} s; {spent:.2f} s, {ratios[-1]:.1f} times")
    figure("  cost of 40 scenarios", f"median {statistics.median(ratios):.1f}, worst {max(ratios):.1f}", "<= 25 times")
    error = np.concatenate(errors)
    means = [each.mean() for each in errors]
    figure(
        "  sigma against the tolerance of a single condition, from rest",
        f"one scenario {error.mean():+.2f} +- {error.std():.2f} %, worst {np.abs(error).max():.2f} %; "
        f"mean over scenarios worst {np.abs(means).max():.2f} %",
    )


def exact(task, setting):
    """Sigma in every scenario at the tolerance of a campaign without scenarios, each from rest."""
    conditions = [w.case.model_copy(update={"periodic": setting.case.periodic}) for w in setting.scenarios.conditions]
    found, ideal = [], periodic_equilibrium(task.catenary)
    for case in conditions:
        for sample in range(setting.scenarios.samples):
            line = setting.scenarios.installed(ideal, sample).spec
            one = evaluate(Job(0, line), Setting(case, setting.limits))
            found.append(one.sigma_N)
    return np.array(found)


@pytest.mark.benchmark
@pytest.mark.parametrize("seed", os.environ.get("BENCH_SEEDS", "1,2,3").split(","))
def test_robust_optimum(figure, tmp_path, seed):
    """On two workers: all speeds on the line without errors, then a polish of the best designs with them."""
    ((name, case),) = ROBUST.items()
    own = [*case, *BY_OPERATOR, f"seed={seed}", "cluster=local", "cluster.workers=2"]
    before = [], [f"warm_start={tmp_path}/0"]
    spent, found = [], None
    for stage, more in enumerate(([PERFECT, f"trials={OF_PERFECT_LINE}"], list(FITTED))):
        job = compose([*own, *more, *before[stage]]).job
        begin = time.perf_counter()
        found = run_campaign(campaign_of(job), case_of(job), tmp_path / str(stage))
        spent.append(time.perf_counter() - begin)
    assert found is not None and found.best is not None and found.nominal.outcome is not None
    best, nominal = (record.outcome.sigma_N for record in (found.best, found.nominal))
    least = min(best, known()[name]["sigma_N"])
    above = f"{100.0 * (best / least - 1.0):.1f} % above the best known"
    figure(
        f"re330, robust optimum on two workers, seed {seed}: perfect line; with errors",
        f"{spent[0]:.0f}; {spent[1]:.0f} s, {nominal:.2f} to {best:.2f} N, {above}",
        "300 s in all; 3 %",
    )
