"""What `catenary sensitivity` takes beside the case: the inputs that are varied."""

from __future__ import annotations

from optimise.spec.sensitivity import SensitivityInputsSpec
from studies.jobs.points import PointsJob

__all__ = ["SensitivityJob"]


class SensitivityJob(PointsJob):
    """What each of many inputs does to the statistics of the contact force."""

    sensitivity: SensitivityInputsSpec
