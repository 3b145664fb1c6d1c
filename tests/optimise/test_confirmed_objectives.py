"""Objectives other than sigma by the runs that confirm a design, and what their change is worth."""

import math
from dataclasses import asdict
from types import SimpleNamespace

import pytest
from cheap_evaluation import campaign_of

from dynamics.solution import solve
from dynamics.spec.status import Status
from optimise.afterwards.confirm import Confirmation, DesignConfirmation, confirm
from optimise.afterwards.confirmed_objectives import ConfirmedObjective, ObjectiveChange, other_objectives
from optimise.afterwards.confirming_runs import transients
from optimise.evaluation.verdict import BETTER, SAME, UNKNOWN, WORSE
from optimise.search.campaign import run_campaign
from studies.afterwards.confirmation import confirmation_content, confirmation_lines

RANGE = "contact_force_max_N", "contact_force_min_N"


def change_of(name, searched, finer, coarser):
    one, other = (ConfirmedObjective(name, *each) for each in zip(searched, finer, coarser, strict=True))
    return ObjectiveChange(one, other)


def test_objectives_are_those_of_the_search_without_conditions_and_sigma():
    names = ("sigma@300", "force_range@300", "worst_span:sigma", "force_range@320:worst", "sigma")
    assert other_objectives(names) == ("force_range", "worst_span:sigma")


@pytest.mark.parametrize(
    ("name", "finer", "coarser", "word", "error"),
    [
        ("force_range", (120.0, 115.0), (118.0, 114.0), BETTER, 1.0),
        ("force_range", (120.0, 118.0), (118.0, 119.0), SAME, 3.0),
        ("force_range", (115.0, 120.0), (114.0, 118.0), WORSE, 1.0),
        ("statistical_minimum", (10.0, 15.0), (10.0, 14.0), BETTER, 1.0),
        ("statistical_minimum", (15.0, 10.0), (15.0, 11.0), WORSE, 1.0),
        ("force_range", (120.0, 115.0), (None, None), UNKNOWN, None),
    ],
)
def test_a_change_is_worth_what_refinement_leaves_of_it(name, finer, coarser, word, error):
    found = change_of(name, (120.0, 97.0), finer, coarser)
    assert (found.verdict, found.error) == (word, error)
    assert (found.searched, found.finer) == (-23.0, finer[1] - finer[0])


@pytest.fixture(scope="module")
def searched(build_case, tmp_path_factory):
    """A search for a small force range on rough numerics."""
    case = build_case("bruni_2015", 200.0, dt=4e-3, mean_force_N=110.0, periodic={"method": "operator"})
    campaign = campaign_of(trials=4, design={"kind": "heights"}, objectives=["force_range"], sampler={"kind": "qmc"})
    return run_campaign(campaign, case, tmp_path_factory.mktemp("campaign"))


@pytest.mark.parametrize("behind", [[], [200.0]])
def test_a_design_with_damping_by_component_is_confirmed_on_an_open_line(build_line, build_case, tmp_path, behind):
    """Marches have one pair of factors. What counts is far from both ends; what the start leaves is in the spread."""
    line = build_line(damping={"droppers": {"alpha": 0.1, "beta": 5e-4}})
    train = {"trailing": {"distances_m": behind}}
    case = build_case(line, 200.0, dt=4e-3, mean_force_N=110.0, periodic={"method": "operator"}, **train)
    result = run_campaign(campaign_of(trials=2, sampler={"kind": "qmc"}), case, tmp_path)
    assert result.nominal.outcome.sigma_N > 0.0
    coarse, fine = transients(result, result.nominal, refine=True)
    assert coarse.on_open_line and coarse.catenary.damping.own and fine.dt == 0.5 * coarse.dt
    own = fine.open_line
    assert own.first_evaluated - own.start > 0.5 * 52 and own.spans - own.last_evaluated >= 12
    found = confirm(result, lambda _: SimpleNamespace(status=Status.OK, message="", spread_percent=1.5, pantographs=(),
                    train_statistics=SimpleNamespace(contact_force_std_N=30.0)))  # fmt: skip
    assert found.nominal.spread_percent == 1.5 and found.nominal.error == pytest.approx(0.005 * 1.5 * 30.0)
    assert result.case_of(result.nominal).solver == "periodic"


def test_the_range_of_forces_is_that_of_the_confirming_runs(searched):
    seen = []

    class Ended:
        """A steady state, which has no halves, in place of a long transient."""

        def __init__(self, case):
            self.own = solve(case.model_copy(update={"solver": "periodic"}))
            seen.append(self.own)

        spread_percent = 0.0

        def __getattr__(self, name):
            return getattr(self.own, name)

    found = confirm(searched, Ended)
    (change,) = found.objectives
    lines = {"nominal": (searched.nominal, seen[:2]), "best": (searched.best, seen[-2:])}
    for which, (record, (coarse, fine)) in lines.items():
        one = getattr(change, which)
        for run, value in ((coarse, one.coarser), (fine, one.finer)):
            high, low = (getattr(run.train_statistics, name) for name in RANGE)
            assert value == pytest.approx(high - low)
        high, low = (record.outcome.statistics[name] for name in RANGE)
        assert one.searched == pytest.approx(high - low) and one.finer != one.coarser
    moved = [after - before for before, after in zip(*(asdict(x).values() for x in (change.nominal, change.best)),
                                                     strict=True) if not isinstance(before, str)]  # fmt: skip
    assert change.error == pytest.approx(abs(moved[1] - moved[2])) and math.isfinite(change.error)
    content = confirmation_content(found, searched)
    assert content["objectives"][0]["change"] == change.finer and content["best"]["objectives"][0]["name"]
    last = confirmation_lines(content)[-1]
    assert last.startswith("change of the range of the contact force") and last.endswith(change.verdict)
    assert "±" in last


def test_a_search_for_sigma_alone_has_no_other_objective():
    one = DesignConfirmation(0, 30.0, 30.1, 0.1)
    assert Confirmation(one, one).objectives == ()
