"""The line test of PantoCat's table 2: what was measured, and what is assumed of line and pantograph."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from catenary.spec.components import Spec

__all__ = ["Assumption", "Ln2Gate", "MeasuredFigure"]


class MeasuredFigure(Spec):
    """One figure of the line test, as measured and as PantoCat computes it."""

    statistic: str = Field(description="name of the statistic, unit included, as in summary.json")
    name: str = Field(description="its name in the table")
    measured: float = Field(description="as measured [N]")
    elastic: float = Field(description="by PantoCat with elastic contact [N]")
    damped: float = Field(description="by PantoCat with damped contact [N]")


class Assumption(Spec):
    """One thing that is not known of the test, taken otherwise."""

    change: str = Field(description="what is taken otherwise, in words")
    overrides: tuple[str, ...] = Field(description="what is typed in addition")


class Ln2Gate(Spec):
    """A line test whose line and pantograph are in large part assumed: printed, nothing of it gates."""

    source: str
    reading: str = Field(description="what is assumed")
    overrides: tuple[str, ...] = Field(description="input of the run as typed after `catenary simulate`")
    accepted_percent: Annotated[float, Field(gt=0.0)] = Field(
        description="difference that the standard accepts of a line test, printed alone [%]"
    )
    figures: Annotated[tuple[MeasuredFigure, ...], Field(min_length=1)]
    numerical: tuple[Assumption, ...] = Field(description="the same run in finer steps and on finer meshes")
    assumptions: tuple[Assumption, ...]
