"""Job of `catenary correct`: a line as built, or heights that say how it is built, and what it must hold."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from dynamics.spec.case import RIG_STEP, CaseSpec, TimeStep
from optimise.spec.cluster import ClusterSpec
from optimise.spec.correction import CorrectionLimitsSpec, SurveySpec

__all__ = ["CorrectJob"]


class CorrectJob(CaseSpec):
    """An as-built line, and the fewest droppers to cut again."""

    dt: TimeStep = RIG_STEP
    measured: str | None = Field(
        default=None,
        description="CSV or XLSX file of measured heights of the contact wire, with the columns station, height and, "
        "where the wires of two sections pass, section; the line is then the design. Without it the line's own defects "
        "of kind length and loose are what is wrong",
    )
    survey: SurveySpec = SurveySpec()
    correction_list: bool = Field(
        default=True, description="find which droppers to cut again; false: the as-built line alone"
    )
    limits: CorrectionLimitsSpec = CorrectionLimitsSpec()
    cluster: ClusterSpec = ClusterSpec()
    run_dir: str | None = Field(
        default=None, description="folder of this run; without it outputs/correct/<date>_<time>_<line>"
    )

    @model_validator(mode="after")
    def _something_is_asked(self) -> Self:
        if not self.correction_list and self.measured is None:
            raise ValueError("correction_list must be true without measured: nothing else is asked for")
        return self
