"""The record of a campaign's trials: one line for each transaction, with trials asked for and outcomes (`told`).

A trial asked for holds its design and its sampler's notes; a trial under `told` holds the values given to the sampler,
its new notes, and the outcome. Notes of a sampler on the study itself have a key of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from optimise.evaluation.outcome import Outcome, OutcomeStatus
from optimise.evaluation.record_types import Length, Number, Numbers, OutcomeContent, Stored, refuse_other_types
from optimise.record.lines_record import LinesRecord
from optimise.record.trial import Origin, TrialRecord

__all__ = ["StoredTrial", "Transaction", "records_of", "replayed", "trials_record"]

Content = dict[str, Any]


def _is_time(text: str) -> str:
    datetime.fromisoformat(text)
    return text


def _has_a_status(content: OutcomeContent) -> OutcomeContent:
    OutcomeStatus(content.status)
    return content


Time = Annotated[str, AfterValidator(_is_time)]
TrialNumber = Annotated[int, Field(ge=0)]
Notes = Annotated[dict[str, Any], Length]


class OriginContent(Stored):
    """Origin of a trial, as its line holds it."""

    kind: Literal["polish", "warm_start"]
    trial: TrialNumber
    tolerance: Number | None = None
    campaign: str = ""


class AskedContent(Stored):
    """A trial asked for, as its line holds it."""

    trial: TrialNumber
    begun: Time | None
    params: Numbers
    notes: Notes
    origin: OriginContent | None = None


class ToldContent(Stored):
    """A trial with its outcome, as its line holds it."""

    trial: TrialNumber
    ended: Time | None
    values: Annotated[list[Number], Length] | None
    notes: Notes
    outcome: Annotated[OutcomeContent, AfterValidator(_has_a_status)]


class TransactionContent(Stored):
    """A line without its checksum."""

    asked: Annotated[list[AskedContent], Length] = Field(default_factory=list)
    told: Annotated[list[ToldContent], Length] = Field(default_factory=list)
    notes: Notes = Field(default_factory=dict)
    line: int = 1
    study: str = ""


@dataclass
class StoredTrial:
    """One trial on record.

    Attributes
    ----------
    params : dict
        Values of the design variables by name.
    notes : dict
        Attributes of the sampler by name, constraints among them.
    begun, ended : str, optional
        Times of start and end, ISO 8601.
    origin : dict, optional
        Where it comes from, when no sampler proposed it.
    values : list of float, optional
        Values given to the sampler; None while the trial is in flight, and where it failed.
    outcome : dict, optional
        Outcome; None while the trial is in flight.
    """

    params: dict[str, float]
    notes: dict[str, Any]
    begun: str
    origin: dict[str, Any] | None = None
    ended: str | None = None
    values: list[float] | None = None
    outcome: dict[str, Any] | None = None


@dataclass
class Transaction:
    """Trials and outcomes that are on record together or not at all.

    Attributes
    ----------
    asked, told : list of dict
        Trials by number (`trial`), with the fields of `StoredTrial` that are new.
    notes : dict
        What the sampler noted in the study.
    """

    asked: list[Content] = field(default_factory=list)
    told: list[Content] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> Content:
        """Content as JSON types, without what is empty."""
        return {name: value for name, value in vars(self).items() if value}

    @classmethod
    def from_dict(cls, content: Content) -> Transaction:
        """Transaction from what `to_dict` gave.

        Raises
        ------
        ValueError
            If the content is not a transaction.
        """
        refuse_other_types(TransactionContent, content)
        found = cls(content.get("asked", []), content.get("told", []), content.get("notes", {}))
        if not found.asked and not found.told:
            raise ValueError("no trial is asked for or has an outcome")
        return found


class TrialOrder:
    """Checks that transactions follow one another: trials asked for by ascending number, one outcome for each."""

    def __init__(self) -> None:
        self._asked, self._told = 0, set[int]()

    def __call__(self, transaction: Transaction) -> None:
        """Take the next transaction.

        Raises
        ------
        ValueError
            If it cannot stand there.
        """
        for asked in transaction.asked:
            if asked["trial"] != self._asked:
                raise ValueError(f"trial {asked['trial']} is asked for where {self._asked} would be")
            self._asked += 1
        for told in transaction.told:
            number = told["trial"]
            if number >= self._asked or number in self._told:
                raise ValueError(
                    f"trial {number} has an outcome {'twice' if number in self._told else 'before it is asked for'}"
                )
            if told["outcome"]["number"] != number:
                raise ValueError(f"trial {number} has the outcome of {told['outcome']['number']}")
            self._told.add(number)


def trials_record(path: Path, study: str, name: str = "") -> LinesRecord[Transaction]:
    """Record of the trials of a campaign; see `LinesRecord`."""
    return LinesRecord(
        path, study, name, "trials", "designs", Transaction.from_dict, Transaction.to_dict,
        evaluations=lambda transaction: len(transaction.told), order=TrialOrder,
    )  # fmt: skip


def replayed(transactions: Iterable[Transaction]) -> tuple[list[StoredTrial], dict[str, Any]]:
    """Trials in order, and what samplers noted in the study."""
    trials: list[StoredTrial] = []
    notes: dict[str, Any] = {}
    for transaction in transactions:
        notes |= transaction.notes
        trials += [StoredTrial(**{k: v for k, v in asked.items() if k != "trial"}) for asked in transaction.asked]
        for told in transaction.told:
            trial = trials[told["trial"]]
            trial.notes |= told["notes"]
            trial.ended, trial.values, trial.outcome = told["ended"], told["values"], told["outcome"]
    return trials, notes


def records_of(trials: Sequence[StoredTrial]) -> list[TrialRecord]:
    """Trials with the values of their variables, in the order of the design space."""
    return [
        TrialRecord(
            number, tuple(float(value) for value in trial.params.values()),
            None if trial.outcome is None else Outcome.from_dict(trial.outcome),
            None if trial.origin is None else Origin(**trial.origin),
        )
        for number, trial in enumerate(trials)
    ]  # fmt: skip
