"""Optuna's samplers by name; a proposal depends on the seed, the record and the trial's number alone."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from optuna import Study
from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution
from optuna.samplers import (
    BaseSampler,
    CmaEsSampler,
    NSGAIIISampler,
    NSGAIISampler,
    QMCSampler,
    RandomSampler,
    TPESampler,
)
from optuna.trial import FrozenTrial, TrialState

from optimise.design.space import DesignSpace
from optimise.evaluation.outcome import Outcome
from optimise.spec.campaign import CampaignSpec, SamplerSpec
from optimise.spec.objective_names import name_parts

__all__ = [
    "GENERATION_NOTES",
    "CampaignSampler",
    "designs_in_flight",
    "distributions",
    "idle_workers",
    "population_size",
    "reference_divisions",
    "searches_by_harmonics",
]

# Optuna calls the samplers experimental because their interface may change; the lock holds the version in use.
EXPERIMENTAL = (
    r"^QMCSampler is experimental \(supported from v3\.0\.0\)\. The interface can change in the future\.$",
    r"^NSGAIIISampler is experimental \(supported from v3\.2\.0\)\. The interface can change in the future\.$",
)

GENETIC_POPULATION = 24
# of a Gaussian process: two workers have work, and a third design waits for the first of them
IN_FLIGHT = 3

# Attributes in which samplers note the generation of a trial and, in the study, the parents of each: by these the
# driver knows how far back they look. A test holds that nothing else is looked at.
GENERATION_NOTES = {
    "nsga2": ("NSGAIISampler:generation", "NSGAIISampler:parent:"),
    "nsga3": ("NSGAIIISampler:generation", "NSGAIIISampler:parent:"),
    "cma_es": ("cma:generation",),
}


def population_size(sampler: SamplerSpec, variables: int) -> int:
    """Designs per generation or batch.

    If not given 24 for NSGA-II and III, which need a front's worth of them, and for the others the rule of CMA-ES,
    4 + 3 ln(variables) rounded down.
    """
    usual = GENETIC_POPULATION if sampler.kind in ("nsga2", "nsga3") else 4 + math.floor(3.0 * math.log(variables))
    return sampler.population or usual


def designs_in_flight(sampler: SamplerSpec) -> int:
    """Designs of a Gaussian process that may be in flight at once."""
    return sampler.population or IN_FLIGHT


def searches_by_harmonics(campaign: CampaignSpec, nominal: Outcome | None = None) -> bool:
    """Whether a search models the harmonics of the contact force: as its nominal line shows, if that is known.

    That has them where its state repeats, and no derivatives.
    """
    sigma = campaign.sampler.in_order and name_parts(campaign.objectives[0]).base == "sigma"
    return sigma and (nominal is None or bool(nominal.harmonics and not nominal.slopes))


def idle_workers(campaign: CampaignSpec) -> tuple[str, ...]:
    """Say that more workers are wanted than a Gaussian process has work for, and what to do; else nothing."""
    workers = campaign.cluster.wanted_workers or 0
    if not campaign.sampler.in_order or workers <= designs_in_flight(campaign.sampler):
        return ()
    return (
        f"A Gaussian process has {designs_in_flight(campaign.sampler)} designs in flight, so that more workers have "
        f"nothing to do: sampler.population={workers} gives all of them work, in a campaign of another name",
    )


def distributions(space: DesignSpace) -> dict[str, BaseDistribution]:
    """Ranges of the design variables as Optuna wants them."""
    return {
        v.name: IntDistribution(round(v.low), round(v.high)) if v.integer else FloatDistribution(v.low, v.high)
        for v in space.variables
    }


class CampaignSampler(BaseSampler):
    """One of Optuna's samplers, seeded again for each trial from the campaign's seed and the trial's number.

    No random state lives in the driver, so a resumed campaign continues as if it had not been interrupted. The
    search space is fixed and known, so that the trials need not be searched for it. CMA-ES starts at the
    centre of the box, which is the nominal line unless a quantity of the line as a whole has a range that is
    not even about it, with a step of a sixth of the range. What a Gaussian process proposes is enqueued by the driver.
    """

    def __init__(self, sampler: SamplerSpec, seed: int, space: DesignSpace, objectives: int = 1) -> None:
        self._spec = sampler
        self._objectives = objectives
        self._seed = seed
        self._space = distributions(space)
        self._population = population_size(sampler, len(space.variables))
        self._number = -1
        self._current: BaseSampler = self._build(seed)

    @property
    def uses_constraints(self) -> bool:
        """Whether the sampler reads the trials' constraints; the others get penalised values instead."""
        return self._spec.kind in ("tpe", "nsga2", "nsga3")

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """Every variable, except for samplers that take them one by one."""
        return {} if self._spec.kind in ("tpe", "random", "gaussian_process") else self._space

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Values of all variables of a trial."""
        return self._of(trial).sample_relative(study, trial, search_space) if search_space else {}

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """Value of one variable of a trial."""
        return self._of(trial).sample_independent(study, trial, param_name, param_distribution)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """Nothing is left to do: no sampler has a state of its own; CMA-ES would warn of constraints."""

    def _of(self, trial: FrozenTrial) -> BaseSampler:
        if trial.number != self._number:
            self._number = trial.number
            if self._spec.kind != "qmc":  # its sequence belongs to the campaign, not to a trial
                self._current = self._build(self._seed_of(trial.number))
        return self._current

    def _seed_of(self, number: int) -> int:
        return int(np.random.SeedSequence([self._seed, number]).generate_state(1)[0]) % (2**31 - 1)

    def _build(self, seed: int) -> BaseSampler:
        kind = self._spec.kind
        if kind == "cma_es":
            return CmaEsSampler(
                n_startup_trials=0, popsize=self._population, seed=seed, warn_independent_sampling=False
            )
        if kind == "tpe":
            return TPESampler(seed=seed, constant_liar=True)
        if kind == "nsga2":
            return NSGAIISampler(population_size=self._population, seed=seed)
        if kind in ("random", "gaussian_process"):  # the latter's own designs are enqueued
            return RandomSampler(seed=seed)
        with warnings.catch_warnings():
            for message in EXPERIMENTAL:
                warnings.filterwarnings("ignore", message=message)
            if kind == "nsga3":
                divisions = reference_divisions(self._population, self._objectives)
                return NSGAIIISampler(population_size=self._population, dividing_parameter=divisions, seed=seed)
            return QMCSampler(qmc_type="sobol", scramble=True, seed=seed, warn_independent_sampling=False)


def reference_divisions(population: int, objectives: int) -> int:
    """Divisions of each objective's axis by NSGA-III's reference points, which are then as many as designs, or fewer.

    p divisions in m objectives give (p + m - 1 over m - 1) points (Das and Dennis); Optuna's own p = 3 would give a
    front of two objectives four.
    """
    if objectives < 2:
        return 1
    divisions = 1
    while math.comb(divisions + objectives, objectives - 1) <= population:
        divisions += 1
    return divisions
