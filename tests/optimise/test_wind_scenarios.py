"""Winds as scenarios: which there are, that each is a run of the line as cut, gusts, and the limit on the blow-off."""

from dataclasses import replace

import pytest
from cheap_evaluation import campaign_of
from pydantic import ValidationError

from catenary.errors import InputError
from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.form_finding.prescribed import prescribed_by_lengths
from dynamics.solution import solve
from dynamics.wind.blow_off import blow_off_of
from optimise.evaluation.constraints import constraints_of
from optimise.evaluation.evaluate import evaluate, prepare
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.outcome import OutcomeStatus
from optimise.evaluation.robust import prepare_scenarios
from optimise.evaluation.scenarios import own_condition, scenario_set
from optimise.spec.campaign import CampaignSpec, LimitsSpec
from optimise.spec.scenarios import ScenariosSpec

DRAG = {"diameter": 0.0132, "drag_coefficient": 1.2}
STILL = {"speed": 0.0, "contact_wire": DRAG, "messenger_wire": DRAG, "aerodynamic_damping": False}
TURBULENCE = {"intensity": 0.15}
SHORT = {"spans": 6, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
SIGMA = "contact_force_std_N"


@pytest.fixture(scope="module")
def case(build_case):
    """Two spans that repeat in still air, their wires' widths known."""
    small = {"spans_behind": 6, "spans_ahead": 6, "tolerance": 5e-4}
    found = build_case("bruni_2015", 250.0, dt=4e-3, applied_force_N=140.0, periodic=small, open_line=SHORT)
    mesh = {"elements_per_bay": 2, "largest_element_length": 6.0}
    line = found.catenary.with_changes(dimension="spatial", wind=STILL, mesh=mesh, repeat={"spans": 2})
    return type(found).model_validate({**found.model_dump(), "catenary": line})


def around(case, **wind):
    found = scenario_set(ScenariosSpec.model_validate({"wind": wind}), ("sigma",), case)
    assert found is not None
    return found


def test_winds_have_names_and_words(case):
    found = around(case, speeds=[0, 20, -20], gust_seeds=[7], turbulence=TURBULENCE, weights=[2, 1, 1, 1, 1])
    assert found.spec.marks == ("wind0", "wind20", "wind-20", "wind20gusts7", "wind-20gusts7")
    assert found.labels[:2] == ("still air", "wind of 20 m/s to the left")
    assert found.labels[-1] == "wind of 20 m/s to the right with gusts 7"
    assert found.weights.tolist() == pytest.approx([1 / 3, 1 / 6, 1 / 6, 1 / 6, 1 / 6])
    assert own_condition(found.spec, case) == "250 km/h, still air"
    assert [c.case.solver for c in found.conditions] == ["periodic"] * 3 + ["open_line"] * 2
    assert [c.wind.turbulence.seed for c in found.conditions[3:]] == [7, 7]
    assert ScenariosSpec().model_dump() == ScenariosSpec.model_validate({"wind": {}}).model_dump()


def test_a_wind_blows_on_the_line_as_it_was_cut(case):
    """Figures of each scenario are those of a run by hand; winds from either side are mirror images."""
    scenarios = around(case, speeds=[0, 20, -20])
    setting = Setting(case, LimitsSpec(blow_off_m=0.5), scenarios=scenarios)
    start = prepare_scenarios(scenarios, lambda each: prepare(each, False))
    found = evaluate(Job(1, case.catenary), replace(setting, start=start))
    assert found.status is OutcomeStatus.OK, found.message
    sigma = found.scenarios[SIGMA]
    assert sigma[1] == pytest.approx(sigma[2], rel=5e-3)
    cut = prescribed_by_lengths(periodic_equilibrium(case.catenary))
    blown = cut.model_copy(update={"wind": case.catenary.wind.model_copy(update={"speed": 20.0})})
    by_hand = solve(case.model_copy(update={"catenary": blown}), equilibrium=periodic_equilibrium(blown))
    assert sigma[1] == pytest.approx(by_hand.statistics.contact_force_std_N, rel=5e-3)
    assert sigma[0] == pytest.approx(solve(case).statistics.contact_force_std_N, rel=5e-3)
    # the worst scenario decides on the blow-off
    farthest = blow_off_of(by_hand).farthest_m
    assert found.statistics["blow_off_m"] == pytest.approx(farthest, abs=2e-3)
    assert found.constraints["g_blow_off"] == pytest.approx(farthest / 0.5 - 1.0, abs=5e-3)
    assert list(found.constraints) == list(constraints_of(setting.limits))


def test_gusts_run_on_an_open_line(case):
    """As a run of that line by hand with the same seed; another seed is another wind."""
    one = around(case, speeds=[15], gust_seeds=[1], turbulence=TURBULENCE)
    found = evaluate(Job(1, case.catenary), Setting(case, scenarios=one))
    assert found.status is OutcomeStatus.OK, found.message
    condition = one.conditions[1]
    cut = prescribed_by_lengths(periodic_equilibrium(case.catenary))
    by_hand = solve(condition.case.model_copy(update={"catenary": condition.line(cut)}))
    assert found.scenarios[SIGMA][1] == pytest.approx(by_hand.statistics.contact_force_std_N, rel=1e-9)
    assert condition.line(cut).repeat is None and condition.line(cut).spans_of_a_period == 2
    assert found.scenarios[SIGMA][0] != found.scenarios[SIGMA][1]


def test_the_limit_on_blow_off_is_graded(case):
    """A design beyond the limit keeps its figures, and is worse the farther it is blown."""
    line = case.catenary.with_changes(wind={"speed": 20.0, "gust_factor": 1.5})
    windy = case.model_copy(update={"catenary": line})
    outcomes = [evaluate(Job(1, line), Setting(windy, LimitsSpec(blow_off_m=limit))) for limit in (0.15, 0.19, 1.0)]
    violations = [found.constraints["g_blow_off"] for found in outcomes]
    place = blow_off_of(solve(windy)).farthest_m
    assert violations == pytest.approx([place / limit - 1.0 for limit in (0.15, 0.19, 1.0)], rel=1e-6)
    assert violations[0] > violations[1] > 0.0 > violations[2]
    assert outcomes[0].sigma_N == outcomes[2].sigma_N
    assert outcomes[0].sampler_value_N > outcomes[1].sampler_value_N > outcomes[2].sampler_value_N
    assert "g_blow_off" not in evaluate(Job(1, line), Setting(windy, LimitsSpec())).constraints
    assert "blow_off_m" not in LimitsSpec().model_dump()


@pytest.mark.parametrize(
    ("wind", "said"),
    [
        ({"speeds": [20], "gust_seeds": [1]}, "must be given together, or neither"),
        ({"speeds": [0], "gust_seeds": [1], "turbulence": TURBULENCE}, "without a wind: list wind.speeds"),
        ({"speeds": [0, 20], "weights": [1]}, "one a value of wind: 2 values, 1 weights"),
    ],
)
def test_winds_that_say_nothing_are_refused(wind, said):
    with pytest.raises(ValidationError, match=said):
        ScenariosSpec.model_validate({"wind": wind})


def test_winds_need_widths_and_a_polish_differences(case, build_case):
    with pytest.raises(InputError, match=r"catenary\.wind is missing"):
        around(build_case("bruni_2015", 250.0, applied_force_N=140.0), speeds=[20])
    content = {**campaign_of(name="wind").model_dump(), "polish": {"best": 1}}
    for changes in ({"limits": {"blow_off_m": 0.4}}, {"scenarios": {"wind": {"speeds": [20]}}}):
        with pytest.raises(ValidationError, match=r"polish\.derivatives must be differences with"):
            CampaignSpec.model_validate({**content, **changes})
    assert CampaignSpec.model_validate({**content, "polish": {"best": 1, "derivatives": "differences"}}).polish.best


def test_a_search_in_winds_has_no_exact_derivatives_either():
    """Not even where nothing is polished; without winds they may be asked for, and with winds left out."""
    process = {"kind": "gaussian_process", "derivatives": "exact"}
    content, winds = campaign_of(name="wind").model_dump(), {"scenarios": {"wind": {"speeds": [20]}}}
    with pytest.raises(ValidationError, match=r"sampler\.derivatives must be \w+ with scenarios\.wind, which has no"):
        CampaignSpec.model_validate({**content, **winds, "sampler": process})
    assert CampaignSpec.model_validate({**content, "sampler": process}).searches_by_derivatives
    for allowed in (process | {"derivatives": "none"}, {"kind": "gaussian_process"}):
        assert CampaignSpec.model_validate({**content, **winds, "sampler": allowed}).scenarios.wind.wanted
