"""Runs of the benchmark of Arnold & Simeon, from which its rows and its figures are made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynamics.arnold_simeon.discretisation import Method
from dynamics.arnold_simeon.problem import BenchmarkSpec
from dynamics.arnold_simeon.run import Record, TimeMethod
from studies.validation.gates.arnold_simeon import SpeedCase, SpringGate

__all__ = ["FORCES", "ArnoldSimeonRuns", "Combination", "benchmark_spec", "spring_rate"]

Combination = tuple[Method, TimeMethod]
FORCES = ("dropper 1", "dropper 2", "contact")


@dataclass(frozen=True)
class ArnoldSimeonRuns:
    """Everything that the rows and charts are made from.

    Attributes
    ----------
    frequency : dict
        Lowest and highest frequency by method, float array (wire, 2) [Hz].
    record : dict
        Runs by speed [m/s] and combination of methods.
    spring_difference : float array (stiffness, constraint)
        Relative difference of spring forces from constraint forces [-].
    """

    frequency: dict[str, NDArray[np.float64]]
    record: dict[tuple[float, Combination], Record]
    spring_difference: NDArray[np.float64]


def benchmark_spec(case: SpeedCase) -> BenchmarkSpec:
    """Data of the benchmark at one speed."""
    return BenchmarkSpec(speed=case.speed_ms, head_above_body=case.head_above_body_m)


def spring_rate(gate: SpringGate, runs: ArnoldSimeonRuns) -> float:
    """Power of 1/stiffness with which the largest difference falls, fitted over all stiffnesses."""
    worst = np.log(runs.spring_difference.max(axis=1))
    return -float(np.polyfit(np.log(gate.stiffnesses), worst, 1)[0])
