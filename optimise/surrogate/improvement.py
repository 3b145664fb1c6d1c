"""What is to be gained by a design, and the design by which most is to be gained.

The expected improvement of the objective on the best feasible design times the probability that every limit holds
(Schonlau, Welch and Jones 1998; Gardner et al. 2014), as a logarithm, with its derivatives.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, minimize
from scipy.special import log_ndtr

from optimise.surrogate.force_process import ForceProcess
from optimise.surrogate.gaussian_process import GaussianProcess

__all__ = ["SearchModel", "best_point"]

Floats = NDArray[np.float64]

# candidates: anywhere in the box, near each of the best designs at these distances; the best of so many groups climb
ANYWHERE, NEAR, DISTANCES = 400, 30, (0.02, 0.06, 0.15)
STARTS, CLIMB = 4, 25
# deviations below which the expected improvement is that of its asymptote
ASYMPTOTE = -5.0
LOG_ROOT_2PI = 0.5 * math.log(2.0 * math.pi)


@dataclass(frozen=True)
class SearchModel:
    """Processes of the objective and of the limits that were broken; what the best feasible design has.

    Without a feasible design, ``least`` is None and only the limits count. ``bolder`` is by how much less than it some
    proposals are sought for; 0 where no basin is known yet.
    """

    objective: GaussianProcess | ForceProcess
    limits: tuple[GaussianProcess, ...]
    zeros: tuple[float, ...]
    least: float | None
    bolder: float = 0.0

    def gain(self, points: Floats) -> Floats:
        """Logarithm of the expected improvement times the probability that all limits hold (point,)."""
        found = np.zeros(len(points))
        if self.least is not None:
            mean, deviation = self.objective.predict(points)
            found = np.log(deviation) + _log_improvement((self.least - mean) / deviation)
        for process, zero in zip(self.limits, self.zeros, strict=True):
            mean, deviation = process.predict(points)
            found = found + log_ndtr((zero - mean) / deviation)
        return found

    def slope(self, point: Floats) -> tuple[float, Floats]:
        """The same at one point (variable,), and its derivatives."""
        found, slope = 0.0, np.zeros(len(point))
        if self.least is not None:
            mean, deviation, by_mean, by_deviation = self.objective.slopes(point)
            z = (self.least - mean) / deviation
            better = float(_log_improvement(np.array([z]))[0])
            found += np.log(deviation) + better
            rate = np.exp(log_ndtr(z) - better) if z > ASYMPTOTE else -z - 2.0 / z
            slope += (by_deviation - rate * (by_mean + z * by_deviation)) / deviation
        for process, zero in zip(self.limits, self.zeros, strict=True):
            mean, deviation, by_mean, by_deviation = process.slopes(point)
            z, held = (zero - mean) / deviation, log_ndtr((zero - mean) / deviation)
            found += held
            slope -= np.exp(_log_density(z) - held) * (by_mean + z * by_deviation) / deviation
        return float(found), slope

    def with_expected(self, points: Floats) -> SearchModel:
        """The same with designs in flight."""
        limits = tuple(process.with_expected(points) for process in self.limits)
        return replace(self, objective=self.objective.with_expected(points), limits=limits)


def _log_density(z: Floats | float) -> Floats:
    """Logarithm of the normal density."""
    return np.asarray(-0.5 * np.square(z) - LOG_ROOT_2PI, dtype=np.float64)


def _log_improvement(z: Floats) -> Floats:
    """Logarithm of z Phi(z) + phi(z); far below zero by its asymptote phi(z) / z^2."""
    near = np.maximum(z, ASYMPTOTE)
    direct = np.log(near * np.exp(log_ndtr(near)) + np.exp(_log_density(near)))
    return np.where(z > ASYMPTOTE, direct, _log_density(z) - 2.0 * np.log(np.maximum(-z, 1.0)))


def best_point(model: SearchModel, centres: Floats, box: Floats, rng: np.random.Generator) -> Floats:
    """Point of a box (end, variable) with the largest gain: by its gradient from the best of points in it.

    These are anywhere, and near the centres (point, variable).
    """
    size, (low, high) = centres.shape[1], box
    near = [
        np.clip(centre + step * rng.standard_normal((NEAR, size)), low, high)
        for centre in centres
        for step in DISTANCES
    ]
    groups = [low + (high - low) * rng.random((ANYWHERE, size)), *near]
    gains = [model.gain(points) for points in groups]
    firsts = sorted((float(-gain.max()), k) for k, gain in enumerate(gains))[:STARTS]
    starts = [groups[k][int(gains[k].argmax())] for _, k in firsts]
    best, least = starts[0], np.inf
    for start in starts:
        found = minimize(
            lambda u: _turned(model.slope(u)), start, jac=True, method="L-BFGS-B", bounds=Bounds(low, high),
            options={"maxiter": CLIMB},
        )  # fmt: skip
        if found.fun < least:
            best, least = np.clip(found.x, low, high), float(found.fun)
    return best


def _turned(found: tuple[float, Floats]) -> tuple[float, Floats]:
    """Gain and its derivatives as what a minimum is sought of."""
    return -found[0], -found[1]
