"""Gates of the emulated hardware loop, as validated input; a separate module, so that no kernel loads."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from catenary.spec.components import Spec

__all__ = ["DesignCase", "LineCase", "LoopCase", "MassCase", "PfemGate"]

Positive = Annotated[float, Field(gt=0.0)]
Count = Annotated[int, Field(ge=1)]


class LoopCase(Spec):
    """A line at a speed, and the harmonics of its loop."""

    figure: str = Field(description="figure of the source")
    catenary: str
    speed_kmh: Positive = Field(description="train speed [km/h]")
    height_harmonics: Count = Field(description="N_h, the mean included [-]")
    dropper_harmonics: Count = Field(description="N_hd, the mean included [-]")


class LineCase(LoopCase):
    """The pantograph on a line."""


class MassCase(LoopCase):
    """The mass on a line."""

    added_force_N: Annotated[float, Field(ge=0.0)] = Field(description="force added to the measured one [N]")


class DesignCase(LoopCase):
    """An optimised line and the nominal one."""

    name: str
    made_by: str = Field(description="command whose best design it is")
    positions: tuple[float, ...] = Field(description="stations of the droppers [m]")
    contact_wire_heights: tuple[float, ...] = Field(description="heights of the contact wire there [m]")
    printed_max_N: Positive = Field(description="printed largest force of the tested design [N]")
    printed_min_N: Positive = Field(description="printed least force of the tested design [N]")
    printed_sigma_change_percent: float = Field(description="printed change of sigma against the nominal line [%]")


class PfemGate(Spec):
    """Tests of Gil et al., section 5, by the emulated loop."""

    source: str
    reading: str = Field(description="how what the source leaves open is read")
    pantograph: str
    dt_s: Positive = Field(description="step of loop, periodic state and transient [s]")
    contact_stiffness: Positive = Field(description="contact stiffness [N/m]")
    damping_ratio: Annotated[float, Field(ge=0.0)] = Field(description="head on its contact, of critical [-]")
    duration_s: Positive = Field(description="length of a test [s]")
    ramp_s: Positive = Field(description="its ramp [s]")
    filter_hz: Positive = Field(description="cut-off of the figures [Hz]")
    paper_relaxation: Positive = Field(description="mu_c of the source [-]")
    wrong_head: Positive = Field(description="head mass of the device over that of the prediction [-]")
    sigma_percent: Positive = Field(description="emulated against periodic, own band: largest difference of sigma [%]")
    curve_N: Positive = Field(description="emulated against periodic, own band: largest RMS difference [N]")
    correction_percent: Positive = Field(
        description="largest difference of a correction force, of the largest of them [%]"
    )
    transient_sigma_percent: Positive = Field(
        description="periodic state with every harmonic against the long transient: largest difference of sigma [%]"
    )
    transient_curve_N: Positive = Field(description="the same, RMS difference of the curves [N]")
    lines: tuple[LineCase, ...]
    masses: tuple[MassCase, ...]
    printed_nominal_N: tuple[float, float] = Field(description="printed largest and least force, nominal line [N]")
    designs: tuple[DesignCase, ...]
