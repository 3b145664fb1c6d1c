"""Validated description of a campaign: what may change, what is held, how and where the search runs (SI)."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec
from optimise.spec.cluster import ClusterSpec
from optimise.spec.design import DesignSpec
from optimise.spec.objective_names import DEFAULT_OBJECTIVES, ObjectiveNames, name_parts
from optimise.spec.off_design import OffDesignSpec
from optimise.spec.scenarios import ScenariosSpec

__all__ = [
    "DEFAULT_OBJECTIVES",
    "MOST_OF_A_PROCESS",
    "CampaignSpec",
    "ClusterSpec",
    "DesignSpec",
    "LearnedDirections",
    "LimitsSpec",
    "ObjectiveNames",
    "OffDesignSpec",
    "PolishSpec",
    "SamplerSpec",
    "Seed",
    "Synchronous",
    "Trials",
    "WarmStart",
    "WarmStartDesigns",
]

Trials = Annotated[int, Field(ge=1, le=1_000_000, description="designs to evaluate, the nominal line included")]
Seed = Annotated[int, Field(ge=0, le=2**31 - 1, description="seed of the sampler")]
Synchronous = Annotated[
    bool,
    Field(description="fixed batches, outcomes to the sampler in trial order: reproducible on any number of workers"),
]
LearnedDirections = Annotated[
    bool,
    Field(
        description="learn from 16 lines near the nominal one, in each marched condition, what shortens the search for "
        "a steady state; costs as much as 16 evaluations, so false pays in campaigns of few designs"
    ),
]
WarmStart = Annotated[
    str | None,
    Field(description="folder of an earlier campaign whose best designs are the first trials of this one"),
]
WarmStartDesigns = Annotated[
    int, Field(ge=1, le=1000, description="how many designs of the earlier campaign, the best ones that differ")
]

# CMA-ES adapts to one objective; the others take any number, quasi-Monte Carlo and random search as baselines.
FOR_SEVERAL_OBJECTIVES = ("nsga2", "nsga3", "tpe", "qmc", "random")
WITH_GENERATIONS = ("cma_es", "nsga2", "nsga3")
# a Gaussian process takes a proposal's time with the cube of what it has seen
MOST_OF_A_PROCESS = 2000


class LimitsSpec(Spec):
    """Limits that a feasible design holds."""

    uplift_factor: Annotated[float, Field(ge=0.5, le=5.0)] = Field(
        default=1.1, description="largest uplift at the supports over that of the nominal line [-]"
    )
    static_dropper_force: Annotated[float, Field(gt=0.0, le=500.0)] = Field(
        default=10.0, description="least static force in a dropper [N]"
    )
    contact_loss_percent: Annotated[float, Field(ge=0.0, le=50.0)] = Field(
        default=0.0, description="largest share of time without contact [%]"
    )
    fitted_share: Annotated[float, Field(ge=0.5, le=1.0)] = Field(
        default=0.95,
        description="share of the lines with errors of installation that must hold static_dropper_force [-]",
    )
    scenario_change_percent: Annotated[float, Field(ge=-50.0, le=100.0)] | None = Field(
        default=None,
        description="largest change of sigma against the nominal line in each scenario, 0: none may be worse; null: no "
        "limit [%]",
    )
    blow_off_m: Annotated[float, Field(ge=0.05, le=1.5)] | None = Field(
        default=None,
        exclude_if=lambda value: value is None,  # limits read as they did
        description="farthest that the contact wire may stand off the middle of the head in a gust of the wind "
        "(catenary.wind.gust_factor) from either side, at rest and as heads pass; null: no limit [m]",
    )

    @property
    def of_one_case(self) -> LimitsSpec:
        """Limits of a design in a single case, which has no scenarios."""
        return self.model_copy(update={"scenario_change_percent": None})


class SamplerSpec(Spec):
    """Sampler, which proposes the next design."""

    kind: Literal["cma_es", "tpe", "nsga2", "nsga3", "qmc", "random", "gaussian_process"] = Field(
        default="cma_es", description="search method"
    )
    population: Annotated[int, Field(ge=2, le=1000)] | None = Field(
        default=None,
        description="designs per generation of CMA-ES, NSGA-II and NSGA-III and per batch of a synchronous campaign; "
        "if not given 24 for NSGA-II and III, else 4 + 3 ln(variables), rounded down; of a Gaussian process designs "
        "in flight at once, 3 if not given: as many workers have work",
    )
    derivatives: Literal["exact", "none"] | None = Field(
        default=None,
        description="whether a Gaussian process gets designs with exact derivatives of sigma; exact: those of marches, "
        "too, which cost ten designs each; if not given where the operator gives them",
    )

    @property
    def in_order(self) -> bool:
        """Whether a proposal depends on the designs a fixed number of places before it, and on none after those."""
        return self.kind == "gaussian_process"


class PolishSpec(Spec):
    """Polish after the search: its best distinct designs, improved along gradients."""

    best: Annotated[int, Field(ge=0, le=50)] = Field(
        default=0, description="designs that are polished after the search, the best ones that are distinct; 0: none"
    )
    distance: Annotated[float, Field(gt=0.0, le=1.0)] = Field(
        default=0.1,
        description="designs nearer than this are one: root mean square of their differences, of each range [-]",
    )
    derivatives: Literal["exact", "differences"] = Field(
        default="exact",
        description="exact ones of sigma and of the limits, by multipliers of the steady state, where the objective is "
        "sigma and the case has them; or central differences, many evaluations each",
    )
    step: Annotated[float, Field(ge=1.0e-4, le=0.1)] = Field(
        default=0.01, description="step of the difference quotients, of each range [-]"
    )
    tolerance: Annotated[float, Field(gt=0.0, le=0.1)] | None = Field(
        default=None,
        description="tolerance of the steady state while polishing [-]; not given: that of the search with exact "
        "derivatives, 1e-4 with differences",
    )
    iterations: Annotated[int, Field(ge=1, le=500)] = Field(
        default=15, description="most steps of one polish, a gradient each"
    )


class CampaignSpec(Spec):
    """One search for the geometry that is best in one objective, or for the front of several."""

    schema_version: Literal[1] = 1
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")] = Field(
        description="name of the campaign and of its folder: letters, digits, '_', '-' and '.', no path"
    )
    trials: Trials = 200
    seed: Seed = 1
    synchronous: Synchronous = False
    objectives: ObjectiveNames = DEFAULT_OBJECTIVES
    scenarios: ScenariosSpec = ScenariosSpec()
    sampler: SamplerSpec = SamplerSpec()
    design: DesignSpec = DesignSpec()
    limits: LimitsSpec = LimitsSpec()
    learned_directions: LearnedDirections = True
    polish: PolishSpec = PolishSpec()
    warm_start: WarmStart = None
    warm_start_designs: WarmStartDesigns = 5
    cluster: ClusterSpec = ClusterSpec()

    @property
    def reproducible(self) -> bool:
        """Whether the same input gives the same designs whatever the workers and their timing."""
        return self.synchronous or self.sampler.in_order or self.sampler.kind in ("qmc", "random")

    @property
    def _has_derivatives(self) -> bool:
        """Whether the objective is one whose derivatives come with an evaluation, where the case has them."""
        return name_parts(self.objectives[0]).base == "sigma" and self.design.has_derivatives

    @property
    def polishes_by_derivatives(self) -> bool:
        """Whether designs of a polish are evaluated with their exact derivatives."""
        return self._has_derivatives and self.polish.derivatives == "exact"

    @property
    def searches_by_derivatives(self) -> bool:
        """Whether designs of the search itself are evaluated with their exact derivatives."""
        return self._has_derivatives and self.sampler.in_order and self.sampler.derivatives != "none"

    @model_validator(mode="after")
    def _objectives_are_possible(self) -> Self:
        if len(self.objectives) > 1 and self.sampler.kind not in FOR_SEVERAL_OBJECTIVES:
            raise ValueError(
                f"objectives must be one for sampler {self.sampler.kind}: got {', '.join(self.objectives)}, use "
                f"sampler={FOR_SEVERAL_OBJECTIVES[0]} (or {', '.join(FOR_SEVERAL_OBJECTIVES[1:])}) for several"
            )
        return self

    @model_validator(mode="after")
    def _every_design_has_the_droppers_of_its_defects(self) -> Self:
        defects, design, problems = self.scenarios.defects, self.design, []
        if defects.broken_dropper == "each":
            problems.append("scenarios.defects.broken_dropper must list numbers where no line is given: got each")
        if design.droppers is not None and defects.largest_number > design.droppers[0]:
            problems.append(
                f"scenarios.defects must name droppers that every design has, 1 to {design.droppers[0]} by "
                f"design.droppers: got {defects.largest_number}"
            )
        if defects.wanted and design.span_difference is not None and defects.spans % 2:
            problems.append(
                "scenarios.defects.spans must be even with design.span_difference, whose designs repeat after two "
                f"spans: got {defects.spans}"
            )
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @model_validator(mode="after")
    def _objectives_have_their_scenarios(self) -> Self:
        scenarios = self.scenarios
        for name in self.objectives:
            parts = name_parts(name)
            if any(mark not in scenarios.marks for mark in parts.marks):
                have = f"they list {', '.join(scenarios.marks)}" if scenarios.marks else "they list none"
                raise ValueError(f"objective {name} must be at conditions that scenarios list: {have}")
            if any(len(set(parts.marks) & set(scenarios.marks_of(axis))) > 1 for axis in scenarios.axes):
                raise ValueError(f"objective {name} must name one condition of a kind: no scenario is at both")
            if not parts.plain and not self.scenarios.wanted:
                raise ValueError(f"objective {name} must be {parts.base} where there are no scenarios")
        return self

    @model_validator(mode="after")
    def _scenarios_can_be_limited(self) -> Self:
        change = self.limits.scenario_change_percent
        if change is not None and not self.scenarios.wanted:
            raise ValueError(
                f"limits.scenario_change_percent must be null where there are no scenarios: got {change:g} %, list "
                "some (scenarios.speeds_kmh, scenarios.errors, ...) or leave it out"
            )
        return self

    @model_validator(mode="after")
    def _polish_has_one_objective(self) -> Self:
        if self.polish.best and len(self.objectives) > 1:
            raise ValueError(
                f"polish.best must be 0 with several objectives ({', '.join(self.objectives)}), a polish improves one: "
                f"got {self.polish.best}"
            )
        return self

    @model_validator(mode="after")
    def _exact_derivatives_are_known(self) -> Self:
        polished = self.polish.best > 0 and self.polish.derivatives == "exact"
        windy = self.scenarios.wind.wanted
        for asked, key, other, beside in (
            (polished and self.limits.blow_off_m is not None, "polish", "differences", "limits.blow_off_m"),
            (polished and windy, "polish", "differences", "scenarios.wind"),
            (windy and self.sampler.derivatives == "exact", "sampler", "none", "scenarios.wind"),
        ):
            if asked:
                raise ValueError(f"{key}.derivatives must be {other} with {beside}, which has no exact ones: got exact")
        return self

    @model_validator(mode="after")
    def _polish_has_a_gradient(self) -> Self:
        if self.polish.best and self.design.as_built:
            problem = f"polish.best must be 0 with {self.design.as_built}, which leave no gradient to follow: got"
            raise ValueError(f"{problem} {self.polish.best}")
        return self

    @model_validator(mode="after")
    def _population_has_a_use(self) -> Self:
        sampler = self.sampler
        used = sampler.kind in WITH_GENERATIONS or sampler.in_order or self.synchronous
        if sampler.population is not None and not used:
            raise ValueError(
                "sampler.population is used by cma_es, nsga2, nsga3, gaussian_process and synchronous campaigns only: "
                f"got {sampler.population} with sampler.kind '{sampler.kind}', leave it out or set synchronous"
            )
        return self

    @model_validator(mode="after")
    def _process_is_possible(self) -> Self:
        if self.sampler.in_order and self.trials > MOST_OF_A_PROCESS:
            raise ValueError(
                f"trials must be at most {MOST_OF_A_PROCESS} with sampler gaussian_process, whose models "
                f"grow with the designs: got {self.trials}, use sampler=cma_es"
            )
        if not self.sampler.in_order and self.sampler.derivatives is not None:
            raise ValueError(
                "sampler.derivatives is used by gaussian_process only: got "
                f"{self.sampler.derivatives} with sampler.kind '{self.sampler.kind}', leave it out"
            )
        if self.sampler.in_order and self.synchronous:
            raise ValueError(
                "synchronous must be false with sampler gaussian_process, which proposes the same designs on any "
                "number of workers without batches: leave it out"
            )
        return self
