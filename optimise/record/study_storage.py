"""The study as the sampler sees it: in memory, made from the journal, and no longer than the sampler looks back."""

from __future__ import annotations

import copy
from collections.abc import Container, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from optuna.distributions import distribution_to_json, json_to_distribution
from optuna.storages import InMemoryStorage
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from optimise.record.operations import StoredStudy, StoredTrial

__all__ = ["StudyStorage", "stored"]

# Generations that a sampler may look back on: an evaluation under way belongs to the newest or the one before it,
# whose own parents were chosen from one more.
GENERATIONS_IN_VIEW = 3


class StudyStorage(InMemoryStorage):
    """Optuna's storage in memory, which nothing but the driver's own record fills.

    Samplers with generations ask for all trials at every proposal but look at the youngest generations and their
    parents only; they are shown no more, so that a proposal costs the same after ten designs and after ten thousand.

    Parameters
    ----------
    study : StoredStudy
        What the journal holds.
    directions : sequence of StudyDirection
        Direction of each objective.
    generation : str, optional
        Attribute in which the sampler notes a trial's generation; without it all trials are shown.
    parents : str, optional
        Beginning of the study's attributes in which it notes the parents of each generation.
    """

    def __init__(
        self,
        study: StoredStudy,
        directions: Sequence[StudyDirection],
        generation: str | None = None,
        parents: str | None = None,
    ) -> None:
        super().__init__()
        self._generation = generation
        self._parents = parents
        self._first: dict[int, int] = {}  # first trial of each generation
        self._noted: list[tuple[str, Any]] = []
        self._trials = 0
        self.study_id = self.create_new_study(directions, study.name)
        for name, value in study.system_attrs.items():
            super().set_study_system_attr(self.study_id, name, value)
        for trial in study.trials:
            number = self.create_new_trial(self.study_id, _Whole.of(trial))
            self._note_generation(number, trial.system_attrs)

    def create_new_trial(self, study_id: int, template_trial: FrozenTrial | None = None) -> int:
        """Begin a trial; its number, which is its identity, too."""
        self._trials += 1
        return super().create_new_trial(study_id, template_trial)

    def set_study_system_attr(self, study_id: int, key: str, value: Any) -> None:
        """Keep an attribute of the study, and that it is to be written."""
        super().set_study_system_attr(study_id, key, value)
        self._noted.append((key, value))

    def set_trial_system_attr(self, trial_id: int, key: str, value: Any) -> None:
        """Keep an attribute of a trial."""
        super().set_trial_system_attr(trial_id, key, value)
        self._note_generation(trial_id, {key: value})

    def noted(self) -> list[tuple[str, Any]]:
        """Attributes of the study since this was last asked."""
        noted, self._noted = self._noted, []
        return noted

    def get_all_trials(
        self, study_id: int, deepcopy: bool = True, states: Container[TrialState] | None = None
    ) -> list[FrozenTrial]:
        """Trials in view, in order; those that wait are always in view."""
        if states == (TrialState.WAITING,) or not self._first:
            return super().get_all_trials(study_id, deepcopy, states)
        trials = [self.get_trial(number) for number in self._in_view()]
        found = trials if states is None else [trial for trial in trials if trial.state in states]
        return copy.deepcopy(found) if deepcopy else found

    def _in_view(self) -> list[int]:
        newest = max(self._first)
        attributes, oldest = self.get_study_system_attrs(self.study_id), newest - GENERATIONS_IN_VIEW + 1
        first = min(number for generation, number in self._first.items() if generation >= oldest)
        kept = set(range(first, self._trials))
        if self._parents is not None:
            for generation in range(oldest, newest + 2):
                kept.update(attributes.get(f"{self._parents}{generation}", ()))
        return sorted(kept)

    def _note_generation(self, number: int, attributes: dict[str, Any]) -> None:
        generation = attributes.get(self._generation) if self._generation else None
        if generation is not None:
            self._first[generation] = min(number, self._first.get(generation, number))


class _Whole(FrozenTrial):
    """A trial from the journal, which no one else holds: the storage need not copy it."""

    @classmethod
    def of(cls, trial: StoredTrial) -> _Whole:
        distributions = {name: _distribution(text) for name, text in trial.distributions.items()}
        return cls(
            number=-1, trial_id=-1, state=TrialState(trial.state), value=None, values=trial.values,
            datetime_start=_local(trial.datetime_start), datetime_complete=_local(trial.datetime_complete),
            params={name: distributions[name].to_external_repr(v) for name, v in trial.params.items()},
            distributions=distributions, user_attrs={}, system_attrs=trial.system_attrs, intermediate_values={},
        )  # fmt: skip

    def __deepcopy__(self, memo: dict[int, Any]) -> _Whole:
        return copy.copy(self)


def stored(trial: FrozenTrial) -> StoredTrial:
    """Trial of the storage as the journal writes it, without user attributes."""
    return StoredTrial(
        int(trial.state), {n: d.to_internal_repr(trial.params[n]) for n, d in trial.distributions.items()},
        {name: _text(distribution) for name, distribution in trial.distributions.items()}, {},
        dict(trial.system_attrs), trial.values, _utc(trial.datetime_start), _utc(trial.datetime_complete),
    )  # fmt: skip


# The ranges of a campaign are few and stand in every trial.
_distribution = lru_cache(maxsize=1024)(json_to_distribution)
_text = lru_cache(maxsize=1024)(distribution_to_json)


def _local(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).astimezone().replace(tzinfo=None)


def _utc(time: datetime | None) -> str | None:
    return None if time is None else time.astimezone(UTC).isoformat(timespec="microseconds")
