"""What is said of a test on the rig once it is over: its extremes, lost contact, and how far it is from settled."""

import numpy as np
import pytest

from dynamics.charts.drawing import charts_figure
from dynamics.charts.files import figure_png
from dynamics.rig.service.run import Blocks, course_of
from studies.rig.served_run import settled_sentence, span_statistics
from studies.rig.span_charts import span_charts

DT = 2.0e-3
ABOUT = {"steps_per_span": 100, "span_m": 50.0, "dt_s": DT}


def columns_of(force, stopping=None):
    mark = np.zeros(len(force))
    if stopping is not None:
        mark[stopping:] = 2
    return {"force": np.asarray(force, dtype=np.float64), "mark": mark}


def blocks_of_force(force):
    """Spans as they were, unfiltered; the change of the first one is that from nothing."""
    change = np.sqrt(np.mean(np.diff(force, axis=0, prepend=0.0 * force[:1]) ** 2, axis=1))
    return Blocks(np.arange(100) * 0.5, force, change, min(10, len(force)))


def test_the_largest_force_and_lost_contact_are_found_before_the_stop():
    force = np.full(1000, 150.0)
    force[300:340], force[700], force[950] = 0.0, 900.0, 5000.0
    course = course_of(columns_of(force, stopping=900), DT)
    assert (course.largest_N, course.largest_at_s) == (900.0, pytest.approx(1.4))
    found = course.lost_s, course.lost_from_s, course.lost_to_s
    assert found == (pytest.approx(0.08), pytest.approx(0.6), pytest.approx(0.678))
    held = course_of(columns_of(np.full(10, 150.0)), DT)
    assert (held.lost_s, held.lost_from_s) == (0.0, None)
    assert course_of(columns_of(np.zeros(5), stopping=0), DT) is None


def test_what_may_be_left_is_the_sum_of_all_further_changes():
    """Spans that go to their end as a geometric series with the spectral radius: the bound is met exactly."""
    radius, shape = 0.9, np.sin(2.0 * np.pi * np.arange(100) / 100.0)
    force = 150.0 + 20.0 * shape * (1.0 - radius ** np.arange(40.0))[:, None]
    found = span_statistics(blocks_of_force(force), {**ABOUT, "spectral_radius": radius}, ramp=1.0)
    left = 20.0 * radius**39 * np.sqrt(0.5)
    assert found["left_to_settle_N"] == pytest.approx(left, rel=1e-9) and found["ramp_ended"]
    assert "0.232 N RMS may be left" in settled_sentence(found)
    assert span_statistics(blocks_of_force(force), ABOUT, ramp=1.0)["left_to_settle_N"] is None


def test_a_test_that_ends_in_its_ramp_or_after_one_span_says_nothing_of_the_line():
    force = np.full((12, 100), 150.0)
    ramping = span_statistics(blocks_of_force(force), ABOUT, ramp=1.0)
    assert not ramping["ramp_ended"] and "within the ramp" in settled_sentence(ramping)
    alone = span_statistics(blocks_of_force(force[:1]), ABOUT, ramp=0.0)
    assert alone["last_change_N"] is None and "a single span" in settled_sentence(alone)


@pytest.mark.parametrize("noise", [0.0, 1e-13])
def test_a_force_that_never_changes_is_drawn(noise):
    """A stuck cell sends one number, which a filter leaves as it is but for rounding."""
    force = 157.0 + noise * np.random.default_rng(1).normal(size=(3, 100))
    for chart in span_charts(blocks_of_force(force)):
        low, high = chart.limits()[1]
        assert high - low > 1e-6 and figure_png(charts_figure([chart])).startswith(b"\x89PNG")


def test_a_line_of_several_spans_a_period_is_counted_by_periods():
    blocks, about = blocks_of_force(np.full((12, 100), 150.0)), {**ABOUT, "spans_of_a_period": 2}
    found = span_statistics(blocks, about, ramp=0.0)
    assert (found["periods"], found["periods_averaged"], found["spans"], found["spans_averaged"]) == (12, 10, 24, 20)
    assert "from period to period" in settled_sentence(found)
    assert {chart.title for chart in span_charts(blocks, "period")} >= {"Contact force of every period"}
    alone = span_statistics(blocks, ABOUT, ramp=0.0)
    assert alone["spans"] == 12 and "from span to span" in settled_sentence(alone)
