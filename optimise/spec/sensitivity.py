"""Validated description of a sensitivity study: inputs with ranges, methods and their sizes (SI units)."""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec
from optimise.spec.campaign import ClusterSpec
from optimise.spec.ranges import MOST_POINTS, SpreadSpec

__all__ = [
    "LocalSpec",
    "Method",
    "MorrisSpec",
    "SensitivityInputsSpec",
    "SensitivitySpec",
    "SobolSpec",
]

Method = Literal["sobol", "morris", "local", "gradient"]


class SobolSpec(Spec):
    """Shares of the variance by the estimators of Saltelli et al. 2010; (inputs + 2) points a base sample."""

    samples: Annotated[int, Field(ge=8, le=65536)] = Field(
        default=1024, description="base samples, a power of two; each needs two points more than there are inputs"
    )
    resamples: Annotated[int, Field(ge=50, le=10000)] = Field(
        default=300, description="bootstrap samples of the base samples, for the intervals"
    )
    confidence: Annotated[float, Field(gt=0.5, lt=1.0)] = Field(
        default=0.95, description="confidence that intervals of Sobol indices and Morris effects are given with [-]"
    )

    @model_validator(mode="after")
    def _samples_are_balanced(self) -> Self:
        if self.samples & (self.samples - 1):
            near = 2 ** round(math.log2(self.samples))
            raise ValueError(f"samples must be a power of two: got {self.samples}, nearest {near}")
        return self


class MorrisSpec(Spec):
    """Screening by elementary effects (Morris 1991); (inputs + 1) points a trajectory."""

    trajectories: Annotated[int, Field(ge=4, le=1000)] = Field(default=20, description="trajectories")
    levels: Annotated[int, Field(ge=4, le=20, multiple_of=2)] = Field(
        default=4, description="levels of the grid that trajectories run on, an even number"
    )


class LocalSpec(Spec):
    """Derivatives at the case's own values by central differences at two steps; 4 points an input, and one."""

    step: Annotated[float, Field(ge=1.0e-3, le=0.5)] = Field(
        default=0.025, description="longer step, the shorter one is half of it; share of an input's range [-]"
    )
    tolerance: Annotated[float, Field(gt=0.0, le=0.1)] = Field(
        default=1.0e-5, description="periodic.tolerance of these points: derivatives need closer steady states [-]"
    )


class SensitivityInputsSpec(Spec):
    """Inputs varied, their ranges, and the methods applied."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")] = Field(
        default="sensitivity", description="name of the study and of its folder: letters, digits, '_', '-' and '.'"
    )
    inputs: dict[str, SpreadSpec] = Field(
        min_length=2,
        max_length=60,
        description="range (low, high, spacing) by the dotted path of the input; an item of a list by its number from "
        "0, as pantograph.masses.0",
    )
    methods: Annotated[tuple[Method, ...], Field(min_length=1, max_length=4)] = Field(
        default=("sobol", "local"),
        description="sobol (shares of the variance), morris (screening), local (derivatives by differences), gradient "
        "(exact derivatives, three points in all); all on one page",
    )
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = Field(default=1, description="seed of samples and intervals")
    sobol: SobolSpec = SobolSpec()
    morris: MorrisSpec = MorrisSpec()
    local: LocalSpec = LocalSpec()

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        twice = sorted({m for m in self.methods if self.methods.count(m) > 1})
        problems = [f"methods must name each once: {', '.join(twice)} stands twice"] if twice else []
        if self.points > MOST_POINTS:
            problems.append(f"methods must ask for at most {MOST_POINTS} points: got {self.points}")
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @property
    def points(self) -> int:
        """Points that the methods ask for."""
        d = len(self.inputs)
        each = {
            "sobol": self.sobol.samples * (d + 2),
            "morris": self.morris.trajectories * (d + 1),
            "local": 4 * d + 1,
            "gradient": 3,
        }
        return sum(each[method] for method in self.methods)


class SensitivitySpec(Spec):
    """A sensitivity study: what is varied, and where its points are evaluated."""

    schema_version: Literal[1] = 1
    sensitivity: SensitivityInputsSpec
    cluster: ClusterSpec = ClusterSpec()
