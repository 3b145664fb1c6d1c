"""Operations of an Optuna journal: what the driver writes, and trials from what is read.

Optuna itself is not needed to read, so that a campaign's state is told in a moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["StoredStudy", "StoredTrial", "ended", "replayed", "started", "study_attribute", "study_created"]

# Optuna's codes
CREATE_STUDY, SET_STUDY_USER_ATTR, SET_STUDY_SYSTEM_ATTR, CREATE_TRIAL = 0, 2, 3, 4
SET_TRIAL_PARAM, SET_TRIAL_STATE_VALUES, SET_TRIAL_USER_ATTR, SET_TRIAL_SYSTEM_ATTR = 5, 6, 8, 9
RUNNING, WAITING = 0, 4

ONE_STUDY = 0
WRITER = {"worker_id": "driver"}


@dataclass
class StoredTrial:
    """One trial of the journal.

    Attributes
    ----------
    state : int
        Optuna's number of the state.
    params : dict
        Values of the design variables by name [m].
    distributions : dict
        Range of each as Optuna's JSON.
    user_attrs, system_attrs : dict
        Attributes by name, the samplers' own among them.
    values : list of float, optional
        What the sampler was told.
    datetime_start, datetime_complete : str, optional
        When it began and ended, ISO 8601.
    """

    state: int = RUNNING
    params: dict[str, float] = field(default_factory=dict)
    distributions: dict[str, str] = field(default_factory=dict)
    user_attrs: dict[str, Any] = field(default_factory=dict)
    system_attrs: dict[str, Any] = field(default_factory=dict)
    values: list[float] | None = None
    datetime_start: str | None = None
    datetime_complete: str | None = None

    @property
    def finished(self) -> bool:
        """Whether it was told."""
        return self.state not in (RUNNING, WAITING)


@dataclass
class StoredStudy:
    """The study of the journal: its name, None before it is made, attributes of its sampler, and trials in order."""

    name: str | None = None
    system_attrs: dict[str, Any] = field(default_factory=dict)
    trials: list[StoredTrial] = field(default_factory=list)


def replayed(operations: Iterable[Mapping[str, Any]]) -> StoredStudy:
    """Study that operations lead to; those that the driver never writes change nothing that it reads."""
    study = StoredStudy()
    for op in operations:
        code = op["op_code"]
        if code == CREATE_STUDY:
            study.name = op["study_name"]
        elif code == SET_STUDY_SYSTEM_ATTR:
            study.system_attrs.update(op["system_attr"])
        elif code == CREATE_TRIAL:
            study.trials.append(_created(op))
        elif code in (SET_TRIAL_PARAM, SET_TRIAL_STATE_VALUES, SET_TRIAL_USER_ATTR, SET_TRIAL_SYSTEM_ATTR):
            _change(study.trials[op["trial_id"]], code, op)
    return study


def _created(op: Mapping[str, Any]) -> StoredTrial:
    values = [op["value"]] if op.get("value") is not None else op.get("values")
    return StoredTrial(
        op.get("state", RUNNING), op.get("params", {}), op.get("distributions", {}), op.get("user_attrs", {}),
        op.get("system_attrs", {}), values, op.get("datetime_start"), op.get("datetime_complete"),
    )  # fmt: skip


def _change(trial: StoredTrial, code: int, op: Mapping[str, Any]) -> None:
    if code == SET_TRIAL_PARAM:
        trial.params[op["param_name"]] = op["param_value_internal"]
        trial.distributions[op["param_name"]] = op["distribution"]
    elif code == SET_TRIAL_USER_ATTR:
        trial.user_attrs.update(op["user_attr"])
    elif code == SET_TRIAL_SYSTEM_ATTR:
        trial.system_attrs.update(op["system_attr"])
    else:
        trial.state = op["state"]
        trial.values = op["values"] if op["values"] is not None else trial.values
        trial.datetime_start = op.get("datetime_start", trial.datetime_start)
        trial.datetime_complete = op.get("datetime_complete", trial.datetime_complete)


def study_created(name: str, directions: list[int]) -> dict[str, Any]:
    """Begin a study; 1 is Optuna's direction to minimise, 2 to maximise."""
    return {"op_code": CREATE_STUDY, **WRITER, "study_name": name, "directions": directions}


def study_attribute(name: str, value: object) -> dict[str, Any]:
    """Set an attribute of the sampler that belongs to the study."""
    return {"op_code": SET_STUDY_SYSTEM_ATTR, **WRITER, "study_id": ONE_STUDY, "system_attr": {name: value}}


def started(trial: StoredTrial) -> dict[str, Any]:
    """Begin a trial, in one operation with its design and what its sampler notes."""
    return {
        "op_code": CREATE_TRIAL,
        **WRITER,
        "study_id": ONE_STUDY,
        "datetime_start": trial.datetime_start,
        "state": RUNNING,
        "distributions": trial.distributions,
        "params": trial.params,
        "system_attrs": trial.system_attrs,
        **({"user_attrs": trial.user_attrs} if trial.user_attrs else {}),
    }


def ended(number: int, trial: StoredTrial) -> list[dict[str, Any]]:
    """End a trial: its attributes first, since Optuna takes none afterwards."""
    which = {**WRITER, "trial_id": number}
    users = [{"op_code": SET_TRIAL_USER_ATTR, **which, "user_attr": {k: v}} for k, v in trial.user_attrs.items()]
    systems = [
        {"op_code": SET_TRIAL_SYSTEM_ATTR, **which, "system_attr": {k: v}} for k, v in trial.system_attrs.items()
    ]
    state = {
        "op_code": SET_TRIAL_STATE_VALUES, **which, "state": trial.state, "values": trial.values,
        "datetime_complete": trial.datetime_complete,
    }  # fmt: skip
    return [*users, *systems, state]
