"""The study as a sampler with generations sees it: in memory, and no longer than the sampler looks back."""

from __future__ import annotations

import copy
from collections.abc import Container
from typing import Any

from optuna.storages import InMemoryStorage
from optuna.trial import FrozenTrial, TrialState

__all__ = ["ShownTrials"]

# Generations that a sampler may look back on: an evaluation in flight belongs to the newest or the one before it,
# whose own parents were chosen from one more.
GENERATIONS_IN_VIEW = 3


class ShownTrials(InMemoryStorage):
    """Optuna's storage in memory, of one study; it shows its sampler the youngest generations and tells what it noted.

    Samplers with generations ask for all trials at every proposal but look at the youngest generations and their
    parents only; they are shown no more, so that a proposal costs the same after ten designs and after ten thousand.
    Through Optuna's own storage it would cost ten times as much by then. What samplers note in the study, there is
    no other way to read or to give back.

    Parameters
    ----------
    generation : str, optional
        Attribute in which the sampler notes a trial's generation; without it all trials are shown.
    parents : str, optional
        Beginning of the study's attributes in which it notes the parents of each generation.
    """

    def __init__(self, generation: str | None = None, parents: str | None = None) -> None:
        super().__init__()
        self._generation = generation
        self._parents = parents
        self._first: dict[int, int] = {}  # first trial of each generation
        self._noted: dict[str, Any] = {}
        self._trials = 0

    def create_new_trial(self, study_id: int, template_trial: FrozenTrial | None = None) -> int:
        """Begin a trial; its number, which is its identity, too."""
        self._trials += 1
        number = super().create_new_trial(study_id, template_trial)
        if template_trial is not None:
            self._note_generation(number, template_trial.system_attrs)
        return number

    def set_study_system_attr(self, study_id: int, key: str, value: Any) -> None:
        """Keep an attribute of the study, and that it is new."""
        super().set_study_system_attr(study_id, key, value)
        self._noted[key] = value

    def set_trial_system_attr(self, trial_id: int, key: str, value: Any) -> None:
        """Keep an attribute of a trial."""
        super().set_trial_system_attr(trial_id, key, value)
        self._note_generation(trial_id, {key: value})

    def noted(self) -> dict[str, Any]:
        """Attributes of the study since this was last asked."""
        noted, self._noted = self._noted, {}
        return noted

    def get_all_trials(
        self, study_id: int, deepcopy: bool = True, states: Container[TrialState] | None = None
    ) -> list[FrozenTrial]:
        """Trials in view, in order; those that wait are always in view."""
        if states == (TrialState.WAITING,) or not self._first:
            return super().get_all_trials(study_id, deepcopy, states)
        trials = [self.get_trial(number) for number in self._in_view(study_id)]
        found = trials if states is None else [trial for trial in trials if trial.state in states]
        return copy.deepcopy(found) if deepcopy else found

    def _in_view(self, study_id: int) -> list[int]:
        newest = max(self._first)
        attributes, oldest = self.get_study_system_attrs(study_id), newest - GENERATIONS_IN_VIEW + 1
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
