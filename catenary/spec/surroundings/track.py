"""Validated description of the track under a line: curves, cant and gradient, and the arms that curves ask for."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec

__all__ = ["PlanPieceSpec", "TrackSpec"]

TIGHTEST = 150.0  # m: a tighter curve bends the wires' course beyond what its first order in curvature holds
Radius = Annotated[float, Field(ge=-1.0e6, le=1.0e6)]
Station = Annotated[float, Field(ge=-1.0e5, le=1.0e5)]
Cant = Annotated[float, Field(ge=-0.3, le=0.3)]


class PlanPieceSpec(Spec):
    """One piece of a track's plan; it begins with the direction in which the piece before ends."""

    kind: Literal["straight", "arc", "clothoid"] = Field(description="a clothoid's curvature changes evenly")
    length: Annotated[float, Field(gt=0.0, le=1.0e5)] = Field(description="length along the track [m]")
    radius: Radius | None = Field(
        default=None, description="of an arc, or at the end of a clothoid, to the left positive [m]; none: straight"
    )

    @model_validator(mode="after")
    def _radius_where_it_curves(self) -> Self:
        if self.kind == "arc" and self.radius is None:
            raise ValueError("radius is missing: an arc has one")
        if self.kind == "straight" and self.radius is not None:
            raise ValueError(f"radius must be left out of a straight piece: got {self.radius:g} m")
        if self.radius is not None and abs(self.radius) < TIGHTEST:
            raise ValueError(f"radius must be {TIGHTEST:g} m or more, to either side: got {self.radius:g} m")
        return self


class TrackSpec(Spec):
    """Track of a line in space: one curve that has no end, or a plan of pieces; cant, and gradient.

    Places sideways count from the track's axis, those of wires at supports from the middle of the head, where cant puts
    it. In curves wires stand ``stagger`` to the outside at every support, elsewhere they change sides.
    """

    radius: Radius | None = Field(
        default=None, description="of one curve from end to end, to the left positive [m]; a line can repeat on it"
    )
    plan: tuple[PlanPieceSpec, ...] = Field(
        default=(),
        max_length=400,
        description="pieces from the line's first support on, in place of radius; the last one has no end",
    )
    cant: Annotated[float, Field(ge=0.0, le=0.3)] = Field(
        default=0.0, description="outer rail over inner rail on the curve of radius [m]"
    )
    cants: tuple[tuple[Station, Cant], ...] = Field(
        default=(),
        max_length=400,
        description="[station, right rail over left rail] of a plan [m], straight lines between; a left curve has "
        "positive cant",
    )
    gradients: tuple[tuple[Station, Annotated[float, Field(ge=-0.06, le=0.06)]], ...] = Field(
        default=(), max_length=400, description="[station in m, rise by length] of a plan, straight lines between"
    )
    rail_spacing: Annotated[float, Field(ge=0.5, le=2.0)] = Field(
        default=1.5, description="between the rails' axes, over which cant turns the head [m]"
    )
    wire_height: Annotated[float, Field(ge=4.0, le=7.5)] = Field(
        default=5.3, description="contact wire over rails, where cant moves the head sideways [m]"
    )
    outside_below: Annotated[float, Field(ge=0.0, le=1.0e6)] = Field(
        default=5000.0, description="radius below which staggers stand outside at every support [m]"
    )
    arms: Literal["any", "left", "right", "inside", "outside"] = Field(
        default="any",
        description="side of the wire on which steady arms have their joints, those of a curve inside or outside; any: "
        "where they pull",
    )
    arm_push: Annotated[float, Field(ge=0.0, le=5000.0)] = Field(
        default=0.0, description="largest force with which a steady arm may push at rest before it buckles [N]"
    )
    begin: Station = Field(default=0.0, description="station of the plan at the line's first support [m]")

    @model_validator(mode="after")
    def _one_course(self) -> Self:
        problems = []
        if self.radius is not None and self.plan:
            problems.append("give one of radius and plan")
        if self.radius is not None and abs(self.radius) < TIGHTEST:
            problems.append(f"radius must be {TIGHTEST:g} m or more, to either side: got {self.radius:g} m")
        if self.plan and self.plan[-1].kind == "clothoid":
            problems.append("plan must not end with a clothoid: its last piece has no end")
        if self.cant and self.radius is None:
            problems.append("cant needs radius: a plan has cants by station")
        if self.cants and self.radius is not None:
            problems.append("cants needs a plan: a curve without end has one cant")
        if self.gradients and self.radius is not None:
            problems.append("gradients needs a plan: a curve without end is level")
        if self.arms in ("inside", "outside") and self.radius is None and not self.plan:
            problems.append(f"arms must be any, left or right on straight track: got {self.arms}")
        for name in ("cants", "gradients"):
            problems += [
                f"{name} must go along the track: {b:g} m comes after {a:g} m"
                for (a, _), (b, _) in pairwise(getattr(self, name))
                if b <= a
            ]
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @property
    def ends(self) -> bool:
        """Whether the track changes along the line, so that no line can repeat on it."""
        return bool(self.plan or self.cants or self.gradients)

    def beginning(self, station: float) -> TrackSpec:
        """The same track for a line whose first support stands at a station of this one's [m]."""
        return self.model_copy(update={"begin": self.begin + station})
