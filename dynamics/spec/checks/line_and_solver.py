"""Whether a line and what touches it can be run by a solver."""

from __future__ import annotations

from catenary.spec.line import CatenarySpec
from dynamics.spec.train import BaseMotionSpec

__all__ = ["faults_in_space", "faults_of_base_motion", "faults_of_ends"]


def faults_of_ends(line: CatenarySpec, solver: str, open_spans: int) -> list[str]:
    """Say where a line by stations is asked to repeat, or to have other spans than it has."""
    spans = len(line.spans)
    if solver == "open_line" and line.repeat is not None:
        return [
            f"catenary.repeat must be left out with solver=open_line, whose line ends: got {spans} x "
            f"{line.repeat.spans // spans} spans; give a line by stations its defects, or use "
            "solver=periodic or transient"
        ]
    if not line.ends:
        return []
    if solver != "open_line":
        return [f"solver must be open_line for a line by stations, which does not repeat: got {solver}"]
    if open_spans != spans:
        return [f"open_line.spans must be {spans}, those of the line by stations: got {open_spans}"]
    return []


def faults_in_space(line: CatenarySpec, solver: str, kinematics: str, *, rolls: bool, sought: bool) -> list[str]:
    """Say why a line cannot repeat on its track or in its wind, or a head cannot roll or rub.

    Parameters
    ----------
    line : CatenarySpec
    solver, kinematics : str
        Of the case.
    rolls, sought : bool
        Whether the head rolls, and whether the contact's point is sought in space.
    """
    if sought and (line.dimension == "planar" or kinematics == "linearised" or line.formulation == "beam"):
        return ["contact.space needs dimension=spatial, formulation=ancf and kinematics=nonlinear"]
    if rolls and line.dimension == "planar":
        return ["pantograph.head needs dimension=spatial: in the plane the wire stays over the head's middle"]
    if solver == "open_line":
        return []
    if sought:
        return [f"contact.space needs solver=open_line: got solver={solver}"]
    if line.wind is not None and line.wind.turbulence is not None:
        return [f"catenary.wind.turbulence needs solver=open_line: got solver={solver}"]
    if line.track is not None and line.track.ends:
        return [f"catenary.track must have no plan, cants or gradients with solver={solver}: use radius"]
    if line.repeating is not line:
        return [
            "catenary.repeat.spans must be even (or an even number of spans named) where staggers change sides and "
            f"wind or a curve does not: got {line.spans_of_a_period} (or use solver=open_line)"
        ]
    if line.wind is not None and line.wind.aerodynamic_damping:
        return [
            f"catenary.wind.aerodynamic_damping must be false with solver={solver}, which has one pair of "
            "damping factors for the whole line (or use solver=open_line)"
        ]
    return []


def faults_of_base_motion(motion: BaseMotionSpec, dimension: str, needed: float) -> list[str]:
    """Say where a base motion ends before the run, of a time [s], or moves heads sideways in the plane."""
    problems = []
    if motion.moves_sideways and dimension == "planar":
        problems.append("base_motion.side_m and drawn_side need dimension=spatial: in the plane nothing moves sideways")
    if not motion.drawn and (motion.time_s[0] > 0.0 or motion.time_s[-1] < needed):
        problems.append(
            f"base_motion.time_s must cover the whole run, 0 to {needed:.2f} s: got {motion.time_s[0]:g} to "
            f"{motion.time_s[-1]:g} s"
        )
    return problems
