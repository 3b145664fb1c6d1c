"""The study of a campaign: one process asks, tells and writes the record."""

from __future__ import annotations

from typing import Any

import optuna
from optuna.storages import JournalStorage
from optuna.trial import FrozenTrial, TrialState

from dynamics.spec import CaseSpec
from optimise.evaluate import Evaluation, EvaluationStatus
from optimise.journal import DriverJournal
from optimise.objectives import OBJECTIVES, raw_values, told_values
from optimise.record import CampaignFolder, TrialRecord
from optimise.samplers import CampaignSampler, distributions
from optimise.space import DesignSpace
from optimise.spec import DEFAULT_OBJECTIVES, CampaignSpec

__all__ = ["StudyDriver", "read_records"]

# A trial's evaluation: statistics, every violation, sigma as computed and as told, each under its name.
EVALUATION = "evaluation"
# Beside it, where a campaign has other objectives than sigma: each as computed and as told, by name.
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
        self._journal = DriverJournal(folder.journal)
        self._storage = JournalStorage(self._journal)
        self._sampler = CampaignSampler(campaign.sampler, campaign.seed, space)
        self._objectives = campaign.objectives
        if self._storage.get_all_studies():
            self._study = optuna.load_study(study_name=campaign.name, storage=self._storage, sampler=self._sampler)
        else:
            self._study = optuna.create_study(
                study_name=campaign.name,
                storage=self._storage,
                sampler=self._sampler,
                directions=["maximize" if OBJECTIVES[o].maximised else "minimize" for o in self._objectives],
            )
        self._study_id = self._storage.get_study_id_from_name(campaign.name)
        self._journal.commit()
        trials = self._storage.get_all_trials(self._study_id, deepcopy=False)
        self.records = [_record(trial, space) for trial in trials]

    def ask(self) -> TrialRecord:
        """Next design, under way from now on."""
        trial = self._study.ask(self._ranges)
        record = TrialRecord(trial.number, tuple(float(trial.params[name]) for name in self._ranges), None)
        self.records.append(record)
        return record

    def ask_nominal(self) -> TrialRecord:
        """The nominal line as the next design."""
        self._study.enqueue_trial({v.name: v.nominal for v in self._space.variables})
        return self.ask()

    def tell(self, evaluation: Evaluation) -> TrialRecord:
        """Put the evaluation of a design that is under way on record."""
        number = evaluation.number
        trial_id = self._storage.get_trial_id_from_study_id_trial_number(self._study_id, number)
        trial = optuna.Trial(self._study, trial_id)
        trial.set_user_attr(EVALUATION, evaluation.to_dict())
        for name, g in evaluation.constraints.items():
            trial.set_constraint(name, g)
        if evaluation.status is EvaluationStatus.FAILED:
            self._study.tell(number, state=TrialState.FAIL)
        else:
            self._study.tell(number, self._values(trial, evaluation))
        record = TrialRecord(number, self.records[number].values, evaluation)
        self.records[number] = record
        return record

    def commit(self) -> None:
        """Bring everything asked and told since the last commit to the disk."""
        self._journal.commit()

    def _values(self, trial: optuna.Trial, evaluation: Evaluation) -> tuple[float, ...]:
        """Objectives as this campaign's sampler is told them; put on record by name where sigma alone does not."""
        nominal = self.records[0].evaluation or evaluation
        raw = raw_values(self._objectives, evaluation)
        told = told_values(self._objectives, evaluation, nominal)
        if self._objectives != DEFAULT_OBJECTIVES:
            for attribute, values in ((RAW, raw), (TOLD, told)):
                by_name = None if values is None else dict(zip(self._objectives, values, strict=True))
                trial.set_user_attr(attribute, by_name)
        return raw if self._sampler.uses_constraints and raw is not None else told


def read_records(folder: CampaignFolder, campaign: CampaignSpec, case: CaseSpec) -> list[TrialRecord]:
    """Trials on record in a folder, which is only read."""
    storage = JournalStorage(DriverJournal(folder.journal, read_only=True))
    try:
        study_id = storage.get_study_id_from_name(campaign.name)
    except KeyError:
        return []
    space = DesignSpace(case.catenary, campaign.design)
    return [_record(trial, space) for trial in storage.get_all_trials(study_id, deepcopy=False)]


def _record(trial: FrozenTrial, space: DesignSpace) -> TrialRecord:
    content: dict[str, Any] | None = trial.user_attrs.get(EVALUATION)
    values = tuple(float(trial.params[v.name]) for v in space.variables)
    evaluation = Evaluation.from_dict(content) if content is not None and trial.state.is_finished() else None
    return TrialRecord(trial.number, values, evaluation)
