"""What `catenary sweep` takes beside the case: the inputs that are varied."""

from __future__ import annotations

from optimise.spec.sweep import SweepAxesSpec
from studies.jobs.points import PointsJob
from studies.jobs.simulation import ErrorEstimate

__all__ = ["SweepJob"]


class SweepJob(PointsJob):
    """Statistics of the contact force over an array of inputs."""

    sweep: SweepAxesSpec
    error_estimate: ErrorEstimate = True
