"""The study of a campaign: one process asks, tells and writes the record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import optuna
from optuna.study import StudyDirection
from optuna.trial import TrialState

from optimise.design.space import DesignSpace
from optimise.evaluation.objectives import OBJECTIVES, raw_values, told_values
from optimise.evaluation.outcome import Outcome, OutcomeStatus
from optimise.record.campaign_folder import EVALUATION, ORIGIN, CampaignFolder, Origin, TrialRecord, records_of
from optimise.record.journal import collection_paused
from optimise.record.operations import ended, started, study_attribute, study_created
from optimise.record.study_storage import StudyStorage, stored
from optimise.search.samplers import GENERATION_NOTES, CampaignSampler, distributions
from optimise.spec.campaign import DEFAULT_OBJECTIVES, CampaignSpec

__all__ = ["StudyDriver"]

# Where a campaign has other objectives than sigma: each as computed and as told, by name.
RAW, TOLD = "objectives", "told"


class StudyDriver:
    """Ask and tell on the journal of a campaign.

    What is done between two commits is on record whole or not at all.

    Parameters
    ----------
    folder : CampaignFolder
        Where the journal is, or will be.
    campaign : CampaignSpec
    space : DesignSpace
    """

    def __init__(self, folder: CampaignFolder, campaign: CampaignSpec, space: DesignSpace) -> None:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._space = space
        self._ranges = distributions(space)
        self._journal = folder.opened_journal(read_only=False)
        self._sampler = CampaignSampler(campaign.sampler, campaign.seed, space, len(campaign.objectives))
        self._objectives = campaign.objectives
        study = self._journal.study()
        directions = [
            StudyDirection.MAXIMIZE if OBJECTIVES[o].maximised else StudyDirection.MINIMIZE for o in self._objectives
        ]
        if study.name is None:
            self._journal.append([study_created(campaign.name, [int(d) for d in directions])])
            self._journal.commit()
            study.name = campaign.name
        with collection_paused():
            self.records = records_of(study, list(self._ranges))
            self._storage = StudyStorage(study, directions, *GENERATION_NOTES.get(campaign.sampler.kind, ()))
        self.searched = sum(not record.polished for record in self.records)
        self._study = optuna.load_study(study_name=study.name, storage=self._storage, sampler=self._sampler)

    def ask(self, origin: Origin | None = None) -> TrialRecord:
        """Next design, under way from now on."""
        self.searched += 1
        return self._begun(self._study.ask(self._ranges).number, origin)

    def ask_nominal(self) -> TrialRecord:
        """The nominal line as the next design."""
        self._study.enqueue_trial(self._params([v.nominal for v in self._space.variables]))
        return self.ask()

    def ask_given(self, values: Sequence[float], origin: Origin) -> TrialRecord:
        """Give the search a design from elsewhere; the sampler learns from it as from its own."""
        self._study.enqueue_trial(self._params(values))
        return self.ask(origin)

    def ask_beside(self, values: Sequence[float], origin: Origin) -> TrialRecord:
        """Take a design beside the search, of which a sampler with generations knows nothing."""
        template = optuna.trial.create_trial(
            state=TrialState.RUNNING, params=self._params(values), distributions=self._ranges
        )
        return self._begun(self._storage.create_new_trial(self._storage.study_id, template), origin)

    def tell(self, outcome: Outcome) -> TrialRecord:
        """Put the outcome of a design that is under way on record."""
        number = outcome.number
        before = set(self._storage.get_trial(number).system_attrs)
        trial = optuna.Trial(self._study, number)
        for name, g in outcome.constraints.items():
            trial.set_constraint(name, g)
        attributes: dict[str, Any] = {**_noted(self.records[number].origin), EVALUATION: outcome.to_dict()}
        if outcome.status is OutcomeStatus.FAILED:
            self._study.tell(number, state=TrialState.FAIL)
        else:
            self._study.tell(number, self._values(outcome, attributes))
        told = stored(self._storage.get_trial(number))
        new = {name: value for name, value in told.system_attrs.items() if name not in before}
        self._journal.append(ended(number, replace(told, user_attrs=attributes, system_attrs=new)))
        record = replace(self.records[number], outcome=outcome)
        self.records[number] = record
        return record

    def commit(self) -> None:
        """Bring everything asked and told since the last commit to the disk."""
        self._journal.commit()

    def check(self) -> None:
        """Look whether the record is still what was written; see `GrowingRecord.check`."""
        self._journal.check()

    def _begun(self, number: int, origin: Origin | None) -> TrialRecord:
        """Write that a trial has begun."""
        trial = replace(stored(self._storage.get_trial(number)), user_attrs=_noted(origin))
        self._journal.append([study_attribute(*noted) for noted in self._storage.noted()])
        self._journal.append([started(trial)])
        record = TrialRecord(number, tuple(float(trial.params[name]) for name in self._ranges), None, origin)
        self.records.append(record)
        return record

    def _params(self, values: Sequence[float]) -> dict[str, float]:
        pairs = zip(self._space.variables, values, strict=True)
        return {v.name: round(value) if v.integer else value for v, value in pairs}

    def _values(self, outcome: Outcome, attributes: dict[str, Any]) -> tuple[float, ...]:
        """Objectives as this campaign's sampler is told them; noted by name where sigma alone does not say it."""
        nominal = self.records[0].outcome or outcome
        raw = raw_values(self._objectives, outcome)
        told = told_values(self._objectives, outcome, nominal)
        if self._objectives != DEFAULT_OBJECTIVES:
            for attribute, values in ((RAW, raw), (TOLD, told)):
                by_name = None if values is None else dict(zip(self._objectives, values, strict=True))
                attributes[attribute] = by_name
        return raw if self._sampler.uses_constraints and raw is not None else told


def _noted(origin: Origin | None) -> dict[str, Any]:
    """Attribute of a trial that no sampler proposed; it ends with it, too, for readers that pass its beginning over."""
    return {} if origin is None else {ORIGIN: asdict(origin)}
