"""One trial of a campaign on record, and its origin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from optimise.evaluation.outcome import Outcome

__all__ = ["Origin", "TrialRecord"]


@dataclass(frozen=True)
class Origin:
    """Origin of a trial that no sampler proposed.

    Attributes
    ----------
    kind : str
        'polish' or 'warm_start'.
    trial : int
        Trial that was polished; or trial of the earlier campaign.
    tolerance : float, optional
        Tolerance of the steady state while polishing [-].
    campaign : str
        Name of the earlier campaign.
    """

    kind: Literal["polish", "warm_start"]
    trial: int
    tolerance: float | None = None
    campaign: str = ""


@dataclass(frozen=True)
class TrialRecord:
    """One trial: its number, values of the design variables, outcome (None while it runs), and origin.

    A trial without an origin was proposed by the sampler; the first one is the nominal line.
    """

    number: int
    values: tuple[float, ...]
    outcome: Outcome | None
    origin: Origin | None = None

    @property
    def polished(self) -> bool:
        """Whether the trial belongs to a polish, which is outside the search and its budget."""
        return self.origin is not None and self.origin.kind == "polish"
