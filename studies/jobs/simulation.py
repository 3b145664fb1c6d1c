"""Jobs of commands: the case to compute, and the folder of the run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self, get_args

from pydantic import Field, field_validator, model_validator

from catenary.spec.components import Spec
from dynamics.spec.case import RIG_STEP, CaseSpec, TimeStep
from optimise.spec.jobs import ErrorEstimate, OptimiseJob, RunName
from studies.jobs.report_head import ReportSpec

__all__ = [
    "COMPARISONS",
    "ELASTICITY_LOADS",
    "CampaignJob",
    "ExportJob",
    "NoJob",
    "RecordSpec",
    "ReportJob",
    "SimulateJob",
    "SimulationSpec",
    "StatusJob",
    "ValidateJob",
]

ELASTICITY_LOADS = (100.0,)

Load = Annotated[float, Field(ge=10.0, le=1000.0)]


class SimulationSpec(CaseSpec):
    """One line, one pantograph, one speed: what decides the numbers of a run, and where they land."""

    error_estimate: ErrorEstimate = True
    elasticity_force_N: tuple[Load, ...] = Field(
        default=ELASTICITY_LOADS,
        max_length=20,
        description="static loads at which the elasticity is computed, one or a list [N]; pictures show the first",
    )
    run_dir: str | None = Field(
        default=None, description="folder of this run; without it outputs/simulate/<date>_<time>_<line>"
    )

    @field_validator("elasticity_force_N", mode="before")
    @classmethod
    def _one_load_is_a_list(cls, value: object) -> object:
        if value == [] or value == ():
            raise ValueError("at least one load must be named")
        return (value,) if isinstance(value, int | float) else value


class SimulateJob(SimulationSpec):
    """One line, one pantograph, one speed, with the page that is written of it."""

    report: ReportSpec = ReportSpec()
    length_tolerance: bool = Field(
        default=False,
        description="find by how many mm each dropper's length may be wrong before the force's standard deviation has "
        "risen by 5 %",
    )

    gradient: bool = Field(
        default=False,
        description="find the exact first derivatives of the force's standard deviation and of the uplift by each "
        "dropper's height, or length, by its station, and by each continuous input of the case",
    )

    @model_validator(mode="after")
    def _gradient_is_that_of_a_steady_state(self) -> Self:
        if self.gradient and (self.solver != "periodic" or self.slack_damping != "kept"):
            raise ValueError(
                "gradient must be false but for solver=periodic with slack_damping=kept, whose state has exact "
                f"derivatives: got solver={self.solver} with slack_damping={self.slack_damping}"
            )
        if self.gradient and self.trailing.distances_m and self.periodic.method != "operator":
            raise ValueError(
                "gradient must be false with trailing.distances_m, for exact derivatives of a march are those of one "
                f"pantograph: got periodic.method={self.periodic.method}, use operator"
            )
        if self.gradient and self.as_a_difference:
            raise ValueError(
                "gradient must be false with periodic.method=difference and repeat.defects, for exact derivatives are "
                "those of a period marched as a whole: use periodic.method=march"
            )
        return self

    @model_validator(mode="after")
    def _lengths_are_those_of_a_periodic_line(self) -> Self:
        if self.length_tolerance and self.catenary.repeat is not None:
            raise ValueError(
                "length_tolerance must be false with catenary.repeat, for a tolerance is that of a dropper in every "
                f"span: got a period of {self.catenary.repeat.spans} spans"
            )
        if self.length_tolerance and self.on_open_line:
            raise ValueError(
                "length_tolerance must be false with solver open_line, whose lengths differ from span to span: use "
                "solver=periodic"
            )
        return self

    @property
    def simulation(self) -> SimulationSpec:
        """The same without what leaves the run's own numbers as they are."""
        return SimulationSpec.model_validate(self.model_dump(exclude={"report", "length_tolerance", "gradient"}))


class CampaignJob(OptimiseJob):
    """A search with the page that is written of it."""

    report: ReportSpec = ReportSpec()
    resume: str | None = Field(
        default=None,
        description="folder of a campaign to resume, wherever it was started: the program reads the campaign's input "
        "from there, and other keys that you type override it",
    )


class ExportJob(CaseSpec):
    """The periodic finite element model of a line, or of a campaign's best design, as a rig bundle."""

    dt: TimeStep = RIG_STEP

    name: RunName | None = Field(default=None, description="name of the bundle; without it the line's name")
    campaign: RunName | None = Field(default=None, description="campaign whose best design and conditions are exported")
    run_dir: str | None = Field(default=None, description="folder of the bundle; without it outputs/rig/<name>")

    @model_validator(mode="after")
    def _line_repeats(self) -> Self:
        if self.trailing.distances_m:
            raise ValueError(
                f"trailing.distances_m must be empty, for a rig presses a bundle with one pantograph: got "
                f"{len(self.trailing.distances_m)} behind the first"
            )
        if self.catenary.ends:
            raise ValueError(
                f"catenary must be a line that repeats, for a bundle is one of the infinite line: got "
                f"'{self.catenary.name}', a line by stations; export its type"
            )
        return self


class RecordSpec(Spec):
    """What a force record from elsewhere does not state."""

    speed_kmh: Annotated[float, Field(ge=5.0, le=600.0)] | None = Field(
        default=None, description="speed [km/h]; needed where a record has time or position alone"
    )
    span_length: Annotated[float, Field(ge=15.0, le=120.0)] | None = Field(
        default=None, description="support to support [m]; without it that of the first run"
    )
    offset_m: float | None = Field(default=None, description="position of any support in the record [m]; without it 0")
    align: bool = Field(
        default=False, description="move the record along the track to where it agrees best with the first run"
    )

    @model_validator(mode="after")
    def _placed_one_way(self) -> Self:
        if self.align and self.offset_m is not None:
            raise ValueError("offset_m must be left out where align is true: got both, and either places the record")
        return self


class ReportJob(Spec):
    """Existing run folders: one to redraw, or several forces to compare."""

    run_dir: str | None = Field(default=None, description="run or campaign folder whose report is redrawn")
    runs: tuple[str, ...] = Field(
        default=(),
        max_length=100,
        description="paths of what the command compares, the first as reference; also written as bare paths",
    )
    output: str | None = Field(
        default=None, description="page of a comparison, without it comparison.html; its picture lands next to it"
    )
    record: RecordSpec = RecordSpec()
    report: ReportSpec = ReportSpec()

    @model_validator(mode="after")
    def _one_or_several(self) -> Self:
        if self.run_dir is not None and self.runs:
            raise ValueError(
                f"run_dir must be left out where runs are compared: got {self.run_dir} and {len(self.runs)} runs; give "
                "run_dir alone to redraw its report, or runs alone to compare them"
            )
        if self.run_dir is None and not self.runs:
            raise ValueError("run_dir is missing: give the folder of a run, or several paths to compare")
        if self.run_dir is not None and self.output is not None:
            raise ValueError("output must be left out where one report is redrawn: it stays in its folder")
        if self.runs and self.report != ReportSpec():
            raise ValueError("report must be left out where runs are compared: only the page of one run has a head")
        if self.output is not None and Path(self.output).suffix not in (".html", ".htm"):
            raise ValueError(f"output must be a file that ends in .html: got '{self.output}'")
        return self


class StatusJob(Spec):
    """The record of a campaign, a sweep or a sensitivity study."""

    campaign: RunName | None = Field(
        default=None, description="one campaign; without it all studies that are resumable"
    )
    run_dir: str | None = Field(default=None, description="one folder, of a study of any kind, wherever it lies")


class NoJob(Spec):
    """A command without input."""


ComparisonName = Literal[
    "steady",
    "pacdin",
    "en50318",
    "pantocat",
    "ln2",
    "arnold_simeon",
    "formulations",
    "second_methods",
    "random_runs",
    "lines",
    "space",
    "pfem",
]
COMPARISONS: tuple[ComparisonName, ...] = get_args(ComparisonName)


class ValidateJob(Spec):
    """Comparisons with published results."""

    only: Annotated[tuple[ComparisonName, ...], Field(min_length=1, max_length=20)] = Field(
        default=COMPARISONS, description="comparisons to make; without it all"
    )
    run_dir: str | None = Field(
        default=None, description="folder of this run; without it outputs/validate/<date>_<time>_validation"
    )
    tables: str | None = Field(
        default=None,
        description="folder for the tables as pages of the documentation, docs/results; without it none are written",
    )

    @field_validator("only", mode="before")
    @classmethod
    def _one_name_is_a_list(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value
