"""The record of points evaluated in strands: one folder, one line for each strand, resumable after any kill."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import yaml

from catenary.errors import InputError
from catenary.files import write_text_atomic, writing
from catenary.record import commit, config_sha256, versions
from catenary.spec import Spec
from optimise.checked_lines import append_whole, checked_line, parsed_line
from optimise.strand_points import StrandResult

__all__ = ["StrandFolder"]


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
    def lock(self) -> Path:
        """File that the running driver holds locked."""
        return self.path / ".driver.lock"

    def refuse_other(self, given: Spec, name: str) -> None:
        """Refuse a folder that holds another study of the kind, or files of something else."""
        if self.input_yaml.is_file():
            content = yaml.safe_load(self.input_yaml.read_text(encoding="utf-8"))
            held = str(content.get("config_sha256", "")) if isinstance(content, dict) else ""
            if held != config_sha256(given):
                raise InputError(
                    [
                        f"{self.study} '{name}' must be resumed with the configuration it was started with: "
                        f"{self.input_yaml} has hash {held[:12]}, this one {config_sha256(given)[:12]}; use another "
                        f"{self.study}.name"
                    ]
                )
        elif self.path.exists() and (not self.path.is_dir() or set(self.path.iterdir()) - {self.lock}):
            raise InputError([f"run_dir must be a new, empty or {self.study} folder: {self.path} holds other files"])

    def write_input(self, given: Spec) -> None:
        """Write the configuration, its hash and versions."""
        content = {
            "schema_version": 1,
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
                if unreadable is not None:
                    raise InputError([f"{self.record} must hold the strands that were written: line {unreadable} "
                                      "cannot be read; restore the file"])  # fmt: skip
                if content is None:
                    unreadable = number
                    continue
                result = StrandResult.from_dict(content)
                whole[result.number] = result
                position += len(line)
        if mend and position < self.record.stat().st_size:
            with writing(self.record):
                os.truncate(self.record, position)
        return whole

    def append(self, result: StrandResult) -> None:
        """Put a strand on record, on the disk before this returns."""
        append_whole(self.record, checked_line(result.to_dict()))
