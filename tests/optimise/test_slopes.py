"""Exact derivatives of an evaluation, in one case and over scenarios, against differences of evaluations."""

from dataclasses import replace

import numpy as np
import pytest

from catenary.library.lines import load_line
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import job_input
from dynamics.steady_state import by_operator
from optimise.design.neighbours import neighbours_of
from optimise.design.space import DesignSpace
from optimise.evaluation.constraints import CONSTRAINTS, SCENARIO_SIGMA, Reference
from optimise.evaluation.evaluate import evaluate
from optimise.evaluation.figures import UPLIFT
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.outcome import OBJECTIVE, Outcome
from optimise.evaluation.scenarios import scenario_set
from optimise.spec.campaign import LimitsSpec
from optimise.spec.design import DesignSpec
from optimise.spec.scenarios import ScenariosSpec

WINDOW = {"method": "march", "spans_behind": 8, "spans_ahead": 9, "tolerance": 1e-6, "max_spans": 300}
# slower than its waves, pressed lightly: no dropper slackens, and nothing has a kink
CASE = job_input(
    CaseSpec, "bruni_2015", "bruni_2015", {"speed_kmh": 200.0, "mean_force_N": 60.0, "dt": 2e-3, "periodic": WINDOW}
)
SPACE = DesignSpace(CASE.catenary, DesignSpec(kind="both"))
VALUES = tuple(float(0.1 * v.high) for v in SPACE.variables)


def outcome_at(setting, values, **asked):
    return evaluate(Job(1, SPACE.spec_of(values), **asked), setting)


def differences(setting, variable, share=5e-3):
    """Central differences of objective and violations by one variable, per range."""
    found = []
    for step in (share, -share):
        values = np.array(VALUES)
        values[variable] += step * SPACE.ranges[variable]
        outcome = outcome_at(setting, tuple(values))
        found.append(np.array([outcome.sigma_N, *(outcome.constraints[name] for name in CONSTRAINTS)]))
    return (found[0] - found[1]) / (2.0 * share)


def compared(setting, variables):
    nominal = evaluate(Job(0, CASE.catenary), setting)
    assert not nominal.slopes, "nobody asked for them"
    # beyond its limit, where the derivatives of the uplift count
    setting = replace(setting, reference=Reference(nominal.sigma_N, 0.6 * nominal.statistics[UPLIFT]))
    outcome = outcome_at(setting, VALUES, neighbours=neighbours_of(SPACE, VALUES))
    slopes = np.array([outcome.slopes[name] for name in (OBJECTIVE, *CONSTRAINTS)])
    assert slopes.shape == (4, len(VALUES))
    sigma = np.abs(slopes[0]).max()
    for k in variables:
        wanted = differences(setting, k)
        assert slopes[0, k] == pytest.approx(wanted[0], abs=0.03 * sigma)
        assert slopes[1, k] == pytest.approx(wanted[1], rel=0.08), "the highest moment lies between two steps"
        assert slopes[2:, k] == pytest.approx(wanted[2:], rel=0.03, abs=0.03)
    return outcome


def test_an_evaluation_brings_the_derivatives_of_objective_and_limits():
    outcome = compared(Setting(CASE), (0, 2, 7))
    assert Outcome.from_dict(outcome.to_dict()).slopes == outcome.slopes, "they are on record"


@pytest.mark.parametrize("combine", ["mean", "worst", "mean_plus_std"])
def test_scenarios_combine_their_derivatives_as_they_combine_sigma(combine):
    spec = ScenariosSpec.model_validate({"speeds_kmh": [190.0, 210.0], "combine": combine})
    scenarios = scenario_set(spec, ("sigma",), CASE)
    compared(Setting(CASE, scenarios=scenarios), (2,))


def test_the_worst_scenario_has_the_derivatives_of_its_own_sigma():
    spec = ScenariosSpec.model_validate({"speeds_kmh": [190.0, 210.0]})
    limits = LimitsSpec(scenario_change_percent=0.0)
    setting = Setting(CASE, limits, scenarios=scenario_set(spec, ("sigma",), CASE))
    nominal = evaluate(Job(0, CASE.catenary), setting)
    setting = replace(
        setting, reference=Reference(nominal.sigma_N, nominal.statistics[UPLIFT], nominal.scenario_sigma_N)
    )
    slopes = outcome_at(setting, VALUES, neighbours=neighbours_of(SPACE, VALUES)).slopes[SCENARIO_SIGMA]
    steps = [np.array(VALUES), np.array(VALUES)]
    for values, step in zip(steps, (5e-3, -5e-3), strict=True):
        values[2] += step * SPACE.ranges[2]
    over, under = (outcome_at(setting, tuple(v)).constraints[SCENARIO_SIGMA] for v in steps)
    assert slopes[2] == pytest.approx((over - under) / 1e-2, abs=0.03 * np.abs(slopes).max())


def test_droppers_next_to_a_stitch_wire_have_the_derivatives_of_the_whole_computation():
    """In a long window: in a short one re330 leaves 7 % of the largest."""
    window = {**WINDOW, "spans_behind": 20, "spans_ahead": 26, "precision": "double"}
    changes = {"speed_kmh": 200.0, "mean_force_N": 60.0, "dt": 2e-3, "periodic": window}
    # so many elements in every bay: none comes near a length from which on it has one more
    line = load_line("re330").with_changes(mesh={"elements_per_bay": 5, "largest_element_length": 60.0})
    case = job_input(CaseSpec, line, "dsa380", changes)
    space, setting = DesignSpace(case.catenary, DesignSpec(kind="spacing")), Setting(case)
    values = tuple(v.nominal for v in space.variables)
    found = evaluate(Job(1, space.spec_of(values), neighbours=neighbours_of(space, values)), setting).slopes[OBJECTIVE]
    ends = []
    for step in (1e-3, -1e-3):
        moved = (values[0] + step * space.ranges[0], *values[1:])
        ends.append(evaluate(Job(1, space.spec_of(moved)), setting).sigma_N)
    assert found[0] == pytest.approx((ends[0] - ends[1]) / 2e-3, abs=0.03 * np.abs(found).max())


def test_lines_with_errors_have_the_derivatives_of_lines_with_the_same_errors():
    spec = ScenariosSpec.model_validate({"speeds_kmh": [200.0], "errors": {"length_sd_mm": 3.0, "samples": 2}})
    compared(Setting(CASE, scenarios=scenario_set(spec, ("sigma",), CASE)), (2,))


def test_a_line_with_a_defect_has_the_derivatives_of_lines_with_the_same_defect():
    spec = ScenariosSpec.model_validate({"defects": {"spans": 2, "broken_dropper": [3], "weights": [1, 3]}})
    compared(Setting(CASE, scenarios=scenario_set(spec, ("sigma",), CASE)), (2,))


def test_a_case_without_exact_derivatives_has_figures_and_no_slopes():
    setting = Setting(CASE.with_changes(slack_damping="released"))
    outcome = outcome_at(setting, VALUES, neighbours=neighbours_of(SPACE, VALUES))
    assert outcome.sigma_N is not None and not outcome.slopes
    assert "slopes" not in replace(outcome).to_dict()


def test_worn_wires_have_derivatives():
    """Droppers stay as they are cut for the new wire: lengths that every variable moves."""
    spec = ScenariosSpec.model_validate({"wear": {"lost_mm": [1.5]}})
    compared(Setting(CASE, scenarios=scenario_set(spec, ("sigma",), CASE)), (2,))


@pytest.mark.parametrize("speeds", [(), (195.0, 200.0)], ids=["one case", "scenarios"])
def test_a_search_does_without_derivatives_where_the_operator_leaves_a_design_to_the_march(monkeypatch, speeds):
    short = CASE.periodic.model_copy(update={"method": "operator", "tolerance": 1e-2, "spans_behind": 4})
    case = CASE.model_copy(update={"periodic": short})
    spec = ScenariosSpec.model_validate({"speeds_kmh": speeds}) if speeds else None
    setting = Setting(case, scenarios=scenario_set(spec, ("sigma",), case) if spec else None)
    near = neighbours_of(SPACE, VALUES)

    def left_at(left):
        """What the operator has, or a reason at that speed."""
        solve = by_operator.solve_by_operator
        return lambda case, *rest: "left" if case.speed_kmh == left else solve(case, *rest)

    monkeypatch.setattr("dynamics.steady_state.periodic.solve_by_operator", left_at(200.0))
    searched = outcome_at(setting, VALUES, neighbours=near, marched_slopes=False)
    assert searched.sigma_N and not searched.slopes
    assert outcome_at(setting, VALUES, neighbours=near).slopes, "a polish asks for them"
    monkeypatch.setattr("dynamics.steady_state.periodic.solve_by_operator", left_at(None))
    assert outcome_at(setting, VALUES, neighbours=near, marched_slopes=False).slopes
