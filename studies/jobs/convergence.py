"""Job of a convergence study: the settings to run and the reference of their errors."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import Field, field_validator, model_validator

from catenary.spec.components import Spec
from catenary.spec.line import Formulation
from dynamics.spec.case import CaseSpec, Kinematics
from dynamics.spec.solver import Integrator

__all__ = ["ConvergenceJob", "FinestSpec", "LatticeSpec"]


class LatticeSpec(Spec):
    """Settings that a study of convergence runs: every combination; Runge-Kutta, whose step is its own, once a mesh."""

    kinematics: tuple[Kinematics, ...] = Field(
        default=("linearised",), min_length=1, max_length=20, description="linearised or nonlinear, or a list of both"
    )
    formulations: tuple[Formulation, ...] = Field(
        default=("ancf", "beam"), min_length=1, max_length=20, description="ancf or beam, or a list of both"
    )
    integrators: tuple[Integrator, ...] = Field(
        default=("newmark", "hht"),
        min_length=1,
        max_length=20,
        description="newmark, hht, rk4 (far slower), or a list",
    )
    elements_per_bay: tuple[Annotated[int, Field(ge=2, le=40)], ...] = Field(
        default=(4, 6, 12), min_length=1, max_length=20, description="meshes [elements a bay]"
    )
    dt: tuple[Annotated[float, Field(ge=2.0e-4, le=4.0e-3)], ...] = Field(
        default=(2.0e-3, 1.0e-3, 5.0e-4), min_length=1, max_length=20, description="time steps [s]"
    )

    @field_validator("*", mode="before")
    @classmethod
    def _one_is_a_list(cls, value: object) -> object:
        return (value,) if isinstance(value, int | float | str) else value

    @field_validator("*")
    @classmethod
    def _each_once(cls, value: tuple[Any, ...]) -> tuple[Any, ...]:
        if len(set(value)) < len(value):
            raise ValueError(f"every value must stand in the list once: got {', '.join(map(str, value))}")
        return value


class FinestSpec(Spec):
    """Reference of the errors: finer than every setting of the lattice, by Newmark, in the case's formulation."""

    elements_per_bay: Annotated[int, Field(ge=3, le=40)] = Field(default=18, description="mesh [elements a bay]")
    dt: Annotated[float, Field(ge=2.0e-4, le=4.0e-3)] = Field(default=2.5e-4, description="time step [s]")


class ConvergenceJob(CaseSpec):
    """One open line on many meshes and steps; the case's own setting is the one in question."""

    lattice: LatticeSpec = LatticeSpec()
    reference: FinestSpec = FinestSpec()
    error_percent: Annotated[float, Field(ge=0.01, le=20.0)] = Field(
        default=1.0, description="error of the force's standard deviation that the cheapest setting may have [%]"
    )
    repeats: Annotated[int, Field(ge=1, le=20)] = Field(
        default=1, description="runs of every setting, the cheapest of which sets its cost [-]"
    )
    longest_minutes: Annotated[float, Field(gt=0.0, le=10_000.0)] = Field(
        default=10.0, description="processor time that the study may take, estimated before it begins [min]"
    )
    run_dir: str | None = Field(
        default=None, description="folder of this run; without it outputs/convergence/<date>_<time>_<line>"
    )

    @model_validator(mode="after")
    def _reference_is_finest(self) -> Self:
        from catenary.layout.sections import most_elements

        problems, lattice, finest = [], self.lattice, self.reference
        if not self.on_open_line:
            problems.append(f"solver must be open_line, which has all integrators and kinematics: got {self.solver}")
        if self.kinematics not in lattice.kinematics:
            problems.append(f"kinematics must be one of lattice.kinematics: got {self.kinematics}")
        if "nonlinear" in lattice.kinematics and self.catenary.tension_in_motion == "constant":
            problems.append("lattice.kinematics must leave out nonlinear where catenary.tension_in_motion is constant")
        if self.histories.asked_for:
            problems.append("histories must be left out: this study keeps the contact force alone")
        mesh = max(*lattice.elements_per_bay, most_elements(self.catenary))
        if finest.elements_per_bay <= mesh:
            problems.append(
                f"reference.elements_per_bay must exceed that of every setting, {mesh}: got {finest.elements_per_bay}"
            )
        step = min(*lattice.dt, self.dt)
        if finest.dt >= step:
            problems.append(f"reference.dt must be below that of every setting, {step:g} s: got {finest.dt:g} s")
        if problems:
            raise ValueError("; ".join(problems))
        return self
