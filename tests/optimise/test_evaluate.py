"""One design to its numbers: objective, violations, the sampler's value, and what becomes of solvers that fail."""

import math
import pickle
import time
from dataclasses import asdict, dataclass
from types import SimpleNamespace

import cheap_evaluation
import numpy as np
import pytest

from dynamics.spec.status import Status
from optimise.evaluation.constraints import CONSTRAINTS, Reference, feasible, sampler_value, violations
from optimise.evaluation.evaluate import evaluate
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.outcome import Outcome, OutcomeStatus
from optimise.spec.campaign import LimitsSpec

LIMITS = LimitsSpec()
REFERENCE = Reference(sigma_N=40.0, uplift_mm=100.0)


@dataclass(frozen=True)
class Figures:
    contact_force_std_N: float = 36.0
    contact_loss_percent: float = 0.0
    max_uplift_at_supports_mm: float = 105.0


def solution(status=Status.OK, statistics: Figures | None = Figures(), forces=(30.0, 80.0), message=""):
    return SimpleNamespace(
        case=cheap_evaluation.case_of(),
        status=status,
        message=message,
        statistics=statistics,
        train_statistics=statistics,
        equilibrium=SimpleNamespace(dropper_force=np.array(forces)),
        applied_force_N=150.0,
        wall_time_s={"equilibrium": 0.01, "dynamics": 0.02},
    )


@pytest.fixture
def solved(monkeypatch, case):
    def run(found, reference=REFERENCE, limit=math.inf, limits=LIMITS):
        def solve(case, start):
            if isinstance(found, Exception):
                raise found
            return found

        monkeypatch.setattr("dynamics.solution.solve", solve)
        return evaluate(Job(7, case.catenary), Setting(case, limits, reference, None, limit))

    return run


def test_violations_are_zero_at_the_limits():
    at_limit = violations(asdict(Figures(max_uplift_at_supports_mm=110.0)), 10.0, LIMITS, REFERENCE)
    assert list(at_limit) == list(CONSTRAINTS)
    assert list(at_limit.values()) == pytest.approx([0.0, 0.0, 0.0], abs=1e-15)


@pytest.mark.parametrize(
    ("figures", "force", "name", "g"),
    [
        (Figures(max_uplift_at_supports_mm=165.0), 20.0, "g_uplift", 0.5),
        (Figures(), 4.0, "g_static_dropper_force", 0.6),
        (Figures(), -5.0, "g_static_dropper_force", 1.5),
        (Figures(contact_loss_percent=0.7), 20.0, "g_contact_loss", 0.7),
    ],
)
def test_each_broken_limit_shows_as_a_positive_violation(figures, force, name, g):
    found = violations(asdict(figures), force, LIMITS, REFERENCE)
    assert found[name] == pytest.approx(g)
    assert [k for k, v in found.items() if v > 0.0] == [name]
    assert not feasible(found)


def test_the_sampler_gets_sigma_when_feasible_and_more_than_the_nominal_line_when_not():
    assert sampler_value(35.0, {"a": -0.2, "b": 0.0}, 40.0) == 35.0
    assert sampler_value(35.0, {"a": -0.2, "b": 0.25, "c": 0.5}, 40.0) == pytest.approx(40.0 * 1.75)
    assert sampler_value(None, {"a": 1.5}, 40.0) == pytest.approx(100.0)


def test_a_feasible_design(solved):
    found = solved(solution())
    assert (found.status, found.sigma_N, found.sampler_value_N, found.feasible) == (
        OutcomeStatus.OK,
        36.0,
        36.0,
        True,
    )
    assert found.static_dropper_force_min_N == 30.0
    assert found.wall_time_s.keys() == {"equilibrium", "dynamics", "total"}


def test_an_infeasible_design_keeps_its_raw_numbers(solved):
    found = solved(solution(forces=(5.0, 80.0)))
    assert (found.status, found.sigma_N, found.feasible) == (OutcomeStatus.OK, 36.0, False)
    assert found.sampler_value_N == pytest.approx(60.0)


def test_the_nominal_line_is_its_own_reference(solved):
    found = solved(solution(), reference=None)
    assert found.constraints["g_uplift"] == pytest.approx(1.0 / 1.1 - 1.0)


def test_one_case_is_held_to_no_limit_on_scenarios(solved):
    found = solved(solution(), limits=LimitsSpec(scenario_change_percent=0.0))
    assert found.constraints.keys() == CONSTRAINTS.keys()


def test_a_design_slack_at_rest_is_infeasible_and_not_failed(solved):
    found = solved(solution(Status.STATIC_SLACK, None, forces=(-5.0, 80.0)))
    assert (found.status, found.sigma_N, found.feasible) == (OutcomeStatus.STATIC_SLACK, None, False)
    assert found.constraints == {"g_static_dropper_force": pytest.approx(1.5)}
    assert found.sampler_value_N == pytest.approx(100.0)


@pytest.mark.parametrize("status", [s for s in Status if s not in (Status.OK, Status.STATIC_SLACK)])
def test_what_no_solver_could_compute_has_failed_with_its_reason(solved, status):
    found = solved(solution(status, None))
    assert (found.status, found.message) == (OutcomeStatus.FAILED, status.value)
    assert found.sigma_N is None and found.sampler_value_N is None and not found.feasible


def test_an_error_is_a_failure_with_its_reason(solved):
    assert solved(ZeroDivisionError("no room")).message == "ZeroDivisionError: no room"


def test_a_number_that_is_not_finite_is_a_failure(solved):
    found = solved(solution(statistics=Figures(contact_force_std_N=math.nan)))
    assert found.status is OutcomeStatus.FAILED
    assert "contact_force_std_N" in found.message


def test_an_evaluation_over_its_time_limit_is_a_failure(monkeypatch, case):
    monkeypatch.setattr("dynamics.solution.solve", lambda case, start: time.sleep(0.02) or solution())
    found = evaluate(Job(7, case.catenary), Setting(case, LIMITS, REFERENCE, None, 0.01))
    assert found.status is OutcomeStatus.FAILED
    assert "at most 0.01 s" in found.message


def test_figures_of_a_long_march_count_and_say_what_they_are(solved):
    found = solved(solution(Status.NOT_PERIODIC, message="no state repeats from span to span"))
    assert (found.status, found.sigma_N) == (OutcomeStatus.OK, 36.0)
    assert found.message == "no state repeats from span to span"


def test_task_setting_and_function_travel_to_a_worker(case):
    task, setting = Job(7, case.catenary), Setting(case, LIMITS, REFERENCE)
    assert pickle.loads(pickle.dumps((evaluate, task, setting))) == (evaluate, task, setting)


def test_an_evaluation_survives_the_record(solved):
    found = solved(solution())
    assert Outcome.from_dict(found.to_dict()) == found
