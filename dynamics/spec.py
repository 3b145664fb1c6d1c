"""Validated description of a run: pantograph, contact, speed, held mean force, step and solver settings (SI units)."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from catenary.spec import CatenarySpec, Mark, Spec
from dynamics.history_spec import HistorySpec
from dynamics.mean_force import Supply

__all__ = ["CaseSpec", "ContactSpec", "OpenLineSpec", "PantographSpec", "PeriodicSpec", "SignalSpec", "TransientSpec"]


class PantographSpec(Spec):
    """Lumped-mass pantograph, listed from the head down to the base (any number of masses).

    Spring and damper ``k`` join mass ``k`` to mass ``k + 1``, the last ones join the lowest mass to the base. Springs
    are unstressed with all masses at the contact wire's height at the support; weights are inside the applied
    force, which acts on the lowest mass.
    """

    schema_version: Literal[1] = 1
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")] = Field(description="short name")
    description: str = Field(default="", description="where the data come from")
    masses: tuple[Annotated[float, Field(gt=0.0, le=200.0)], ...] = Field(
        min_length=1, max_length=8, description="masses, head first [kg]"
    )
    stiffnesses: tuple[Annotated[float, Field(ge=0.0, le=1.0e6)], ...] = Field(
        description="springs, head first, the last one to the base [N/m]"
    )
    dampings: tuple[Annotated[float, Field(ge=0.0, le=1.0e5)], ...] = Field(
        description="dampers, head first, the last one to the base [N s/m]"
    )
    provenance: dict[str, Mark] = Field(default_factory=dict, description="where each value comes from")

    @model_validator(mode="after")
    def _one_spring_per_mass(self) -> Self:
        n = len(self.masses)
        if len(self.stiffnesses) != n or len(self.dampings) != n:
            raise ValueError(
                f"stiffnesses and dampings must have one value per mass: {n} masses, "
                f"{len(self.stiffnesses)} stiffnesses, {len(self.dampings)} dampings"
            )
        if any(k <= 0.0 for k in self.stiffnesses[:-1]):
            raise ValueError("every spring between two masses must be stiffer than 0 N/m")
        return self


class ContactSpec(Spec):
    """Penalty contact between head and contact wire; it can be lost."""

    stiffness: Annotated[float, Field(ge=5.0e3, le=5.0e6)] = Field(
        default=50.0e3, description="contact stiffness [N/m]"
    )


class SignalSpec(Spec):
    """The filter that every published force goes through."""

    cutoff_hz: Annotated[float, Field(gt=0.5, le=100.0)] = Field(default=20.0, description="low-pass cut-off [Hz]")
    kind: Literal["butterworth", "brick_wall"] = Field(
        default="butterworth",
        description="Butterworth of order 4 run forward and backward (-6 dB at the cut-off), or a brick wall",
    )


class PeriodicSpec(Spec):
    """Steady state of one pantograph on the infinite periodic line, by a window that travels with it."""

    spans_behind: Annotated[int, Field(ge=2, le=120)] = Field(
        default=45, description="window behind the pantograph [spans]"
    )
    spans_ahead: Annotated[int, Field(ge=2, le=120)] = Field(
        default=49, description="window ahead of the pantograph [spans]"
    )
    tolerance: Annotated[float, Field(gt=0.0, le=0.1)] = Field(
        default=5.0e-5,
        description="change of state from span to span near the pantograph, relative [-]",
    )
    max_spans: Annotated[int, Field(ge=5, le=2000)] = Field(default=150, description="give up after this many spans")


class TransientSpec(Spec):
    """The long transient: a static start and a clean evaluation far from every end."""

    spans: Annotated[int, Field(ge=5, le=2000)] = Field(default=120, description="spans run")
    spans_evaluated: Annotated[int, Field(ge=2, le=1000)] = Field(default=40, description="last spans that count")
    spans_behind: Annotated[int, Field(ge=2, le=120)] = Field(
        default=45, description="window behind the pantograph [spans]"
    )
    spans_ahead: Annotated[int, Field(ge=2, le=120)] = Field(
        default=49, description="window ahead of the pantograph [spans]"
    )

    @model_validator(mode="after")
    def _evaluated_within_run(self) -> Self:
        if self.spans_evaluated > self.spans:
            raise ValueError(f"spans_evaluated must not exceed spans: got {self.spans_evaluated} of {self.spans} spans")
        return self


class OpenLineSpec(Spec):
    """A pantograph on an open line whose wires end at supports, as in the reference case of EN 50318:2002."""

    spans: Annotated[int, Field(ge=3, le=100)] = Field(default=10, description="spans of the line")
    start: Annotated[float, Field(ge=0.0, le=50.0)] = Field(
        default=0.5, description="where the pantograph starts from static contact [spans from the line's first support]"
    )
    first_evaluated: Annotated[int, Field(ge=2, le=99)] = Field(
        default=5, description="first span that counts, the line's first one being 1"
    )
    last_evaluated: Annotated[int, Field(ge=2, le=99)] = Field(default=6, description="last span that counts")
    spans_after: Annotated[int, Field(ge=1, le=20)] = Field(
        default=3, description="spans run after the last one that counts: filter and uplift need what follows"
    )

    @model_validator(mode="after")
    def _evaluated_between_start_and_end(self) -> Self:
        problems = []
        if not self.first_evaluated <= self.last_evaluated:
            problems.append(
                f"last_evaluated must not be before first_evaluated: got spans {self.first_evaluated} to "
                f"{self.last_evaluated}"
            )
        if self.start > self.first_evaluated - 2:
            problems.append(
                f"start must lie at least one span before the first evaluated one, at most "
                f"{self.first_evaluated - 2} spans: got {self.start:g} spans"
            )
        if self.last_evaluated + self.spans_after > self.spans:
            problems.append(
                f"last_evaluated and spans_after must fit into the line of {self.spans} spans: got "
                f"{self.last_evaluated} + {self.spans_after} spans"
            )
        if problems:
            raise ValueError("; ".join(problems))
        return self


class CaseSpec(Spec):
    """One line, one pantograph, one speed: everything one evaluation needs."""

    catenary: CatenarySpec
    pantograph: PantographSpec
    contact: ContactSpec = ContactSpec()
    speed_kmh: Annotated[float, Field(ge=5.0, le=600.0)] = Field(description="train speed [km/h]")
    supply: Supply = Field(
        default="ac",
        description="supply system: chooses the mean force when none is given, and the limits of the assessment",
    )
    mean_force_N: Annotated[float, Field(ge=10.0, le=600.0)] | None = Field(
        default=None, description="mean contact force to hold [N]; the applied force is solved for"
    )
    applied_force_N: Annotated[float, Field(ge=10.0, le=600.0)] | None = Field(
        default=None, description="applied (uplift) force [N]; the mean contact force follows"
    )
    dt: Annotated[float, Field(ge=2.0e-4, le=4.0e-3)] = Field(
        default=1.0e-3, description="time step [s]; adjusted so that a span takes a whole number of steps"
    )
    strict_dt: bool = Field(default=False, description="refuse instead of adjusting dt")
    slack_damping: Literal["kept", "released"] = Field(
        default="kept", description="whether a slack dropper keeps its stiffness-proportional damping"
    )
    solver: Literal["periodic", "transient", "open_line"] = Field(
        default="periodic", description="which solver answers"
    )
    periodic: PeriodicSpec = PeriodicSpec()
    transient: TransientSpec = TransientSpec()
    open_line: OpenLineSpec = OpenLineSpec()
    signal: SignalSpec = SignalSpec()
    histories: HistorySpec = HistorySpec()

    @property
    def speed(self) -> float:
        """Train speed [m/s]."""
        return self.speed_kmh / 3.6

    @property
    def steps_per_span(self) -> int:
        """Whole number of time steps in which the train passes one span."""
        return max(1, round(self.catenary.span_length / (self.speed * self.dt)))

    @property
    def time_step(self) -> float:
        """Adjusted time step [s]: span / (speed x steps)."""
        return self.catenary.span_length / (self.speed * self.steps_per_span)

    @model_validator(mode="after")
    def _run_is_possible(self) -> Self:
        problems = []
        if (self.mean_force_N is None) == (self.applied_force_N is None):
            problems.append("give exactly one of mean_force_N and applied_force_N")
        wire = self.catenary.contact_wire
        wave = (wire.tension / wire.mass_per_length) ** 0.5
        if self.speed >= 0.9 * wave:
            problems.append(
                f"speed_kmh must stay below 90 % of the contact wire's wave speed ({0.9 * wave * 3.6:.0f} km/h): "
                f"got {self.speed_kmh:g} km/h"
            )
        refusal = None if self.solver == "open_line" else self.catenary.damping.refusal(f"solver={self.solver}")
        if refusal is not None:
            problems.append(refusal)
        if self.solver == "open_line" and self.slack_damping != "kept":
            problems.append(f"slack_damping must be 'kept' with solver=open_line: got '{self.slack_damping}'")
        problems += self.histories.refusals(self.solver, self.open_line.spans * self.catenary.span_length)
        if self.strict_dt and abs(self.time_step - self.dt) > 1e-9:
            problems.append(
                f"dt must divide the time of one span when strict_dt is set: got {self.dt:g} s, nearest "
                f"{self.time_step:.8g} s"
            )
        if problems:
            raise ValueError("; ".join(problems))
        return self
