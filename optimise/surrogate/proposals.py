"""Designs that a Gaussian process of the record proposes: where most is to be expected below the best design so far.

The first designs are a scrambled Sobol sequence. Each later one maximises the expected improvement of the objective
times the probability that every limit holds (Schonlau, Welch and Jones 1998; Gardner et al. 2014). A process models
the objective, its logarithm where that is positive, by values and by the exact derivatives that come with them. Where
designs come with the harmonics of the contact force instead, a process models these (`force_process`). One more models
each limit that some design has broken.

A proposal depends on the seed, its place in the search and the outcomes of the designs that are at least
``in_flight`` places before it. Those between count as if they had shown what is expected of them. So the same designs
come out on any number of workers, in whatever order these answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_ndtr

from optimise.descent.distances import cost_of
from optimise.design.space import DesignSpace
from optimise.evaluation.outcome import OBJECTIVE
from optimise.record.trial import TrialRecord
from optimise.surrogate.combination import Combination
from optimise.surrogate.force_process import ForceProcess, fitted_logs, same_blocks
from optimise.surrogate.gaussian_process import GaussianProcess, Observations, Scales

__all__ = ["Proposals"]

Floats = NDArray[np.float64]

# scales are fitted again when a fifth more designs are known
REFIT = 1.2
# derivatives of the best designs alone are used beyond this many numbers, which keeps a proposal below a second
SLOPES = 400
# a violation beyond these says no more than these
WIDEST = 1.0
# what a limit that counts steps has where it holds
HOLDS = -0.5
# candidates: anywhere in the box, near each of the best designs at these distances; the best of so many groups climb
ANYWHERE, BEST, NEAR, DISTANCES = 400, 4, 30, (0.02, 0.06, 0.15)
STARTS, CLIMB = 4, 25
# one proposal in so many is sought for an improvement by a deviation of all that is known: it leaves a basin that the
# others would refine. With fewer numbers a variable, values or derivatives, no basin is known
EXPLORES, BOLDER, BASIN = 3, 1.0, 3
# the same of sigma's logarithm, where harmonics are known
MUCH_LOWER = 0.2
# deviations below which the expected improvement is that of its asymptote
ASYMPTOTE = -5.0
LOG_ROOT_2PI = 0.5 * math.log(2.0 * math.pi)


@dataclass(frozen=True)
class _Model:
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

    def with_expected(self, points: Floats) -> _Model:
        """The same with designs in flight."""
        limits = tuple(process.with_expected(points) for process in self.limits)
        return replace(self, objective=self.objective.with_expected(points), limits=limits)


class Proposals:
    """Designs of a search, one after the other.

    Parameters
    ----------
    space : DesignSpace
    objectives : sequence of str
    seed : int
    in_flight : int
        Designs that may be in flight at once [-].
    combination : Combination
        How the objective is made of sigma in the scenarios, where it is.
    """

    def __init__(
        self, space: DesignSpace, objectives: Sequence[str], seed: int, in_flight: int, combination: Combination
    ) -> None:
        variables = space.variables
        self._combination, self._starts = combination, len(variables)
        self._objectives, self._seed, self._in_flight = objectives, seed, in_flight
        self._low = np.array([v.low for v in variables])
        self._high = np.array([v.high for v in variables])
        self._whole = np.array([v.integer for v in variables])
        self._free = np.flatnonzero(~self._whole)
        self._start = Scales(np.ones(len(self._low)))
        self._fitted: dict[tuple[int, bool], Mapping[str, Scales]] = {}
        self._force_logs: dict[int, Floats] = {}

    def next(self, searched: Sequence[TrialRecord]) -> tuple[float, ...]:
        """Values of the next design.

        Parameters
        ----------
        searched : sequence of TrialRecord
            Trials of the search in their order, the nominal line first; all but the last ``in_flight`` - 1 have ended.
        """
        place = len(searched)
        known = searched[: max(1, place + 1 - self._in_flight)]
        if place <= self._starts or not any(self._has_numbers(record) for record in known):
            from scipy.stats import qmc  # slow to load, and few searches need it

            sequence = qmc.Sobol(len(self._low), scramble=True, rng=np.random.default_rng([self._seed]))
            return self._values(sequence.random(1 << place.bit_length())[place - 1])
        shown = self._with_harmonics(known)
        counts = {r.number for r in shown or known if self._has_numbers(r)}
        unknown = [r for k, r in enumerate(searched) if k >= len(known) or r.number not in counts]
        model = self._model_of_force(shown, known) if shown else self._model(known)
        if place % EXPLORES == 0 and model.least is not None:
            model = replace(model, least=model.least - model.bolder)
        model = model.with_expected(np.array([self._share(r) for r in unknown]))
        best = sorted((cost_of(r, self._objectives) or 0.0, k) for k, r in enumerate(known) if self._has_numbers(r))
        centres = np.array([self._share(known[k]) for _, k in best[:BEST]])
        return self._values(_best_point(model, centres, np.random.default_rng([self._seed, place])))

    def _has_numbers(self, record: TrialRecord) -> bool:
        return record.outcome is not None and cost_of(record, self._objectives) is not None

    def _share(self, record: TrialRecord) -> Floats:
        return (np.asarray(record.values) - self._low) / (self._high - self._low)

    def _values(self, share: Floats) -> tuple[float, ...]:
        values = np.clip(self._low + share * (self._high - self._low), self._low, self._high)
        return tuple(np.where(self._whole, np.round(values), values).tolist())

    def _with_harmonics(self, known: Sequence[TrialRecord]) -> list[TrialRecord]:
        """Designs by whose harmonics the force is modelled.

        None where the nominal line has none, or has derivatives, or where fewer than half of those with numbers have
        any. Other designs with numbers count as if they were in flight: their state does not repeat.
        """
        nominal = known[0].outcome
        if nominal is None or not nominal.harmonics or nominal.slopes:
            return []
        numbers = [r for r in known if self._has_numbers(r)]
        found = same_blocks([r for r in numbers if r.outcome is not None and r.outcome.harmonics])
        return found if 2 * len(found) >= max(4, len(numbers)) else []

    def _model_of_force(self, shown: Sequence[TrialRecord], known: Sequence[TrialRecord]) -> _Model:
        points, harmonics = np.array([self._share(r) for r in shown]), [r.outcome.harmonics for r in shown if r.outcome]
        count = self._fitted_count(len(shown))
        if count not in self._force_logs:
            self._force_logs = {count: fitted_logs(points[:count], harmonics[:count])}
        objective = ForceProcess(points, harmonics, self._force_logs[count], self._combination)
        limits = {name: seen for name, seen in self._observed(known).items() if name != OBJECTIVE}
        scales = self._scales(known, by_force=True)
        made = [GaussianProcess(seen, scales.get(name, self._start)) for name, (seen, _) in limits.items()]
        costs = [cost_of(r, self._objectives) for r in known if r.outcome is not None and r.outcome.feasible]
        least = min((math.log(cost) for cost in costs if cost is not None), default=None)
        return _Model(objective, tuple(made), tuple(zero for _, zero in limits.values()), least, MUCH_LOWER)

    def _model(self, known: Sequence[TrialRecord]) -> _Model:
        observed = self._observed(known)
        scales = self._scales(known, by_force=False)
        made = {name: GaussianProcess(seen, scales.get(name, self._start)) for name, (seen, _) in observed.items()}
        objective = made.pop(OBJECTIVE)
        numbers = [r for r in known if self._has_numbers(r)]
        values = observed[OBJECTIVE][0].values
        feasible = [v for v, r in zip(values, numbers, strict=True) if r.outcome is not None and r.outcome.feasible]
        zeros = tuple(observed[name][1] for name in made)
        bolder = BOLDER if len(observed[OBJECTIVE][0].all) >= BASIN * len(self._low) else 0.0
        return _Model(objective, tuple(made.values()), zeros, min(feasible, default=None), bolder)

    def _scales(self, known: Sequence[TrialRecord], by_force: bool) -> Mapping[str, Scales]:
        """Scales of each process, fitted to the first of these designs; by the force none of the objective."""
        key = self._fitted_count(len(known)), by_force
        if key not in self._fitted:
            seen = {name: each for name, (each, _) in self._observed(known[: key[0]]).items()}
            if by_force:
                del seen[OBJECTIVE]
            found = {name: GaussianProcess.fitted(each, self._start).scales for name, each in seen.items()}
            self._fitted = {key: found}
        return self._fitted[key]

    def _fitted_count(self, known: int) -> int:
        """How many of the first designs scales are fitted to: a fifth more each time."""
        count = min(self._starts, known)
        while math.ceil(REFIT * count) <= known:
            count = math.ceil(REFIT * count)
        return count

    def _observed(self, known: Sequence[TrialRecord]) -> dict[str, tuple[Observations, float]]:
        """What is known of the objective, and of each limit that a design has broken, with the scaled zero of each."""
        outcomes = [(self._share(r), r.outcome.constraints) for r in known if r.outcome is not None]
        found = {OBJECTIVE: (self._objective([r for r in known if self._has_numbers(r)]), 0.0)}
        for name in sorted({name for _, constraints in outcomes for name, g in constraints.items() if g > 0.0}):
            pairs = [(share, constraints[name]) for share, constraints in outcomes if name in constraints]
            g = np.clip([g for _, g in pairs], -WIDEST, WIDEST)
            if name == "g_contact_loss":
                g = np.where(g <= 0.0, HOLDS, g)
            mean, deviation = float(g.mean()), float(g.std()) or 1.0
            points = np.array([share for share, _ in pairs])
            no_slopes = np.empty(0, dtype=np.int64), np.empty((0, len(self._free))), self._free
            found[name] = Observations(points, (g - mean) / deviation, *no_slopes), -mean / deviation
        return found

    def _objective(self, seen: Sequence[TrialRecord]) -> Observations:
        """Objective of designs, or its logarithm, with the derivatives of the best; mean 0 and deviation 1."""
        costs = np.array([cost_of(r, self._objectives) for r in seen], dtype=np.float64)
        relative = bool((costs > 0.0).all())
        heights = np.log(costs) if relative else costs
        mean, deviation = float(heights.mean()), float(heights.std()) or 1.0
        slopes = [r.outcome.slopes.get(OBJECTIVE) if r.outcome else None for r in seen]
        best = [k for k in np.argsort(costs, kind="stable").tolist() if slopes[k] is not None]
        sloped = sorted(best[: SLOPES // max(1, len(self._free))])
        by_design = np.array([slopes[k] for k in sloped], dtype=np.float64).reshape(len(sloped), len(self._free))
        scaled = by_design / (deviation * (costs[sloped, None] if relative else 1.0))
        points = np.array([self._share(r) for r in seen])
        return Observations(points, (heights - mean) / deviation, np.array(sloped, dtype=np.int64), scaled, self._free)


def _log_density(z: Floats | float) -> Floats:
    """Logarithm of the normal density."""
    return np.asarray(-0.5 * np.square(z) - LOG_ROOT_2PI, dtype=np.float64)


def _log_improvement(z: Floats) -> Floats:
    """Logarithm of z Phi(z) + phi(z); far below zero by its asymptote phi(z) / z^2."""
    near = np.maximum(z, ASYMPTOTE)
    direct = np.log(near * np.exp(log_ndtr(near)) + np.exp(_log_density(near)))
    return np.where(z > ASYMPTOTE, direct, _log_density(z) - 2.0 * np.log(np.maximum(-z, 1.0)))


def _best_point(model: _Model, centres: Floats, rng: np.random.Generator) -> Floats:
    """Point of the box with the largest gain: by its gradient from the best of points anywhere and near the best."""
    size = centres.shape[1]
    near = [
        np.clip(centre + step * rng.standard_normal((NEAR, size)), 0.0, 1.0) for centre in centres for step in DISTANCES
    ]
    groups = [rng.random((ANYWHERE, size)), *near]
    gains = [model.gain(points) for points in groups]
    firsts = sorted((float(-gain.max()), k) for k, gain in enumerate(gains))[:STARTS]
    starts = [groups[k][int(gains[k].argmax())] for _, k in firsts]
    best, least = starts[0], np.inf
    for start in starts:
        found = minimize(
            lambda u: _turned(model.slope(u)), start, jac=True, method="L-BFGS-B", bounds=[(0.0, 1.0)] * size,
            options={"maxiter": CLIMB},
        )  # fmt: skip
        if found.fun < least:
            best, least = np.clip(found.x, 0.0, 1.0), float(found.fun)
    return best


def _turned(found: tuple[float, Floats]) -> tuple[float, Floats]:
    """Gain and its derivatives as what a minimum is sought of."""
    return -found[0], -found[1]
