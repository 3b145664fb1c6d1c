"""Numerical errors of objectives: how much a number over scenarios can move, and which designs stand apart."""

from dataclasses import replace

import numpy as np
import pytest
from cheap_evaluation import case_of

from dynamics.accuracy.numerical_error import estimate_error
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from optimise.afterwards.objective_errors import ConditionJob, DesignErrors, error_over_scenarios, evaluate_errors
from optimise.evaluation.job import Setting
from optimise.evaluation.objectives import over_scenarios
from optimise.evaluation.outcome import OutcomeStatus
from optimise.evaluation.scenarios import scenario_set
from optimise.search.front import no_better
from optimise.spec.scenarios import ScenariosSpec


@pytest.fixture(scope="module")
def case():
    """A case for the operator, which takes it and its companion a second."""
    found = case_of()
    return found.model_copy(update={"periodic": found.periodic.model_copy(update={"method": "operator"})})


@pytest.mark.parametrize("how", ["mean", "worst", "mean_plus_std"])
@pytest.mark.parametrize("factor", [3.0, -3.0])
def test_a_number_over_scenarios_moves_by_its_error_at_most_and_by_nearly_as_much_somewhere(how, factor):
    rng = np.random.default_rng(5)
    values, errors, weights = rng.uniform(20.0, 22.0, 4), rng.uniform(0.1, 0.4, 4), np.array([1.0, 2.0, 0.5, 1.0])
    at = over_scenarios(values, weights, how, factor)
    bound = error_over_scenarios(errors, weights, how, abs(factor))
    corners = np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 4), axis=-1).reshape(-1, 4)
    moves = [abs(over_scenarios(values + signs * errors, weights, how, factor) - at) for signs in corners]
    assert max(moves) <= bound + 1e-12
    assert max(moves) > (0.5 if how == "mean_plus_std" else 0.4 if how == "worst" else 0.999) * bound


def test_a_number_over_scenarios_has_no_error_where_one_scenario_has_none():
    unknown = np.array([0.1, np.nan])
    assert all(np.isnan(error_over_scenarios(unknown, np.ones(2), how, 1.0)) for how in ("mean", "worst"))


def test_designs_of_a_front_that_their_errors_do_not_part_are_named():
    costs = np.array([[10.0, 5.0], [10.05, 4.0], [12.0, 3.99], [20.0, 1.0]])
    errors = np.full(costs.shape, 0.1)
    assert no_better(costs, errors) == [(1,), (), (1,), ()]
    assert no_better(costs, np.zeros(costs.shape)) == [(), (), (), ()]
    unknown = np.where(costs == 3.99, np.nan, errors)
    assert no_better(costs, unknown)[2] == (0, 1), "what has no error decides nothing"


def test_the_errors_of_a_design_are_those_of_its_own_run(case):
    own = estimate_error(case, solve(case))
    found = evaluate_errors(ConditionJob(7), Setting(case))
    assert found.number == 7 and found.sigma_N == (pytest.approx(own.total, rel=1e-9),)
    assert found.of("sigma", None) == pytest.approx(own.total, rel=1e-9)
    extremes = [own.others[f"contact_force_{which}_N"] for which in ("max", "min")]
    assert found.of("force_range", None) == pytest.approx(sum(extremes), rel=1e-9)
    assert found.of("statistical_minimum", None) == pytest.approx(3.0 * own.total, rel=1e-9)
    assert found.of("worst_span:force_range", None) == found.of("force_range", None), "one span is all"


def test_over_scenarios_each_error_is_that_of_its_condition(case):
    names = ("sigma@290", "sigma")
    scenarios = scenario_set(ScenariosSpec(speeds_kmh=(290.0, 310.0), speed_weights=(1.0, 3.0)), names, case)
    setting, each, parts = Setting(case, scenarios=scenarios), [], []
    for number, condition in enumerate(scenarios.conditions):
        parts += evaluate_errors(ConditionJob(number, condition=number), setting).figures
        settings = condition.case.periodic.model_copy(update={"method": "operator"})
        own = condition.case.model_copy(update={"periodic": settings})
        each.append(estimate_error(own, solve(own)).total)
    found = DesignErrors(0, tuple(parts))
    assert found.sigma_N == pytest.approx(each, rel=1e-6)
    assert found.of("sigma@290", scenarios) == pytest.approx(each[0], rel=1e-6)
    assert found.of("sigma", scenarios) == pytest.approx(0.25 * each[0] + 0.75 * each[1], rel=1e-6)


def test_a_mean_that_follows_from_an_applied_force_has_no_error_and_so_no_statistical_minimum_has(case):
    pressed = CaseSpec.model_validate({**case.model_dump(), "mean_force_N": None, "applied_force_N": 150.0})
    found = evaluate_errors(ConditionJob(0), Setting(pressed))
    assert np.isfinite(found.of("sigma", None)) and np.isnan(found.of("statistical_minimum", None))


def test_a_design_that_cannot_be_run_has_its_reason(case):
    broken = replace(ConditionJob(3), values=(1.0, 2.0))  # values without names
    found = evaluate_errors(broken, Setting(case))
    assert (found.number, found.status) == (3, OutcomeStatus.FAILED) and "Error" in found.message
    assert np.isnan(DesignErrors(3, (), found.message).of("sigma", None))
