"""The first size of an error, of either sense, whose rise meets a limit: found on curves whose crossing is known."""

import math

import pytest

from optimise.afterwards.first_crossing import CLOSE, NoFigureError, first_crossing

LIMIT, MOST, FIRST = 0.05, 20.0, 2.0


def crossing(rise):
    return first_crossing(rise, LIMIT, MOST, FIRST)


def kinked(e):
    """No change before a dropper slackens at 4, steep behind it."""
    return 0.002 * max(0.0, e) + 0.02 * max(0.0, e - 4.0)


@pytest.mark.parametrize(
    ("rise", "at", "sense"),
    [
        (lambda e: 0.01 * e, 5.0, 1),
        (lambda e: -0.01 * e, 5.0, -1),
        (lambda e: 0.001 * e * e, math.sqrt(50.0), 0),
        (lambda e: 0.1 * e, 0.5, 1),  # above at the first size
        (lambda e: -0.02 * e + 0.002 * e * e, (math.sqrt(8.0e-4) - 0.02) / 0.004, -1),
        (kinked, (0.05 + 0.08) / 0.022, 1),
        (lambda e: 0.05 * math.sin(0.3 * e) + 0.004 * e, None, 1),
    ],
)
def test_the_rise_at_the_crossing_is_the_limit(rise, at, sense):
    found = crossing(rise)
    assert found.at is not None
    worst = max(rise(found.at), rise(-found.at))
    assert abs(worst - LIMIT) <= CLOSE * LIMIT * (1.0 + 1e-9)
    if at is not None:
        # what the limit leaves of the rise, over the slope there
        slope = abs(rise(1.001 * at) - rise(0.999 * at)) / (0.002 * at) or abs(rise(-1.001 * at) - LIMIT) / (0.001 * at)
        assert found.at == pytest.approx(at, abs=2.0 * CLOSE * LIMIT / slope)
    assert found.sense == (sense or found.sense) and found.slope > 0.0
    assert len(found.tested) < 24, "every one is a run"
    assert all(found.tested[e] == rise(e) for e in found.tested if e)
    smaller = [rise(e) for e in found.tested if abs(e) < found.at * (1.0 - 1e-9)]
    assert max(smaller) < LIMIT


def test_the_sense_whose_rise_comes_first_counts():
    """The shorter dropper rises at once, the longer one later and faster."""
    found = crossing(lambda e: 0.01 * -e if e < 0.0 else 0.002 * e * e - 0.02 * e)
    assert found.sense == -1 and found.at == pytest.approx(5.0, rel=0.05)


def test_without_a_crossing_everything_that_was_tried_stays_below():
    found = crossing(lambda e: 0.0004 * abs(e))
    assert (found.at, found.below, found.sense) == (None, MOST, 0)
    assert found.stays_below(0.004) == pytest.approx(max(abs(e) for e in found.tested if abs(e) < 10.0))


def test_a_jump_is_closed_in_from_below_and_above():
    found = crossing(lambda e: 0.2 if e > 7.3 else 0.0)
    assert found.at == pytest.approx(7.3, abs=0.2)


def test_a_rise_without_figures_ends_the_search_and_says_why():
    def rise(e):
        if abs(e) > 5.0:
            raise NoFigureError("dropper 3 is too short")
        return 0.0001 * e

    found = crossing(rise)
    assert found.at is None and "dropper 3" in found.message and FIRST <= found.below <= 5.0
