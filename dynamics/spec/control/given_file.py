"""A file from outside, on record by its content, and one whose code is asked for a control force."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec

__all__ = ["AskedFile", "GivenFile", "VariableName", "sha256_of_file"]

VariableName = Annotated[str, Field(min_length=1, max_length=200)]


def sha256_of_file(path: str) -> str:
    """SHA-256 of a file's content.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class GivenFile(Spec):
    """A supplier's file, on record by its content: a run with another content is refused.

    Without ``sha256`` the file is read when the input is, and what it holds then goes on record.
    """

    file: str = Field(
        min_length=1, max_length=4096, description="path of the file; from a pantograph's YAML, next to that"
    )
    sha256: str = Field(
        default="",
        max_length=64,
        description="SHA-256 of the file's content; without it that of the file as it is now",
    )

    @model_validator(mode="before")
    @classmethod
    def _on_record(cls, given: object) -> object:
        if not isinstance(given, dict) or given.get("sha256") or not isinstance(given.get("file"), str):
            return given
        try:
            found = sha256_of_file(given["file"])
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ValueError(f"file must be a file that can be read: got '{given['file']}', {reason}") from error
        return {**given, "file": str(Path(given["file"]).resolve()), "sha256": found}

    @model_validator(mode="after")
    def _a_hash(self) -> Self:
        if not re.fullmatch("[0-9a-f]{64}", self.sha256):
            raise ValueError(f"sha256 must be 64 digits of 0-9 and a-f: got '{self.sha256}'")
        return self


class AskedFile(GivenFile):
    """Code that gives a controller's force, asked once a control step of an open-line run."""

    step_s: Annotated[float, Field(ge=0.0, le=1.0)] = Field(
        default=0.0, description="control step, rounded to whole time steps of the run; 0: each of them [s]"
    )
    time_limit_s: Annotated[float, Field(ge=0.01, le=600.0)] = Field(
        default=10.0, description="longest time for one answer; it is then ended [s]"
    )

    @property
    def in_words(self) -> str:
        """Its file and what that holds, in a few words."""
        return f"{Path(self.file).name}, sha256 {self.sha256[:12]}"
