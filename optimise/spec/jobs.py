"""Jobs of campaigns, sweeps and sensitivity studies: a case on numerics for many runs, and what is varied.

One set of defaults for every way in: the command line lays the keys that are typed over them, Python its arguments.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, ValidationError, model_validator

from catenary.errors import sentences_of
from dynamics.spec.case import RIG_STEP, CaseSpec, TimeStep
from dynamics.spec.solver import (
    PeriodicSpec,
    Precision,
    SpansAhead,
    SpansBehind,
    Tolerance,
    TransientSpec,
)
from optimise.spec.campaign import (
    DEFAULT_OBJECTIVES,
    MOST_OF_A_PROCESS,
    CampaignSpec,
    ClusterSpec,
    DesignSpec,
    LearnedDirections,
    LimitsSpec,
    ObjectiveNames,
    OffDesignSpec,
    PolishSpec,
    SamplerSpec,
    Seed,
    Synchronous,
    Trials,
    WarmStart,
    WarmStartDesigns,
)
from optimise.spec.cluster import CostAlone
from optimise.spec.objective_names import name_parts
from optimise.spec.scenarios import ScenariosSpec
from optimise.spec.sensitivity import SensitivityInputsSpec
from optimise.spec.sweep import Everywhere, SweepAxesSpec

__all__ = [
    "AUTOMATIC",
    "ErrorEstimate",
    "OptimiseJob",
    "ParameterStudyJob",
    "RunName",
    "SensitivityJob",
    "SweepJob",
    "campaign_of",
]

RunName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]
ErrorEstimate = Annotated[
    bool,
    Field(
        description="estimate the numerical error of sigma, of the force's extremes and of the uplift by companion runs"
    ),
]


# Specs are frozen, so a job may narrow a block of its case; the type checker does not know that they are


class SearchPeriodicSpec(PeriodicSpec):
    """Steady state of one of many designs, by the operator, or by a march in a shorter window and to a looser end.

    The best design is confirmed in double precision.
    """

    spans_behind: SpansBehind = 10
    spans_ahead: SpansAhead = 20
    tolerance: Tolerance = 7.0e-4
    precision: Precision = "single"


class PointPeriodicSpec(PeriodicSpec):
    """Steady state of one of many points, by the operator, or by a march in a shorter window still.

    Marched on one line along its damping and contact stiffness, sigma is within 0.5 % of a long window's.
    """

    spans_behind: SpansBehind = 6
    spans_ahead: SpansAhead = 8
    tolerance: Tolerance = 5.0e-4
    precision: Precision = "single"


class SensitivityPeriodicSpec(PointPeriodicSpec):
    """Steady state of a point of a sensitivity study; where it is marched, to a looser end, sigma within about 0.6 %.

    That is little compared with the effect of the inputs; derivatives are taken in double precision.
    """

    tolerance: Tolerance = 2.0e-3


class SearchTransientSpec(TransientSpec):
    """March of a design without a steady state; what confirms the best one takes the usual window or more."""

    spans_behind: SpansBehind = 20
    spans_ahead: SpansAhead = 26


# workers that a Gaussian process, which proposes few designs at once, is chosen for
MOST_AT_ONCE = 8
AUTOMATIC = ("gaussian_process", "cma_es")


class SearchSamplerSpec(SamplerSpec):
    """Sampler as it is asked for: by name, or the one that serves the search."""

    kind: Literal[  # pyright: ignore[reportIncompatibleVariableOverride]
        "automatic", "cma_es", "tpe", "nsga2", "nsga3", "qmc", "random", "gaussian_process"
    ] = Field(
        default="automatic",
        description="search method; automatic: gaussian_process where sigma of a state that repeats is the objective, "
        f"for up to {MOST_OF_A_PROCESS} designs and {MOST_AT_ONCE} workers, cma_es elsewhere and in fixed batches",
    )


class OptimiseJob(CaseSpec):
    """A search for the geometry that is best in one objective, or for the front of several."""

    dt: TimeStep = RIG_STEP
    periodic: SearchPeriodicSpec = SearchPeriodicSpec()  # pyright: ignore[reportIncompatibleVariableOverride]
    transient: SearchTransientSpec = SearchTransientSpec()  # pyright: ignore[reportIncompatibleVariableOverride]
    campaign: RunName | None = Field(
        default=None, description="name of the campaign and of its folder; without it <line>_<design>"
    )
    trials: Trials = 200
    seed: Seed = 1
    synchronous: Synchronous = False
    error_estimate: ErrorEstimate = True
    objectives: ObjectiveNames = DEFAULT_OBJECTIVES
    scenarios: ScenariosSpec = ScenariosSpec()
    sampler: SearchSamplerSpec = SearchSamplerSpec()
    design: DesignSpec = DesignSpec()
    limits: LimitsSpec = LimitsSpec()
    learned_directions: LearnedDirections = True
    polish: PolishSpec = PolishSpec()
    warm_start: WarmStart = None
    warm_start_designs: WarmStartDesigns = 5
    cluster: ClusterSpec = ClusterSpec()
    trust: OffDesignSpec = OffDesignSpec()
    cost: CostAlone = False
    run_dir: str | None = Field(
        default=None, description="folder of the campaign; without it outputs/campaigns/<campaign>"
    )

    @property
    def campaign_name(self) -> str:
        """Name of the campaign, made from line and design when none is given."""
        return self.campaign or f"{self.catenary.name}_{self.design.short_name}"[:64]

    @model_validator(mode="after")
    def _campaign_is_possible(self) -> Self:
        if self.on_open_line and not self.catenary.ends and not self.pantograph.runs_code:
            raise ValueError(
                "solver must be periodic or transient for a campaign: got open_line, which is for lines by stations "
                "and for pantographs or controllers of code from outside"
            )
        problems = self._without_a_steady_state() if self.on_open_line else []
        problems += [*self.scenarios.defects.problems(self.catenary), *self.scenarios.wind.problems(self.catenary)]
        problems += self.scenarios.wear.problems(self.catenary)
        own = self.catenary.repeat
        for key in ("span_length", "span_difference") if own is not None and (own.wear or own.kinks) else ():
            if getattr(self.design, key) is not None:
                problems.append(f"design.{key} must be left out with catenary.repeat.wear and kinks, whose places stay")
        if self.limits.blow_off_m is not None and self.catenary.wind is None:
            problems.append(
                "catenary.wind is missing (wind=crosswind_20 for instance): limits.blow_off_m is one in gusts"
            )
        by_lengths = self.catenary.droppers.prescribed == "lengths" or self.design.length_step is not None
        if self.catenary.repeat is not None and by_lengths:
            problems.append(
                "catenary.repeat needs a campaign of droppers prescribed by heights, without design.length_step: what "
                f"they are cut to differs within a period of {self.catenary.repeat.spans} spans"
            )
        try:
            campaign_of(self)
        except ValidationError as error:
            problems += sentences_of(error)
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def _without_a_steady_state(self) -> list[str]:
        """Say what a campaign on a line that ends cannot have."""
        asked = {
            "scenarios.errors": self.scenarios.errors.wanted,
            "scenarios.wind": self.scenarios.wind.wanted,
            "polish.best": self.polish.best > 0,
        }
        if self.catenary.ends:
            asked["warm_start"] = self.warm_start is not None
            where, needs = "on a line by stations", "a line that repeats, such as its type"
        else:
            asked["scenarios.wear"] = self.scenarios.wear.wanted
            asked["scenarios.defects"] = self.scenarios.defects.wanted
            where, needs = "with solver=open_line", "a steady state, and so a pantograph without code from outside"
        run, defects = self.open_line, self.scenarios.defects
        counted = run.first_evaluated <= defects.span <= run.last_evaluated
        wrong = defects.broken_dropper and self.catenary.ends and not counted
        spans = f"{run.first_evaluated} to {run.last_evaluated}"
        problems = [f"scenarios.defects.span must be one that counts, {spans}: got {defects.span}"] if wrong else []
        tail = f"{where}, whose runs are marches from end to end: it needs {needs}"
        return problems + [f"{key} must be left out {tail}" for key, wanted in asked.items() if wanted]


class ParameterStudyJob(CaseSpec):
    """A case of which many points are evaluated."""

    dt: TimeStep = RIG_STEP
    periodic: PointPeriodicSpec = PointPeriodicSpec()  # pyright: ignore[reportIncompatibleVariableOverride]
    transient: SearchTransientSpec = SearchTransientSpec()  # pyright: ignore[reportIncompatibleVariableOverride]
    cluster: ClusterSpec = ClusterSpec()
    cost: CostAlone = False
    run_dir: str | None = Field(
        default=None, description="folder of the study; without it outputs/sweeps/<name> or outputs/sensitivity/<name>"
    )


class SweepJob(ParameterStudyJob):
    """Statistics of the contact force over an array of inputs."""

    sweep: SweepAxesSpec
    error_estimate: Annotated[
        bool | Everywhere,
        Field(
            description="estimate the numerical error of the force's standard deviation where it is lowest and highest "
            "(true), at every point (everywhere: half a minute of a processor each, more near a resonance) or nowhere"
        ),
    ] = True


class SensitivityJob(ParameterStudyJob):
    """Effect of each of many inputs on the statistics of the contact force."""

    periodic: SensitivityPeriodicSpec = SensitivityPeriodicSpec()  # pyright: ignore[reportIncompatibleVariableOverride]
    sensitivity: SensitivityInputsSpec

    @model_validator(mode="after")
    def _has_derivatives(self) -> Self:
        if self.on_open_line and "gradient" in self.sensitivity.methods:
            raise ValueError(
                "sensitivity.methods must be without gradient with solver=open_line, since exact derivatives are those "
                f"of a steady state (local takes differences): got {', '.join(self.sensitivity.methods)}"
            )
        return self


def campaign_of(job: OptimiseJob) -> CampaignSpec:
    """The search alone: what may change, what is held, how and where."""
    shared = set(CampaignSpec.model_fields) - {"name", "schema_version"}
    scenarios = job.scenarios.for_line(job.catenary).model_dump()
    sampler = job.sampler.model_dump() | {"kind": _sampler_of(job)}
    content = {**job.model_dump(include=shared), "scenarios": scenarios, "sampler": sampler}
    return CampaignSpec.model_validate({"name": job.campaign_name, **content})


def _sampler_of(job: OptimiseJob) -> str:
    """Sampler of a search; where none is named, the one that finds most in the same time."""
    if job.sampler.kind != "automatic":
        return job.sampler.kind
    repeats = job.seeks_steady_state and not job.scenarios.wind.gust_seeds
    sigma = len(job.objectives) == 1 and name_parts(job.objectives[0]).base == "sigma" and not job.design.as_built
    many = job.trials > MOST_OF_A_PROCESS or (job.cluster.wanted_workers or 0) > MOST_AT_ONCE
    return "cma_es" if not repeats or not sigma or many or job.synchronous else "gaussian_process"
