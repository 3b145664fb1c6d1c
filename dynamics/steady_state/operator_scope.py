"""What a case has that the line's operator does not cover, as far as its inputs say."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynamics.spec.case import CaseSpec

__all__ = ["NOT_COVERED", "outside_the_operator"]

NOT_COVERED = "the program marched this run, because the operator does not cover it"
LONGEST_PERIOD = 3.0  # s from support to support, or all spans of a period: beyond, a march is quicker
MOST_SPANS = 2  # of a period: beyond, a march is quicker
LONGEST_TRAIN = 8  # periods: beyond, waves that die away ahead of a pantograph outgrow a number of single precision


def outside_the_operator(case: CaseSpec) -> str:
    """Say what a case has that the operator does not; empty where it has all."""
    line = case.catenary
    places = [own for own in (line.section, line.repeat) if own is not None]
    wires = [own for own in (line.contact_wire, line.messenger_wire, line.stitch) if own is not None]
    reasons = {
        "a wind": line.wind is not None,
        "a track that curves": line.track is not None and line.track.radius is not None,
        "an auxiliary wire": line.auxiliary_wire is not None,
        "a pantograph with a controller": case.pantograph.control is not None,
        "a head that rolls": case.pantograph.head is not None,
        f"a period of more than {MOST_SPANS} spans": line.spans_of_a_period > MOST_SPANS,
        f"a train that takes more than {LONGEST_PERIOD:g} s a period": case.line.period > LONGEST_PERIOD * case.speed,
        f"a train longer than {LONGEST_TRAIN} periods": max(case.distances) > LONGEST_TRAIN * case.line.period,
        f"slack_damping={case.slack_damping}": case.slack_damping != "kept",
        "a contact wire that is worn or bent in places": any(own.wear or own.kinks for own in places),
        # the operator's bays have a boundary layer of bending at each end
        "a wire without bending stiffness": any(wire.bending_stiffness <= 0.0 for wire in wires),
        "a line without damping": line.damping.alpha <= 0.0 and line.damping.beta <= 0.0,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")
