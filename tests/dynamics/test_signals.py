"""Histogram, spectrum, running RMS and losses of contact forces whose answers are known in closed form."""

import numpy as np
import pytest

from dynamics.results.force_history import ForceHistory, force_history
from dynamics.results.losses import contact_losses
from dynamics.results.signals import force_histogram, force_signals

SPEED, SPAN, STEPS = 80.0, 50.0, 625
DT = SPAN / SPEED / STEPS  # 1 ms
RNG = np.random.default_rng(11)


def history_of(*forces, periodic=False, cut=None):
    """Forces as raw and filtered of as many pantographs, 20 m apart."""
    raw = np.stack(forces, axis=1)
    time = DT * np.arange(1, len(raw) + 1)
    position = SPEED * time[:, None] - 20.0 * np.arange(raw.shape[1])
    cuts = (slice(0, len(raw)) if cut is None else cut,) * raw.shape[1]
    return ForceHistory(time, position, raw, raw, cuts, DT, SPEED, STEPS, periodic)


def test_the_histogram_of_a_ramp_is_flat_and_integrates_to_one():
    found = force_histogram((np.linspace(100.0, 150.0, 5001)[:-1], np.full(10, 122.0)))
    np.testing.assert_allclose(np.diff(found.edges), 5.0)
    np.testing.assert_array_equal(found.edges % 5.0, 0.0)
    np.testing.assert_allclose((found.density * 5.0).sum(axis=0), 1.0)
    ramp, constant = found.density[found.density[:, 0] > 0, 0], found.density[:, 1]
    np.testing.assert_allclose(ramp, 0.02)
    assert constant[np.searchsorted(found.edges, 122.0) - 1] == pytest.approx(0.2)


def test_noise_has_the_spectrum_that_its_variance_says():
    sigma = (7.0, 21.0)
    noise = [s * RNG.standard_normal(40 * STEPS) for s in sigma]
    spectrum = force_signals(history_of(*noise)).spectrum
    assert spectrum.resolution == pytest.approx(SPEED / SPAN / 4.0)  # four spans a segment
    assert not spectrum.lines and "Hann" in spectrum.method
    for p, s in enumerate(sigma):
        # white noise has its variance spread evenly up to half the sampling frequency; Parseval
        assert spectrum.density[1:-1, p].mean() == pytest.approx(2.0 * DT * s**2, rel=0.03)
        assert spectrum.density[:, p].sum() * spectrum.resolution == pytest.approx(noise[p].var(), rel=0.03)


def test_a_tone_stands_at_its_frequency_with_half_its_amplitude_squared():
    time = DT * np.arange(1, 20 * STEPS + 1)
    spectrum = force_signals(history_of(140.0 + 30.0 * np.sin(2 * np.pi * 8.0 * time))).spectrum
    assert spectrum.frequency[spectrum.density[:, 0].argmax()] == pytest.approx(8.0)
    assert spectrum.density.sum() * spectrum.resolution == pytest.approx(450.0, rel=1e-3)


@pytest.mark.parametrize("steps", [STEPS, STEPS - 1])
def test_lines_of_a_period_add_up_to_the_variance_exactly(steps):
    force = 140.0 + RNG.standard_normal(steps)
    spectrum = force_signals(history_of(force, periodic=True)).spectrum
    assert spectrum.lines
    assert spectrum.density.sum() * spectrum.resolution == pytest.approx(force.var(), rel=1e-12)
    phase = 2 * np.pi * np.arange(steps) / steps
    lines = force_signals(history_of(140.0 + 10.0 * np.cos(3 * phase), periodic=True)).spectrum
    power = lines.density[:, 0] * lines.resolution
    assert power[3] == pytest.approx(50.0) and np.delete(power, 3).max() < 1e-20


def test_a_short_record_is_one_segment():
    force = RNG.standard_normal(STEPS)
    spectrum = force_signals(history_of(force, force[::-1].copy())).spectrum
    assert spectrum.segment_s == pytest.approx(SPAN / SPEED)
    # one segment: the window weighs the variance, which is Parseval's theorem for the weighted force
    weight = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(STEPS) / STEPS)
    expected = ((weight * (force - force.mean())) ** 2).sum() / (weight**2).sum()
    assert spectrum.density[:, 0].sum() * spectrum.resolution == pytest.approx(expected, rel=2e-3)


def test_the_running_rms_of_a_tone_is_its_amplitude_over_root_two():
    time = DT * np.arange(1, 6 * STEPS + 1)
    period = 0.25 * SPAN / SPEED
    force = 100.0 + 12.0 * np.sin(2 * np.pi * time / period)
    rms = force_signals(history_of(force)).running_rms
    np.testing.assert_allclose(rms.window_m, [12.5, 50.0])
    whole = np.isfinite(rms.value[:, 0, 1])
    np.testing.assert_allclose(rms.value[whole, 0, :], 12.0 / np.sqrt(2.0), rtol=0.01)
    # a centred window of one span leaves half a span at either end without a value
    assert np.flatnonzero(whole)[0] == STEPS // 2 and whole.sum() == 5 * STEPS + 1


def test_the_running_rms_stands_where_the_force_moves():
    force = np.full(4 * STEPS, 100.0)
    force[2 * STEPS] += 50.0
    value = force_signals(history_of(force)).running_rms.value[:, 0, 0]
    moved = np.flatnonzero(value > 2.0)
    assert abs(0.5 * (moved[0] + moved[-1]) - 2 * STEPS) <= 0.5  # centred


def test_over_a_period_the_running_rms_closes_and_one_span_gives_sigma():
    force = 140.0 + np.cumsum(RNG.standard_normal(STEPS))
    value = force_signals(history_of(force, periodic=True)).running_rms.value[:, 0, :]
    np.testing.assert_allclose(value[:, 1], force.std())
    assert (value[:, 0] ** 2).mean() == pytest.approx(force.var())
    assert value[:, 0].max() > 1.3 * value[:, 0].min()


def lossy(*gaps, steps=4 * STEPS):
    force = np.full(steps, 120.0)
    for begin, end in gaps:
        force[begin:end] = 0.0
    return force


def test_losses_are_counted_placed_and_measured():
    one, none = contact_losses(history_of(lossy((100, 130), (700, 710)), lossy()))
    assert (one.count, none.count, none.longest_s, none.total_percent) == (2, 0, 0.0, 0.0)
    first, second = one.losses
    assert (first.start_time_s, first.duration_s) == (pytest.approx(100 * DT), pytest.approx(30 * DT))
    assert (first.start_position_m, first.length_m) == (pytest.approx(8.0), pytest.approx(2.4))
    assert second.start_position_m == pytest.approx(56.0)
    assert (one.longest_s, one.longest_m) == (first.duration_s, first.length_m)
    assert one.total_percent == pytest.approx(100.0 * 40 / 2500)


def test_a_loss_over_the_end_of_a_period_is_one():
    periodic = lossy((0, 20), (300, 305), (600, 625), steps=STEPS)
    found = contact_losses(history_of(periodic, periodic=True))[0]
    assert [round(loss.duration_s / DT) for loss in found.losses] == [5, 45]
    assert found.losses[1].start_time_s == pytest.approx(600 * DT)
    march = contact_losses(history_of(periodic))[0]
    assert [round(loss.duration_s / DT) for loss in march.losses] == [20, 5, 25]
    assert march.total_percent == pytest.approx(found.total_percent)


@pytest.mark.parametrize("periodic", [True, False])
def test_contact_that_never_is_made_is_one_loss(periodic):
    (found,) = contact_losses(history_of(np.zeros(STEPS), periodic=periodic))
    assert (found.count, found.total_percent) == (1, pytest.approx(100.0))
    assert found.losses[0].start_time_s == pytest.approx(0.0)


def test_losses_outside_the_evaluated_spans_do_not_count():
    cut = slice(STEPS, 2 * STEPS)
    (found,) = contact_losses(history_of(lossy((10, 20), (STEPS - 5, STEPS + 7), (3 * STEPS, 3 * STEPS + 9)), cut=cut))
    assert found.count == 1
    assert found.losses[0].duration_s == pytest.approx(7 * DT)
    assert found.losses[0].start_position_m == pytest.approx(SPAN)


@pytest.mark.parametrize("solver", ["periodic", "transient", "open_line"])
def test_what_is_evaluated_is_what_the_statistics_are_of(build_case, solver):
    from dynamics.solution import solve

    small = {
        "periodic": {"spans_behind": 5, "spans_ahead": 6},
        "transient": {"spans": 12, "spans_evaluated": 4, "spans_behind": 5, "spans_ahead": 6},
        "open_line": {"spans": 6, "start": 0.3, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1},
    }
    # an applied force this small loses contact
    case = build_case("bruni_2015", 320.0, applied_force_N=60.0, solver=solver, contact={"stiffness": 200e3}, **small)
    solution = solve(case)
    statistics, history = solution.statistics, force_history(solution)
    assert statistics.contact_loss_percent > 0.0
    found = force_signals(history)
    (filtered,), (losses,) = history.evaluated(history.filtered), found.losses
    assert filtered.mean() == pytest.approx(statistics.contact_force_mean_N, abs=1e-9)
    assert filtered.std() == pytest.approx(statistics.contact_force_std_N, abs=1e-9)
    assert losses.total_percent == pytest.approx(statistics.contact_loss_percent, abs=1e-9)
    if solver == "periodic":
        np.testing.assert_allclose(found.running_rms.value[:, 0, 1], statistics.contact_force_std_N)
