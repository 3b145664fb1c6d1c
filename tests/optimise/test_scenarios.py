"""Scenarios: which there are, how one number comes of many, installation errors, and a design in all of them."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from cheap_evaluation import campaign_of
from pydantic import ValidationError

from catenary.form_finding.equilibrium import periodic_equilibrium
from dynamics.spec.case import CaseSpec
from dynamics.spec.mean_force import reference_mean_force
from dynamics.steady_state.periodic import solve_periodic
from optimise.evaluation.constraints import Reference, force_of_share
from optimise.evaluation.evaluate import evaluate
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.objectives import raw_values, sampler_values
from optimise.evaluation.outcome import Outcome, OutcomeStatus
from optimise.evaluation.robust import prepare_scenarios
from optimise.evaluation.scenarios import own_condition, scenario_set
from optimise.spec.campaign import LimitsSpec
from optimise.spec.scenarios import InstallationSpec, ScenariosSpec

SMALL = {"spans_behind": 5, "spans_ahead": 6, "tolerance": 5.0e-4}
SPEEDS = {"speeds_kmh": [250.0, 275.0], "speed_weights": [1.0, 3.0]}


@pytest.fixture(scope="module")
def bruni(build_case):
    return build_case("bruni_2015", 275.0, mean_force_N=reference_mean_force(275.0), periodic=SMALL)


def around(case, objectives=("sigma",), **content):
    found = scenario_set(ScenariosSpec.model_validate(content), objectives, case)
    assert found is not None
    return found


def test_damping_of_components_is_scaled_as_that_of_the_line(bruni):
    """As the off-design table has it; a component without its own damping has that of the line."""
    own = {"alpha": 0.01, "beta": 1e-4, "contact_wire": {"alpha": 0.02, "beta": 2e-4}}
    case = bruni.model_dump()
    case["catenary"]["damping"] |= own
    case["periodic"]["method"] = "operator"
    found = around(CaseSpec.model_validate(case), **SPEEDS, damping_factors=[0.5, 1])
    half, whole = (w.case.catenary.damping for w in found.conditions[:2])
    assert (half.alpha, half.beta) == (0.005, 5e-5)
    assert (half.contact_wire.alpha, half.contact_wire.beta) == (0.01, 1e-4) and half.droppers is None
    assert whole == CaseSpec.model_validate(case).catenary.damping


def figures(sigma, lowest=50.0, uplift=60.0):
    return {
        "contact_force_std_N": sigma,
        "contact_force_max_N": 250.0,
        "contact_force_min_N": lowest,
        "contact_force_statistical_min_N": 150.0 - 3.0 * sigma,
        "max_uplift_at_supports_mm": uplift,
    }


def test_scenarios_are_described_in_words_and_in_the_names_of_objectives(bruni):
    found = around(bruni, **SPEEDS, damping_factors=[0.5, 1], errors={"length_sd_mm": 2.0, "samples": 3})
    assert found.in_words == (
        "12 scenarios: 250 and 275 km/h, each with its own mean force; damping x 0.5 and damping x 1; 3 lines with "
        "errors of installation (standard deviation 2 mm in dropper lengths)"
    )
    own = own_condition(found.spec, bruni)
    assert own == f"{bruni.speed_kmh:g} km/h, damping x 1, no errors of installation"
    assert found.speeds_in_words == "250 and 275 km/h"
    assert around(bruni, speeds_kmh=[200, 225, 250, 275]).speeds_in_words == "200 to 275 km/h"
    worst = around(bruni, **SPEEDS, combine="worst")
    # one scenario alone is not combined with anything
    assert [worst.spelled(n) for n in ("sigma", "sigma@275", "sigma:mean")] == [
        "sigma:worst",
        "sigma@275",
        "sigma:mean",
    ]
    held = around(bruni.model_copy(update={"mean_force_N": 150.0}), **SPEEDS)
    assert held.in_words == "2 scenarios: 250 and 275 km/h"
    assert own_condition(ScenariosSpec(), bruni) == ""


def test_every_combination_is_a_scenario_with_the_product_of_its_weights(bruni):
    found = around(
        bruni, **SPEEDS, contact_stiffness=[5e4, 2e5], damping_factors=[0.5], errors={"length_sd_mm": 2.0, "samples": 3}
    )
    assert len(found.labels) == len(found.weights) == 2 * 2 * 3 and len(set(found.labels)) == 12
    assert found.labels[5] == "250 km/h, contact 200 kN/m, damping x 0.5, errors 3"
    assert found.weights == pytest.approx(np.repeat([1.0, 3.0], 6) / 24.0)
    stiff = found.conditions[3].case
    assert (stiff.speed_kmh, stiff.contact.stiffness) == (275.0, 2e5)
    assert stiff.catenary.damping.alpha == pytest.approx(0.5 * bruni.catenary.damping.alpha)
    assert stiff.catenary.damping.beta == pytest.approx(0.5 * bruni.catenary.damping.beta)


def test_each_speed_holds_its_own_reference_force_and_a_force_of_your_own_is_held_at_all(bruni):
    found = around(bruni, **SPEEDS)
    assert [w.case.mean_force_N for w in found.conditions] == pytest.approx(
        [reference_mean_force(v) for v in (250, 275)]
    )
    own = around(bruni.model_copy(update={"mean_force_N": 150.0}), **SPEEDS)
    assert [w.case.mean_force_N for w in own.conditions] == [150.0, 150.0]


def test_without_scenarios_there_are_none(bruni):
    assert scenario_set(ScenariosSpec(), ("sigma",), bruni) is None


def test_combined_numbers_are_those_of_the_definition(bruni):
    found = around(bruni, **SPEEDS, std_factor=2.0)
    two = [figures(40.0, 50.0), figures(60.0, 30.0)]
    mean, spread = 0.25 * 40 + 0.75 * 60, math.sqrt(0.25 * 15.0**2 + 0.75 * 5.0**2)
    assert found.value("sigma", two) == pytest.approx(mean)
    assert found.value("sigma:worst", two) == 60.0
    assert found.value("sigma:mean_plus_std", two) == pytest.approx(mean + 2.0 * spread)
    assert found.value("sigma@250", two) == 40.0
    assert found.value("force_range:worst", two) == 220.0
    # what is maximised is worst where it is least, and the deviation is taken off
    assert found.value("statistical_minimum:worst", two) == -30.0
    assert found.value("statistical_minimum:mean_plus_std", two) == pytest.approx(150.0 - 3 * mean - 6.0 * spread)
    worst = around(bruni, **SPEEDS, combine="worst")
    assert worst.value("sigma", two) == 60.0 and worst.value("sigma:mean", two) == pytest.approx(mean)


def own_state(case):
    """Steady state of the nominal line alone: what a campaign learns from its neighbours takes a test too long."""
    return solve_periodic(case).warm_start


@pytest.fixture(scope="module")
def setting(bruni):
    found = around(bruni, **SPEEDS, errors={"length_sd_mm": 2.0, "samples": 2}, objectives=("sigma", "sigma@250:worst"))
    plain = Setting(bruni, LimitsSpec(), start=prepare_scenarios(found, own_state), scenarios=found)
    nominal = evaluate(Job(0, bruni.catenary), plain)
    reference = Reference(nominal.sigma_N, nominal.statistics["max_uplift_at_supports_mm"])
    return replace(plain, reference=reference)


def design(line, lift):
    shape = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 1.5, 1.0, 0.5, 0.0])
    heights = tuple(np.array(line.droppers.contact_wire_heights) + lift * shape)
    return line.model_copy(update={"droppers": line.droppers.model_copy(update={"contact_wire_heights": heights})})


def test_each_scenario_is_what_it_is_by_itself(bruni, setting):
    """From rest, at the tolerance of a campaign without scenarios: what is left is the looser end of the search."""
    line = design(bruni.catenary, 0.004)
    found = evaluate(Job(5, line), setting)
    ideal, alone, uplift, least = periodic_equilibrium(line), [], [], []
    for condition in setting.scenarios.conditions:
        for sample in range(2):
            spec = setting.scenarios.installed(ideal, sample).spec
            case = condition.case.model_copy(update={"periodic": bruni.periodic})
            one = evaluate(Job(0, spec), Setting(case, setting.limits))
            alone.append(one.sigma_N)
            uplift.append(one.statistics["max_uplift_at_supports_mm"])
            least.append(one.static_dropper_force_min_N)
    assert found.scenarios["contact_force_std_N"] == pytest.approx(alone, rel=1e-2)
    assert len(set(found.scenarios["contact_force_std_N"])) == 4
    assert found.sigma_N == pytest.approx(np.dot([0.125, 0.125, 0.375, 0.375], alone), rel=5e-3)
    assert found.objectives["sigma@250:worst"] == max(found.scenarios["contact_force_std_N"][:2])
    # limits are those of the worst case
    assert found.static_dropper_force_min_N == pytest.approx(min(least), abs=1e-6)
    assert found.constraints["g_static_dropper_force"] == pytest.approx(1.0 - min(least) / 10.0, abs=1e-6)
    limit = 1.1 * setting.reference.uplift_mm
    assert found.constraints["g_uplift"] == pytest.approx(max(uplift) / limit - 1.0, abs=2e-2)


def test_an_evaluation_depends_on_job_and_setting_alone(bruni, setting):
    task = Job(5, design(bruni.catenary, 0.004))
    first = evaluate(task, setting)
    evaluate(Job(6, design(bruni.catenary, -0.004)), setting)
    again = evaluate(task, pickle.loads(pickle.dumps(setting)))
    assert replace(again, wall_time_s={}) == replace(first, wall_time_s={})
    assert Outcome.from_dict(first.to_dict()) == first


def test_a_fitted_line_with_a_loose_dropper_is_run_and_the_limit_holds_for_a_share_of_them(bruni, setting):
    errors = setting.scenarios.spec.errors.model_copy(update={"length_sd_mm": 6.0, "samples": 6})
    spec = setting.scenarios.spec.model_copy(
        update={"errors": errors, "speeds_kmh": setting.scenarios.spec.speeds_kmh[:1], "speed_weights": ()}
    )
    rough = replace(setting, scenarios=scenario_set(spec, ("sigma",), bruni), start=None)
    ideal = periodic_equilibrium(bruni.catenary)
    lines = [rough.scenarios.installed(ideal, sample) for sample in range(6)]
    forces = sorted(line.dropper_force.min() for line in lines)
    loose = [bool(line.dropper_gap.any()) for line in lines]
    assert 0 < sum(loose) < 6 and forces[0] == 0.0, "the errors must slacken a dropper in some samples, not in all"
    for share, least in ((0.95, forces[0]), (0.5, forces[3])):
        limits = setting.limits.model_copy(update={"fitted_share": share})
        found = evaluate(Job(5, bruni.catenary), replace(rough, limits=limits))
        assert found.status is OutcomeStatus.OK and None not in found.scenarios["contact_force_std_N"]
        assert found.constraints["g_static_dropper_force"] == pytest.approx(1.0 - least / 10.0)
        assert found.static_dropper_force_min_N == 0.0


def test_a_design_whose_heights_need_a_push_is_infeasible_in_scenarios_too(bruni, setting):
    heights = 1e3 * np.array(bruni.catenary.droppers.contact_wire_heights)
    heights[[2, 6]] -= 12.0
    line = bruni.catenary.with_droppers(heights_mm=heights)
    spec = setting.scenarios.spec.model_copy(update={"errors": InstallationSpec()})
    ideal = replace(setting, scenarios=scenario_set(spec, ("sigma",), bruni), start=None)
    found = evaluate(Job(5, line), ideal)
    assert (found.status, found.sigma_N, found.feasible) == (OutcomeStatus.STATIC_SLACK, None, False)
    least = periodic_equilibrium(line).dropper_force.min()
    assert found.constraints == {"g_static_dropper_force": pytest.approx(1.0 - least / 10.0)}
    # the line is symmetric: rounding decides which of the two is named
    assert found.message.startswith(("dropper 3 would carry -", "dropper 7 would carry -"))


def test_what_has_no_figures_in_one_scenario_has_failed_and_says_where(bruni, setting, monkeypatch):
    import optimise.evaluation.robust as module
    from dynamics.results.solution import PantographResult
    from dynamics.spec.status import Status

    solve = module.solve

    def at_250_diverged(case, *rest):
        found = solve(case, *rest)
        return (
            replace(found, status=Status.DIVERGED, pantographs=(PantographResult(),))
            if case.speed_kmh == 250.0
            else found
        )

    monkeypatch.setattr(module, "solve", at_250_diverged)
    found = evaluate(Job(5, bruni.catenary), setting)
    assert found.status is OutcomeStatus.FAILED and found.sigma_N is None
    assert found.message.startswith("250 km/h, errors 1: the time integration ran away")


def test_a_scenario_that_does_not_settle_has_the_figures_of_a_long_march(bruni, setting):
    short = bruni.periodic.model_copy(update={"max_spans": 5, "tolerance": 1.0e-9})
    march = bruni.transient.model_copy(update={"spans": 12, "spans_evaluated": 4})
    spec = setting.scenarios.spec.model_copy(update={"tolerance": 1.0e-9, "speeds_kmh": (250.0,), "speed_weights": ()})
    unsettled = bruni.model_copy(update={"periodic": short, "transient": march})
    found = evaluate(
        Job(5, bruni.catenary),
        replace(setting, case=unsettled, scenarios=scenario_set(spec, ("sigma",), unsettled), start=None),
    )
    assert found.status is OutcomeStatus.OK and found.sigma_N > 0.0
    assert "250 km/h, errors 2: " in found.message and "span" in found.message


def test_sampler_values_over_scenarios():
    over = {"sigma": 40.0, "sigma@320": 50.0, "statistical_minimum:worst": 10.0}
    statistics = {"contact_force_std_N": 40.0}
    nominal = Outcome(0, OutcomeStatus.OK, sigma_N=40.0, statistics=statistics, objectives=over)
    slack = Outcome(3, OutcomeStatus.STATIC_SLACK, constraints={"g_static_dropper_force": 0.5})
    names = tuple(over)
    assert raw_values(names, nominal) == tuple(over.values())
    assert sampler_values(names, slack, nominal) == pytest.approx((60.0, 75.0, 10.0 - 0.5 * 3 * 40.0))
    with pytest.raises(ValueError, match="must have the statistics of sigma@275"):
        raw_values(("sigma@275",), nominal)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"scenarios": {"speeds_kmh": [250, 250]}}, "speeds_kmh must be distinct, each value once: got 250, 250"),
        (
            {"scenarios": {"speeds_kmh": [250], "speed_weights": [1, 2]}},
            "one a value of speeds_kmh: 1 values, 2 weights",
        ),
        ({"scenarios": {"contact_weights": [1]}}, "one a value of contact_stiffness: 0 values, 1 weights"),
        (
            {"scenarios": {"speeds_kmh": list(range(200, 240)), "errors": {"length_sd_mm": 1, "samples": 11}}},
            "at most 400, all combinations of what is listed: got 440",
        ),
        ({"objectives": ["sigma@320"]}, "sigma@320 must be at conditions that scenarios list: they list none"),
        ({"limits": {"scenario_change_percent": 0}}, "must be null where there are no scenarios: got 0 %"),
        ({"objectives": ["sigma:worst"]}, "sigma:worst must be sigma where there are no scenarios"),
        (
            {"objectives": ["sigma@320"], "scenarios": {"speeds_kmh": [250], "contact_stiffness": [5e4]}},
            "they list 250, contact50",
        ),
        (
            {"objectives": ["sigma@250@275"], "scenarios": {"speeds_kmh": [250, 275]}},
            "sigma@250@275 must name one condition of a kind",
        ),
    ],
)
def test_impossible_scenarios_are_refused(content, sentence):
    with pytest.raises(ValidationError, match=sentence):
        campaign_of(**content)


@pytest.mark.parametrize(
    ("share", "count", "rank"), [(0.95, 20, 1), (0.95, 40, 2), (0.95, 19, 0), (0.9, 10, 1), (0.5, 2, 1), (1.0, 7, 0)]
)
def test_a_share_of_the_lines_is_held_exactly(share, count, rank):
    """19 of 20 lines are 95 %: the least of them is the second of all."""
    forces = np.random.default_rng(1).permutation(np.arange(count, dtype=float))
    assert force_of_share(forces, share) == rank
