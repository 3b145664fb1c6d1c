"""Records of a comparison: a served test, a simulation, or a file with a force, in one form."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from dynamics.contact_force.measured_force import ForceRecord
from dynamics.results.dataset import read_result
from dynamics.rig.service.frames import Mark
from dynamics.rig.service.journal import read_journal
from studies.input.tables.force_file import read_force_file
from studies.jobs.simulation import RecordSpec
from studies.report.readers.stored import read_stored, stored_case

__all__ = ["Source", "read_source"]

TILED_SPANS = 3


@dataclass(frozen=True)
class Source:
    """A force with its place, the span where it is known [m], and one sentence on what it is.

    ``repeats``: one period of a steady state, so that one span says as much as many.
    """

    record: ForceRecord
    span: float | None
    description: str
    repeats: bool = False


def read_source(path: Path, wanted: RecordSpec) -> Source:
    """Read the whole of a served or emulated test or of a simulation by its folder, or of a file with a force.

    Raises
    ------
    InputError
        In one sentence a problem: what is missing, cut short or not understood.
    """
    if not path.exists():
        raise InputError(
            [f"{path} must be a folder of a test or simulation, or a file with a force: it does not exist"]
        )
    if path.name == "run.nc" and (path.parent / "run.journal").is_file():
        return _served(path.parent)  # the journal knows where the way to the safe height begins
    if not path.is_dir():
        record = read_force_file(path, wanted.speed_kmh)
        return Source(record, wanted.span_length, f"{path.name}, sampled every {1e3 * record.step:.3g} ms")
    if (path / "run.journal").is_file():
        return _served(path)
    if (path / "result.nc").is_file():
        return _simulated(path)
    if (path / "period.nc").is_file() and (path / "run.nc").is_file():
        return _emulated(path)
    raise InputError(
        [
            f"{path} must be the folder of a served or emulated test or of a simulation: it has neither run.journal "
            "nor period.nc nor result.nc"
        ]
    )


def _served(folder: Path) -> Source:
    """A served test until it went to the safe height."""
    about, columns = read_journal(folder / "run.journal")
    dt, speed = float(about["dt_s"]), float(about["speed_m_per_s"])
    stopping = np.flatnonzero(columns["mark"].astype(np.int64) & int(Mark.STOPPING))
    count = int(stopping[0]) if stopping.size else len(columns["step"])
    _refuse_short(folder, count, int(about["steps_per_span"]))
    time = dt * columns["step"][:count]
    record = ForceRecord(folder.name, time, speed * time, columns["force"][:count])
    lost = int(np.count_nonzero(columns["mark"][:count].astype(np.int64) & int(Mark.SUBSTITUTED)))
    description = f"served test on {about.get('catenary', '?')}, {lost} of {count} forces were substitutes"
    return Source(record, float(about["span_m"]), description)


def _refuse_short(folder: Path, count: int, steps: int) -> None:
    """Refuse a test of fewer than two spans: one is lost to the filter's ends."""
    if count < 2 * steps:
        raise InputError(
            [f"{folder} must hold at least two spans of {steps} steps: it has {count} steps before its end"]
        )


def _emulated(folder: Path) -> Source:
    """An emulated test, which begins at a support."""
    period, run = read_result(folder / "period.nc"), read_result(folder / "run.nc")
    N, dt = len(period.values["time"]), float(period.values["time"][1])
    step = float(period.values["position"][1])
    force = _doubles(run.values["contact_force"])
    _refuse_short(folder, len(force), N)
    k = np.arange(len(force), dtype=np.float64)
    about = run.attributes
    description = f"emulated test on {about.get('catenary', '?')} with {about.get('device', '?')}"
    return Source(ForceRecord(folder.name, dt * k, step * k, force), N * step, description)


def _simulated(folder: Path) -> Source:
    """Raw force of a simulation; one period of a steady state is repeated, so that it can be filtered as a record."""
    stored = read_stored(folder / "result.nc")
    case = stored_case(stored, folder / "result.nc")
    values = stored.values
    if "contact_force" not in values:
        raise InputError([f"{folder} must hold a solved contact force: its solver did not finish"])
    time, force = values["time"], values["contact_force"]
    position, span = values["position"], case.catenary.period
    if case.seeks_steady_state:
        force, count = np.tile(force, TILED_SPANS), len(time)
        time = time[0] + case.time_step * np.arange(TILED_SPANS * count)
        position = position[0] + case.speed * (time - time[0])
    description = f"{case.solver} simulation of {case.in_words}"
    record = ForceRecord(folder.name, _doubles(time), _doubles(position), _doubles(force))
    return Source(record, span, description, repeats=case.seeks_steady_state)


def _doubles(values: NDArray[np.generic]) -> NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64)
