"""A run of the benchmark and its record (Arnold & Simeon, section 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from dynamics.arnold_simeon.contact_area import row_width
from dynamics.arnold_simeon.discretisation import SemiDiscrete, frequencies
from dynamics.arnold_simeon.loops import CHANNELS, march_bdf, march_half_explicit, start_step
from dynamics.arnold_simeon.problem import BenchmarkSpec
from dynamics.arnold_simeon.start import Start, initial_state
from dynamics.arnold_simeon.system import Droppers, Factors, FirstRows, Grid, Motion, Place, System
from dynamics.arnold_simeon.window import reach
from dynamics.linear_algebra.banded_ldl import banded_ldl
from dynamics.linear_algebra.sparse_rows import sparse_rows
from dynamics.spec.status import Status

__all__ = ["Record", "TimeMethod", "longest_stable_step", "run_benchmark"]

Array = NDArray[np.float64]
TimeMethod = Literal["bdf2", "half_explicit"]
# energy out of balance, over what damping and the moving contact have exchanged (and 1 mJ), that ends a record
BALANCE, LEAST_EXCHANGE = 0.05, 1.0e-3


@dataclass(frozen=True)
class Record:
    """Record of a run, at its start and at the end of every step.

    Attributes
    ----------
    time : float array (time,)
        [s].
    force : float array (time, constraint)
        Constraint forces of dropper 1, dropper 2 and contact [N].
    gap, gap_rate : float array (time, constraint)
        g [m] and its time derivative [m/s]: slack of either dropper, wire over head.
    head, body : float array (time,)
        Heights of the pantograph's masses [m].
    wire_at_dropper : float array (time, dropper)
        Height of the contact wire at the droppers [m].
    energy : float array (time,)
        Kinetic and potential energy, forces and weights included [J].
    work : float array (time,)
        What damping has taken and the wire's slope at the moving contact has given since the start [J].
    tries : int array (time,)
        Sets of active constraints tried in the step.
    status, message : Status, str
        How the run ended.
    """

    time: Array
    force: Array
    gap: Array
    gap_rate: Array
    head: Array
    body: Array
    wire_at_dropper: Array
    energy: Array
    work: Array
    tries: NDArray[np.int64]
    status: Status
    message: str


def longest_stable_step(system: SemiDiscrete) -> float:
    """Longest step of the half-explicit method [s]: 2 over the largest angular frequency (section 6)."""
    return float(1.0 / (np.pi * frequencies(system).max()))


def run_benchmark(system: SemiDiscrete, time_method: TimeMethod, step: float) -> Record:
    """March the benchmark from ``start`` to ``end`` with a fixed step of at most ``step`` [s].

    The state at the first step's end is extrapolated after Richardson from backward Euler with one step and with two
    halves (section 5.2).
    """
    if time_method == "half_explicit" and step > longest_stable_step(system):
        raise ValueError(
            f"the half-explicit method needs a step of at most {longest_stable_step(system):.3g} s on this grid, "
            f"got {step:.3g} s"
        )
    spec = system.spec
    duration = (spec.end - spec.start) / spec.speed
    count = int(np.ceil(duration / step - 1e-9))
    h = duration / count
    M, D, K = system.mass, system.damping, system.stiffness
    # rounding is taken out of the rows of a copy
    rows = [sparse_rows(x.copy()) for x in (M, D, K)]
    kernel = System(rows[0], rows[1], rows[2], system.load, _dropper_entries(system), np.append(system.offset, 0.0))
    grid = Grid(spec.speed, spec.contact_half_width, system.interval, system.hermite, system.wire_start)
    width = row_width(system.interval, spec.contact_half_width, 2 if system.hermite else 1)
    start = initial_state(system)
    active = np.ones(3, np.bool_)
    place = Place(spec.start, h, width)
    q, v = _first_step((M, D, K), kernel, grid, start, place)
    out = np.zeros((count + 1, CHANNELS))
    state = FirstRows(start.height.copy(), start.velocity.copy(), q, v, active)
    if time_method == "bdf2":
        second = csr_array(M + 2.0 / 3.0 * h * D + (2.0 / 3.0 * h) ** 2 * K)
        reached = march_bdf(kernel, _factors(M, second), grid, place, state, out)
        out[1, :3] = out[2, :3]
    else:
        second = csr_array(M + 0.5 * h * D)
        reached = march_half_explicit(kernel, _factors(M, second), grid, place, state, out)
    out[0, :3] = *start.dropper_force, spec.start_force
    return _record(out, h, reached, spec)


def _dropper_entries(system: SemiDiscrete) -> Droppers:
    """Dofs and weights of the droppers' rows, padded with zeros to one width."""
    rows = [system.droppers[[d]].tocoo() for d in range(2)]
    width = max(r.nnz for r in rows)
    dof, weight = np.zeros((2, width), np.int64), np.zeros((2, width))
    for d, r in enumerate(rows):
        dof[d, : r.nnz], weight[d, : r.nnz] = r.coords[1], r.data
    return Droppers(dof, weight)


def _factors(M: csr_array, S: csr_array) -> Factors:
    """Factors of both matrices, and how far the answer to a load reaches in either."""
    one, two = banded_ldl(M), banded_ldl(S)
    return Factors(one, two, max(reach(one), reach(two)))


def _first_step(
    matrices: tuple[csr_array, csr_array, csr_array], kernel: System, grid: Grid, start: Start, place: Place
) -> tuple[Array, Array]:
    """Heights and velocities after one step, of second order."""
    M, D, K = matrices
    found = []
    for parts in (1, 2):
        part = place.h / parts
        factors = _factors(M, csr_array(M + part * D + part**2 * K))
        q, v, a = start.height.copy(), start.velocity.copy(), np.zeros_like(start.height)
        for k in range(parts):
            end = Place(place.station + grid.v * part * (k + 1), part, place.width)
            start_step(kernel, factors, grid, end, Motion(q, v, a), np.ones(3, np.bool_))
        found.append((q, v))
    (q1, v1), (q2, v2) = found
    return 2.0 * q2 - q1, 2.0 * v2 - v1


def _record(out: Array, h: float, reached: int, spec: BenchmarkSpec) -> Record:
    """Columns of a record by name; it ends where the run did, or where energy came from nowhere."""
    where = f"at {reached * h:.5f} s, pantograph at {spec.start + spec.speed * reached * h:.3f} m"
    gaps = ", ".join(f"{gap:.3g}" for gap in out[min(reached, len(out) - 1), 3:6])
    message = (
        "" if reached == len(out) else f"no active set fits {where}: the gaps of droppers and contact are {gaps} m"
    )
    out = out[:reached]
    with np.errstate(over="ignore", invalid="ignore"):
        power = out[:, 13] + out[:, 2] * out[:, 14]
        work = np.concatenate([[0.0], np.cumsum(0.5 * h * (power[1:] + power[:-1]))])
        gain = out[:, 11] + out[:, 12] - out[0, 11] - out[0, 12]
        exchanged = np.maximum.accumulate(np.abs(work)) + LEAST_EXCHANGE
        wrong = np.flatnonzero(~(np.abs(gain + work) <= BALANCE * exchanged))
    if wrong.size:
        k = int(wrong[0])
        message = (
            f"energy is out of balance by {gain[k] + work[k]:.3g} J at {k * h:.5f} s, pantograph at "
            f"{spec.start + spec.speed * k * h:.3f} m, with {exchanged[k]:.3g} J exchanged: take a shorter step or a "
            f"method that damps"
        )
        out, work = out[:k], work[:k]
    status = Status.DIVERGED if message else Status.OK
    return Record(
        time=h * np.arange(len(out), dtype=np.float64),
        force=out[:, :3],
        gap=out[:, 3:6],
        gap_rate=out[:, 6:9],
        head=out[:, 9],
        body=out[:, 10],
        wire_at_dropper=out[:, 15:17],
        energy=out[:, 11] + out[:, 12],
        work=work,
        tries=out[:, 17].astype(np.int64),
        status=status,
        message=message,
    )
