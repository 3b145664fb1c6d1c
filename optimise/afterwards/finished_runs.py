"""Runs that follow a search, each on record as it ends: an interruption loses those in flight and no other.

A line of the record holds the key of a run, a hash of everything that decides it, and what came out of it. The command
that resumes looks its runs up by key; lines with other keys, of another design or other conditions, stay and are not
read. A figure taken from the record is the one that was computed, to its last bit.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import UnionType
from typing import Annotated, Any

from catenary.storage.provenance import versions
from optimise.afterwards.exact_content import plain, rebuilt
from optimise.evaluation.job import Job
from optimise.evaluation.outcome import Outcome, OutcomeStatus
from optimise.evaluation.record_types import Length, Number, Stored, refuse_other_types
from optimise.executors import Executor, run_all
from optimise.record.campaign_folder import CampaignFolder
from optimise.record.growing_record import kept_aside, say
from optimise.record.lines_record import LinesRecord, LinesWriter

__all__ = ["FinishedRuns", "RunKind", "finished_runs"]

NUMBER = "number"
Progress = Callable[[int, int], None]


class FinishedRunContent(Stored):
    """A line without its checksum."""

    key: str
    spent_s: Number
    outcome: Annotated[dict[str, Any], Length]
    line: int = 1


@dataclass(frozen=True)
class FinishedRun:
    """A run that has ended: its key, wall time since the end of the one before it [s], and what came out of it."""

    key: str
    spent_s: float
    outcome: dict[str, Any]


@dataclass(frozen=True)
class RunKind:
    """Runs of one kind.

    Attributes
    ----------
    name : str
        What they are.
    outcome : type
        Class of what comes out of them, or several as a union; anything else that comes back is not kept.
    common : object
        What decides all of them: Specs, numbers, text.
    """

    name: str
    outcome: type | UnionType
    common: object

    def key(self, decides: object) -> str:
        """Hash of everything that decides a run, the versions of the program and its libraries included."""
        content = plain([self.name, versions(), self.common, decides])
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(text.encode("utf-8")).hexdigest()

    def is_result(self, found: object) -> bool:
        """Whether something that came back is kept; a failure, which may be the machine's, is run again."""
        failed = isinstance(found, Outcome) and found.status is OutcomeStatus.FAILED
        return isinstance(found, self.outcome) and not failed


class FinishedRuns:
    """Record of the runs that follow a search, to which one driver appends.

    Parameters
    ----------
    path : Path, optional
        The record, read when it is first needed; without one nothing is kept.
    progress : callable, optional
        Takes the number of runs done and their total.
    """

    def __init__(self, path: Path | None = None, progress: Progress = lambda done, of: None) -> None:
        self._path = path
        self.progress = progress
        self._since = time.perf_counter()
        self._before_s = 0.0

    @property
    def spent_s(self) -> float:
        """Wall time since this was made, with that of the runs that were on record [s]."""
        return self._before_s + time.perf_counter() - self._since

    def run_all(
        self, executor: Executor, jobs: Sequence[Job], kind: RunKind, before: int = 0, of: int | None = None
    ) -> dict[int, Any]:
        """Outcomes of jobs by number, those on record taken from there; a job's number decides nothing.

        Progress counts runs ``before`` these, ``of`` a total that is theirs unless given.
        """
        total = len(jobs) if of is None else of
        keys = {job.number: kind.key({n: v for n, v in vars(job).items() if n != NUMBER}) for job in jobs}
        held = {number: self._held(key, kind) for number, key in keys.items()}
        known = {number: replace(found, number=number) for number, found in held.items() if found is not None}
        ended = self._clock()

        def keep(found: Any) -> None:
            spent = ended()
            if kind.is_result(found):
                self._keep(FinishedRun(keys[found.number], spent, plain(found)))

        left = [job for job in jobs if job.number not in known]
        done_before = before + len(known)
        return known | run_all(executor, left, lambda done: self.progress(done_before + done, total), keep)

    def once(self, kind: RunKind, run: Callable[[], Any]) -> Any:
        """Outcome of a single run of the driver itself, taken from the record if it is there."""
        key = kind.key(None)
        found = self._held(key, kind)
        if found is None:
            ended = self._clock()
            found = run()
            self._keep(FinishedRun(key, ended(), plain(found)))
        return found

    def _held(self, key: str, kind: RunKind) -> Any:
        """What is on record under a key; None where nothing of that kind is."""
        run = self._on_record.get(key)
        if run is None:
            return None
        try:
            found = rebuilt(kind.outcome, run.outcome)
        except (ValueError, TypeError):  # not what a driver writes: it is run again
            return None
        self._before_s += run.spent_s
        return found

    def _keep(self, run: FinishedRun) -> None:
        if self._path is not None:
            self._on_record[run.key] = run
            self._writer.append(run)

    def _clock(self) -> Callable[[], float]:
        """Make what gives the wall time since it was last asked [s]."""
        last = time.perf_counter()

        def spent() -> float:
            nonlocal last
            before, last = last, time.perf_counter()
            return last - before

        return spent

    @cached_property
    def _on_record(self) -> dict[str, FinishedRun]:
        """Runs on record by key; a file with damage is kept under another name, and what can be read of it used."""
        if self._path is None:
            return {}
        record = _runs_record(self._path)
        found = record.lines()
        units = [*found.units, *found.behind]
        if found.damage or found.tail:
            kept = kept_aside(self._path, b"".join(record.line(run, n) for n, run in enumerate(units, start=1)))
            what = found.damage or "its last line is not whole, as a kill leaves it"
            said = f"{self._path} must hold the runs that were written: {what}"
            say(f"{said}; the file as it was is kept as {kept.name}, and {len(units)} runs of it are used")
        self._writer = LinesWriter(record, len(units))
        return {run.key: run for run in units}


def finished_runs(folder: Path, progress: Progress = lambda done, of: None) -> FinishedRuns:
    """Record of the runs after a search in a campaign's folder; a folder that no command resumes keeps none."""
    place = CampaignFolder(folder)
    return FinishedRuns(place.finished_runs if place.input_yaml.exists() else None, progress)


def _runs_record(path: Path) -> LinesRecord[FinishedRun]:
    return LinesRecord(path, "", "", "runs", "runs", _read, vars, evaluations=lambda run: 1)


def _read(content: dict[str, Any]) -> FinishedRun:
    refuse_other_types(FinishedRunContent, content)
    return FinishedRun(content["key"], content["spent_s"], content["outcome"])
