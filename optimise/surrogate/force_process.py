r"""A Gaussian process of the contact force's harmonics over a unit box; sigma is the root of their squares' sum.

All harmonics share one correlation of designs and have one covariance S among themselves (a matrix-normal model). With
Matern's k of `gaussian_process` for scale 1 and a linear part

    K(x, x') = k(x, x') + w^2 (1 + (x - 1/2) (x' - 1/2)),      cov(y_a(x), y_b(x')) = S_ab K(x, x'),

S is that of the largest likelihood, Y^T K^-1 Y / N. Lengths, w and the noise are those of the largest posterior
density, of differences from the first design. In the axes of S harmonics are independent: with their means m and what
is left of K at a point, v,

    mean(sigma^2) = m m + v tr S,      var(sigma^2) = 2 v^2 tr S^2 + 4 v m S m.

The logarithm of sigma is normal with the two moments of a log-normal variance (composite functions: Astudillo and
Frazier 2019).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize

from optimise.record.trial import TrialRecord
from optimise.surrogate.combination import Combination
from optimise.surrogate.kernel import ROOT5, point_covariances

__all__ = ["ForceProcess", "blocks_of", "correlation", "fitted_logs", "misfit", "same_blocks"]

Floats = NDArray[np.float64]

# Priors of the logarithms, normal: mean and deviation, and their bounds: lengths, linear part, noise
LENGTH, LINEAR, NOISE = (0.3, 0.8), (np.log(0.7), 1.0), (np.log(0.02), 1.0)
BOUNDS = {"length": (-2.5, 3.0), "linear": (-4.0, 3.0), "noise": (-7.0, 0.0)}
START = {"length": 0.3, "linear": np.log(0.7), "noise": np.log(0.05)}
STEPS = 25
JITTER = 1.0e-8
# points with derivatives: a force has none
NONE = np.empty(0, dtype=np.int64)
NOWHERE = 1.0e10
# harmonics are not independent of one another: as many weigh in the fit of the lengths at most
WEIGHT = 10.0
# share of the variance of all that an axis of S has at least
LEAST_SHARE = 1.0e-5


def correlation(one: Floats, other: Floats, logs: Floats) -> Floats:
    """Correlation of designs, less the noise."""
    a, b = ((points - 0.5) / np.exp(logs[:-2]) for points in (one, other))
    own = [np.einsum("ap,ap->a", c, c) for c in (a, b)]
    square = np.maximum(own[0][:, None] + own[1] - 2.0 * (a @ b.T), 0.0)
    r = np.sqrt(square)
    linear = np.exp(2.0 * logs[-2]) * (1.0 + (one - 0.5) @ (other - 0.5).T)
    return (1.0 + ROOT5 * r + 5.0 / 3.0 * square) * np.exp(-ROOT5 * r) + linear


def _noisy(points: Floats, logs: Floats) -> Floats:
    found = correlation(points, points, logs)
    found[np.diag_indices_from(found)] += np.exp(2.0 * logs[-1]) + JITTER
    return found


def misfit(logs: Floats, points: Floats, values: Floats, weights: Floats) -> tuple[float, Floats]:
    """Negative logarithm of the posterior density, less a constant, and its gradient by the logarithms."""
    count, covariance = len(points), _noisy(points, logs)
    try:
        factor = cholesky(covariance, lower=True)
    except np.linalg.LinAlgError:
        return NOWHERE, np.zeros(len(logs))
    solved, inverse = cho_solve((factor, True), values), cho_solve((factor, True), np.eye(count))
    variance = (values * solved).sum(0) / count
    value = 0.5 * count * (weights * np.log(variance)).sum() + weights.sum() * np.log(np.diag(factor)).sum()
    by_covariance = 0.5 * weights.sum() * inverse - 0.5 * (solved * (weights / variance)) @ solved.T
    d2 = ((points[:, None, :] - points[None, :, :]) / np.exp(logs[:-2])) ** 2
    r = np.sqrt(d2.sum(-1))
    by_lengths = np.einsum("ab,abp->p", by_covariance * 5.0 / 3.0 * (1.0 + ROOT5 * r) * np.exp(-ROOT5 * r), d2)
    linear = np.exp(2.0 * logs[-2]) * (1.0 + (points - 0.5) @ (points - 0.5).T)
    by_noise = 2.0 * np.exp(2.0 * logs[-1]) * np.trace(by_covariance)
    slope = np.array([*by_lengths, 2.0 * (by_covariance * linear).sum(), by_noise])
    mean, deviation = np.array([LENGTH] * (len(logs) - 2) + [LINEAR, NOISE]).T
    away = (logs - mean) / deviation
    return float(value + 0.5 * away @ away), slope + away / deviation


def fitted_logs(points: Floats, harmonics: Sequence[Mapping[str, Sequence[float]]]) -> Floats:
    """Logarithms of the lengths (variable,), the linear part and the noise, of the largest posterior density."""
    free, values = points.shape[1], np.hstack(list(blocks_of(harmonics).values()))
    values = values - values[0]
    weights = values.var(0)
    use = weights > 0.0
    weights = weights[use] / weights.sum() * min(WEIGHT, use.sum())
    start = np.array([START["length"]] * free + [START["linear"], START["noise"]])
    bounds = [BOUNDS["length"]] * free + [BOUNDS["linear"], BOUNDS["noise"]]
    found = minimize(
        misfit, start, args=(points, values[:, use], weights), jac=True, method="L-BFGS-B", bounds=bounds,
        options={"maxiter": STEPS},
    )  # fmt: skip
    return found.x


@dataclass(frozen=True)
class _Axes:
    """Axes of S, one block after the other, with their variances; the first axis and the scenario of each block."""

    variances: Floats
    first: NDArray[np.int64]
    scenario: NDArray[np.int64]

    def sums(self, values: Floats) -> Floats:
        """Sums over each block, of the last index."""
        return np.add.reduceat(values, self.first, axis=-1)


class ForceProcess:
    """A process that holds the harmonics of designs, with the objective that is made of them.

    Parameters
    ----------
    points : float array (point, variable)
        In the unit box.
    harmonics : sequence of mapping
        Of each point, by "scenario.pantograph", the same ones at all (harmonic,) [N].
    logs : float array
        See `fitted_logs`.
    combination : Combination
    """

    def __init__(
        self, points: Floats, harmonics: Sequence[Mapping[str, Sequence[float]]], logs: Floats, combination: Combination
    ) -> None:
        blocks = blocks_of(harmonics)
        factor = cholesky(_noisy(points, logs), lower=True)
        values, variances = [], []
        for block in blocks.values():
            # axes and variances of Y^T K^-1 Y / N, of which there are as many as points at most
            _, size, axes = np.linalg.svd(solve_triangular(factor, block, lower=True), full_matrices=False)
            own = size**2 / len(points)
            use = own > LEAST_SHARE * own.sum()
            use[0] = True
            values.append(block @ axes[use].T)
            variances.append(np.maximum(own[use], JITTER))
        first = np.cumsum([0, *(len(v) for v in variances[:-1])])
        scenario = np.array([int(name.partition(".")[0]) for name in blocks])
        self._axes = _Axes(np.concatenate(variances), first, scenario)
        self._combination, self._logs = combination, logs
        self._hold(points, np.hstack(values), factor)

    def _hold(self, points: Floats, values: Floats, factor: Floats) -> None:
        self._points, self._values, self._factor = points, values, factor
        self._weights = cho_solve((factor, True), values)
        self._inverse: Floats | None = None

    def with_expected(self, points: Floats) -> ForceProcess:
        """The same, as if designs in flight had shown their means: only what is left of K near them falls."""
        if not len(points):
            return self
        found = object.__new__(ForceProcess)
        found._axes, found._combination, found._logs = self._axes, self._combination, self._logs
        every = np.vstack([self._points, points])
        values = np.vstack([self._values, correlation(points, self._points, self._logs) @ self._weights])
        found._hold(every, values, cholesky(_noisy(every, self._logs), lower=True))
        return found

    def predict(self, points: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the objective's logarithm at points (point, variable)."""
        cross = correlation(points, self._points, self._logs)
        left = solve_triangular(self._factor, cross.T, lower=True, check_finite=False)
        own = 1.0 + np.exp(2.0 * self._logs[-2]) * (1.0 + ((points - 0.5) ** 2).sum(1))
        rest = np.maximum(own - np.einsum("nb,nb->b", left, left), JITTER)
        mean, deviation = _logs_of(self._moments(cross @ self._weights, rest))
        value, spread, _ = self._combination.logs(*self._worst(mean, deviation)[:2])
        return value, spread

    def slopes(self, point: Floats) -> tuple[float, float, Floats, Floats]:
        """Mean and deviation of the objective's logarithm at a point (variable,), and their derivatives (variable,).

        Where deviations are added to the mean of scenarios the share of each in their change is held.
        """
        if self._inverse is None:
            self._inverse = solve_triangular(self._factor, np.eye(len(self._factor)), lower=True, check_finite=False)
        cross, moved, own, by_own = self._near(point)
        left = self._inverse @ cross
        rest = max(own - float(left @ left), JITTER)
        by_rest = by_own - 2.0 * moved @ (left @ self._inverse) if rest > JITTER else np.zeros(len(point))
        m, by_m = cross @ self._weights, moved @ self._weights
        moments = self._moments(m[None], np.array([rest]))
        mean, deviation = _logs_of(moments)
        by_mean, by_deviation = _log_slopes(moments, self._moment_slopes(m, by_m, rest, by_rest))
        mean, deviation, which = self._worst(mean, deviation)
        by_mean, by_deviation = by_mean[:, which], by_deviation[:, which]
        value, spread, part = self._combination.logs(mean, deviation)
        by_value = by_mean @ part[0]
        signs = np.sign(part[0])
        by_part = part[0] * (by_mean - by_value[:, None])
        by_spread = by_deviation @ (signs * part[0]) + by_part @ (signs * deviation[0])
        return float(value[0]), float(spread[0]), by_value, by_spread

    def _near(self, point: Floats) -> tuple[Floats, Floats, float, Floats]:
        """Correlation with all points, its derivatives (variable, point), that with itself, and its derivatives."""
        linear, centre, away = np.exp(2.0 * self._logs[-2]), self._points - 0.5, point - 0.5
        cross, moved = point_covariances(point, (self._points, NONE, NONE), (np.exp(self._logs[:-2]), 1.0))
        own = 1.0 + linear * (1.0 + float(away @ away))
        return cross + linear * (1.0 + centre @ away), moved + linear * centre.T, own, 2.0 * linear * away

    def _moments(self, m: Floats, rest: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of sigma^2 (point, block)."""
        s, v = self._axes.variances, rest[:, None]
        mean = self._axes.sums(m * m) + v * self._axes.sums(s)
        return mean, 2.0 * v * v * self._axes.sums(s * s) + 4.0 * v * self._axes.sums(m * m * s)

    def _moment_slopes(self, m: Floats, by_m: Floats, rest: float, by_rest: Floats) -> tuple[Floats, Floats]:
        """Their derivatives at a point (variable, block)."""
        s, w = self._axes.variances, by_rest[:, None]
        by_mean = 2.0 * self._axes.sums(by_m * m) + w * self._axes.sums(s)
        by_variance = 4.0 * rest * w * self._axes.sums(s * s) + 4.0 * w * self._axes.sums(m * m * s)
        return by_mean, by_variance + 8.0 * rest * self._axes.sums(by_m * (m * s))

    def _worst(self, mean: Floats, deviation: Floats) -> tuple[Floats, Floats, NDArray[np.int64]]:
        """Of each scenario the pantograph with the largest sigma: of (point, block) to (point, scenario); and which.

        Which ones is that of the first point, as its derivatives need it.
        """
        scenario = self._axes.scenario
        if len(scenario) == scenario[-1] + 1:
            return mean, deviation, np.arange(len(scenario))
        starts = np.flatnonzero(np.diff(scenario, prepend=-1))
        which = np.stack(
            [start + mean[:, start:end].argmax(1) for start, end in zip(starts, [*starts[1:], None], strict=True)], 1
        )
        rows = np.arange(len(mean))[:, None]
        return mean[rows, which], deviation[rows, which], which[0]


def _logs_of(moments: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Mean and deviation of ln sigma, by mean and variance of a log-normal sigma^2."""
    mean, variance = moments
    q = np.log1p(variance / mean**2)
    return 0.5 * np.log(mean) - 0.25 * q, 0.5 * np.sqrt(q)


def _log_slopes(moments: tuple[Floats, Floats], slopes: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    (mean, variance), (by_mean, by_variance) = moments, slopes
    ratio = variance / mean**2
    by_q = (by_variance / mean**2 - 2.0 * ratio * by_mean / mean) / (1.0 + ratio)
    return 0.5 * by_mean / mean - 0.25 * by_q, 0.25 * by_q / np.sqrt(np.log1p(ratio))


def same_blocks(records: Sequence[TrialRecord]) -> list[TrialRecord]:
    """Records whose harmonics are of the same scenarios and pantographs as those of the first."""
    known = [(record, record.outcome.harmonics.keys() if record.outcome else set()) for record in records]
    return [record for record, names in known if names == known[0][1]]


def blocks_of(harmonics: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, Floats]:
    """Harmonics of all points by scenario and pantograph (point, harmonic); those that some have not are 0."""
    names = sorted(harmonics[0], key=lambda name: tuple(map(int, name.split("."))))
    return {name: _padded([each[name] for each in harmonics]) for name in names}


def _padded(rows: Sequence[Sequence[float]]) -> Floats:
    """Both halves of each row, a and b, with zeros behind, as long as the longest (row, harmonic)."""
    longest = max(map(len, rows)) // 2
    found = np.zeros((len(rows), 2, longest))
    for k, row in enumerate(rows):
        found[k, :, : len(row) // 2] = np.reshape(row, (2, -1))
    return found.reshape(len(rows), -1)
