"""Descents from a design and from it with one variable elsewhere: they cross a ridge that hides the better basin."""

from dataclasses import replace

import numpy as np
import pytest
from test_proposals import designs, moves_of, run, with_figures

from optimise.evaluation.outcome import OBJECTIVE
from optimise.search.campaign import Interrupted
from optimise.surrogate import descents, rounds
from optimise.surrogate.descents import Descents, Shown, length_of, moved_designs

SIZE = 6
# one variable decides; three of the others fit elsewhere in each of its basins
TURNS = np.array([0.12, -0.1, 0.08, 0.0, 0.0])
POOR, GOOD = np.array([0.4, 0.5, 0.5, 0.6, 0.3, 0.2]), np.array([0.52, 0.4, 0.58, 0.6, 0.3, 0.8])
FREE = np.arange(SIZE)


def ridge(u, turns=TURNS):
    """Basins of 12 and 11 N, 0.6 of the last range apart, with a ridge of 15 N between; and the derivatives."""
    t, rest = (u[-1] - 0.2) / 0.6, u[:-1] - POOR[:-1] - turns * (u[-1] - 0.2) / 0.6
    value = 12.0 - t + 56.0 * t**2 * (1.0 - t) ** 2 + 60.0 * rest @ rest
    by_t = -1.0 + 112.0 * t * (1.0 - t) * (1.0 - 2.0 * t) - 120.0 * rest @ turns
    return float(value), np.append(120.0 * rest, by_t / 0.6)


def shown_of(u, bound=2.0, turns=TURNS):
    """The first variable is held below a bound."""
    return Shown(*ridge(u, turns), np.array([u[0] - bound, 0.0]), np.array([np.eye(SIZE)[0], np.zeros(SIZE)]))


def round_from(base, in_flight, shown=shown_of, free=FREE, places=FREE[:0]):
    """Designs of a round, each of them proposed by what had ended, whether or not that is followed from the first."""
    record, ended = {tuple(base.tolist()): shown(base)}, set()
    moved = moved_designs(base, free, places, lambda points: np.array([ridge(u)[0] for u in points]))
    found, followed = [], None
    for place in range(length_of(len(free), in_flight)):
        ended.update({tuple(base.tolist()), *found[: max(0, place + 1 - in_flight)]})

        def known(values):
            return record[values] if values in ended else None

        descents = Descents(base, shown(base).cost, moved, free, lambda u: tuple(u.tolist()), known, 20.0)
        followed = followed or descents
        found.append(descents.next(place, in_flight))
        assert followed.next(place, in_flight) == found[-1]
        if found[-1] is not None:  # else a model's turn
            record[found[-1]] = shown(np.array(found[-1]))
    return moved, found, descents, record


def test_the_problem_has_the_derivatives_of_differences():
    u, h = np.array([0.3, 0.7, 0.2, 0.5, 0.9, 0.44]), 1e-6
    differences = [(ridge(u + h * e)[0] - ridge(u - h * e)[0]) / (2 * h) for e in np.eye(SIZE)]
    assert ridge(u)[1] == pytest.approx(differences, abs=1e-6)


@pytest.mark.parametrize("in_flight", [1, 3, 8])
def test_the_basin_behind_the_ridge_is_found(in_flight):
    moved, found, _, record = round_from(POOR, in_flight)
    best = min(filter(None, found), key=lambda values: record[values].cost)
    assert record[best].cost < 11.05
    assert np.abs(np.array(best) - GOOD).max() < 0.05
    assert min(record[tuple(u.tolist())].cost for u in moved) > 12.3, "with the others held it is worse"


def test_one_variable_is_moved_at_a_time_first_those_whose_places_cost_least():
    moved, *_ = round_from(POOR, 1)
    away = np.abs(moved - POOR)
    assert (np.count_nonzero(away, axis=1) == 1).all() and (away.max(axis=1) >= 0.2).all()
    assert len(moved) == SIZE + 3 and (away[:2, -1] > 0.0).all()


def test_where_variables_shift_something_along_the_track_these_alone_are_moved():
    moved, *_ = round_from(POOR, 1, places=FREE[1:3])
    assert set(np.nonzero(moved != POOR)[1]) == {1, 2}
    assert len(moved) == 4, "3/8 and 5/8 are too near 1/2"


@pytest.mark.parametrize("in_flight", [1, 3])
def test_a_place_is_judged_after_some_steps_down_and_not_by_its_first_design(in_flight):
    turns = np.array([0.4, -0.4, 0.35, 0.0, 0.0])  # so that what fits one place fits the other one least

    def steep(u):
        return shown_of(u, turns=turns)

    moved, found, _, record = round_from(POOR, in_flight, steep, places=FREE[3:])
    begins = [record[tuple(u.tolist())].cost for u in moved]
    worst = moved[int(np.argmax(begins))]
    assert worst[-1] > 0.6, "the good basin begins as the worst of all"
    assert min(record[values].cost for values in found if values) < 11.05


def test_of_two_descents_the_lower_one_is_followed_first(monkeypatch):
    monkeypatch.setattr(descents, "EACH", 3)
    moved, found, _, record = round_from(POOR, 1, places=FREE[5:])
    costs = [record[values].cost if values else np.inf for values in found]
    assert moved[:, -1].tolist() == [0.625, 0.875] and costs[0] > costs[1], "the second one begins lower"
    ended = 2 + 3 * (3 - 1)  # the moved designs, and two more of each descent and of that from the design itself
    lowest = [min(costs[0], *costs[ended - 4 : ended - 2]), min(costs[1], *costs[ended - 2 : ended])]
    assert sorted(lowest)[0] < 11.4 and sorted(lowest)[1] > 12.2
    assert costs[ended] < 11.1, "the first one of a descent that had come to 11.3 N"


def test_every_design_follows_from_those_that_had_ended():
    _, found, descents, record = round_from(POOR, 3)
    whole = replace(descents, shown=record.get)
    assert [whole.next(place, 3) for place in range(len(found))] == found


def test_a_limit_is_held():
    bound = 0.47
    _, found, _, record = round_from(POOR, 3, lambda u: shown_of(u, bound))
    found = [values for values in found if values]
    held = [record[values].cost for values in found if values[0] <= bound]
    assert min(held) < 11.0 + 60.0 * (GOOD[0] - bound) ** 2 + 0.1
    best = min(found, key=lambda values: record[values].cost + (1e3 if values[0] > bound else 0.0))
    assert best[0] == pytest.approx(bound, abs=5e-3)


def test_counts_are_held():
    _, found, *_ = round_from(POOR, 3, lambda u: replace(shown_of(u), slopes=ridge(u)[1][1:],
        limit_slopes=np.zeros((2, SIZE - 1))), FREE[1:])  # fmt: skip
    assert {values[0] for values in found if values} == {POOR[0]}
    assert len([values for values in found if values]) > 3 * SIZE, "there are descents"


def test_a_design_without_derivatives_ends_its_descent_alone():
    def with_a_hole(u):
        return None if 0.79 < u[-1] < 0.9 else shown_of(u)

    _, found, _, record = round_from(POOR, 1, with_a_hole)
    into = next(k for k, values in enumerate(found) if k >= SIZE + 3 and values and record[values] is None)
    assert any(values and record[values] is not None for values in found[into + 1 :]), "others follow"
    assert min(record[values].cost for values in found if values and record[values]) < 11.2, "and come near"


def valley(task, setting):
    """Wells of 31 and, 3 m further, 29 N by the last move, in each of which the first one fits elsewhere."""
    a, b, c, d = moves_of(task, setting)
    t = (d + 1.5) / 3.0
    off = a - t
    sigma = 31.0 - 2.0 * t + 60.0 * t**2 * (1.0 - t) ** 2 + 3.0 * (off**2 + b * b + c * c)
    by_t = -2.0 + 120.0 * t * (1.0 - t) * (1.0 - 2.0 * t) - 6.0 * off
    return with_figures(task, setting, float(sigma), (6.0 * off, 6.0 * b, 6.0 * c, by_t / 3.0))


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(rounds, "PATIENCE", 3)


def test_a_search_descends_where_it_has_derivatives_and_continues_after_an_interruption(tmp_path, case, impatient):
    trials, calls = 50, []

    def interrupted(task, setting):
        calls.append(task.number)
        if len(calls) == 40:
            raise KeyboardInterrupt
        return valley(task, setting)

    whole = run(tmp_path / "whole", case, valley, trials=trials)
    costs = [r.outcome.sigma_N for r in whole.records]
    began = [rounds.round_of(costs[:k], 4, 3, 0, length_of(4, 3)) for k in range(1, trials + 1)]
    now = next(r for r in began if not r.everywhere)
    assert now.begin < 38 - 4 - 3, "the search was cut within its descents"
    base = whole.records[int(np.argmin(costs[: now.begin - 2]))]
    moved = np.array([r.values for r in whole.records[now.begin : now.begin + 7]]) - base.values
    assert (np.count_nonzero(np.abs(moved) > 1e-9, axis=1) == 1).all()
    assert all(r.outcome.slopes[OBJECTIVE] for r in whole.records)
    with pytest.raises(Interrupted):
        run(tmp_path / "parts", case, interrupted, trials=trials)
    parts = run(tmp_path / "parts", case, interrupted, trials=trials)
    assert designs(parts) == designs(whole)
