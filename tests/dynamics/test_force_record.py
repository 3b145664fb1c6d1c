"""Force records from elsewhere: even steps, the published filter, whole spans, and where a support lies."""

import numpy as np
import pytest

from catenary.errors import InputError
from dynamics.contact_force.filters import periodic_gain
from dynamics.contact_force.measured_force import ForceRecord, best_offset, fold_record, record_problems
from dynamics.spec.case import SignalSpec

SPAN, SPEED = 60.0, 75.0
SIGNAL = SignalSpec()


def record(force, seconds=12.0, jitter=0.4, step=2.0e-3, start=3.0):
    """Samples of a force over time, at uneven instants; the first one is at 0 m."""
    rng = np.random.default_rng(11)
    steps = int(seconds / step)
    time = start + step * (np.arange(steps) + jitter * rng.uniform(-0.5, 0.5, steps))
    return ForceRecord("record", time, SPEED * (time - time[0]), force(time - time[0]))


@pytest.mark.parametrize("hertz", [1.25, 5.0, 20.0, 40.0])
def test_uneven_samples_are_filtered_like_even_ones(hertz):
    """Amplitude of one harmonic of the span (1.25 Hz): that of the published gain, 0.5 at 20 Hz.

    Straight lines between samples 2 ms apart take (pi f dt)^2 / 6 off it, 1 % at 40 Hz.
    """
    found = fold_record(record(lambda t: 150.0 + 30.0 * np.sin(2 * np.pi * hertz * t)), SPAN, SIGNAL)
    gain = float(periodic_gain(np.array([hertz]), 2.0e-3, 20.0, "butterworth")[0])
    statistics = found.statistics
    assert statistics.contact_force_mean_N == pytest.approx(150.0, abs=0.05)
    assert statistics.contact_force_std_N == pytest.approx(30.0 * gain / np.sqrt(2.0), rel=0.012, abs=0.02)
    assert statistics.contact_force_max_N == pytest.approx(150.0 + 30.0 * gain, abs=0.2)
    assert statistics.contact_loss_percent == 0.0
    assert found.high.max() - found.mean.max() < 0.4


def test_only_whole_spans_clear_of_the_filters_ends_count():
    found = fold_record(record(lambda t: 150.0 + 0.0 * t), SPAN, SIGNAL)
    # 900 m, less 18.75 m at either end, from support to support: spans 1 to 13
    assert found.spans == 13
    assert fold_record(record(lambda t: 150.0 + 0.0 * t), SPAN, SIGNAL, offset=19.0).spans == 14


def test_the_mean_over_spans_keeps_the_line_and_sheds_the_rest():
    rng = np.random.default_rng(2)

    def force(t):
        return 150.0 + 30.0 * np.sin(2 * np.pi * SPEED / SPAN * t) + rng.normal(0.0, 20.0, t.size)

    found = fold_record(record(force, seconds=120.0), SPAN, SIGNAL)
    np.testing.assert_allclose(found.mean, 150.0 + 30.0 * np.sin(2 * np.pi * found.x / SPAN), rtol=0, atol=4.0)
    assert (found.low < found.mean).all()
    assert (found.high > found.mean).all()


@pytest.mark.parametrize("shift", [0.0, 13.2, 47.7])
def test_a_support_is_found_where_the_record_agrees_best(shift):
    x = np.linspace(0.0, SPAN, 500)

    def shape(place):
        return 150.0 + 30.0 * np.sin(2 * np.pi * place / SPAN) + 12.0 * np.cos(6 * np.pi * place / SPAN + 0.4)

    given = record(lambda t: shape(SPEED * t - shift))
    offset = best_offset(fold_record(given, SPAN, SIGNAL), x, shape(x))
    assert abs((offset - shift + 0.5 * SPAN) % SPAN - 0.5 * SPAN) < 0.16
    again = fold_record(given, SPAN, SIGNAL, offset)
    np.testing.assert_allclose(again.mean, shape(again.x), rtol=0, atol=1.5)


def test_loss_of_contact_is_counted_on_the_raw_force():
    found = fold_record(record(lambda t: np.where((t % 0.8) < 0.08, 0.0, 160.0)), SPAN, SIGNAL)
    assert found.statistics.contact_loss_percent == pytest.approx(10.0, abs=0.5)
    assert found.statistics.contact_force_mean_N == pytest.approx(144.0, abs=0.5)


def test_what_cannot_be_filtered_or_folded_is_said():
    assert record_problems(record(np.cos), SPAN, SIGNAL) == []
    (coarse,) = record_problems(record(np.cos, step=0.02), SPAN, SIGNAL)
    assert "must be sampled every 12.5 ms or finer" in coarse
    (short,) = record_problems(record(np.cos, seconds=1.0), SPAN, SIGNAL)
    assert "must cover at least one span of 60 m and 37.5 m for the filter's ends" in short
    whole = record(np.cos)
    keep = (whole.time < 6.0) | (whole.time > 6.3)
    (gap,) = record_problems(ForceRecord("r", whole.time[keep], whole.position[keep], whole.force[keep]), SPAN, SIGNAL)
    assert "one of 30" in gap
    assert "give the parts one by one" in gap
    with pytest.raises(InputError, match="must hold a whole span from support to support"):
        fold_record(record(np.cos, seconds=1.4), SPAN, SIGNAL, offset=50.0)
