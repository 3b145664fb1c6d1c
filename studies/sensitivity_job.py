"""What `catenary sensitivity` takes: the case, inputs with ranges, methods, where it runs and lands."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from dynamics.spec import CaseSpec
from optimise.cluster_spec import CostAlone
from optimise.sensitivity_spec import SensitivityInputsSpec
from optimise.spec import ClusterSpec

__all__ = ["SensitivityJob"]


class SensitivityJob(CaseSpec):
    """What each of many inputs does to the statistics of the contact force."""

    sensitivity: SensitivityInputsSpec
    cluster: ClusterSpec = ClusterSpec()
    cost: CostAlone = False
    run_dir: str | None = Field(
        default=None, description="folder of the study; without it outputs/sensitivity/<sensitivity.name>"
    )

    @model_validator(mode="after")
    def _study_is_possible(self) -> Self:
        if self.solver == "open_line":
            raise ValueError("solver must be periodic or transient for a sensitivity study: got open_line")
        return self
