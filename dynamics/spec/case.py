"""Validated description of a run: pantograph, contact, speed, held mean force, step and solver settings (SI units)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from catenary.layout.laid_out import laid_out
from catenary.spec.components import Spec
from catenary.spec.line import CatenarySpec
from dynamics.spec.checks.devices import TYPED_ALONE, faults_of_devices
from dynamics.spec.checks.line_and_solver import faults_in_space, faults_of_base_motion, faults_of_ends
from dynamics.spec.checks.operator_scope import own_damping_refused
from dynamics.spec.checks.steps_on_surface import faults_of_steps
from dynamics.spec.histories import HistorySpec
from dynamics.spec.mean_force import Supply
from dynamics.spec.pantograph import PantographSpec
from dynamics.spec.solver import OpenLineSpec, PeriodicSpec, TransientSpec
from dynamics.spec.train import BaseMotionSpec, ContactSpec, TrailingSpec

__all__ = [
    "FASTEST",
    "RIG_STEP",
    "CaseSpec",
    "ContactSpec",
    "Kinematics",
    "OpenLineSpec",
    "PantographSpec",
    "PeriodicSpec",
    "SignalSpec",
    "SlackDamping",
    "TimeStep",
    "TransientSpec",
    "case_of",
]

TimeStep = Annotated[
    float,
    Field(ge=2.0e-4, le=4.0e-3, description="time step [s]; adjusted so that a span takes a whole number of steps"),
]
# the clock of the rig's controller, which campaigns, sweeps and bundles keep [s]; sigma differs by 1 to 3 % from that
# at the step of a single run
FASTEST = 0.9  # of the wave speed on the contact wire: no train is run faster
RIG_STEP = 2.0e-3
SlackDamping: TypeAlias = Literal["kept", "released", "residual"]
Kinematics: TypeAlias = Literal["linearised", "nonlinear"]


class SignalSpec(Spec):
    """The filter that every published force goes through."""

    cutoff_hz: Annotated[float, Field(gt=0.5, le=100.0)] = Field(default=20.0, description="low-pass cut-off [Hz]")
    kind: Literal["butterworth", "brick_wall"] = Field(
        default="butterworth",
        description="Butterworth of order 4 run forward and backward (-6 dB at the cut-off), or a brick wall",
    )


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
    dt: TimeStep = 1.0e-3
    strict_dt: bool = Field(default=False, description="refuse instead of adjusting dt")
    slack_damping: SlackDamping = Field(
        default="kept",
        description="what a slack dropper, which carries nothing, keeps: its stiffness-proportional damping (kept), "
        "nothing (released), or a hundredth of stiffness and damping, as a rope that resists being bent (residual)",
    )
    solver: Literal["periodic", "transient", "open_line"] = Field(
        default="periodic", description="which solver answers"
    )
    kinematics: Kinematics = Field(
        default="linearised",
        description="line linearised about rest, or with large deformation (open line); slack and loss are in both",
    )
    trailing: TrailingSpec = TrailingSpec()
    base_motion: BaseMotionSpec | None = Field(
        default=None,
        description="motion of the train's roof: a CSV file with time, height and side, these lists, or drawn by seed",
    )
    periodic: PeriodicSpec = PeriodicSpec()
    transient: TransientSpec = TransientSpec()
    open_line: OpenLineSpec = OpenLineSpec()
    signal: SignalSpec = SignalSpec()
    histories: HistorySpec = HistorySpec()
    run_fmu: bool = Field(
        default=False,
        description="run the code of a pantograph or controller that is an FMU, in a process of its own; only as "
        "typed, no file or record of another run sets it",
    )
    run_python: bool = Field(
        default=False,
        description="run the Python code of a pantograph or controller, in a process of its own; only as typed, no "
        "file or record of another run sets it",
    )

    def __str__(self) -> str:
        """Say the same as the repr: print shows no dump of all keys."""
        return repr(self)

    def __repr__(self) -> str:
        """Name line, pantograph, speed and solver."""
        return f"<case {self.in_words}, {self.solver}>"

    @property
    def in_words(self) -> str:
        """Line, pantograph and speed."""
        return f"{self.catenary.name} with {self.pantograph.name} at {self.speed_kmh:g} km/h"

    @property
    def seeks_steady_state(self) -> bool:
        """Whether the state that repeats from period to period is wanted, and not a march."""
        return self.solver == "periodic"

    @property
    def on_open_line(self) -> bool:
        """Whether the line ends somewhere, every degree of freedom kept."""
        return self.solver == "open_line"

    @property
    def line(self) -> CatenarySpec:
        """Line with every span and dropper of its period named, which is what runs."""
        return laid_out(self.catenary)

    @property
    def distances(self) -> tuple[float, ...]:
        """Of every pantograph behind the leading one, its own 0 first [m]."""
        return (0.0, *self.trailing.distances_m)

    @property
    def pressed_N(self) -> float:
        """Applied force, or the mean force in its place, about which a pantograph is linearised [N]."""
        return float(self.applied_force_N or self.mean_force_N or 0.0)

    @property
    def speed(self) -> float:
        """Train speed [m/s]."""
        return self.speed_kmh / 3.6

    @property
    def steps_per_period(self) -> int:
        """Whole number of time steps in which the train passes one period, or a mean span of a line that ends.

        Where a period is marched as a difference, every stretch of it that is alike as designed takes whole ones.
        """
        line = self.catenary
        alike = line.spans_of_a_period // len(line.spans) if self.as_a_difference else 1
        return alike * max(1, round(self.line.pace / (alike * self.speed * self.dt)))

    @property
    def as_a_difference(self) -> bool:
        """Whether a period with defects is to be marched for what it has other than the line as designed."""
        repeat = self.catenary.repeat
        defects = repeat is not None and bool(repeat.defects)
        return self.seeks_steady_state and self.periodic.method == "difference" and defects

    @property
    def time_step(self) -> float:
        """Adjusted time step [s]: period (or mean span) / (speed x steps)."""
        return self.line.pace / (self.speed * self.steps_per_period)

    @property
    def transient_periods(self) -> tuple[int, int]:
        """Whole periods that a long transient runs, and how many of the last count: two or more, for it has halves."""
        counted = max(2, self.catenary.periods(self.transient.spans_evaluated))
        return max(counted, self.catenary.periods(self.transient.spans)), counted

    @property
    def part_of_a_period(self) -> str:
        """Warn where an open line counts spans that are not whole periods: their choice then moves the figures."""
        line, several = self.open_line, len(self.catenary.spans)
        whole = (line.last_evaluated - line.first_evaluated + 1) % several == 0
        if self.catenary.ends or not self.on_open_line or whole:
            return ""
        counted = f"counts spans {line.first_evaluated} to {line.last_evaluated}"
        return f"; {counted}, no whole number of the {several} that repeat"

    @property
    def run_time(self) -> float:
        """Time from the start of a run on an open line to its end [s]."""
        own, station = self.open_line, self.catenary.station
        end = station(own.last_evaluated + own.spans_after) + max(self.distances)
        return (end - station(own.start)) / self.speed

    def steps_between(self, first: float, last: float) -> int:
        """Whole time steps from one place to another [spans from the line's first support]."""
        way = self.catenary.station(last) - self.catenary.station(first)
        return round(way / self.catenary.pace * self.steps_per_period)

    @model_validator(mode="after")
    def _run_is_possible(self) -> Self:
        problems = []
        if (self.mean_force_N is None) == (self.applied_force_N is None):
            problems.append("give exactly one of mean_force_N and applied_force_N")
        elif self.mean_force_N is not None and self.trailing.applied_forces_N is not None:
            problems.append(
                "trailing.applied_forces_N must be left out where mean_force_N is held for every pantograph"
            )
        wire = self.catenary.contact_wire  # as strung: refusals look at what a temperature makes of its tension
        wave = (wire.tension / wire.mass_per_length) ** 0.5
        if self.speed >= FASTEST * wave:
            problems.append(
                f"speed_kmh must stay below 90 % of the contact wire's wave speed ({FASTEST * wave * 3.6:.0f} km/h): "
                f"got {self.speed_kmh:g} km/h"
            )
        problems += own_damping_refused(self)
        if self.kinematics == "nonlinear" and self.catenary.tension_in_motion == "constant":
            problems.append(
                "catenary.tension_in_motion must be 'coupled' with kinematics=nonlinear: wires that deform largely "
                "have the tensions that stretch them; use kinematics=linearised to hold them constant"
            )
        problems += faults_of_devices(self)
        problems += faults_of_ends(self.catenary, self.solver, self.open_line.spans)
        rolls, sought = self.pantograph.head is not None, self.contact.space is not None
        problems += faults_in_space(self.catenary, self.solver, self.kinematics, rolls=rolls, sought=sought)
        if self.base_motion is not None and self.on_open_line:
            problems += faults_of_base_motion(self.base_motion, self.catenary.dimension, self.run_time)
        problems += self._open_line_alone() if not self.on_open_line else self._fits_on_line()
        problems += faults_of_steps(self.catenary, self.speed, self.dt)
        problems += self.histories.refusals(self.solver, self.catenary.station(self.open_line.spans))
        if self.strict_dt and abs(self.time_step - self.dt) > 1e-9:
            problems.append(
                f"dt must divide the time of one span when strict_dt is set: got {self.dt:g} s, nearest "
                f"{self.time_step:.8g} s"
            )
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @model_serializer(mode="wrap")
    def _typed_alone(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Write ``run_fmu`` and ``run_python`` where they were typed alone: other inputs are on record as before."""
        content: dict[str, Any] = handler(self)
        unsaid = {key for key in TYPED_ALONE if not getattr(self, key)}
        return {key: value for key, value in content.items() if key not in unsaid}

    def _open_line_alone(self) -> list[str]:
        """Say what only an open line can do."""
        asked = {
            f"kinematics={self.kinematics}": self.kinematics != "linearised",
            "base_motion": self.base_motion is not None,
            f"contact.exponent={self.contact.exponent:g}": self.contact.exponent != 1.0,
            f"contact.restitution={self.contact.restitution:g}": self.contact.restitution != 1.0,
        }
        problems = [
            f"{key} needs solver=open_line: got solver={self.solver}, which takes a smooth track, an elastic "
            f"contact and a line linearised about rest"
            for key, wanted in asked.items()
            if wanted
        ]
        return problems

    def _fits_on_line(self) -> list[str]:
        """Say where the train outruns the line."""
        line, wires, problems = self.open_line, self.catenary, []
        behind, counted = max(self.distances) / wires.mean_span, line.last_evaluated + line.spans_after
        cure = "open_line.last_evaluated" if behind < line.spans - line.spans_after - 1 else "trailing.distances_m"
        if wires.station(counted) + max(self.distances) > wires.station(line.spans) + 1e-9 * wires.period:
            problems.append(
                "open_line.spans must hold the evaluated spans, those after them and the train: "
                f"{line.last_evaluated} + {line.spans_after} + {behind:.2f} spans do not fit into {line.spans} (lower "
                f"{cure})"
            )
        return problems


def case_of(job: CaseSpec) -> CaseSpec:
    """The case alone, without a job's other keys, such as the folder of its results."""
    return CaseSpec.model_validate(job.model_dump(include=set(CaseSpec.model_fields)))
