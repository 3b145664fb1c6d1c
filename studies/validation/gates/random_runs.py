"""Gates of runs whose input is drawn at random, as validated input."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from catenary.spec.components import Spec

__all__ = ["Between", "RandomRunsGate"]

Positive = Annotated[float, Field(gt=0.0)]
Between = tuple[Positive, Positive]


class KnownRun(Spec):
    """A run that misses its gate for a known cause."""

    run: Annotated[int, Field(ge=1)] = Field(description="number of the run")
    cause: str


class RandomRunsGate(Spec):
    """What is drawn, and how far two methods may differ."""

    source: str
    reading: str = Field(description="what the two methods share")
    seed: int
    runs: Annotated[int, Field(ge=1)]
    dt_s: Positive = Field(description="step of the march [s]")
    resolution: Annotated[float, Field(gt=1.0)] = Field(description="harmonics of the finer run of the operator [-]")
    explained: Positive = Field(description="largest difference over the root of the sum of both squared errors [-]")
    catenaries: tuple[str, ...]
    pantographs: tuple[str, ...]
    speed_kmh: Between
    contact_stiffness: Between = Field(description="drawn evenly by its logarithm, as dampings are [N/m]")
    alpha: Between = Field(description="[1/s]")
    beta: Between = Field(description="[s]")
    known: tuple[KnownRun, ...] = ()
