"""How a campaign stands: counts, best, rate, time left, on one line and in `status.json`."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from catenary.errors import InputError
from catenary.files import write_json_atomic
from optimise.evaluate import EvaluationStatus
from optimise.record import SCHEMA_VERSION, CampaignFolder, TrialRecord, best_of

__all__ = ["Progress", "StatusWriter", "progress_line", "progress_of", "read_status"]

SECONDS_BETWEEN_WRITES = 1.0


@dataclass(frozen=True)
class Progress:
    """State of a campaign.

    Attributes
    ----------
    name, state : str
        Name; 'running', 'interrupted', 'stopped' (its driver is gone) or 'finished'.
    trials, done, running, failed, infeasible : int
        Trials wanted, done (failed and infeasible ones included), under way, failed, infeasible.
    best_trial, best_sigma_N, nominal_sigma_N
        Best feasible design so far and the nominal line, standard deviation [N]; None before there is one.
    rate_per_s, time_left_s : float, optional
        Trials per second in this run and time left [s].
    """

    name: str
    state: str
    trials: int
    done: int = 0
    running: int = 0
    failed: int = 0
    infeasible: int = 0
    best_trial: int | None = None
    best_sigma_N: float | None = None
    nominal_sigma_N: float | None = None
    rate_per_s: float | None = None
    time_left_s: float | None = None


def progress_of(name: str, trials: int, records: list[TrialRecord], state: str) -> Progress:
    """State of a campaign from its trials, without rate."""
    evaluations = [r.evaluation for r in records if r.evaluation is not None]
    failures = sum(e.status is EvaluationStatus.FAILED for e in evaluations)
    best = best_of(records)
    nominal = records[0].evaluation if records else None
    return Progress(
        name=name,
        state=state,
        trials=trials,
        done=len(evaluations),
        running=len(records) - len(evaluations),
        failed=failures,
        infeasible=sum(not e.feasible for e in evaluations) - failures,
        best_trial=best.number if best else None,
        best_sigma_N=best.evaluation.sigma_N if best and best.evaluation else None,
        nominal_sigma_N=nominal.sigma_N if nominal else None,
    )


def progress_line(p: Progress) -> str:
    """State on one line: done, rate, best, failed, time left."""
    parts = [f"{p.done}/{p.trials} designs"]
    parts.append("rate -" if p.rate_per_s is None else f"{p.rate_per_s:.1f} per s")
    if p.best_sigma_N is None:
        parts.append("best -")
    else:
        gain = f" ({100.0 * (p.best_sigma_N / p.nominal_sigma_N - 1.0):+.1f} %)" if p.nominal_sigma_N else ""
        parts.append(f"best {p.best_sigma_N:.2f} N{gain}")
    parts.append(f"{p.failed} failed")
    parts.append("time left -" if p.time_left_s is None else f"time left {_clock(p.time_left_s)}")
    return " | ".join(parts)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class StatusWriter:
    """Counts trials as they end, and keeps `status.json` at most one second old."""

    def __init__(self, folder: CampaignFolder, first: Progress) -> None:
        self._folder = folder
        self._begin = time.monotonic()
        self._written = -1e9
        self._done_before = first.done
        self.current = first

    def ended(self, record: TrialRecord, running: int) -> Progress:
        """Progress after a trial has ended."""
        e, p = record.evaluation, self.current
        if e is None:
            return p
        done = p.done + 1
        failures = p.failed + (e.status is EvaluationStatus.FAILED)
        p = replace(p, done=done, failed=failures, running=running)
        if not e.feasible and e.status is not EvaluationStatus.FAILED:
            p = replace(p, infeasible=p.infeasible + 1)
        if record.number == 0:
            p = replace(p, nominal_sigma_N=e.sigma_N)
        if e.feasible and e.sigma_N is not None and (p.best_sigma_N is None or e.sigma_N < p.best_sigma_N):
            p = replace(p, best_trial=record.number, best_sigma_N=e.sigma_N)
        elapsed = time.monotonic() - self._begin
        rate = (done - self._done_before) / elapsed if elapsed > 0.0 else None
        self.current = replace(p, rate_per_s=rate, time_left_s=(p.trials - done) / rate if rate else None)
        self.write()
        return self.current

    def write(self, state: str | None = None) -> None:
        """Write the file if it is due, or at once with a new state."""
        if state is not None:
            self.current = replace(self.current, state=state)
        elif time.monotonic() - self._written < SECONDS_BETWEEN_WRITES:
            return
        self._written = time.monotonic()
        content = {"schema_version": SCHEMA_VERSION, **asdict(self.current), "process": os.getpid()}
        write_json_atomic(self._folder.status_json, {**content, "updated": datetime.now(UTC).isoformat()})


def read_status(path: Path) -> Progress:
    """State of the campaign in a folder, from its record, which is only read.

    Raises
    ------
    InputError
        If the folder holds no campaign.
    """
    from optimise.driver import read_records

    folder = CampaignFolder(Path(path))
    campaign, case, _ = folder.read_input()
    written = _status_json(folder)
    state = str(written.get("state", "stopped"))
    if state == "running" and not _alive(written.get("process")):
        state = "stopped"
    found = progress_of(campaign.name, campaign.trials, read_records(folder, campaign, case), state)
    if state != "running":
        return found
    return replace(found, rate_per_s=written.get("rate_per_s"), time_left_s=written.get("time_left_s"))


def _status_json(folder: CampaignFolder) -> dict[str, Any]:
    try:
        content = json.loads(folder.status_json.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InputError(
            [f"{folder.status_json} must be JSON: {error}; remove it, it is written anew on resuming"]
        ) from error
    return content if isinstance(content, dict) else {}


def _alive(process: Any) -> bool:
    if not isinstance(process, int) or process <= 0:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
