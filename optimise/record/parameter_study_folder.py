"""The record of a study of many points: one folder, one line for each batch of them, resumable after any kill."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, TypeVar

from catenary.errors import InputError
from catenary.spec.components import Spec
from catenary.storage.files import other_files, read_yaml
from catenary.storage.provenance import config_sha256
from dynamics.spec.case import CaseSpec
from dynamics.spec.solver import ON_RECORD
from optimise.evaluation.job import Batch, Setting
from optimise.evaluation.outcome import BatchOutcome, Outcome
from optimise.record.lines_record import LinesRecord
from optimise.record.parameter_study_lines import points_record
from optimise.record.study_folder import StudyFolder, config_diff, named_method, unreadable, with_method

__all__ = ["ParameterStudyFolder", "ParameterStudyInput"]

Input = TypeVar("Input", bound="ParameterStudyInput")
OTHER_FOLDER = "use another run_dir (in Python: folder)"


class ParameterStudyInput(Spec, ABC):
    """Everything that decides the numbers of a sweep or a sensitivity study."""

    case: CaseSpec

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the study."""

    @property
    @abstractmethod
    def points(self) -> int:
        """Points wanted."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Dotted paths of the inputs that are varied."""

    @cached_property
    @abstractmethod
    def batches(self) -> list[Batch]:
        """Every point, each in one batch; the division depends on this input alone."""

    @abstractmethod
    def refuse_bad_points(self) -> None:
        """Refuse a study with impossible points, before anything is written.

        Raises
        ------
        InputError
            With one sentence per value that is not allowed, and for points whose values do not go together.
        """

    @property
    @abstractmethod
    def setting(self) -> Setting:
        """Data that all points share; reading a record does not need it."""


@dataclass(frozen=True)
class ParameterStudyFolder(StudyFolder):
    """Folder of a sweep or a sensitivity study."""

    version: ClassVar[int] = 2  # few rows of a sweep are cut into parts
    record_name: ClassVar[str] = "points.jsonl"
    result_name: ClassVar[str] = "result.nc"

    def read_input(self, model: type[Input]) -> Input:
        """Configuration on record, of a model whose fields are the blocks to read.

        Raises
        ------
        InputError
            If the folder holds no such study.
        """
        try:
            content = read_yaml(self.input_yaml, "study")
            read = model.model_validate({name: content[name] for name in model.model_fields}, context=ON_RECORD)
        except (OSError, ValueError, KeyError, TypeError) as error:
            what = f"{self.input_yaml} must be a readable {self.study} study"
            raise InputError([f"{what}: {unreadable(error)}"]) from error
        self._refuse_version(content)
        return read

    def refuse_other(self, given: ParameterStudyInput) -> None:
        """Refuse a folder that holds another study of the kind, or files of something else."""
        if self.input_yaml.is_file():
            try:
                content = read_yaml(self.input_yaml, "study")
            except ValueError as error:
                what = f"{self.input_yaml} must be readable; restore it or {OTHER_FOLDER}"
                raise InputError([f"{what}: {unreadable(error)}"]) from error
            self._refuse_version(content)
            held = str(content.get("config_sha256", "")) if isinstance(content, dict) else ""
            if not held:
                raise InputError([f"{self.input_yaml} must be that of a {self.study}: it has no hash; {OTHER_FOLDER}"])
            if held != config_sha256(given):
                raise InputError(
                    [
                        f"{self.study} '{given.name}' must be resumed with the configuration it was started with: "
                        f"{self.input_yaml} has hash {held[:12]}, this one {config_sha256(given)[:12]}"
                        f"{_changed(content, given)}; {named_method(content, given.case)}use another "
                        f"{self.study}.name, or {OTHER_FOLDER}"
                    ]
                )
            self.refuse_lost_record()
        elif self.path.exists() and (not self.path.is_dir() or set(self.path.iterdir()) - {self.lock}):
            raise InputError([other_files(self.path, self.study)])

    def _refuse_version(self, content: object) -> None:
        """Refuse a record whose points were divided into batches in another way."""
        found = content.get("schema_version") if isinstance(content, dict) else None
        if found is not None and found != self.version:
            raise InputError(
                [
                    f"{self.input_yaml} must have schema version {self.version}: it has {found}, of another version "
                    f"of this program; resume with that one, or start again under another {self.study}.name"
                ]
            )

    def restore_input(self, given: ParameterStudyInput) -> None:
        """Write the configuration where it is missing; one that is there says which versions began the study."""
        if not self.input_yaml.is_file():
            self.write_input(given)

    def write_input(self, given: ParameterStudyInput) -> None:
        """Write the configuration, its hash and versions."""
        self.write_content(config_sha256(given), given.model_dump(mode="json"))

    def batches(self, given: ParameterStudyInput) -> LinesRecord[BatchOutcome]:
        """The record; lines of another study are damage."""
        return points_record(self.record, self.sha256_on_record(), self.study_name(), given.batches)

    def read(self, given: ParameterStudyInput) -> dict[int, Outcome]:
        """Points on record by their numbers; a line at the end that was not written whole is left out.

        Raises
        ------
        DamagedRecordError
            If the record is damaged elsewhere.
        """
        found = {batch.number: batch for batch in self.batches(given).checked(self.status_json).units}
        done = [found[batch.number] for batch in given.batches if batch.number in found]
        return {outcome.number: outcome for batch in done for outcome in batch.outcomes}

    def study_name(self) -> str:
        """Name of the study on record; empty where it cannot be read."""
        return str((self.on_record().get(self.study) or {}).get("name", ""))


def _changed(content: object, given: ParameterStudyInput) -> str:
    """Inputs in which a study differs from the one on record."""
    now = given.model_dump(mode="json")
    if not isinstance(content, dict):
        return ""
    return config_diff(with_method({name: content[name] for name in now if name in content}), now)
