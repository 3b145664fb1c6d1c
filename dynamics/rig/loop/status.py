"""Status of an emulated test and of a periodic state of the loop, each with its sentence."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["LoopStatus"]


class LoopStatus(StrEnum):
    """Outcome of a test of the loop, or of its periodic state, by the name that files give it."""

    OK = "ok"
    STOPPED = "stopped"
    UNSTABLE = "unstable"
    CONTACT_LOST = "contact_lost"
    SLACK_NOT_SETTLED = "slack_not_settled"

    @property
    def sentence(self) -> str:
        """What the outcome means."""
        return SENTENCES[self]


SENTENCES = {
    LoopStatus.OK: "the test ran to its end, or the state repeats from span to span",
    LoopStatus.STOPPED: "a force or a height left its bounds",
    LoopStatus.UNSTABLE: "an error grows from span to span, so that the test comes to no steady state",
    LoopStatus.CONTACT_LOST: "a device that cannot pull would have to",
    LoopStatus.SLACK_NOT_SETTLED: "which droppers are slack, and where, did not settle",
}
