"""Designs that a Gaussian process of the record proposes: where most is to be expected below the best design so far.

The search goes in rounds. The first designs of a round are a scrambled Sobol sequence; each later one maximises what is
to be gained (`improvement`). A process models the objective, its logarithm where that is positive, by values and by the
exact derivatives that come with them. Where designs come with the harmonics of the contact force instead, a process
models these (`force_process`). One more models each limit that some design has broken. A model sits in the basin that
it knows: a round that has not got better for some time ends (`rounds`). The next one descends from its best design and
from places next to it (`descents`), or, without derivatives, seeks round the best design by all that is known there.
Later ones start again, knowing nothing but the nominal line.

A proposal depends on the seed, its place in the search and the outcomes of the designs that are at least
``in_flight`` places before it. Those between count as if they had shown what is expected of them. So the same designs
come out on any number of workers, in whatever order these answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from optimise.descent.distances import cost_of
from optimise.design.space import DesignSpace
from optimise.evaluation.outcome import OBJECTIVE
from optimise.record.trial import TrialRecord
from optimise.surrogate.combination import Combination
from optimise.surrogate.descents import Descents, Shown, length_of, moved_designs
from optimise.surrogate.force_process import ForceProcess, fitted_logs, same_blocks
from optimise.surrogate.gaussian_process import GaussianProcess, Observations, Scales
from optimise.surrogate.improvement import SearchModel, best_point
from optimise.surrogate.rounds import Round, round_of

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
# the next design is sought near so many of the best ones, too
BEST = 4
# a round that seeks round the best design goes so far from it, in shares of the ranges
AROUND = 0.25
# one proposal in so many is sought for an improvement by a deviation of all that is known: it leaves a basin that the
# others would refine. With fewer numbers a variable, values or derivatives, no basin is known
EXPLORES, BOLDER, BASIN = 3, 1.0, 3
# the same of sigma's logarithm, where harmonics are known
MUCH_LOWER = 0.2


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
        self._places = np.flatnonzero([v.along for v in variables])
        self._start, self._begin = Scales(np.ones(len(self._low))), 1
        self._fitted: dict[tuple[int, int, bool], Mapping[str, Scales]] = {}
        self._force_logs: dict[tuple[int, int], Floats] = {}
        self._following: tuple[int, Descents] | None = None
        self._ended: dict[tuple[float, ...], TrialRecord] = {}

    def next(self, searched: Sequence[TrialRecord]) -> tuple[float, ...]:
        """Values of the next design.

        Parameters
        ----------
        searched : sequence of TrialRecord
            Trials of the search in their order, the nominal line first; all but the last ``in_flight`` - 1 have ended.
        """
        now = self._round(searched)
        base = self._base(searched, now)
        follows = not now.everywhere and self._descends(searched)
        if follows and (values := self._descended(searched, now, base)) is not None:
            return values
        ended = max(1, len(searched) + 1 - self._in_flight)
        box, known = self._seen(searched[:ended], now, base)
        self._begin, place = now.begin, len(searched) - now.begin + 1
        first = place <= self._starts and not follows
        if first or not any(self._has_numbers(record) for record in known):
            from scipy.stats import qmc  # slow to load, and few searches need it

            own = np.random.default_rng([self._seed, now.number] if now.number else [self._seed])
            sequence = qmc.Sobol(len(self._low), scramble=True, rng=own)
            return self._values(box[0] + (box[1] - box[0]) * sequence.random(1 << place.bit_length())[place - 1])
        shown = self._with_harmonics(known)
        counts = {r.number for r in shown or known if self._has_numbers(r)}
        unknown = [r for r in [*known, *searched[ended:]] if r.number not in counts]
        model = self._model_of_force(shown, known) if shown else self._model(known)
        if place % EXPLORES == 0 and model.least is not None:
            model = replace(model, least=model.least - model.bolder)
        model = model.with_expected(np.array([self._share(r) for r in unknown]))
        best = sorted((cost_of(r, self._objectives) or 0.0, k) for k, r in enumerate(known) if self._has_numbers(r))
        centres = np.array([self._share(known[k]) for _, k in best[:BEST]])
        return self._values(best_point(model, centres, box, np.random.default_rng([self._seed, len(searched)])))

    def _descends(self, searched: Sequence[TrialRecord]) -> bool:
        """Whether designs come with the derivatives that descents need: as the nominal line does."""
        nominal = searched[0].outcome
        return nominal is not None and bool(nominal.slopes)

    def _round(self, searched: Sequence[TrialRecord]) -> Round:
        costs = [self._feasible_cost(r) for r in searched]
        given = sum(r.origin is not None for r in searched)
        descents = length_of(len(self._free), self._in_flight) if self._descends(searched) else 0
        return round_of(costs, self._starts, self._in_flight, given, descents)

    def _base(self, searched: Sequence[TrialRecord], now: Round) -> TrialRecord:
        """Design from which a round begins: for descents the best of the round before, else the best so far."""
        known = searched[: max(1, now.begin + 1 - self._in_flight)]
        first = now.before if self._descends(searched) else 0
        return min(known[first:], key=self._feasible_cost, default=searched[0])

    def _descended(self, searched: Sequence[TrialRecord], now: Round, base: TrialRecord) -> tuple[float, ...] | None:
        """Next design of a round of descents; None where all have ended."""
        begin, share = now.begin, self._share(base)
        ended = searched[begin : len(searched) + 1 - self._in_flight]
        forgot = len(ended) + 1 < len(self._ended)
        # values of shares of values are not always these values
        self._ended = {self._values(share): base, **{r.values: r for r in ended}}
        if self._following is None or self._following[0] != begin or forgot:
            self._following = begin, self._descents(searched, now, base)
        return self._following[1].next(len(searched) - begin, self._in_flight)

    def _descents(self, searched: Sequence[TrialRecord], now: Round, base: TrialRecord) -> Descents:
        """A round of descents from a design."""
        begin, share = now.begin, self._share(base)
        self._begin = -begin  # this model's scales are its own
        model = self._model([searched[0], *searched[now.before : begin + 1 - self._in_flight]])
        moved = moved_designs(share, self._free, self._places, lambda x: model.objective.predict(x)[0])
        unit = abs(cost_of(searched[0], self._objectives) or 1.0)
        return Descents(
            share, self._feasible_cost(base), moved, self._free, self._values,
            lambda values: self._shown(self._ended.get(values)), unit,
        )  # fmt: skip

    def _shown(self, record: TrialRecord | None) -> Shown | None:
        """What a descent reads of a design; None without derivatives."""
        outcome = None if record is None else record.outcome
        if record is None or outcome is None or not outcome.slopes or not self._has_numbers(record):
            return None
        names = [name for name in outcome.slopes if name != OBJECTIVE]
        by_limit = np.array([outcome.slopes[name] for name in names]).reshape(len(names), len(self._free))
        limits = np.array([outcome.constraints[name] for name in names])
        return Shown(cost_of(record, self._objectives) or 0.0, np.array(outcome.slopes[OBJECTIVE]), limits, by_limit)

    def _seen(self, ended: Sequence[TrialRecord], now: Round, base: TrialRecord) -> tuple[Floats, list[TrialRecord]]:
        """Box of a round's designs (end, variable), and which of those that have ended its model may know.

        A round that is not everywhere seeks round its design, by all that is known there.
        """
        box, begin = np.array([np.zeros(len(self._low)), np.ones(len(self._low))]), now.begin
        if now.everywhere:
            return box, [ended[0], *ended[begin:]]
        best = self._share(base)
        box = np.clip([best - AROUND, best + AROUND], 0.0, 1.0)
        shares = [self._share(r) for r in ended]
        inside = [k == 0 or k >= begin or bool(((box[0] <= x) & (x <= box[1])).all()) for k, x in enumerate(shares)]
        return box, [r for r, wanted in zip(ended, inside, strict=True) if wanted]

    def _feasible_cost(self, record: TrialRecord) -> float:
        """Cost of a feasible design; infinite for others."""
        if record.outcome is None or not record.outcome.feasible:
            return math.inf
        cost = cost_of(record, self._objectives)
        return math.inf if cost is None else cost

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

    def _model_of_force(self, shown: Sequence[TrialRecord], known: Sequence[TrialRecord]) -> SearchModel:
        points, harmonics = np.array([self._share(r) for r in shown]), [r.outcome.harmonics for r in shown if r.outcome]
        count = self._fitted_count(len(shown))
        key = self._begin, count
        if key not in self._force_logs:
            self._force_logs = {key: fitted_logs(points[:count], harmonics[:count])}
        objective = ForceProcess(points, harmonics, self._force_logs[key], self._combination)
        limits = {name: seen for name, seen in self._observed(known).items() if name != OBJECTIVE}
        scales = self._scales(known, by_force=True)
        made = [GaussianProcess(seen, scales.get(name, self._start)) for name, (seen, _) in limits.items()]
        cost = min(self._feasible_cost(r) for r in known)
        least = math.log(cost) if math.isfinite(cost) else None
        return SearchModel(objective, tuple(made), tuple(zero for _, zero in limits.values()), least, MUCH_LOWER)

    def _model(self, known: Sequence[TrialRecord]) -> SearchModel:
        observed = self._observed(known)
        scales = self._scales(known, by_force=False)
        made = {name: GaussianProcess(seen, scales.get(name, self._start)) for name, (seen, _) in observed.items()}
        objective = made.pop(OBJECTIVE)
        numbers = [r for r in known if self._has_numbers(r)]
        values = observed[OBJECTIVE][0].values
        feasible = [v for v, r in zip(values, numbers, strict=True) if r.outcome is not None and r.outcome.feasible]
        zeros = tuple(observed[name][1] for name in made)
        bolder = BOLDER if len(observed[OBJECTIVE][0].all) >= BASIN * len(self._low) else 0.0
        return SearchModel(objective, tuple(made.values()), zeros, min(feasible, default=None), bolder)

    def _scales(self, known: Sequence[TrialRecord], by_force: bool) -> Mapping[str, Scales]:
        """Scales of each process, fitted to the first of these designs; by the force none of the objective."""
        key = self._begin, self._fitted_count(len(known)), by_force
        if key not in self._fitted:
            seen = {name: each for name, (each, _) in self._observed(known[: key[1]]).items()}
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
