"""Shared by the folders of campaigns, sweeps and sensitivity studies: names of files, and differences of inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import yaml

from catenary.storage.files import read_yaml, write_text_atomic
from catenary.storage.provenance import commit, versions
from dynamics.spec.case import CaseSpec
from optimise.record.status_file import refuse_lost_record

__all__ = ["MARCHED", "StudyFolder", "config_diff", "named_method", "names_no_method", "unreadable", "with_method"]

MOST_SHOWN = 4
MARCHED = "periodic.method=march"


@dataclass(frozen=True)
class StudyFolder:
    """Stable names inside the folder of a study that one driver fills and others read.

    ``study`` is its kind, ``version`` the schema of its configuration; of ``record_name`` and ``result_name`` are its
    record and what is made of it.
    """

    path: Path
    study: ClassVar[str]
    version: ClassVar[int]
    record_name: ClassVar[str]
    result_name: ClassVar[str]

    @property
    def input_yaml(self) -> Path:
        """Configuration, hash and versions."""
        return self.path / f"{self.study}.yaml"

    @property
    def record(self) -> Path:
        """What was evaluated, one line for each transaction or batch, written by the driver only."""
        return self.path / self.record_name

    @property
    def result_nc(self) -> Path:
        """Everything evaluated as a labelled data set."""
        return self.path / self.result_name

    @property
    def status_json(self) -> Path:
        """State, at most one second old while a driver runs."""
        return self.path / "status.json"

    @property
    def lock(self) -> Path:
        """File that the running driver holds locked."""
        return self.path / ".driver.lock"

    def refuse_lost_record(self) -> None:
        """Refuse a study whose record is empty though something was evaluated."""
        refuse_lost_record(self.record, self.status_json, self.result_nc)

    def sha256_on_record(self) -> str:
        """Hash of the configuration on record; empty where it cannot be read."""
        return str(self.on_record().get("config_sha256", ""))

    def on_record(self) -> dict[str, Any]:
        """Content of the configuration's file; nothing where it cannot be read."""
        try:
            content = read_yaml(self.input_yaml, self.study)
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}

    def write_content(self, sha256: str, content: Mapping[str, Any], **noted: object) -> None:
        """Write the configuration with its hash, notes, and the versions that wrote it."""
        about = {"schema_version": self.version, "config_sha256": sha256, **noted}
        whole = {**about, "commit": commit(), "versions": versions(), **content}
        write_text_atomic(self.input_yaml, yaml.safe_dump(whole, sort_keys=False, allow_unicode=True))


def config_diff(held: object, given: object, free: tuple[str, ...] = ()) -> str:
    """First values that differ, in brackets; empty if none do, or only those under the names in ``free``."""
    before, now = _flat(held), _flat(given)
    names = [n for n in {**before, **now} if before.get(n) != now.get(n) and not n.startswith(free)]
    shown = [f"{n} was {_typed(before.get(n))}, now {_typed(now.get(n))}" for n in names[:MOST_SHOWN]]
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return f" ({'; '.join(shown)}{more})" if shown else ""


def names_no_method(content: object) -> bool:
    """Whether an input on record leaves the method of its steady states out: a march, the default of that time."""
    case = content.get("case") if isinstance(content, dict) else None
    periodic = case.get("periodic") if isinstance(case, dict) else None
    return isinstance(periodic, dict) and "method" not in periodic


def with_method(content: Mapping[str, Any]) -> dict[str, Any]:
    """Input on record with its method."""
    if not names_no_method(content):
        return dict(content)
    case = content["case"]
    return {**content, "case": {**case, "periodic": {"method": "march", **case["periodic"]}}}


def named_method(held: object, case: CaseSpec) -> str:
    """What to type, with what follows it, where a record of marches names no method and the case has another."""
    if not names_no_method(held) or not case.seeks_steady_state or case.periodic.method == "march":
        return ""
    return f"type {MARCHED} as well (a march was the default then), or "


def unreadable(error: Exception) -> str:
    """Reason, in a few words, why a file could not be read."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _typed(value: object) -> str:
    """Value as a person types it."""
    return "null" if value is None else repr(value)


def _flat(content: object, prefix: str = "") -> dict[str, Any]:
    if not isinstance(content, dict):
        return {prefix.removesuffix("."): content}
    flat: dict[str, Any] = {}
    for name, value in content.items():
        flat.update(_flat(value, f"{prefix}{name}."))
    return flat
