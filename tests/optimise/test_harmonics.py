"""Harmonics of the contact force on record are those of the run, and say what sigma is."""

from dataclasses import replace

import numpy as np
import pytest

from catenary.spec.line import CatenarySpec
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import job_input
from optimise.evaluation.evaluate import evaluate
from optimise.evaluation.figures import harmonics_of
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.outcome import Outcome
from optimise.evaluation.scenarios import scenario_set
from optimise.spec.scenarios import ScenariosSpec

WINDOW = {"method": "march", "spans_behind": 6, "spans_ahead": 8, "tolerance": 2e-3}


def case_by(method, **changes):
    content = {"speed_kmh": 300.0, "dt": 2e-3, "periodic": {**WINDOW, "method": method}, **changes}
    return job_input(CaseSpec, "re330", "dsa380", content)


def trace_of(harmonics, place, period):
    """Force less its mean at places (place,)."""
    a, b = np.split(harmonics, 2)
    phase = 2.0 * np.pi * np.outer(place, np.arange(1, len(a) + 1)) / period
    return np.sqrt(2.0) * (np.cos(phase) @ a - np.sin(phase) @ b)


KINKS = ({"station": 20.0, "height": 2e-3},)
SOLVED = {
    "operator": ("operator", {}),
    "march": ("march", {}),
    "two spans": ("march", {"repeat": {"spans": 2, "kinks": KINKS}}),
    "six spans": ("march", {"repeat": {"spans": 6, "defects": [{"span": 1, "dropper": 3, "kind": "broken"}]}}),
}


@pytest.mark.parametrize("name", SOLVED)
def test_they_give_the_trace_and_its_deviation(name):
    method, line = SOLVED[name]
    case = case_by(method)
    if line:
        changed = CatenarySpec.model_validate({**case.catenary.model_dump(), **line})
        case = case.model_copy(update={"catenary": changed})
    solution = solve(case)
    (harmonics,) = map(np.array, harmonics_of([solution]).values())
    one = solution.pantographs[0]
    force, place = one.contact_force_filtered[one.evaluated], one.position[one.evaluated]
    assert np.linalg.norm(harmonics) == pytest.approx(solution.statistics.contact_force_std_N, rel=1e-6)
    trace = trace_of(harmonics, place, case.line.period)
    # what is left out stands above 1.5 times the cut-off
    assert np.abs(trace - (force - force.mean())).max() < 0.015 * solution.statistics.contact_force_std_N


def test_both_methods_have_the_same():
    solutions = [solve(case_by(method, dt=1e-3)) for method in ("operator", "march")]
    found = [np.array(harmonics_of([solution])["0.0"]) for solution in solutions]
    assert np.linalg.norm(found[0] - found[1]) < 0.03 * np.linalg.norm(found[0])


def test_every_pantograph_of_every_scenario_has_its_own_on_record():
    case = case_by("operator", trailing={"distances_m": [200.0]})
    scenarios = scenario_set(ScenariosSpec(speeds_kmh=(250.0, 300.0)), ("sigma",), case)
    setting = Setting(case, scenarios=scenarios)
    found = evaluate(Job(0, case.catenary, harmonics=True), setting)
    assert list(found.harmonics) == ["0.0", "0.1", "1.0", "1.1"]
    sigma = {name: np.linalg.norm(values) for name, values in found.harmonics.items()}
    worst = [max(sigma[f"{k}.0"], sigma[f"{k}.1"]) for k in range(2)]
    assert worst == pytest.approx(found.scenario_sigma_N, rel=1e-6)
    # the faster run has as many up to the same frequency in fewer orders
    assert len(found.harmonics["0.0"]) > len(found.harmonics["1.0"])
    assert Outcome.from_dict(found.to_dict()) == replace(found, short_window_share=None)
    assert not evaluate(Job(0, case.catenary), setting).harmonics, "nobody asked for them"


def test_a_run_without_a_state_that_repeats_has_none():
    case = case_by("march", solver="transient", transient={"spans": 10, "spans_evaluated": 4})
    assert harmonics_of([solve(case)]) == {}
    assert not evaluate(Job(0, case.catenary, harmonics=True), Setting(case)).harmonics
