"""A search that begins with the best designs of an earlier one."""

import numpy as np
import pytest
from cheap_evaluation import bowl, bowl_of_tension, campaign_of, prepare_nothing

from catenary.errors import InputError
from optimise.descent.distances import distance, ranked
from optimise.design.space import DesignSpace
from optimise.search.campaign import Interrupted, run_campaign
from optimise.search.warm_start import LEAST_DISTANCE, warm_start

TENSION = {"kind": "line", "contact_wire_tension": (25.0e3, 29.0e3)}


def run(folder, case, evaluate=bowl, **content):
    return run_campaign(campaign_of(**content), case, folder, evaluate=evaluate, prepare=prepare_nothing)


@pytest.fixture(scope="module")
def earlier(tmp_path_factory, case):
    return run(tmp_path_factory.mktemp("earlier"), case, trials=40, design={"kind": "both"}, sampler={"kind": "random"})


def warm(earlier, **content):
    return campaign_of(**{"warm_start": str(earlier.folder), "trials": 12, "design": {"kind": "both"}, **content})


def from_earlier(result):
    return [r for r in result.records if r.origin is not None]


@pytest.mark.parametrize("sampler", ["cma_es", "tpe", "qmc"])
@pytest.mark.parametrize("synchronous", [False, True])
def test_its_best_designs_are_the_first_trials_and_are_evaluated_again(tmp_path, case, earlier, sampler, synchronous):
    campaign = warm(earlier, sampler={"kind": sampler}, synchronous=synchronous)
    result = run_campaign(campaign, case, tmp_path, evaluate=bowl, prepare=prepare_nothing)
    first = from_earlier(result)
    assert [r.number for r in first] == [1, 2, 3, 4, 5] and len(result.records) == 12
    assert {r.origin.campaign for r in first} == {"test"}
    for record in first:
        own = earlier.records[record.origin.trial]
        assert record.values == pytest.approx(own.values, abs=1e-9)
        assert record.outcome.sigma_N == pytest.approx(own.outcome.sigma_N)
    others = ranked(earlier.records[1:], ("sigma",))  # the nominal line begins every search by itself
    assert first[0].origin.trial == others[0].number
    assert result.best.outcome.sigma_N <= earlier.best.outcome.sigma_N + 1e-9
    apart = [distance(result.space, a.values, b.values) for k, a in enumerate(first) for b in first[:k]]
    assert min(apart) >= LEAST_DISTANCE


def test_an_interrupted_warm_start_continues_and_does_not_start_again(tmp_path, case, earlier):
    calls = []

    def stopped(task, setting):
        calls.append(task.number)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return bowl(task, setting)

    campaign = warm(earlier, sampler={"kind": "qmc"})
    with pytest.raises(Interrupted):
        run_campaign(campaign, case, tmp_path / "parts", evaluate=stopped, prepare=prepare_nothing)
    parts = run_campaign(campaign, case, tmp_path / "parts", evaluate=bowl, prepare=prepare_nothing)
    whole = run_campaign(campaign, case, tmp_path / "whole", evaluate=bowl, prepare=prepare_nothing)
    assert [r.values for r in parts.records] == [r.values for r in whole.records]


def test_designs_outside_the_box_are_named_and_left_out(case, earlier):
    narrow = {"kind": "both", "dropper_move": 1.5}
    campaign = warm(earlier, design=narrow, warm_start_designs=40)
    found = warm_start(campaign, DesignSpace(case.catenary, campaign.design))
    kept = {origin.trial for _, origin in found.designs}
    space = earlier.space
    half = space.lifts
    for record in earlier.records:
        inside = np.abs(record.values[half:]).max() <= 1.5
        named = any(s.startswith(f"trial {record.number}: move_") for s in found.left_out)
        if record.outcome.feasible and inside and record.number:
            assert record.number in kept and not named
        if record.outcome.feasible and not inside:
            assert named and record.number not in kept
    assert kept and found.left_out


def test_a_line_that_differs_elsewhere_is_left_out(tmp_path, case, earlier):
    other = run(tmp_path, case, bowl_of_tension, trials=8, design=TENSION, sampler={"kind": "qmc"})
    campaign = campaign_of(warm_start=str(other.folder), warm_start_designs=8, design={"kind": "spacing"})
    with pytest.raises(InputError, match=r"has none .*contact_wire differs"):
        warm_start(campaign, DesignSpace(case.catenary, campaign.design))


def test_a_campaign_without_a_fitting_design_is_refused_before_anything_is_written(tmp_path, case, earlier):
    folder = tmp_path / "new"
    with pytest.raises(InputError, match=r"moved/campaign\.yaml must be a readable campaign"):
        run(folder, case, trials=5, warm_start=str(tmp_path / "moved"))
    with pytest.raises(InputError, match=r"has none \(trial \d+: move_"):
        run(folder, case, design={"kind": "spacing", "dropper_move": 1e-6}, warm_start=str(earlier.folder))
    assert not folder.exists()
