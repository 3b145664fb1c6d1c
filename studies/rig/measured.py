"""What a comparison lays side by side: a served test, a simulation, or a file with a force, as one kind of record."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

from catenary.errors import InputError
from dynamics.dataset import read_result
from dynamics.force_record import ForceRecord
from dynamics.rig_service.frames import Mark
from dynamics.rig_service.journal import read_journal
from dynamics.spec import SignalSpec
from studies.force_file import read_force_file
from studies.report.stored import case_in, read_stored
from studies.spec import RecordSpec

__all__ = ["Source", "read_source"]

SETTLING_PERIODS = 5.5
TILED_SPANS = 3


@dataclass(frozen=True)
class Source:
    """A force with its place, the span where it is known [m], and one sentence on what it is."""

    record: ForceRecord
    span: float | None
    told: str


def read_source(path: Path, wanted: RecordSpec, signal: SignalSpec, last_spans: int | None) -> Source:
    """Read the folder of a served test or of a simulation, or a file with a force.

    Raises
    ------
    InputError
        In one sentence a problem: what is missing, cut short or not understood.
    """
    if not path.exists():
        raise InputError(
            [f"{path} must be a folder of a test or simulation, or a file with a force: it does not exist"]
        )
    if not path.is_dir():
        record = read_force_file(path, wanted.speed_kmh)
        return Source(record, wanted.span_length, f"{path.name}, sampled every {1e3 * record.step:.3g} ms")
    if (path / "run.journal").is_file():
        return _served(path, signal, last_spans)
    if (path / "result.nc").is_file():
        return _simulated(path)
    if (path / "period.nc").is_file() and (path / "run.nc").is_file():
        return _emulated(path, signal, last_spans)
    raise InputError(
        [
            f"{path} must be the folder of a served or emulated test or of a simulation: it has neither run.journal "
            "nor period.nc nor result.nc"
        ]
    )


def _served(folder: Path, signal: SignalSpec, last_spans: int | None) -> Source:
    """Last spans of a served test before it went to the safe height, with what the filter needs at both ends."""
    about, columns = read_journal(folder / "run.journal")
    N, dt, speed = int(about["steps_per_span"]), float(about["dt_s"]), float(about["speed_m_per_s"])
    stopping = np.flatnonzero(columns["mark"].astype(np.int64) & int(Mark.STOPPING))
    count = int(stopping[0]) if stopping.size else len(columns["step"])
    first = _first_step(folder, (count, N, dt), signal, last_spans)
    time = dt * columns["step"][first:count]
    record = ForceRecord(folder.name, time, speed * time, columns["force"][first:count])
    lost = int(np.count_nonzero(columns["mark"][first:count].astype(np.int64) & int(Mark.SUBSTITUTED)))
    told = f"served test on {about.get('catenary', '?')}, {lost} of {count - first} forces were substitutes"
    return Source(record, float(about["span_m"]), told)


def _first_step(folder: Path, test: tuple[int, int, float], signal: SignalSpec, last_spans: int | None) -> int:
    """First step of a test's last spans, with what the filter needs before them; ``test`` is (steps, N, dt)."""
    count, N, dt = test
    settle = int(np.ceil(SETTLING_PERIODS / (signal.cutoff_hz * dt)))
    end = (count - settle) // N
    first = 0 if last_spans is None else max(0, (end - last_spans) * N - settle)
    if end * N - first < N + settle:
        raise InputError([f"{folder} must hold at least two spans of {N} steps before its end: it has {count} steps"])
    return first


def _emulated(folder: Path, signal: SignalSpec, last_spans: int | None) -> Source:
    """Last spans of an emulated test, which begins at a support."""
    period, run = read_result(folder / "period.nc"), read_result(folder / "run.nc")
    N, dt = len(period.values["time"]), float(period.values["time"][1])
    step = float(period.values["position"][1])
    force = _doubles(run.values["contact_force"])
    first = _first_step(folder, (len(force), N, dt), signal, last_spans)
    k = np.arange(first, len(force), dtype=np.float64)
    about = run.attributes
    told = f"emulated test on {about.get('catenary', '?')} with {about.get('device', '?')}"
    return Source(ForceRecord(folder.name, dt * k, step * k, force[first:]), N * step, told)


def _simulated(folder: Path) -> Source:
    """Raw force of a simulation; one period of a steady state is repeated, so that it can be filtered as a record."""
    stored = read_stored(folder / "result.nc")
    case = case_in(yaml.safe_load(stored.attributes.get("config", "{}")) or {}, folder / "result.nc")
    values = read_result(folder / "result.nc").values
    if "contact_force" not in values:
        raise InputError([f"{folder} must hold a solved contact force: its solver did not finish"])
    time, force = values["time"], values["contact_force"]
    position, span = values["position"], case.catenary.span_length
    if case.solver == "periodic":
        force, count = np.tile(force, TILED_SPANS), len(time)
        time = time[0] + case.time_step * np.arange(TILED_SPANS * count)
        position = position[0] + case.speed * (time - time[0])
    told = f"{case.solver} simulation of {case.catenary.name} with {case.pantograph.name} at {case.speed_kmh:g} km/h"
    return Source(ForceRecord(folder.name, _doubles(time), _doubles(position), _doubles(force)), span, told)


def _doubles(values: NDArray[np.generic]) -> NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64)
