"""What every study of many points takes: the case, where they are evaluated, what it costs."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from dynamics.spec.case import CaseSpec
from optimise.spec.campaign import ClusterSpec
from optimise.spec.cluster import CostAlone

__all__ = ["PointsJob"]


class PointsJob(CaseSpec):
    """A case of which many points are evaluated."""

    cluster: ClusterSpec = ClusterSpec()
    cost: CostAlone = False
    run_dir: str | None = Field(
        default=None, description="folder of the study; without it outputs/sweeps/<name> or outputs/sensitivity/<name>"
    )

    @model_validator(mode="after")
    def _is_a_study_of_many_points(self) -> Self:
        if self.on_open_line:
            raise ValueError("solver must be periodic or transient for many points: got open_line")
        return self
