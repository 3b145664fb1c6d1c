"""report.yaml of a run's folder: the head of its page, and the limits of standards that the page uses, whole.

The limits are copied, so that the page can be drawn again where the file that they came from has moved or changed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from catenary.errors import InputError, sentences_of
from catenary.spec.components import Spec
from catenary.storage.files import write_text_atomic
from catenary.storage.yaml_file import dump_yaml, read_yaml_mapping
from dynamics.contact_force.assessment import limits_file, standard_limits
from dynamics.spec.standard_limits import StandardLimitsSpec
from studies.jobs.report_head import SIGNED_FIELDS, ReportSpec

__all__ = ["HeadRecord", "keep_head", "limits_of", "read_head"]

HEAD_FILE = "report.yaml"


class HeadRecord(Spec):
    """Content of report.yaml; ``design`` is the trial that was the best when it was checked and approved."""

    schema_version: Literal[1] = 1
    author: str | None = None
    revision: str | None = None
    checked: str | None = None
    approved: str | None = None
    design: int | None = None
    limits_file: str | None = None
    limits: StandardLimitsSpec | None = None

    @property
    def limits_used(self) -> StandardLimitsSpec:
        """Limits of the file that was given, or those that the program ships."""
        return self.limits or standard_limits()

    @property
    def limits_named(self) -> str:
        """The limits' file, in words."""
        return limits_file(self.limits_file)

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """Author, revision, checked, approved; empty where a person has to write."""
        return tuple((name, getattr(self, name) or "") for name in SIGNED_FIELDS)

    def signed_for(self, design: int | None) -> HeadRecord:
        """The same for a best design: who checked and approved another one has not done so for it."""
        if design == self.design:
            return self
        return self.model_copy(update={"checked": None, "approved": None, "design": design})


def read_head(folder: Path) -> HeadRecord:
    """Read the head on record in a folder; an empty one where there is none.

    Raises
    ------
    InputError
        If report.yaml is there and cannot be used.
    """
    path = folder / HEAD_FILE
    if not path.exists():
        return HeadRecord()
    try:
        return HeadRecord.model_validate(read_yaml_mapping(path, "report"))
    except ValidationError as error:
        raise InputError([f"{path}: {sentence}" for sentence in sentences_of(error)]) from None


def limits_of(wanted: ReportSpec) -> StandardLimitsSpec:
    """Limits that a command was given, or the shipped ones; a file that cannot be used is refused before any work.

    Raises
    ------
    InputError
        With every problem of the file.
    """
    return standard_limits(wanted.limits or None)


def keep_head(folder: Path, wanted: ReportSpec, design: int | None = None) -> HeadRecord:
    """Lay what was asked for over the head on record, write it and return it; nothing new is nothing written.

    Raises
    ------
    InputError
        If the file of limits, or the record, cannot be used.
    """
    held = read_head(folder)
    given = {name: text or None for name in SIGNED_FIELDS if (text := getattr(wanted, name)) is not None}
    if wanted.limits is not None:
        own = wanted.limits or None
        given |= {"limits_file": own, "limits": None if own is None else limits_of(wanted)}
    found = held.signed_for(design).model_copy(update=given)
    if found not in (held, HeadRecord(design=design)):
        write_text_atomic(folder / HEAD_FILE, dump_yaml(found.model_dump(mode="json")))
    return found
