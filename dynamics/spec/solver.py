"""Validated settings of the solvers (SI units)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import (
    Field,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    model_serializer,
    model_validator,
)

from catenary.spec.components import Spec
from catenary.storage.provenance import HASHED

__all__ = [
    "ON_RECORD",
    "Integrator",
    "OpenLineSpec",
    "PeriodicSpec",
    "Precision",
    "SpansAhead",
    "SpansBehind",
    "SteadyMethod",
    "Tolerance",
    "TransientSpec",
]

# context in which an input is read from a record: what older programs left out is what they did
ON_RECORD = {"on_record": True}
Integrator: TypeAlias = Literal["newmark", "hht", "rk4"]
SpansBehind = Annotated[int, Field(ge=2, le=120, description="window behind the last pantograph [spans]")]
SpansAhead = Annotated[int, Field(ge=2, le=120, description="window ahead of the first pantograph [spans]")]
Tolerance = Annotated[
    float,
    Field(gt=0.0, le=0.1, description="change of state from span to span near the pantograph, relative [-]"),
]
SteadyMethod = Annotated[
    Literal["march", "operator", "difference"],
    Field(
        description="march: a window of spans until they repeat; operator: the infinite line solved at once, marched "
        "where a check fails or a case has what it does not cover; difference: the same, and a period with defects "
        "marched in a short window for what it has other than the line as designed"
    ),
]
Precision = Annotated[
    Literal["double", "single"],
    Field(description="numbers that the line is marched in: double, or single, which is quicker and less precise"),
]


class PeriodicSpec(Spec):
    """Steady state of one or more pantographs on the infinite periodic line.

    The operator solves for it; what it does not cover is marched in a window that travels with them, a period with
    defects by what differs, where that is asked for.
    """

    method: SteadyMethod = "operator"
    resolution: Annotated[float, Field(ge=0.3, le=3.0, exclude_if=lambda share: share == 1.0)] = Field(
        default=1.0, description="harmonics of the force and samples of slack over those of the operator [-]"
    )
    spans_behind: SpansBehind = 45
    spans_ahead: SpansAhead = 49
    tolerance: Tolerance = 5.0e-5
    max_spans: Annotated[int, Field(ge=5, le=2000)] = Field(default=150, description="give up after this many spans")
    precision: Precision = "double"

    @model_validator(mode="before")
    @classmethod
    def _marched_on_record(cls, given: object, info: ValidationInfo) -> object:
        """Take an input on record that names no method for one of a march, which was the default once."""
        if info.context != ON_RECORD or not isinstance(given, dict):
            return given
        return {"method": "march", **given}

    @model_serializer(mode="wrap")
    def _hashed_as_before(self, handler: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
        """Leave a march out of what is hashed: inputs from before there was a choice keep their hash."""
        content: dict[str, Any] = handler(self)
        if info.context == HASHED and self.method == "march":
            content.pop("method", None)
        return content


class TransientSpec(Spec):
    """The long transient: a static start and a clean evaluation far from every end."""

    spans: Annotated[int, Field(ge=5, le=2000)] = Field(default=120, description="spans run")
    spans_evaluated: Annotated[int, Field(ge=2, le=1000)] = Field(default=40, description="last spans that count")
    spans_behind: SpansBehind = 45
    spans_ahead: SpansAhead = 49

    @model_validator(mode="after")
    def _evaluated_within_run(self) -> Self:
        if self.spans_evaluated > self.spans:
            raise ValueError(f"spans_evaluated must not exceed spans: got {self.spans_evaluated} of {self.spans} spans")
        return self


class OpenLineSpec(Spec):
    """A pantograph on an open line whose wires end at supports, as in the reference case of EN 50318:2002."""

    spans: Annotated[int, Field(ge=3, le=100)] = Field(default=10, description="spans of the line")
    start: Annotated[float, Field(ge=0.0, le=50.0)] = Field(
        default=0.5, description="where the pantograph starts from static contact [spans from the line's first support]"
    )
    first_evaluated: Annotated[int, Field(ge=2, le=99)] = Field(
        default=5, description="first span that counts, the line's first one being 1"
    )
    last_evaluated: Annotated[int, Field(ge=2, le=99)] = Field(default=6, description="last span that counts")
    spans_after: Annotated[int, Field(ge=1, le=20)] = Field(
        default=3, description="spans run after the last one that counts: filter and uplift need what follows"
    )
    ends: Literal["held", "absorbing"] = Field(
        default="held",
        description="wire ends fixed in height, or on dashpots that let vertical waves out; axial waves always run on",
    )
    integrator: Integrator = Field(
        default="newmark", description="Newmark (1/4, 1/2), HHT-alpha, or Runge-Kutta of fourth order (explicit)"
    )
    hht_alpha: Annotated[float, Field(ge=-1.0 / 3.0, le=0.0)] = Field(
        default=-0.05, description="alpha of HHT, -1/3 to 0 (more to less numerical damping) [-]"
    )
    rk4_step: Annotated[float, Field(gt=0.0, le=1.0e-3)] | None = Field(
        default=None, description="step of Runge-Kutta [s]; without it the longest stable one"
    )
    tolerance: Annotated[float, Field(ge=1.0e-13, le=1.0e-6)] = Field(
        default=5.0e-8, description="convergence tolerance of Newmark or HHT in a step [m]"
    )

    @model_validator(mode="after")
    def _evaluated_between_start_and_end(self) -> Self:
        problems = []
        if not self.first_evaluated <= self.last_evaluated:
            problems.append(
                f"last_evaluated must not be before first_evaluated: got spans {self.first_evaluated} to "
                f"{self.last_evaluated}"
            )
        if self.start > self.first_evaluated - 2:
            problems.append(
                f"start must lie at least one span before the first evaluated one, at most "
                f"{self.first_evaluated - 2} spans: got {self.start:g} spans"
            )
        if self.last_evaluated + self.spans_after > self.spans:
            problems.append(
                f"last_evaluated and spans_after must fit into the line of {self.spans} spans: got "
                f"{self.last_evaluated} + {self.spans_after} spans"
            )
        if problems:
            raise ValueError("; ".join(problems))
        return self
