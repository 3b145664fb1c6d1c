"""What is left of a gain over speeds and on fitted lines: hand-made figures, missing runs, and errors that decide."""

import math

import pytest

from optimise.afterwards.gain_left import ComparedRun, gains_left

NAN = math.nan


def run(kind, value, nominal, best, error=0.0):
    return ComparedRun(kind, value, (nominal, error), (best, error))


def test_mean_and_worst_are_those_of_the_changes_run_by_run():
    (speeds,) = gains_left([run("speed", 285.0, 20.0, 15.0), run("speed", 315.0, 40.0, 38.0)])
    assert speeds.mean_percent == pytest.approx(-15.0) and speeds.worst_percent == pytest.approx(-5.0)
    assert speeds.holds and (speeds.runs, speeds.of) == (2, 2)
    assert "285 to 315 km/h" in speeds.in_words and "−5.0" in speeds.in_words


def test_each_size_of_error_is_a_group_and_other_conditions_are_left_out():
    runs = [run(kind, size, 20.0, 18.0) for kind in ("height_error", "length_error") for size in (2.0, 5.0)]
    found = gains_left([*runs, *runs, run("contact", 2e5, 20.0, 30.0), run("speed", 300.0, 20.0, 15.0)])
    assert [g.of for g in found] == [2, 2, 2, 2], "one speed is not a band"
    assert [g.mean_percent for g in found] == pytest.approx(4 * [-10.0])


def test_errors_decide_what_is_known():
    # 1 % of each sigma: 0.95 * hypot(1 %, 1 %) = 1.34 % of the change
    (left,) = gains_left([run("length_error", 3.0, 20.0, 19.0, 0.2)] * 2)
    assert left.worst_error_percent == pytest.approx(95.0 * math.hypot(0.2 / 20.0, 0.2 / 19.0))
    assert left.holds
    (unsure,) = gains_left([run("length_error", 3.0, 20.0, 19.8, 0.2)] * 2)
    (worse,) = gains_left([run("length_error", 3.0, 20.0, 21.0, 0.2)] * 2)
    (blind,) = gains_left([run("length_error", 3.0, 20.0, 15.0, NAN)] * 2)
    assert (unsure.holds, worse.holds, blind.holds) == (None, False, None)
    assert "±" not in blind.in_words


@pytest.mark.parametrize("error", [1.5, NAN])
def test_a_run_that_gains_more_may_be_the_one_that_is_not_known(error):
    runs = [run("length_error", 3.0, 20.0, 18.8, 0.01), run("length_error", 3.0, 20.0, 18.6, error)]
    (left,) = gains_left(runs)
    assert left.worst_percent == pytest.approx(-6.0) and left.holds is None


def test_runs_that_one_line_lacks_are_counted_and_leave_it_open():
    (left,) = gains_left([run("length_error", 3.0, 20.0, 15.0), run("length_error", 3.0, NAN, 15.0)])
    assert (left.runs, left.of, left.holds) == (1, 2, None) and "1 of 2" in left.in_words
    (none,) = gains_left([run("length_error", 3.0, NAN, 15.0)])
    assert none.holds is None and "not known" in none.in_words
