"""Validated description of a controller that is an FMU."""

from __future__ import annotations

from pydantic import Field

from dynamics.spec.control.given_file import AskedFile, VariableName

__all__ = ["FmuControlSpec"]


class FmuControlSpec(AskedFile):
    """A controller as an FMU for co-simulation (FMI 2 or 3): what is measured in, the force that it commands out.

    It is initialised with what is measured at the start of the run, and takes one step a control step: from the last
    question to this one, its inputs being what is measured now. What it then gives holds until it is asked again.
    """

    command: VariableName = Field(default="command", description="output: force that it commands, upwards [N]")
    contact_force: VariableName | None = Field(
        default="contact_force", description="input: contact force; none: it is not given [N]"
    )
    height: VariableName | None = Field(
        default=None, description="input: height of the head; none: it is not given [m]"
    )
    velocity: VariableName | None = Field(
        default=None, description="input: that of the head, upwards; none: it is not given [m/s]"
    )
    acceleration: VariableName | None = Field(default=None, description="input: that of the head, upwards [m/s2]")
    station: VariableName | None = Field(default=None, description="input: where the pantograph is on the line [m]")
    reference: VariableName | None = Field(
        default=None, description="parameter or input: the controller's reference [N, m, m/s2]; none: it is not given"
    )
    parameters: dict[VariableName, float] = Field(
        default_factory=dict, max_length=1000, description="values of its other parameters"
    )

    @property
    def in_words(self) -> str:
        """Its file and what that holds, in a few words."""
        return f"the FMU {super().in_words}"
