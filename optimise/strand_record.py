"""The record of points evaluated in strands: one folder, one line for each strand, resumable after any kill."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import yaml

from catenary.component_spec import Spec
from catenary.errors import InputError
from catenary.files import write_text_atomic, writing
from catenary.record import commit, config_sha256, versions
from dynamics.spec import CaseSpec
from optimise.checked_lines import append_whole, checked_line, holds_another, parsed_line
from optimise.differing import differing, unreadable
from optimise.status_file import refuse_lost_record
from optimise.strand_task import EvaluateStrand, StrandResult, StrandTask

__all__ = ["StrandFolder", "StrandInput"]

Input = TypeVar("Input", bound="StrandInput")
# 2: few rows of a sweep are cut into parts
SCHEMA_VERSION = 2


class StrandInput(Spec, ABC):
    """Everything that decides the numbers of a study whose points are evaluated in strands."""

    case: CaseSpec

    @property
    @abstractmethod
    def evaluate(self) -> EvaluateStrand:
        """The function that workers run; what reads a record does not load it."""

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
    def strands(self) -> list[StrandTask]:
        """Every point, each in one strand; the division depends on this input alone."""

    @abstractmethod
    def refuse_bad_points(self) -> None:
        """Refuse a study with points that cannot be, before anything is written.

        Raises
        ------
        InputError
            With one sentence per value that is not allowed, and for points whose values do not go together.
        """

    def checked_strands(self) -> list[StrandTask]:
        """Every strand, its points checked."""
        self.refuse_bad_points()
        return self.strands

    @property
    def setting(self) -> tuple[CaseSpec, tuple[str, ...]]:
        """What every strand shares."""
        return self.case, self.names


@dataclass(frozen=True)
class StrandFolder:
    """Stable names inside the folder of a study whose points are evaluated in strands."""

    path: Path
    study: ClassVar[str] = "study"

    @property
    def input_yaml(self) -> Path:
        """Configuration, hash and versions."""
        return self.path / f"{self.study}.yaml"

    @property
    def record(self) -> Path:
        """One line per finished strand."""
        return self.path / "points.jsonl"

    @property
    def result_nc(self) -> Path:
        """Every point and what was made of them."""
        return self.path / "result.nc"

    @property
    def status_json(self) -> Path:
        """State, at most one second old while a driver runs."""
        return self.path / "status.json"

    @property
    def lock(self) -> Path:
        """File that the running driver holds locked."""
        return self.path / ".driver.lock"

    def read_input(self, model: type[Input]) -> Input:
        """Configuration on record, of a model whose fields are the blocks to read.

        Raises
        ------
        InputError
            If the folder holds no such study.
        """
        try:
            content = yaml.safe_load(self.input_yaml.read_text(encoding="utf-8"))
            read = model.model_validate({name: content[name] for name in model.model_fields})
        except (OSError, ValueError, KeyError, TypeError, yaml.YAMLError) as error:
            what = f"{self.input_yaml} must be a readable {self.study} study"
            raise InputError([f"{what}: {unreadable(error)}"]) from error
        self._refuse_version(content)
        return read

    def refuse_other(self, given: StrandInput) -> None:
        """Refuse a folder that holds another study of the kind, or files of something else."""
        if self.input_yaml.is_file():
            try:
                content = yaml.safe_load(self.input_yaml.read_text(encoding="utf-8"))
            except (ValueError, yaml.YAMLError) as error:
                what = f"{self.input_yaml} must be readable; restore it or use another run_dir"
                raise InputError([f"{what}: {unreadable(error)}"]) from error
            self._refuse_version(content)
            held = str(content.get("config_sha256", "")) if isinstance(content, dict) else ""
            if held != config_sha256(given):
                raise InputError(
                    [
                        f"{self.study} '{given.name}' must be resumed with the configuration it was started with: "
                        f"{self.input_yaml} has hash {held[:12]}, this one {config_sha256(given)[:12]}"
                        f"{_changed(content, given)}; use another {self.study}.name or run_dir"
                    ]
                )
            self.refuse_lost_record()
        elif self.path.exists() and not self.path.is_dir():
            raise InputError([f"run_dir must be a new, empty or {self.study} folder: {self.path} is a file"])
        elif self.path.exists() and set(self.path.iterdir()) - {self.lock}:
            raise InputError([f"run_dir must be a new, empty or {self.study} folder: {self.path} holds other files"])

    def _refuse_version(self, content: Any) -> None:
        """Refuse a record whose points were divided into strands in another way."""
        found = content.get("schema_version") if isinstance(content, dict) else None
        if found is not None and found != SCHEMA_VERSION:
            raise InputError(
                [
                    f"{self.input_yaml} must have schema version {SCHEMA_VERSION}: it has {found}, of another version "
                    f"of this program; go on with that one, or begin anew under another {self.study}.name"
                ]
            )

    def refuse_lost_record(self) -> None:
        """Refuse a study whose record holds no point though some were evaluated."""
        refuse_lost_record(self.record, lambda file: file.stat().st_size > 0, self.status_json, self.result_nc)

    def write_input(self, given: StrandInput) -> None:
        """Write the configuration, its hash and versions."""
        content = {
            "schema_version": SCHEMA_VERSION,
            "config_sha256": config_sha256(given),
            "commit": commit(),
            "versions": versions(),
            **given.model_dump(mode="json"),
        }
        write_text_atomic(self.input_yaml, yaml.safe_dump(content, sort_keys=False, allow_unicode=True))

    def read(self, mend: bool = False) -> dict[int, StrandResult]:
        """Strands on record; a line that was cut short at the end is left out, and with ``mend`` removed.

        Raises
        ------
        InputError
            If a line before the last cannot be read.
        """
        if not self.record.is_file():
            return {}
        whole: dict[int, StrandResult] = {}
        position, unreadable = 0, None
        with open(self.record, "rb") as handle:
            for number, line in enumerate(handle, start=1):
                content = parsed_line(line)
                damaged = number if content is None and holds_another(line) else unreadable
                if damaged is not None:
                    raise InputError([f"{self.record} must hold the strands that were written: line {damaged} "
                                      "cannot be read; restore the file"])  # fmt: skip
                if not line.endswith(b"\n"):  # cut short, or being written at this moment; nothing can stand behind it
                    break
                if content is None:
                    unreadable = number
                    continue
                try:
                    result = StrandResult.from_dict(content)
                except (KeyError, TypeError, ValueError) as error:
                    raise InputError([f"{self.record} must hold the strands that were written: line {number} is whole "
                                      f"but no strand ({error}); restore the file"]) from error  # fmt: skip
                whole[result.number] = result
                position += len(line)
        if mend and position < self.record.stat().st_size:
            with writing(self.record):
                os.truncate(self.record, position)
        return whole

    def append(self, result: StrandResult) -> None:
        """Put a strand on record, on the disk before this returns."""
        append_whole(self.record, checked_line(result.to_dict()))


def _changed(content: Any, given: StrandInput) -> str:
    """In what a study differs from the one on record."""
    now = given.model_dump(mode="json")
    return differing({name: content[name] for name in now if name in content}, now) if isinstance(content, dict) else ""
