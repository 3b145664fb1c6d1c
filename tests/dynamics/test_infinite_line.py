"""The infinite line's steady state against the window's, and when it takes the window's place."""

from dataclasses import replace

import numpy as np
import pytest

from dynamics.accuracy import assured, infinite_line
from dynamics.accuracy.assured import estimated, solve_assured
from dynamics.accuracy.companions import NoCompanionError, long_window
from dynamics.accuracy.infinite_line import on_infinite_line
from dynamics.accuracy.numerical_error import ErrorPart, NumericalError
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.spec.status import Status

WINDOW = {"method": "march", "spans_behind": 20, "spans_ahead": 26, "tolerance": 1e-5}


@pytest.fixture(scope="module")
def held(influence):
    """Case of the shared matrices with its mean force held, and its steady state on a window long for its damping."""
    case = CaseSpec.model_validate({
        **influence.case.model_dump(), "mean_force_N": 190.0, "applied_force_N": None, "periodic": WINDOW,
    })  # fmt: skip
    return case, solve(case, equilibrium=influence.equilibrium)


@pytest.fixture
def shared(influence, monkeypatch):
    """The shared matrices in place of new ones."""
    monkeypatch.setattr(infinite_line, "influence_matrices", lambda case, tolerance: replace(influence, case=case))


def error_of(solution, **sizes):
    parts = {"time_step": 0.1, "mesh": 0.1, "window": 4.0, "iteration": 0.0, **sizes}
    sigma = solution.statistics.contact_force_std_N
    return NumericalError(sigma, tuple(ErrorPart(name, size, name) for name, size in parts.items()), 1.0)


def test_the_infinite_line_is_what_a_long_window_tends_to(held, shared, influence):
    case, window = held
    assert (window.dropper_slack_time > 0.0).any(), "slack is part of the comparison"
    found, error = on_infinite_line(case, window, error_of(window))
    here, there = found.statistics, window.statistics
    assert here.contact_force_mean_N == pytest.approx(case.mean_force_N, abs=0.1)
    assert here.contact_force_std_N == pytest.approx(there.contact_force_std_N, rel=3e-3)
    assert found.applied_force_N == pytest.approx(window.applied_force_N, abs=0.2)
    difference = found.leading.contact_force_filtered - window.leading.contact_force_filtered
    assert np.sqrt(np.mean(difference**2)) < 0.02 * there.contact_force_std_N
    assert found.leading.contact_height == pytest.approx(window.leading.contact_height, abs=1e-3)
    sizes = {part.name: part.error_N for part in error.parts}
    assert sizes == {
        "time_step": 0.1, "mesh": 0.1, "iteration": 0.0,
        "window": pytest.approx(influence.truncation_error * here.contact_force_std_N),
    }  # fmt: skip
    assert error.sigma_N == here.contact_force_std_N
    assert found.message.startswith("no window is long enough") and "20 + 26" in found.message


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"slack_damping": "released"}, "keep the damping of slack droppers: got released"),
        ({"mean_force_N": 60.0}, "contact_lost"),
    ],
)
def test_what_the_matrices_do_not_cover_is_refused(held, shared, changes, why):
    case, window = held
    with pytest.raises(NoCompanionError, match=why):
        on_infinite_line(case.model_copy(update=changes), window, error_of(window))


def test_a_state_that_does_not_repeat_is_not_set_next_to_one_that_does(held, shared):
    case, window = held
    with pytest.raises(NoCompanionError, match="no steady state to compare"):
        on_infinite_line(case, replace(window, status=Status.NOT_PERIODIC), error_of(window))


@pytest.mark.parametrize(
    ("sizes", "covered", "windows"),
    [
        ({}, True, [45]),
        ({"window": 0.1}, True, [45]),
        ({}, False, [45, 90, 120]),
        ({"mesh": 2.0}, True, [45, 90, 120, 120]),
    ],
)
def test_it_takes_the_place_of_a_window_whose_ends_alone_count(held, monkeypatch, sizes, covered, windows):
    case, window = held
    case = case.model_copy(update={"periodic": case.periodic.model_copy(update=long_window())})
    solved, asked = [], []

    def solve_one(wanted):
        solved.append(wanted.periodic.spans_behind)
        return window

    def infinite(*given):
        asked.append(given)
        if not covered:
            raise NoCompanionError("not covered")
        return "infinite", "error"

    monkeypatch.setattr(assured, "solve", solve_one)
    monkeypatch.setattr(assured, "estimate_error", lambda wanted, solution, **_: error_of(solution, **sizes))
    monkeypatch.setattr(assured, "on_infinite_line", infinite)
    found, _ = solve_assured(case)
    assert solved == windows
    assert (found == "infinite") == (covered and not sizes)
    assert bool(asked) == (not sizes)


@pytest.mark.parametrize(
    ("window_N", "covered", "replaced"), [(4.0, True, True), (4.0, False, False), (0.1, True, False)]
)
def test_a_single_run_takes_it_only_where_its_ends_count(held, monkeypatch, window_N, covered, replaced):
    case, window = held
    case = case.model_copy(update={"periodic": case.periodic.model_copy(update=long_window())})

    def infinite(*_):
        if not covered:
            raise NoCompanionError("not covered")
        return "infinite", "error"

    monkeypatch.setattr(assured, "estimate_error", lambda *_: error_of(window, window=window_N))
    monkeypatch.setattr(assured, "on_infinite_line", infinite)
    found, error = estimated(case, window)
    assert (found == "infinite") == replaced
    assert replaced or error.total == pytest.approx(np.hypot(window_N, np.hypot(0.1, 0.1)))
