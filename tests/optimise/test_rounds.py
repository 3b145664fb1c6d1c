"""Rounds of a search by a Gaussian process: when one ends, and where the next one seeks."""

import itertools
import math

import numpy as np
import pytest
from cheap_evaluation import campaign_of, prepare_nothing
from scipy.stats import qmc
from test_proposals import moves_of, with_figures

from optimise.evaluation.outcome import failed
from optimise.search.campaign import Interrupted, run_campaign
from optimise.surrogate import rounds
from optimise.surrogate.combination import Combination
from optimise.surrogate.improvement import SearchModel
from optimise.surrogate.proposals import AROUND, Proposals
from optimise.surrogate.rounds import PATIENCE, WORTH_MORE, round_of

STARTS, TRIALS, IN_FLIGHT = 4, 36, 3
STILL = [30.0] + [20.0] * (STARTS + PATIENCE)


def began(*given):
    """Place and number of a round."""
    return round_of(*given)[:2]


def test_a_round_ends_where_it_has_not_got_better():
    assert began(STILL[:-1], STARTS, 1) == (1, 0)
    assert began(STILL, STARTS, 1) == (len(STILL), 1)
    assert began([*STILL, *STILL[1:]], STARTS, 1) == (len(STILL) + STARTS + PATIENCE, 2)
    assert began([*STILL[:-1], 19.9], STARTS, 1) == (1, 0), "it is better by 0.5 %"
    assert began([*STILL[:-1], 19.99], STARTS, 1) == (len(STILL), 1), "that is not better"
    assert began([-v for v in STILL], STARTS, 1) == (len(STILL), 1), "costs may be negative"


def test_a_round_without_a_feasible_design_does_not_end():
    assert began([30.0, *[math.inf] * 200], STARTS, 1) == (1, 0)
    assert began([30.0, *[math.inf] * 50, *[20.0] * (PATIENCE - 1)], STARTS, 1) == (1, 0)


@pytest.mark.parametrize("in_flight", [2, 3, 8])
def test_a_round_depends_on_what_had_ended_alone(in_flight):
    random = np.random.default_rng(1)
    costs = [30.0, *np.minimum.accumulate(random.uniform(10.0, 30.0, 150)), 9.0]
    place = len(costs)
    known = place + 1 - in_flight
    pending = [*costs[:known], *[math.inf] * (place - known)]
    assert began(pending, STARTS, in_flight) == began(costs, STARTS, in_flight)
    # what began once stays: later places know of the same rounds
    begins = [began(costs[:k], STARTS, in_flight) for k in range(1, place + 1)]
    assert all(b >= a for (a, _), (b, _) in itertools.pairwise(begins))
    assert [number for _, number in begins] == sorted(number for _, number in begins)
    assert begins[-1][1] > 0


def test_designs_of_another_search_belong_to_the_first_ones():
    given = [30.0, *[20.0] * (2 * PATIENCE)]
    assert began(given, STARTS, 1)[1] > 0
    assert began(given, STARTS, 1, 2 * PATIENCE) == (1, 0)
    assert began([*given, *[20.0] * PATIENCE], STARTS, 1, 2 * PATIENCE) == (len(given) + PATIENCE, 1)


def test_descents_follow_each_round_everywhere_and_themselves_as_long_as_they_gain():
    length, lag = 20, 3
    gaining, still = 20.0 * (1.0 - 1.1 * WORTH_MORE), 20.0 * (1.0 - 0.9 * WORTH_MORE)
    costs = [*STILL, *[20.0] * (lag - 1)]
    first = round_of(costs, STARTS, lag, 0, length)
    assert first == (len(costs), 1, False, 1)
    # the last two designs are in flight as the next round begins
    costs += [25.0] * (length - lag) + [gaining] + [9.0] * (lag - 1)
    second = round_of(costs, STARTS, lag, 0, length)
    assert round_of(costs[:-1], STARTS, lag, 0, length) == first
    assert second == (len(costs), 2, False, first.begin)
    assert round_of([20.0 if c == gaining else c for c in costs], STARTS, lag, 0, length)[1:3] == (2, True)
    assert round_of([still if c == gaining else c for c in costs], STARTS, lag, 0, length)[1:3] == (2, True)
    third = round_of([*costs, *[25.0] * length], STARTS, lag, 0, length)
    assert third == (len(costs) + length, 3, True, second.begin)


def narrow_and_wide(task, setting):
    """A wide well of 31 N at -1 m, and a narrow one of 29 N at +1.6 m of the first move, which hides from a model."""
    a, b, c, d = moves_of(task, setting)
    rest = b * b + c * c + d * d
    wide, narrow = 31.0 + 2.0 * ((a + 1.0) ** 2 + rest), 29.0 + 60.0 * ((a - 1.6) ** 2 + rest)
    return with_figures(task, setting, float(min(wide, narrow)), (0.0,) * 4)


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(rounds, "PATIENCE", 3)


def search(folder, case, evaluate=narrow_and_wide, trials=TRIALS):
    sampler = {"kind": "gaussian_process", "derivatives": "none"}
    campaign = campaign_of(design={"kind": "spacing"}, sampler=sampler, seed=1, trials=trials)
    return run_campaign(campaign, case, folder, evaluate=evaluate, prepare=prepare_nothing)


def test_rounds_are_round_the_best_design_and_everywhere_by_turns(tmp_path, case, impatient):
    result = search(tmp_path, case)
    costs = [r.outcome.sigma_N for r in result.records]
    low, high = (np.array([getattr(v, end) for v in result.space.variables]) for end in ("low", "high"))
    shares = (np.array([r.values for r in result.records]) - low) / (high - low)
    places = [began(costs[:k], STARTS, IN_FLIGHT) for k in range(1, TRIALS + 1)]
    near, whole, end = (next(begin for begin, number in places if number == k) for k in (1, 2, 3))
    best = shares[np.argmin(costs[: near + 1 - IN_FLIGHT])]
    assert np.abs(shares[near:whole] - best).max() <= AROUND + 1e-12
    assert np.abs(shares[whole + STARTS : end] - best).max() > AROUND
    around = np.clip([best - AROUND, best + AROUND], 0.0, 1.0)
    for begin, number, (first, last) in ((near, 1, around), (whole, 2, np.array([np.zeros(STARTS), np.ones(STARTS)]))):
        sequence = qmc.Sobol(STARTS, scramble=True, rng=np.random.default_rng([1, number])).random(8)[:STARTS]
        assert shares[begin : begin + STARTS] == pytest.approx(first + (last - first) * sequence)


def test_rounds_are_the_same_after_an_interruption(tmp_path, case, impatient):
    begun = iter(range(TRIALS))

    def interrupted(task, setting):
        if next(begun) == 17:
            raise KeyboardInterrupt
        return narrow_and_wide(task, setting)

    with pytest.raises(Interrupted):
        search(tmp_path / "part", case, interrupted)
    later, whole = (search(tmp_path / name, case) for name in ("part", "whole"))
    begin, number = began([r.outcome.sigma_N for r in whole.records[:16]], STARTS, IN_FLIGHT)
    assert number == 1 and 16 - begin > STARTS, "a model's round near the best design was cut"
    assert [r.values for r in later.records] == [r.values for r in whole.records]


def test_every_design_follows_from_the_record_alone(tmp_path, case, impatient):
    """Whatever was proposed before, and fitted for it."""
    result = search(tmp_path, case)
    for k in range(1, TRIALS):
        fresh = Proposals(result.space, ("sigma",), 1, IN_FLIGHT, Combination.of("sigma", None))
        assert fresh.next(result.records[:k]) == result.records[k].values, f"design {k}"


def test_what_was_fitted_in_one_round_is_not_taken_in_another(tmp_path, case, impatient):
    """At one place of the first round and of the third as many designs are known, but not the same ones."""
    result = search(tmp_path, case)
    costs = [r.outcome.sigma_N for r in result.records]
    places = [began(costs[:k], STARTS, IN_FLIGHT) for k in range(1, TRIALS)]
    first, last = (sum(number <= k for _, number in places) for k in (0, 2))
    begin = next(begin for begin, number in places if number == 2)
    compared = range(STARTS + 1, min(first, last - begin + 1))
    assert len(compared) >= 3
    for place in compared:
        used = Proposals(result.space, ("sigma",), 1, IN_FLIGHT, Combination.of("sigma", None))
        for k in (place, begin + place - 1):
            assert used.next(result.records[:k]) == result.records[k].values, f"design {k}"


def test_a_round_near_the_best_design_knows_of_designs_there_that_failed(tmp_path, case, impatient, monkeypatch):
    expected, with_expected = [], SearchModel.with_expected

    def recorded(model, points):
        expected.append(points)
        return with_expected(model, points)

    def failing(task, setting):
        return failed(task.number, "no answer") if task.number % 2 else narrow_and_wide(task, setting)

    monkeypatch.setattr(SearchModel, "with_expected", recorded)
    result = search(tmp_path, case, failing, trials=40)
    costs = [math.inf if r.outcome.sigma_N is None else r.outcome.sigma_N for r in result.records]
    begin, number = began(costs[:-1], STARTS, IN_FLIGHT)
    assert number % 2 == 1 and 40 - begin > STARTS + 1, "a model proposed the last design, near the best one"
    low, high = (np.array([getattr(v, end) for v in result.space.variables]) for end in ("low", "high"))
    shares = (np.array([r.values for r in result.records]) - low) / (high - low)
    best = shares[np.argmin(costs[: begin + 1 - IN_FLIGHT])]
    inside = [k for k in range(1, begin) if costs[k] == math.inf and np.abs(shares[k] - best).max() < AROUND]
    assert inside
    for k in inside:
        assert np.abs(expected[-1] - shares[k]).max(axis=1).min() < 1e-12
