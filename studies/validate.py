"""Published references beside this program's numbers; exit 1 if a gate is missed.

Gates and their sources stand in conf/validation/gates.yaml. The test suite holds the other references.
"""

from __future__ import annotations

from dataclasses import asdict
from importlib import resources
from typing import Any, Literal

import yaml
from pydantic import Field

from catenary.spec import Spec
from dynamics.spec import CaseSpec
from studies.acceptance import AcceptanceGate, check_acceptance
from studies.compose import Composed, compose_job
from studies.simulate import compose as compose_simulation
from studies.simulate import simulate_case
from studies.spec import NoJob, case_of
from studies.validation.arnold_simeon import ArnoldSimeonGate, arnold_simeon_rows

__all__ = ["JOB", "GatesSpec", "compose", "load_gates", "run"]

JOB = NoJob


class MeanForceRow(Spec):
    """Mean contact force that an applied force gives at a speed."""

    speed_kmh: float = Field(description="train speed [km/h]")
    applied_force_N: float = Field(description="applied force [N]")
    expected_N: float = Field(description="published mean force [N]")
    dimension: Literal["planar", "spatial"] = Field(default="planar", description="model of the line")


class MeanForceGate(Spec):
    """Mean contact forces with printed uplift forces."""

    source: str
    catenary: str
    pantograph: str
    contact_stiffness: float = Field(description="contact stiffness [N/m]")
    tolerance_N: float = Field(gt=0.0, description="largest difference [N]")
    rows: tuple[MeanForceRow, ...]


class ElasticityRow(Spec):
    """Span mean of the static elasticity under a force."""

    force_N: float = Field(description="static force [N]")
    expected_mm_per_N: float = Field(description="published span mean [mm/N]")
    dimension: Literal["planar", "spatial"] = Field(default="planar", description="model of the line")


class ElasticityGate(Spec):
    """Span means of the static elasticity."""

    source: str
    catenary: str
    elements_per_bay: int = Field(ge=2, description="mesh of the static line [-]")
    tolerance_percent: float = Field(gt=0.0, description="largest difference [%]")
    rows: tuple[ElasticityRow, ...]


class BesideRow(Spec):
    """Recalled ranges [N] at one speed."""

    speed_kmh: float = Field(description="train speed [km/h]")
    contact_force_std_N: tuple[float, float]
    contact_force_std_0_5Hz_N: tuple[float, float]
    contact_force_std_5_20Hz_N: tuple[float, float]
    contact_force_max_N: tuple[float, float]
    contact_force_min_N: tuple[float, float]


class Beside(Spec):
    """What is printed and not gated."""

    source: str
    rows: tuple[BesideRow, ...]


class GatesSpec(Spec):
    """Everything that `catenary validate` compares with."""

    schema_version: int
    mean_force: MeanForceGate
    elasticity: ElasticityGate
    acceptance: AcceptanceGate
    arnold_simeon: ArnoldSimeonGate
    beside: Beside


def compose(overrides: list[str]) -> Composed[NoJob]:
    """Resolve and validate the input."""
    return compose_job("validate", JOB, overrides)


def load_gates() -> GatesSpec:
    """Gates of conf/validation."""
    file = resources.files("conf").joinpath("validation", "gates.yaml")
    return GatesSpec.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))


def run(composed: Composed[NoJob]) -> int:
    """Print every row; 1 when a gate is missed."""
    del composed
    gates = load_gates()
    missed = _elasticity(gates.elasticity)
    count, figures = _mean_force(gates.mean_force)
    missed += count + check_acceptance(gates.acceptance) + _arnold_simeon(gates.arnold_simeon)
    _beside(gates.beside, figures)
    print("All gates are met." if not missed else f"{missed} gate(s) missed.")
    return 1 if missed else 0


def _verdict(held: bool) -> str:
    return "met" if held else "MISSED"


def _elasticity(gate: ElasticityGate) -> int:
    """Print the elasticity rows; how many are missed."""
    from catenary.dataset import static_table
    from catenary.elasticity import span_mean
    from catenary.equilibrium import periodic_equilibrium

    print(
        f"Span mean of the static elasticity, {gate.catenary}, {gate.elements_per_bay} elements a bay ({gate.source})"
    )
    mesh = f"catenary.mesh.elements_per_bay={gate.elements_per_bay}"
    line = compose_simulation([f"catenary={gate.catenary}", "pantograph=bruni_2015", mesh]).job.catenary
    missed = 0
    for row in gate.rows:
        found = periodic_equilibrium(line.model_copy(update={"dimension": row.dimension}))
        value = 1e3 * span_mean(static_table(found, row.force_N)["elasticity"])
        error = 100.0 * (value / row.expected_mm_per_N - 1.0)
        held = abs(error) <= gate.tolerance_percent
        missed += not held
        print(
            f"  {row.force_N:5.0f} N   {row.dimension:<7}   "
            f"reference {row.expected_mm_per_N:.3f}   here {value:.4f} mm/N"
            f"   {error:+.2f} % (allowed {gate.tolerance_percent:g} %)  {_verdict(held)}"
        )
    return missed


def _mean_force(gate: MeanForceGate) -> tuple[int, dict[float, dict[str, Any]]]:
    """Print the mean-force rows; how many are missed, and the statistics by speed."""
    print(
        f"Mean contact force, {gate.catenary} with {gate.pantograph}, contact "
        f"{gate.contact_stiffness / 1e3:g} kN/m ({gate.source})"
    )
    missed, figures = 0, {}
    for row in gate.rows:
        solution = simulate_case(_case(gate, row))
        if solution.statistics is None:
            print(f"  {row.speed_kmh:5.0f} km/h   {solution.status.value} {solution.message}   MISSED")
            missed += 1
            continue
        mean = solution.statistics.contact_force_mean_N
        held = abs(mean - row.expected_N) <= gate.tolerance_N
        missed += not held
        if row.dimension == "planar":
            figures[row.speed_kmh] = asdict(solution.statistics)
        print(
            f"  {row.speed_kmh:5.0f} km/h   {row.dimension:<7}   applied {row.applied_force_N:6.2f}   "
            f"reference {row.expected_N:6.1f}   here {mean:7.2f} N   {mean - row.expected_N:+.2f} N "
            f"(allowed {gate.tolerance_N:g} N)  {_verdict(held)}"
        )
    return missed, figures


def _case(gate: MeanForceGate, row: MeanForceRow) -> CaseSpec:
    return case_of(
        compose_simulation(
            [
                f"catenary={gate.catenary}",
                f"pantograph={gate.pantograph}",
                f"contact.stiffness={gate.contact_stiffness}",
                f"speed_kmh={row.speed_kmh}",
                f"applied_force_N={row.applied_force_N}",
                f"dimension={row.dimension}",
            ]
        ).job
    )


def _arnold_simeon(gate: ArnoldSimeonGate) -> int:
    """Print the rows of the constrained benchmark; how many are missed."""
    print(f"Benchmark of Arnold & Simeon ({gate.source})")
    print(f"  Reading: {gate.reading}")
    missed = 0
    for row in arnold_simeon_rows(gate):
        missed += row.missed
        word = _verdict(row.held) if row.known_miss is None else f"outside, known: {row.known_miss}"
        print(
            f"  {row.quantity:<105} reference {row.reference:.{row.digits}f}   here {row.here:.{row.digits}f}"
            f"   (allowed {row.allowed:.3g})  {word}"
        )
    return missed


def _beside(beside: Beside, figures: dict[float, dict[str, Any]]) -> None:
    """Print recalled ranges beside this program's numbers."""
    print(f"Printed beside, not gated ({beside.source})")
    for row in beside.rows:
        here = figures.get(row.speed_kmh, {})
        for name, (low, high) in row.model_dump(exclude={"speed_kmh"}).items():
            value = f"{here[name]:6.1f}" if name in here else "     -"
            print(f"  {row.speed_kmh:5.0f} km/h   {name:<28} {low:6.1f} to {high:6.1f}   here {value} N")
