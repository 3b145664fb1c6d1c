"""A Gaussian process of values and derivatives over a unit box, with a Matern 5/2 covariance.

With scaled differences d = (x - x') / l and r = |d| the covariance of values is k = s^2 (1 + sqrt5 r + 5/3 r^2) e, with
e = exp(-sqrt5 r). Derivatives have, with c = 5/3 s^2 (1 + sqrt5 r) e and E = 25/3 s^2 e,

    cov(f, f'_j) = c d_j / l_j,        cov(f'_i, f'_j) = (c delta_ij - E d_i d_j) / (l_i l_j).

Lengths, scale and noise are those of the largest posterior density, whose gradient is in closed form: with
theta = log l_p and the same d, k changes by c d_p^2, c by E d_p^2 and E by sqrt5 E d_p^2 / r.

Source: Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), chapters 2, 5 and section 9.4.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize

from optimise.surrogate.kernel import ROOT5, point_covariances

__all__ = ["GaussianProcess", "Observations", "Scales"]

Floats = NDArray[np.float64]

# Priors of the logarithms, normal: mean and deviation. Lengths of the order of the box; values hold but for what the
# tolerance of a steady state leaves; derivatives are those of one point, which kinks near it make noise.
LENGTH, SCALE, NOISE, SLOPE_NOISE = (0.0, 0.8), (0.0, 1.0), (np.log(0.02), 1.0), (np.log(0.5), 1.0)
BOUNDS = {"length": (-2.5, 2.5), "scale": (-2.0, 3.0), "noise": (-7.0, 0.0), "slope": (-5.0, 2.0)}
STEPS = 15
JITTER = 1.0e-8
NOWHERE = 1.0e10


@dataclass(frozen=True)
class Observations:
    """Values, and derivatives at some of the points.

    Attributes
    ----------
    points : float array (point, variable)
        In the unit box.
    values : float array (point,)
        With mean near zero and a deviation near one.
    sloped : int array (slope,)
        Points with derivatives.
    slopes : float array (slope, free)
        Their derivatives, of the values.
    free : int array (free,)
        Variables by which the derivatives are.
    """

    points: Floats
    values: Floats
    sloped: NDArray[np.int64]
    slopes: Floats
    free: NDArray[np.int64]

    @property
    def all(self) -> Floats:
        """Values, then derivatives point by point."""
        return np.concatenate([self.values, self.slopes.ravel()])


@dataclass(frozen=True)
class Scales:
    """Lengths (variable,), scale, noise of values and noise of derivatives."""

    lengths: Floats
    scale: float = 1.0
    noise: float = 0.02
    slope_noise: float = 0.5

    @classmethod
    def of(cls, theta: Floats) -> Scales:
        """From their logarithms, in this order."""
        return cls(np.exp(theta[:-3]), *(float(x) for x in np.exp(theta[-3:])))

    @property
    def theta(self) -> Floats:
        """Their logarithms."""
        return np.log([*self.lengths, self.scale, self.noise, self.slope_noise])


@dataclass(frozen=True)
class _Pairs:
    """Scaled differences of two sets of points (one, other, variable) and the radial functions of each pair."""

    d: Floats
    k: Floats
    c: Floats
    e: Floats
    q: Floats

    @classmethod
    def of(cls, one: Floats, other: Floats, scales: Scales) -> _Pairs:
        d = (one[:, None, :] - other[None, :, :]) / scales.lengths
        r = np.sqrt(np.einsum("abp,abp->ab", d, d))
        falling = scales.scale**2 * np.exp(-ROOT5 * r)
        e = 25.0 / 3.0 * falling
        return cls(
            d, (1.0 + ROOT5 * r + 5.0 / 3.0 * r * r) * falling, 5.0 / 3.0 * (1.0 + ROOT5 * r) * falling, e,
            ROOT5 * e / np.maximum(r, 1.0e-12),
        )  # fmt: skip


def _value_slope(pairs: _Pairs, lengths: Floats, free: NDArray[np.int64]) -> Floats:
    """Covariance of values with derivatives (one, other times free)."""
    found = pairs.c[..., None] * pairs.d[..., free] / lengths[free]
    return found.reshape(len(found), -1)


def _slope_slope(pairs: _Pairs, lengths: Floats, free: NDArray[np.int64]) -> Floats:
    """Covariance of derivatives with derivatives (one times free, other times free)."""
    found = -pairs.e[..., None, None] * pairs.d[..., free, None] * pairs.d[..., None, free]
    found += pairs.c[..., None, None] * np.eye(len(free))
    found /= lengths[free][:, None] * lengths[free]
    return found.transpose(0, 2, 1, 3).reshape(len(free) * len(pairs.d), len(free) * pairs.d.shape[1])


def _covariance(seen: Observations, scales: Scales) -> Floats:
    """Covariance of all observations, noise included."""
    x, g, lengths = seen.points, seen.points[seen.sloped], scales.lengths
    cross = _value_slope(_Pairs.of(x, g, scales), lengths, seen.free)
    found = np.block(
        [
            [_Pairs.of(x, x, scales).k, cross],
            [cross.T, _slope_slope(_Pairs.of(g, g, scales), lengths, seen.free)],
        ]
    )
    noise = np.full(len(found), scales.slope_noise**2)
    noise[: len(x)] = scales.noise**2
    found[np.diag_indices_from(found)] += noise + JITTER
    return found


def _trace_by_lengths(seen: Observations, scales: Scales, weights: Floats) -> Floats:
    """Sum of weights times the change of the covariance by each log length (variable,)."""
    x, free, lengths = seen.points, seen.free, scales.lengths
    m, size = len(x), len(free)
    values = _Pairs.of(x, x, scales)
    found = np.einsum("ab,abp->p", weights[:m, :m] * values.c, values.d**2)
    if not len(seen.sloped):
        return found
    g = x[seen.sloped]
    pairs = _Pairs.of(x, g, scales)
    w = 2.0 * weights[:m, m:].reshape(m, len(g), size) / lengths[free]
    d = pairs.d[..., free]
    found += np.einsum("ab,abp->p", pairs.e * (w * d).sum(-1), pairs.d**2)
    found[free] -= 2.0 * np.einsum("ab,abp->p", pairs.c, w * d)
    pairs = _Pairs.of(g, g, scales)
    w = weights[m:, m:].reshape(len(g), size, len(g), size).transpose(0, 2, 1, 3) / (
        lengths[free][:, None] * lengths[free]
    )
    d = pairs.d[..., free]
    along = np.einsum("abij,abj->abi", w, d)
    own = np.einsum("abii->abi", w)
    found += np.einsum("ab,abp->p", pairs.e * own.sum(-1) - pairs.q * (along * d).sum(-1), pairs.d**2)
    # the weights are symmetric: both factors d of a product change alike
    found[free] += np.einsum("ab,abp->p", 4.0 * pairs.e, d * along) - np.einsum("ab,abp->p", 2.0 * pairs.c, own)
    return found


def _misfit(theta: Floats, seen: Observations) -> tuple[float, Floats]:
    """Negative logarithm of the posterior density, less a constant, and its gradient by the logs of the scales."""
    scales = Scales.of(theta)
    covariance = _covariance(seen, scales)
    try:
        factor = cholesky(covariance, lower=True)
    except np.linalg.LinAlgError:
        return NOWHERE, np.zeros(len(theta))
    weights = cho_solve((factor, True), seen.all)
    value = 0.5 * float(seen.all @ weights) + float(np.log(np.diag(factor)).sum())
    inverse = cho_solve((factor, True), np.eye(len(factor)))
    w = np.outer(weights, weights) - inverse
    m, diagonal = len(seen.values), np.diag(w)
    noise = scales.noise**2 * float(diagonal[:m].sum()), scales.slope_noise**2 * float(diagonal[m:].sum())
    signal = float(np.sum(w * covariance)) - sum(noise) - JITTER * float(diagonal.sum())
    slope = -0.5 * np.array([*_trace_by_lengths(seen, scales, w), 2.0 * signal, 2.0 * noise[0], 2.0 * noise[1]])
    priors = [LENGTH] * (len(theta) - 3) + [SCALE, NOISE, SLOPE_NOISE]
    mean, deviation = np.array(priors).T
    away = (theta - mean) / deviation
    return value + 0.5 * float(away @ away), slope + away / deviation


class GaussianProcess:
    """A process that holds observations.

    Parameters
    ----------
    seen : Observations
    scales : Scales
    """

    def __init__(self, seen: Observations, scales: Scales) -> None:
        self.seen, self.scales = seen, scales
        self._factor = cholesky(_covariance(seen, scales), lower=True)
        self._weights = cho_solve((self._factor, True), seen.all)

    @classmethod
    def fitted(cls, seen: Observations, start: Scales) -> GaussianProcess:
        """Process with the scales of the largest posterior density, sought from given ones."""
        lengths = [BOUNDS["length"]] * len(start.lengths)
        bounds = [*lengths, BOUNDS["scale"], BOUNDS["noise"], BOUNDS["slope"]]
        found = minimize(
            _misfit, start.theta, args=(seen,), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": STEPS}
        )
        return cls(seen, Scales.of(found.x))

    def predict(self, points: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the value at points (point, variable)."""
        seen, scales = self.seen, self.scales
        slopes = _value_slope(_Pairs.of(points, seen.points[seen.sloped], scales), scales.lengths, seen.free)
        cross = np.hstack([_Pairs.of(points, seen.points, scales).k, slopes])
        left = solve_triangular(self._factor, cross.T, lower=True, check_finite=False)
        variance = scales.scale**2 - np.einsum("nb,nb->b", left, left)
        return cross @ self._weights, np.sqrt(np.maximum(variance, JITTER))

    def slopes(self, point: Floats) -> tuple[float, float, Floats, Floats]:
        """Mean and standard deviation of the value at a point (variable,), and the derivatives of both (variable,)."""
        seen, scales = self.seen, self.scales
        cross, moved = point_covariances(point, (seen.points, seen.sloped, seen.free), (scales.lengths, scales.scale))
        left = self._inverse @ cross
        deviation = float(np.sqrt(max(scales.scale**2 - left @ left, JITTER)))
        by_variance = -2.0 * (moved @ (left @ self._inverse))
        return float(cross @ self._weights), deviation, moved @ self._weights, by_variance / (2.0 * deviation)

    @cached_property
    def _inverse(self) -> Floats:
        """Inverse of the lower factor; a climb asks for derivatives a thousand times."""
        size = len(self._factor)
        return np.ascontiguousarray(solve_triangular(self._factor, np.eye(size), lower=True, check_finite=False))

    def with_expected(self, points: Floats) -> GaussianProcess:
        """The same, as if designs in flight had shown their means: only the deviation near them falls."""
        if not len(points):
            return self
        seen = self.seen
        more = replace(
            seen, points=np.vstack([seen.points, points]), values=np.append(seen.values, self.predict(points)[0])
        )
        return GaussianProcess(more, self.scales)
