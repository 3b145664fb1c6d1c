"""The Gaussian process of values and derivatives, against differences, samples and a solution by hand."""

import numpy as np
import pytest

from optimise.surrogate import gaussian_process
from optimise.surrogate.gaussian_process import GaussianProcess, Observations, Scales

FREE = np.array([0, 1, 3])
SLOPED = np.array([1, 3, 4, 8])
SCALES = Scales(np.array([0.7, 1.2, 0.9, 0.5]), 1.3, 0.05, 0.3)


def hills(x):
    return np.sin(3.0 * x[..., 0]) + x[..., 1] ** 2 + x[..., 2] * x[..., 0] - x[..., 3]


def slopes_of_hills(x):
    ones = np.ones(x.shape[:-1])
    return np.stack([3.0 * np.cos(3.0 * x[..., 0]) + x[..., 2], 2.0 * x[..., 1], -ones], axis=-1)


@pytest.fixture
def seen():
    points = np.random.default_rng(0).random((12, 4))
    return Observations(points, hills(points), SLOPED, slopes_of_hills(points[SLOPED]), FREE)


def without_slopes(seen):
    return Observations(seen.points, seen.values, SLOPED[:0], np.empty((0, len(FREE))), FREE)


def test_covariances_of_derivatives_are_differences_of_that_of_values(seen):
    """By a second way: the covariance of values alone, differentiated numerically in both of its points."""
    step, (x, y) = 1e-5, seen.points[[0, 1]]

    def covariance(a, b):
        return gaussian_process._Pairs.of(a[None], b[None], SCALES).k[0, 0]

    def shifted(j):
        return step * np.eye(4)[j]

    pairs = gaussian_process._Pairs.of(x[None], y[None], SCALES)
    one = gaussian_process._value_slope(pairs, SCALES.lengths, FREE)[0]
    two = gaussian_process._slope_slope(pairs, SCALES.lengths, FREE)
    by_y = [(covariance(x, y + shifted(j)) - covariance(x, y - shifted(j))) / (2 * step) for j in FREE]
    assert one == pytest.approx(by_y, rel=1e-7)
    for a, i in enumerate(FREE):
        for b, j in enumerate(FREE):
            corners = [
                s * t * covariance(x + s * shifted(i), y + t * shifted(j)) for s in (1, -1) for t in (1, -1)
            ]  # fmt: skip
            assert two[a, b] == pytest.approx(sum(corners) / (4 * step**2), abs=2e-4)


@pytest.mark.parametrize("slopes", [True, False], ids=["with derivatives", "values alone"])
def test_the_gradient_of_the_posterior_is_that_of_differences(seen, slopes):
    seen, theta, step = seen if slopes else without_slopes(seen), SCALES.theta, 1e-5
    _, found = gaussian_process._misfit(theta, seen)
    by_differences = [
        (gaussian_process._misfit(theta + step * e, seen)[0] - gaussian_process._misfit(theta - step * e, seen)[0])
        / (2 * step)
        for e in np.eye(len(theta))
    ]
    assert found == pytest.approx(by_differences, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("slopes", [True, False], ids=["with derivatives", "values alone"])
def test_derivatives_of_a_prediction_are_those_of_differences(seen, slopes):
    process = GaussianProcess(seen if slopes else without_slopes(seen), SCALES)
    point, step = np.array([0.3, 0.8, 0.4, 0.55]), 1e-6
    mean, deviation, by_mean, by_deviation = process.slopes(point)
    (here,), (wide,) = process.predict(point[None])
    assert (mean, deviation) == pytest.approx((here, wide), rel=1e-12)
    more, less = process.predict(point + step * np.eye(4)), process.predict(point - step * np.eye(4))
    for found, k in ((by_mean, 0), (by_deviation, 1)):
        assert found == pytest.approx((more[k] - less[k]) / (2 * step), rel=1e-6, abs=1e-8)


def test_without_noise_the_process_goes_through_values_and_slopes(seen):
    process = GaussianProcess(seen, Scales(SCALES.lengths, 1.3, 1e-6, 1e-6))
    mean, deviation = process.predict(seen.points)
    assert mean == pytest.approx(seen.values, abs=1e-5) and deviation.max() < 1e-3
    step, at = 1e-4, seen.points[SLOPED]
    for k, j in enumerate(FREE):
        aside = step * np.eye(4)[j]
        slope = (process.predict(at + aside)[0] - process.predict(at - aside)[0]) / (2 * step)
        assert slope == pytest.approx(seen.slopes[:, k], abs=2e-3)


def test_a_process_of_two_values_is_the_solution_by_hand():
    points, values = np.array([[0.2], [0.6]]), np.array([1.0, -1.0])
    seen = Observations(points, values, SLOPED[:0], np.empty((0, 1)), np.array([0]))
    process = GaussianProcess(seen, Scales(np.array([0.5]), 2.0, 0.1, 1.0))

    def k(distance):
        r = abs(distance) / 0.5
        return 4.0 * (1.0 + np.sqrt(5.0) * r + 5.0 / 3.0 * r**2) * np.exp(-np.sqrt(5.0) * r)

    matrix = np.array([[k(0.0), k(0.4)], [k(0.4), k(0.0)]]) + (0.01 + gaussian_process.JITTER) * np.eye(2)
    cross = np.array([k(0.1), k(0.3)])
    mean, deviation = process.predict(np.array([[0.3]]))
    assert mean[0] == pytest.approx(cross @ np.linalg.solve(matrix, values), rel=1e-12)
    assert deviation[0] ** 2 == pytest.approx(k(0.0) - cross @ np.linalg.solve(matrix, cross), rel=1e-9)


def test_derivatives_make_predictions_better_and_surer(seen):
    points = np.random.default_rng(1).random((200, 4))
    errors = {}
    for name, held in (("with", seen), ("without", without_slopes(seen))):
        process = GaussianProcess.fitted(held, Scales(np.ones(4)))
        mean, deviation = process.predict(points)
        errors[name] = float(np.sqrt(np.mean((mean - hills(points)) ** 2)))
        assert np.mean(np.abs(mean - hills(points)) < 2.0 * deviation) > 0.85
    assert errors["with"] < 0.8 * errors["without"]


def test_designs_in_flight_move_no_mean_and_lower_the_deviation_near_them(seen):
    process, waiting = GaussianProcess(seen, SCALES), np.array([[0.5, 0.5, 0.5, 0.5]])
    near, points = waiting + 0.02, np.random.default_rng(2).random((20, 4))
    with_them = process.with_expected(waiting)
    assert with_them.predict(points)[0] == pytest.approx(process.predict(points)[0], abs=1e-6)
    assert with_them.predict(near)[1][0] < 0.3 * process.predict(near)[1][0]
    assert process.with_expected(np.empty((0, 4))) is process
