"""What `catenary sweep` takes: the case, the array of inputs, where it runs and lands."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from dynamics.spec import CaseSpec
from optimise.cluster_spec import CostAlone
from optimise.spec import ClusterSpec
from optimise.sweep_spec import SweepAxesSpec

__all__ = ["SweepJob"]


class SweepJob(CaseSpec):
    """Statistics of the contact force over an array of inputs."""

    sweep: SweepAxesSpec
    cluster: ClusterSpec = ClusterSpec()
    cost: CostAlone = False
    run_dir: str | None = Field(default=None, description="folder of the sweep; without it outputs/sweeps/<sweep.name>")

    @model_validator(mode="after")
    def _sweep_is_possible(self) -> Self:
        if self.solver == "open_line":
            raise ValueError("solver must be periodic or transient for a sweep: got open_line")
        return self
