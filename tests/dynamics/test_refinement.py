"""Errors, orders and what counts as assured, on curves that are known and on a line that nothing slackens."""

from dataclasses import replace

import numpy as np
import pytest

from dynamics.accuracy.refinement import Passage, Setting, assured_error, errors_of, line_of, observed_order, passage_of

SETTING = Setting("linearised", "ancf", "newmark", 6, 1e-3)
X = np.linspace(0.0, 55.0, 300)


def passage(force, **changes):
    return Passage(replace(SETTING, **changes), "", X, force, 1.0)


@pytest.mark.parametrize("order", [1.0, 1.5, 2.0, 4.0])
def test_the_order_of_a_known_error_comes_out(order):
    # the coarsest has an error of another kind, which must not count
    dts = [8e-3, 4e-3, 2e-3, 1e-3]
    curves = [passage(100 + 30 * np.sin(X) + (dt / 1e-3) ** order * np.cos(0.3 * X), dt=dt) for dt in dts]
    curves[0] = replace(curves[0], force=curves[0].force + 50.0)
    assert observed_order(dts, curves) == pytest.approx(order, abs=1e-6)


def test_no_order_is_given_where_there_is_none():
    two = [passage(X * k) for k in (1.0, 2.0)]
    assert observed_order([1.0, 2.0], two) is None
    away = [passage(np.sin(X) * k) for k in (1.0, 9.0, 2.0)]  # farther from the finest than the coarsest is
    assert observed_order([1.0, 2.0, 3.0], away) is None
    failed = [*two, replace(two[0], position=np.zeros(0), force=np.zeros(0))]
    assert observed_order([1.0, 2.0, 3.0], failed) is None


def test_errors_are_those_of_the_curve():
    reference = passage(100 + 30 * np.sin(X))
    # other samples of a curve that is 2 N higher and 10 % wider
    other = Passage(SETTING, "", X[::2], 102 + 33 * np.sin(X[::2]), 1.0)
    found = errors_of(other, reference)
    inside = other.position[-1] >= X
    assert found.rms_N == pytest.approx(np.sqrt(np.mean((2 + 3 * np.sin(X[inside])) ** 2)), rel=1e-3)
    assert found.max_N == pytest.approx(5.0, abs=0.2) and found.min_N == pytest.approx(-1.0, abs=0.2)
    assert found.sigma_N == pytest.approx(0.1 * reference.sigma, rel=0.02)


def test_a_lucky_setting_is_charged_with_what_finer_ones_show():
    reference = passage(30 * np.sin(X))
    lucky = passage(30 * np.sin(X), elements_per_bay=4)
    finer = passage(33 * np.sin(X), elements_per_bay=6)
    beam = passage(60 * np.sin(X), formulation="beam", elements_per_bay=12)
    everything = [lucky, finer, beam]
    ten_percent = 0.1 * reference.sigma
    assert assured_error(lucky, everything, reference) == pytest.approx(ten_percent)
    # neither a coarser one nor another formulation counts
    assert assured_error(finer, everything, reference) == pytest.approx(ten_percent)
    assert assured_error(lucky, [lucky, beam], reference) == pytest.approx(0.0)


@pytest.mark.parametrize("integrator", ["newmark", "hht"])
def test_the_step_converges_with_the_declared_order_where_nothing_slackens(build_case, integrator):
    # at 40 N and 200 km/h no dropper goes slack, and Newmark and HHT are of second order
    line = {"spans": 4, "start": 0.0, "first_evaluated": 2, "last_evaluated": 2, "spans_after": 1}
    case = build_case("bruni_2015", 200.0, applied_force_N=40.0, solver="open_line", open_line=line)
    dts = [1e-3, 5e-4, 2.5e-4]
    settings = [replace(SETTING, integrator=integrator, elements_per_bay=3, dt=dt) for dt in dts]
    made = line_of(settings[0].applied_to(case))
    found = [passage_of(s.applied_to(case), made) for s in settings]
    assert observed_order(dts, found) == pytest.approx(2.0, abs=0.15)
    assert all(p.cost > 0.0 for p in found)
