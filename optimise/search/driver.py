"""The study of a campaign: one process asks, tells and writes the record."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import optuna
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState, create_trial

from catenary.errors import InputError
from optimise.design.space import DesignSpace
from optimise.evaluation.objectives import OBJECTIVES, raw_values, sampler_values
from optimise.evaluation.outcome import Outcome, OutcomeStatus
from optimise.evaluation.scenarios import ScenarioSet
from optimise.record.campaign_folder import CampaignFolder
from optimise.record.journal_export import JournalExport
from optimise.record.lines_record import collection_paused
from optimise.record.record_damage import take_up
from optimise.record.trial import Origin, TrialRecord
from optimise.record.trial_lines import StoredTrial, Transaction, records_of, replayed
from optimise.search.samplers import (
    GENERATION_NOTES,
    CampaignSampler,
    designs_in_flight,
    distributions,
)
from optimise.search.shown_trials import ShownTrials
from optimise.spec.campaign import DEFAULT_OBJECTIVES, CampaignSpec
from optimise.surrogate.combination import Combination
from optimise.surrogate.proposals import Proposals

__all__ = ["StudyDriver"]


class StudyDriver:
    """Ask and tell on the record of a campaign, in the folder where it is or will be.

    What is done between two commits is on record whole or not at all. The study is Optuna's, rebuilt from the record.

    Raises
    ------
    SetAsideError
        If the record is damaged; see `take_up`.
    """

    def __init__(
        self, folder: CampaignFolder, campaign: CampaignSpec, space: DesignSpace, scenarios: ScenarioSet | None = None
    ) -> None:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._space = space
        self._ranges = distributions(space)
        self._sampler = CampaignSampler(campaign.sampler, campaign.seed, space, len(campaign.objectives))
        self._objectives = campaign.objectives
        self._proposals = None
        if campaign.sampler.in_order:
            combination = Combination.of(self._objectives[0], scenarios)
            at_once = designs_in_flight(campaign.sampler)
            self._proposals = Proposals(space, self._objectives, campaign.seed, at_once, combination)
        directions = [
            StudyDirection.MAXIMIZE if OBJECTIVES[o].maximised else StudyDirection.MINIMIZE for o in self._objectives
        ]
        found, self._record = take_up(folder.trials(campaign.name), folder.status_json)
        self._open = Transaction()
        self._storage = ShownTrials(*GENERATION_NOTES.get(campaign.sampler.kind, ()))
        self._study = optuna.create_study(
            storage=self._storage, sampler=self._sampler, study_name=campaign.name, directions=directions
        )
        with collection_paused():
            trials, notes = replayed(found)
            self.records = records_of(trials)
            for number, trial in enumerate(trials):
                try:
                    self._study.add_trial(self._rebuilt(trial))
                except ValueError as error:
                    raise _no_design(folder.record, number, error) from error
        for name, value in notes.items():
            self._storage.set_study_system_attr(self._storage.get_study_id_from_name(campaign.name), name, value)
        self._storage.noted()
        self.searched = sum(not record.polished for record in self.records)
        self._ended = 0  # trials up to the first that is in flight
        self._journal = JournalExport(folder.journal, campaign.name, directions, self._exported)

    def ask(self, origin: Origin | None = None) -> TrialRecord:
        """Next design, in flight from now on."""
        if self._proposals is not None and origin is None and self.records:
            values = self._proposals.next([record for record in self.records if not record.polished])
            self._study.enqueue_trial(self._params(values))
        return self._ask_enqueued(origin)

    def _ask_enqueued(self, origin: Origin | None = None) -> TrialRecord:
        self.searched += 1
        return self._record_started(self._study.ask(self._ranges).number, origin)

    def ask_nominal(self) -> TrialRecord:
        """The nominal line as the next design."""
        self._study.enqueue_trial(self._params([v.nominal for v in self._space.variables]))
        return self._ask_enqueued()

    def ask_given(self, values: Sequence[float], origin: Origin) -> TrialRecord:
        """Give the search a design from elsewhere; the sampler learns from it as from its own."""
        self._study.enqueue_trial(self._params(values))
        return self._ask_enqueued(origin)

    def ask_outside_search(self, values: Sequence[float], origin: Origin) -> TrialRecord:
        """Take a design outside the search; a sampler with generations does not see it."""
        params = self._params(values)
        self._study.add_trial(create_trial(state=TrialState.RUNNING, params=params, distributions=self._ranges))
        return self._record_started(len(self.records), origin)

    def tell(self, outcome: Outcome) -> TrialRecord:
        """Record the outcome of a design in flight."""
        number = outcome.number
        before = set(self._storage.get_trial(number).system_attrs)
        trial = optuna.Trial(self._study, number)
        for name, g in outcome.constraints.items():
            trial.set_constraint(name, g)
        if outcome.status is OutcomeStatus.FAILED:
            self._study.tell(number, state=TrialState.FAIL)
        else:
            raw, value = self._values(outcome)
            self._study.tell(number, raw if self._sampler.uses_constraints and raw is not None else value)
        ended = self._storage.get_trial(number)
        new = {name: value for name, value in ended.system_attrs.items() if name not in before}
        self._open.told.append({
            "trial": number, "ended": _utc(ended.datetime_complete), "values": ended.values, "notes": new,
            "outcome": outcome.to_dict(),
        })  # fmt: skip
        record = replace(self.records[number], outcome=outcome)
        self.records[number] = record
        return record

    def commit(self) -> None:
        """Write all trials and outcomes since the last commit to disk."""
        if self._open.asked or self._open.told:
            transaction, self._open = self._open, Transaction()
            self._record.append(transaction)

    def check(self) -> None:
        """Check that the record is still what was written, and update `journal.log` when due.

        See `GrowingRecord.check`.
        """
        self._record.check()
        if self._journal.due:
            while self._ended < len(self.records) and self.records[self._ended].outcome is not None:
                self._ended += 1
            self._journal.write(self._ended)

    def export(self) -> None:
        """Update `journal.log` with every trial, including those in flight."""
        self._journal.write(len(self.records))

    def _record_started(self, number: int, origin: Origin | None) -> TrialRecord:
        """Note that a trial has started."""
        trial = self._storage.get_trial(number)
        params = {name: trial.params[name] for name in self._ranges}
        asked = {"trial": number, "begun": _utc(trial.datetime_start), "params": params, "notes": trial.system_attrs}
        self._open.asked.append(asked if origin is None else {**asked, "origin": asdict(origin)})
        self._open.notes |= self._storage.noted()
        record = TrialRecord(number, tuple(float(value) for value in params.values()), None, origin)
        self.records.append(record)
        return record

    def _params(self, values: Sequence[float]) -> dict[str, float]:
        pairs = zip(self._space.variables, values, strict=True)
        return {v.name: round(value) if v.integer else value for v, value in pairs}

    def _values(self, outcome: Outcome) -> tuple[tuple[float, ...] | None, tuple[float, ...]]:
        """Objectives as computed and as given to a sampler that ignores constraints."""
        nominal = self.records[0].outcome or outcome
        return raw_values(self._objectives, outcome), sampler_values(self._objectives, outcome, nominal)

    def _rebuilt(self, trial: StoredTrial) -> FrozenTrial:
        """Trial of the record as Optuna's, with everything that its sampler noted."""
        under_way = TrialState.RUNNING if trial.outcome is None else TrialState.FAIL
        found = create_trial(
            state=under_way if trial.values is None else TrialState.COMPLETE, values=trial.values,
            params=trial.params, distributions=self._ranges, system_attrs=trial.notes,
        )  # fmt: skip
        found.datetime_start, found.datetime_complete = _local(trial.begun), _local(trial.ended)
        return found

    def _exported(self, number: int) -> FrozenTrial:
        """Trial as others read it: with its outcome, its origin, and objectives by name where there are several."""
        record, found = self.records[number], copy.copy(self._storage.get_trial(number))
        attributes: dict[str, Any] = {} if record.origin is None else {"origin": asdict(record.origin)}
        if record.outcome is not None:
            attributes["evaluation"] = record.outcome.to_dict()
        if found.values is not None and self._objectives != DEFAULT_OBJECTIVES and record.outcome is not None:
            for name, values in zip(("objectives", "told"), self._values(record.outcome), strict=True):
                attributes[name] = None if values is None else dict(zip(self._objectives, values, strict=True))
        found.user_attrs = attributes
        return found


def _no_design(record: Path, number: int, error: ValueError) -> InputError:
    """Error that tells of a trial on record that another space of designs holds."""
    return InputError(
        [
            f"{record} must hold designs of this campaign's space: trial {number} is not ({error}); resume with the "
            "version of this program that wrote it, restore the file, or start again under another campaign name"
        ]
    )


def _utc(time: datetime | None) -> str | None:
    return None if time is None else time.astimezone(UTC).isoformat(timespec="microseconds")


def _local(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).astimezone().replace(tzinfo=None)
