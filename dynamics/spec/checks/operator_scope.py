"""What a case has that the line's operator does not cover, as far as its inputs say."""

from __future__ import annotations

from dynamics.spec.checks.checked_case import CheckedCase

__all__ = ["NOT_COVERED", "outside_the_operator", "own_damping_refused"]

NOT_COVERED = "the program marched this run, because the operator does not cover it"
LONGEST_PERIOD = 3.0  # s from support to support, or all spans of a period: beyond, a march is quicker
MOST_SPANS = 2  # of a period: beyond, a march is quicker
ALONE = 8, 8.0  # the same where no march can be: damping by component; a minute or two
LONGEST_TRAIN = 8  # periods: beyond, waves that die away ahead of a pantograph outgrow a number of single precision


def own_damping_refused(case: CheckedCase) -> list[str]:
    """Why components of a case cannot have damping of their own: a march has one pair of factors for the whole line.

    Nothing where they can, or have none, or nothing is marched but an open line.
    """
    if case.on_open_line or not case.catenary.damping.own:
        return []
    by = f"solver={case.solver}"
    if case.seeks_steady_state:
        if case.periodic.method != "operator":
            by += f" with periodic.method={case.periodic.method} (operator takes them)"
        elif reason := outside_the_operator(case):
            by += f", which marches {reason}"
        else:
            return []
    return [sentence for sentence in (case.catenary.damping.refusal(by),) if sentence]


def outside_the_operator(case: CheckedCase) -> str:
    """Say what a case has that the operator does not; empty where it has all."""
    line = case.catenary
    places = [own for own in (line.section, line.repeat) if own is not None]
    wires = [own for own in (line.contact_wire, line.messenger_wire, line.stitch) if own is not None]
    spans, longest = ALONE if line.damping.own else (MOST_SPANS, LONGEST_PERIOD)
    reasons = {
        "a wind": line.wind is not None,
        "a track that curves": line.track is not None and line.track.radius is not None,
        "an auxiliary wire": line.auxiliary_wire is not None,
        "a pantograph with a controller": case.pantograph.control is not None,
        "a head that rolls": case.pantograph.head is not None,
        f"a period of more than {spans} spans": line.spans_of_a_period > spans,
        f"a train that takes more than {longest:g} s a period": case.line.period > longest * case.speed,
        f"a train longer than {LONGEST_TRAIN} periods": max(case.distances) > LONGEST_TRAIN * case.line.period,
        f"slack_damping={case.slack_damping}": case.slack_damping != "kept",
        "a contact wire that is worn or bent in places": any(own.wear or own.kinks for own in places),
        # the operator's bays have a boundary layer of bending at each end
        "a wire without bending stiffness": any(wire.bending_stiffness <= 0.0 for wire in wires),
        "a line without damping": not line.damping.any,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")
