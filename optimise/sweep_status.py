"""How a sweep stands, from its record, which is only read."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from pathlib import Path

from optimise.one_driver import driver_lives
from optimise.sweep import SweepFolder, load_sweep

__all__ = ["SweepStatus", "read_sweep_status"]


@dataclass(frozen=True)
class SweepStatus:
    """State of a sweep.

    Attributes
    ----------
    name, state : str
        Name; 'running', 'stopped' (its driver is gone) or 'finished'.
    points, done, failed : int
        Points wanted, done (failed ones included) and without figures.
    """

    name: str
    state: str
    points: int
    done: int
    failed: int


def read_sweep_status(folder: Path) -> SweepStatus:
    """State of the sweep in a folder.

    Raises
    ------
    InputError
        If the folder holds no sweep.
    """
    result = load_sweep(folder)
    points, done = prod(result.sweep.shape), len(result.points)
    state = "finished" if done == points else "stopped"
    if driver_lives(SweepFolder(Path(folder)).lock):
        state = "running"
    return SweepStatus(result.sweep.name, state, points, done, result.failed)
