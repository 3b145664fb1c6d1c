"""Validated description of a pantograph: lumped masses, matrices, arms, or what steps itself (SI units)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from catenary.errors import InputError
from catenary.spec.components import Spec
from catenary.spec.line import Mark
from dynamics.spec.control.controller import ControlSpec
from dynamics.spec.control.given_file import GivenFile
from dynamics.spec.mechanics.articulated import ArticulatedSpec
from dynamics.spec.mechanics.head import HeadSpec, StripSuspensionSpec
from dynamics.spec.mechanics.stepped import FmuSpec, PythonModelSpec, SteppedSpec

__all__ = ["FmuSpec", "GivenFile", "MatricesSpec", "PantographSpec"]

# blocks and lists that belong to one kind alone; what else a kind needs is its own block
LUMPED = ("masses", "stiffnesses", "dampings")
BLOCKS = ("matrices", "articulated", "fmu", "python")


class MatricesSpec(GivenFile):
    """Mass, damping and stiffness matrices, head and applied force of a linear pantograph: .mat, .nc or .npz.

    The file holds ``mass`` [kg], ``damping`` [N s/m], ``stiffness`` [N/m] (coordinate, coordinate), the operators
    ``head`` (what a coordinate adds to the head's height) and ``applied`` (where the applied force acts), and, for a
    base that moves, ``base`` (how a rigid lift moves each coordinate). Coordinates are counted from rest without any
    force, the head then at the contact wire's height at the support.
    """


class PantographSpec(Spec):
    """Pantograph: lumped masses (listed from the head down to the base, any number), matrices, or an FMU.

    Spring and damper ``k`` join mass ``k`` to mass ``k + 1``, the last ones join the lowest mass to the base. Springs
    are unstressed with all masses at the contact wire's height at the support; weights are inside the applied
    force, which acts on the lowest mass.
    """

    schema_version: Literal[1] = 1
    kind: Literal["lumped", "matrices", "articulated", "fmu", "python"] = Field(
        default="lumped", description="lumped masses, matrices from a file, arms and rod, an FMU, or a class in Python"
    )
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")] = Field(description="short name")
    description: str = Field(default="", description="where the data come from")
    masses: tuple[Annotated[float, Field(gt=0.0, le=200.0)], ...] = Field(
        default=(), max_length=8, description="masses, head first [kg]"
    )
    stiffnesses: tuple[Annotated[float, Field(ge=0.0, le=1.0e6)], ...] = Field(
        default=(), max_length=8, description="springs, head first, the last one to the base [N/m]"
    )
    dampings: tuple[Annotated[float, Field(ge=0.0, le=1.0e5)], ...] = Field(
        default=(), max_length=8, description="dampers, head first, the last one to the base [N s/m]"
    )
    aerodynamic: tuple[Annotated[float, Field(ge=-0.1, le=0.1)], ...] = Field(
        default=(),
        max_length=8,
        exclude_if=lambda value: not value,
        description="aerodynamic force on every mass by the square of the speed, head first, upwards positive "
        "[N s2/m2]; none: it is in the applied force",
    )
    matrices: MatricesSpec | None = Field(default=None, description="file of the matrices, with kind: matrices")
    articulated: ArticulatedSpec | None = Field(
        default=None, description="arms, rod, joints and head, with kind: articulated"
    )
    fmu: FmuSpec | None = Field(default=None, description="the FMU and its variables, with kind: fmu")
    python: PythonModelSpec | None = Field(
        default=None, description="a class of your own that steps the pantograph, with kind: python"
    )
    control: ControlSpec | None = Field(
        default=None,
        exclude_if=lambda value: value is None,
        description="controller that adds a force to the applied one, with its actuator; none: passive",
    )
    head: HeadSpec | None = Field(
        default=None,
        exclude_if=lambda value: value is None,
        description="head that rolls, and its strips, on lumped masses; none: it does not",
    )
    provenance: dict[str, Mark] = Field(
        default_factory=dict, max_length=1000, description="where each value comes from"
    )

    def __str__(self) -> str:
        """Say the same as the repr: print shows no dump of all keys."""
        return repr(self)

    def __repr__(self) -> str:
        """Name the pantograph and its masses, head first, or its file."""
        return f"<pantograph {self.name}: {self.in_words}>"

    @property
    def in_words(self) -> str:
        """What it is made of, in a few words."""
        controlled = "" if self.control is None else f", controlled by {self.control.in_words}"
        if self.kind == "lumped":
            return f"{' + '.join(f'{mass:g}' for mass in self.masses)} kg, head first{controlled}"
        given = self.given_file
        if given is None:
            assert self.articulated is not None
            arms = self.articulated
            return (
                f"arms of {arms.lower_arm.length:g} and {arms.upper_arm.length:g} m under a head of "
                f"{' + '.join(f'{mass:g}' for mass in arms.head.masses)} kg{controlled}"
            )
        return f"{self.kind} of {Path(given.file).name}, sha256 {given.sha256[:12]}{controlled}"

    def holding(self, wanted: float) -> PantographSpec:
        """The same with the contact force [N] that its controller has as reference by default written out."""
        control = self.control
        if control is None or control.measures != "force" or control.reference is not None:
            return self
        return self.model_copy(update={"control": control.model_copy(update={"reference": wanted})})

    def delayed(self, delay_s: float) -> PantographSpec:
        """The same with another delay of its actuator [s].

        Raises
        ------
        InputError
            If it has no controller.
        """
        own = self.control
        if own is None:
            raise InputError(
                [f"pantograph.control is missing on {self.name}: scenarios.delays_s are those of its actuator "
                 "(pantograph=controlled for instance), or leave them out"]
            )  # fmt: skip
        actuator = own.actuator.model_copy(update={"delay_s": delay_s})
        return self.model_copy(update={"control": own.model_copy(update={"actuator": actuator})})

    @property
    def runs_code(self) -> bool:
        """Whether it, or its controller, is code from outside, which only an open line can be run with."""
        return self.stepped is not None or (self.control is not None and self.control.asked is not None)

    @property
    def stepped(self) -> SteppedSpec | None:
        """What steps itself, if it does."""
        return self.fmu or self.python

    @property
    def given_file(self) -> GivenFile | None:
        """File that it is read from, if any."""
        return self.matrices or self.stepped

    @model_validator(mode="after")
    def _of_its_kind(self) -> Self:
        if self.kind == "lumped":
            problems = [
                f"{name} must be left out: kind is lumped" for name in BLOCKS if getattr(self, name) is not None
            ]
            problems += self._chain_problems()
        else:
            others = [
                name for name in (*LUMPED, *BLOCKS, "head", "aerodynamic") if name != self.kind and getattr(self, name)
            ]
            problems = [f"{name} must be left out: kind is {self.kind}" for name in others]
            if getattr(self, self.kind) is None:
                problems.append(f"{self.kind} is missing: kind is {self.kind}, so give that block")
        problems += self._control_problems()
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def _control_problems(self) -> list[str]:
        """Say what no controller can act on."""
        if self.control is not None and self.control.feedback is not None and self._suspended is not None:
            return ["control.feedback must be left out with head.suspension: its model has one contact (use pid)"]
        if self.control is None:
            return []
        if self.stepped is not None:
            return [f"control must be left out: kind is {self.kind}, which holds its own"]
        if self.control.acts != "suspension" or self._has_suspension:
            return []
        return [f"control.acts must be base or head where head and next mass are not known: kind is {self.kind}"]

    @property
    def _suspended(self) -> StripSuspensionSpec | None:
        return None if self.head is None else self.head.suspension

    @property
    def _has_suspension(self) -> bool:
        return self.kind == "articulated" or len(self.masses) > 1

    def _chain_problems(self) -> list[str]:
        """Say where masses, springs and dampers do not form a chain."""
        n, lists = len(self.masses), {name: getattr(self, name) for name in LUMPED}
        absent = [name for name, values in lists.items() if not values]
        if absent:
            units = {"masses": "kg", "stiffnesses": "N/m", "dampings": "N s/m"}
            return [f"{name} is missing: give one value a mass, head first [{units[name]}]" for name in absent]
        if len(self.stiffnesses) != n or len(self.dampings) != n:
            return [
                f"stiffnesses and dampings must have one value per mass: {n} masses, "
                f"{len(self.stiffnesses)} stiffnesses, {len(self.dampings)} dampings"
            ]
        if self.aerodynamic and len(self.aerodynamic) != n:
            return [f"aerodynamic must have one value per mass, head first: {n} masses, {len(self.aerodynamic)} values"]
        own = self._suspended
        if own is not None and own.count * own.strip_mass >= self.masses[0]:
            return [
                f"head.suspension.strip_mass must leave mass for what carries the strips: {own.count} x "
                f"{own.strip_mass:g} kg, a head of {self.masses[0]:g} kg"
            ]
        for k, spring in enumerate(self.stiffnesses[:-1]):
            if spring <= 0.0:
                return [
                    f"stiffnesses[{k}], between mass {k + 1} and mass {k + 2}, must be stiffer than 0 N/m: got "
                    f"{spring:g} N/m, and a mass without a spring has no position at rest (only the last one, to the "
                    f"base, may be 0)"
                ]
        return []

    @model_serializer(mode="wrap")
    def _kind_alone(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out what belongs to other kinds; lumped masses are written as before there were others."""
        content: dict[str, Any] = handler(self)
        left_out = {*BLOCKS, "kind"} if self.kind == "lumped" else {*BLOCKS, *LUMPED} - {self.kind}
        return {key: value for key, value in content.items() if key not in left_out}
