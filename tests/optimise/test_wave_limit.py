"""Points and designs whose contact wire carries waves too slowly: named by themselves, before anything is marched."""

import pytest

from dynamics.solution import solve
from dynamics.spec.status import Status
from optimise.evaluation.evaluate import evaluate, evaluate_batch
from optimise.evaluation.job import Batch, Job, Setting
from optimise.evaluation.outcome import OutcomeStatus

COARSE = {"elements_per_bay": 2, "largest_element_length": 5.0}
NOW = "catenary.temperature.now_C"


@pytest.fixture(scope="module")
def case(build_line, build_case):
    """A train at 390 km/h under wires fixed at both ends: as strung they let it pass below 414 km/h."""
    line = build_line("bruni_2015", mesh=COARSE, temperature={"now_C": 10.0})
    periodic = {"tolerance": 1e-2, "spans_behind": 3, "spans_ahead": 4}
    return build_case(line, 390.0, applied_force_N=150.0, periodic=periodic)


def test_a_warm_point_of_a_sweep_is_named_and_its_neighbours_have_figures(case):
    """At 40 C the wire has lost a quarter of its tension; the points before and after it stay."""
    jobs = tuple(Job(k, values=(at,), place=(at,)) for k, at in enumerate((10.0, 40.0, 12.0)))
    found = evaluate_batch(Batch(0, jobs), Setting(case, None, names=(NOW,))).outcomes
    assert [one.status for one in found] == [OutcomeStatus.OK, OutcomeStatus.SLOW_WAVES, OutcomeStatus.OK]
    assert found[1].sigma_N is None and found[0].sigma_N > 1.0
    assert found[1].message.startswith("speed_kmh must stay below 90 % of the contact wire's wave speed (3")
    assert found[1].message.endswith("kN): got 390 km/h") and "km/h at 40 C, where it pulls 1" in found[1].message
    assert OutcomeStatus(found[1].status.on_point) is OutcomeStatus.SLOW_WAVES


@pytest.mark.parametrize(
    "changes",
    [{"solver": "periodic"}, {"solver": "transient"}, {"solver": "open_line"}],
    ids=lambda found: found["solver"],
)
def test_no_solver_marches_a_train_that_is_too_fast(case, changes):
    warm = case.with_changes(catenary={"temperature": {"now_C": 40.0}}, **changes)
    found = solve(warm)
    assert (found.status, found.statistics) == (Status.SLOW_WAVES, None)
    assert "at 40 C, where it pulls" in found.message


def test_ice_makes_waves_slower(case):
    """Half again as heavy: by sqrt(1.07 / (1.07 + 0.5)) of mass a metre, which the case itself does not look at."""
    line = case.catenary.model_copy(update={"temperature": None}).with_changes(ice={"contact_wire": 0.5})
    own = line.contact_wire
    found = solve(case.model_copy(update={"catenary": line}))
    limit = 0.9 * 3.6 * (own.tension / (own.mass_per_length + 0.5)) ** 0.5
    assert found.status is Status.SLOW_WAVES and f"({limit:.0f} km/h where it pulls" in found.message
    assert f"weighs {own.mass_per_length + 0.5:.3g} kg/m with its ice" in found.message


def test_a_slack_design_of_a_campaign_has_the_sentence_of_the_limit(case):
    """In a case of its own, and put into the case of a scenario, which is not looked at again."""
    line = case.catenary.model_copy(update={"temperature": None})
    wire = line.contact_wire.model_copy(update={"tension": 15.0e3})
    low = line.model_copy(update={"contact_wire": wire})
    found = evaluate(Job(7, low), Setting(case.model_copy(update={"catenary": line})))
    assert found.status is OutcomeStatus.FAILED
    assert found.message.startswith("speed_kmh must stay below 90 %") and "\n" not in found.message
    assert solve(case.model_copy(update={"catenary": low})).status is Status.SLOW_WAVES
