"""The file of gates, conf/validation/gates.yaml, as checked input: numbers, tolerances, sources, known causes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from catenary.spec.components import Spec
from catenary.storage.configuration import conf_content
from studies.validation.gates.arnold_simeon import ArnoldSimeonGate
from studies.validation.gates.lines import LinesGate
from studies.validation.gates.ln2 import Ln2Gate
from studies.validation.gates.pfem import PfemGate
from studies.validation.gates.random_runs import RandomRunsGate
from studies.validation.gates.second_methods import SecondMethodsGate
from studies.validation.gates.space import SpaceGate

__all__ = [
    "AcceptanceGate",
    "AcceptanceRow",
    "Alongside",
    "AppliedForceGate",
    "AppliedForceRun",
    "CauseRow",
    "Dimension",
    "ElasticityGate",
    "FormulationsGate",
    "GatesSpec",
    "KnownMiss",
    "MeanForceGate",
    "MeanForceRow",
    "PantoCatGate",
    "load_gates",
]

Dimension = Literal["planar", "spatial"]


class MeanForceRow(Spec):
    """Mean contact force that an applied force gives at a speed."""

    speed_kmh: float = Field(description="train speed [km/h]")
    applied_force_N: float = Field(description="applied force [N]")
    expected_N: float = Field(description="published mean force [N]")
    dimension: Dimension = Field(default="planar", description="model of the line")


class MeanForceGate(Spec):
    """Mean contact forces of the steady state with printed uplift forces."""

    source: str
    reading: str = Field(description="how what the source leaves open is read")
    catenary: str
    pantograph: str
    contact_stiffness: float = Field(description="contact stiffness [N/m]")
    tolerance_N: float = Field(gt=0.0, description="largest difference [N]")
    rows: tuple[MeanForceRow, ...]


class ElasticityRow(Spec):
    """Span mean of the static elasticity under a force."""

    force_N: float = Field(description="static force [N]")
    expected_mm_per_N: float = Field(description="published span mean [mm/N]")
    dimension: Dimension = Field(default="planar", description="model of the line")


class ElasticityGate(Spec):
    """Span means of the static elasticity."""

    source: str
    catenary: str
    elements_per_bay: int = Field(ge=2, description="mesh of the static line [-]")
    tolerance_percent: float = Field(gt=0.0, description="largest difference [%]")
    rows: tuple[ElasticityRow, ...]


class AlongsideRow(Spec):
    """Recalled ranges [N] at one speed."""

    speed_kmh: float = Field(description="train speed [km/h]")
    contact_force_std_N: tuple[float, float]
    contact_force_std_0_5Hz_N: tuple[float, float]
    contact_force_std_5_20Hz_N: tuple[float, float]
    contact_force_max_N: tuple[float, float]
    contact_force_min_N: tuple[float, float]


class Alongside(Spec):
    """Figures that are printed and not gated."""

    source: str
    rows: tuple[AlongsideRow, ...]


class KnownMiss(Spec):
    """A printed force that is known to be missed."""

    dimension: Dimension
    pantograph: int = Field(ge=1, description="which of the train's pantographs, the first one being 1 [-]")
    cause: str


class AppliedForceRow(Spec):
    """Applied forces that give a mean force at a speed."""

    speed_kmh: float = Field(description="train speed [km/h]")
    mean_force_N: float = Field(description="mean contact force of every pantograph [N]")
    printed_N: tuple[tuple[float, ...], ...] = Field(
        description="by pantograph: applied force as printed, several where the source has several cases [N]"
    )
    known_misses: tuple[KnownMiss, ...] = ()


class AppliedForceRun(Spec):
    """One case of the table: its input, and its rows."""

    case: str
    names: tuple[tuple[str, ...], ...] = Field(description="by pantograph: the table's name of every printed force")
    dimensions: tuple[Dimension, ...] = Field(description="models of the line")
    overrides: tuple[str, ...] = Field(description="input of the case as typed after `catenary simulate`")
    rows: tuple[AppliedForceRow, ...]


class AppliedForceGate(Spec):
    """Applied forces that give prescribed mean forces on an open line."""

    source: str
    reading: str = Field(description="how what the source leaves open is read")
    tolerance_N: float = Field(gt=0.0, description="largest difference to any printed force [N]")
    overrides: tuple[str, ...] = Field(description="input of all cases as typed after `catenary simulate`")
    runs: tuple[AppliedForceRun, ...]


class AcceptanceRow(Spec):
    """One statistic at one speed: its range, and what two published programs found."""

    quantity: str = Field(description="name of the statistic, unit included, as in summary.json")
    low: float = Field(description="smallest accepted value, in the statistic's unit")
    high: float = Field(description="largest accepted value, in the statistic's unit")
    pacdin: tuple[float, ...] = Field(description="printed by PACDIN; several for several supports")
    pantocat: float = Field(description="printed by PantoCat")
    known_miss: dict[Dimension, str] = Field(
        default_factory=dict,
        description="by dimension, why this value is known to fall outside; such a row is printed and does not gate",
    )


class AcceptanceSpeed(Spec):
    """All rows at one speed."""

    speed_kmh: float = Field(description="train speed [km/h]")
    rows: Annotated[tuple[AcceptanceRow, ...], Field(min_length=1)]


class AcceptanceGate(Spec):
    """A standard's reference case, the reading of it taken here, and its acceptance ranges."""

    source: str
    reading: str = Field(description="what the standard leaves open and how it is read, once for all rows")
    overrides: tuple[str, ...] = Field(description="input of the case as typed after `catenary simulate`")
    dimensions: tuple[Dimension, ...] = Field(default=("planar",), description="models of the line")
    speeds: tuple[AcceptanceSpeed, ...]


class PantoCatGate(Spec):
    """The standard's case by the model of PantoCat, and its elasticity by a slow pantograph."""

    source: str
    reading: str = Field(description="how PantoCat's model is read, over the reading of the standard's case")
    overrides: tuple[str, ...] = Field(description="what is typed in addition to the standard's case")
    creep_overrides: tuple[str, ...] = Field(description="input of the slow run as typed after `catenary simulate`")
    creep_forces_N: tuple[float, ...] = Field(description="contact forces of the slow runs [N]")
    creep_tolerance_percent: tuple[float | None, ...] = Field(
        description="by force: largest difference to the static curve, of its largest value [%]; null: not gated"
    )
    creep_printed: tuple[str, ...] = Field(description="by force: what the source says of the difference")
    known_misses: dict[str, str] = Field(
        default_factory=dict, description="by `speed quantity`: why this value is known to fall outside"
    )


class CauseRow(Spec):
    """Measured cause of a difference between two formulations."""

    pair: Literal["beam", "nonlinear", "spatial", "open_line"]
    speed_kmh: float = Field(description="train speed [km/h]")
    cause: str


class FormulationsGate(Spec):
    """Runs by every formulation, compared with one another."""

    source: str
    reading: str = Field(description="what is the same in all runs")
    overrides: tuple[str, ...] = Field(description="input of all runs as typed after `catenary simulate`")
    open_line: tuple[str, ...] = Field(description="further input of the runs from rest along an open line")
    applied_force_N: dict[float, float] = Field(description="by speed [km/h]: applied force [N]")
    explain_over_percent: float = Field(gt=0.0, description="a difference over this needs a cause [%]")
    causes: tuple[CauseRow, ...] = ()


class GatesSpec(Spec):
    """Everything that `catenary validate` compares with."""

    schema_version: int
    mean_force: MeanForceGate
    elasticity: ElasticityGate
    beside: Alongside
    applied_force: AppliedForceGate
    acceptance: AcceptanceGate
    pantocat: PantoCatGate
    ln2: Ln2Gate
    arnold_simeon: ArnoldSimeonGate
    formulations: FormulationsGate
    second_methods: SecondMethodsGate
    random_runs: RandomRunsGate
    lines: LinesGate
    space: SpaceGate
    pfem: PfemGate


def load_gates() -> GatesSpec:
    """Gates of conf/validation."""
    return GatesSpec.model_validate(conf_content("validation/gates"))
