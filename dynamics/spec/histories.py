"""Validated choice of what a run on an open line keeps in addition to its usual results (SI units)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from catenary.spec.components import Spec

__all__ = ["MOST_NODES", "HistorySpec"]

# a line of 80 spans and 100 nodes keeps some 100 MB of displacements, velocities and accelerations
MOST_NODES = 50

Station = Annotated[float, Field(ge=0.0, le=20.0e3)]


class HistorySpec(Spec):
    """Nodes whose motion is kept, and whether the line's shape is kept for an animation."""

    contact_wire_m: tuple[Station, ...] = Field(
        default=(),
        max_length=MOST_NODES,
        description="stations of contact-wire nodes to keep, the nearest is taken [m from the line's first support]",
    )
    messenger_wire_m: tuple[Station, ...] = Field(
        default=(),
        max_length=MOST_NODES,
        description="stations of messenger-wire nodes to keep, the nearest is taken [m from the line's first support]",
    )
    animation: bool = Field(default=False, description="keep the line's shape for a moving picture in the report")
    frames_per_second: Annotated[float, Field(ge=5.0, le=200.0)] = Field(
        default=50.0, description="shapes kept for a moving picture [1/s of simulated time]"
    )

    @property
    def asked_for(self) -> tuple[str, ...]:
        """Keys that ask for something to be kept."""
        keys = ("contact_wire_m", "messenger_wire_m", "animation")
        return tuple(key for key in keys if getattr(self, key))

    def refusals(self, solver: str, line_length: float) -> list[str]:
        """Say what a solver cannot keep, and which stations lie outside an open line of ``line_length`` [m]."""
        if solver != "open_line":
            named = " and ".join(f"histories.{key}" for key in self.asked_for)
            return [f"{named} must be left out with solver={solver}: only solver=open_line keeps them"] if named else []
        return [
            f"histories.{key}[{k}] must lie on the line, 0 to {line_length:g} m from its first support: got {x:g} m"
            for key in ("contact_wire_m", "messenger_wire_m")
            for k, x in enumerate(getattr(self, key))
            if x > line_length
        ]
