"""Acceptance ranges of a standard's reference case beside this program's numbers: EN 50318:2002."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

from pydantic import Field

from catenary.spec import Spec
from dynamics.spec import CaseSpec
from studies.compose import compose_job
from studies.simulate import simulate_case
from studies.spec import SimulateJob, case_of

__all__ = ["AcceptanceGate", "AcceptanceRow", "acceptance_case", "check_acceptance", "verdict"]


Dimension = Literal["planar", "spatial"]


class AcceptanceRow(Spec):
    """One statistic at one speed: its range, and what two published programs found."""

    quantity: str = Field(description="name of the statistic, unit included, as in summary.json")
    low: float = Field(description="smallest accepted value, in the statistic's unit")
    high: float = Field(description="largest accepted value, in the statistic's unit")
    pacdin: tuple[float, ...] = Field(description="printed by PACDIN; several for several supports")
    pantocat: float = Field(description="printed by PantoCat")
    known_miss: dict[Dimension, str] = Field(
        default_factory=dict,
        description="by dimension, why this value is known to fall outside; such a row is printed and does not gate",
    )


class AcceptanceSpeed(Spec):
    """All rows at one speed."""

    speed_kmh: float = Field(description="train speed [km/h]")
    rows: Annotated[tuple[AcceptanceRow, ...], Field(min_length=1)]


class AcceptanceGate(Spec):
    """A standard's reference case, the reading of it taken here, and its acceptance ranges."""

    source: str
    reading: str = Field(description="what the standard leaves open and how it is read, once for all rows")
    overrides: tuple[str, ...] = Field(description="input of the case as typed after `catenary simulate`")
    dimensions: tuple[Dimension, ...] = Field(default=("planar",), description="models of the line")
    speeds: tuple[AcceptanceSpeed, ...]


def acceptance_case(gate: AcceptanceGate, speed_kmh: float, dimension: Dimension = "planar") -> CaseSpec:
    """Case of the gate at one speed [km/h]."""
    typed = [*gate.overrides, f"speed_kmh={speed_kmh}", f"dimension={dimension}"]
    return case_of(compose_job("simulate", SimulateJob, typed).job)


def verdict(row: AcceptanceRow, value: float, dimension: Dimension = "planar") -> tuple[str, bool]:
    """Word for a value, and whether it counts as missed; a range includes its ends."""
    known = row.known_miss.get(dimension)
    if row.low <= value <= row.high:
        return ("inside" if known is None else "inside, though a miss is known: remove known_miss"), known is not None
    return ("MISSED", True) if known is None else (f"outside, known: {known}", False)


def check_acceptance(gate: AcceptanceGate) -> int:
    """Print every row of a reference case; how many are missed."""
    print(f"Acceptance ranges of the reference case ({gate.source})")
    print(f"  Reading: {gate.reading}")
    missed = 0
    for dimension in gate.dimensions:
        for speed in gate.speeds:
            missed += _check(gate, speed, dimension)
    return missed


def _check(gate: AcceptanceGate, speed: AcceptanceSpeed, dimension: Dimension) -> int:
    """Print the rows of one speed and dimension; how many are missed."""
    where = f"  {speed.speed_kmh:5.0f} km/h   {dimension:<7}"
    solution = simulate_case(acceptance_case(gate, speed.speed_kmh, dimension))
    if solution.statistics is None:
        print(f"{where}   {solution.status.value} {solution.message}   MISSED")
        return len(speed.rows)
    figures, missed = asdict(solution.statistics), 0
    for row in speed.rows:
        word, counts = verdict(row, figures[row.quantity], dimension)
        missed += counts
        beside = "/".join(f"{x:.1f}" for x in row.pacdin)
        print(
            f"{where}   {row.quantity:<33} {row.low:6.1f} to {row.high:6.1f}   "
            f"here {figures[row.quantity]:6.1f}   PACDIN {beside:>14}   PantoCat {row.pantocat:6.1f}   {word}"
        )
    return missed
