r"""Compiled step of the hardware loop: one measured force in, one height to send out (Gil et al., section 3).

Legend: k global step, n = k mod N station of the measurement, f relaxed force of every station (eq. 9), fd correction
forces (dropper, local step), lo and hi the local steps between which they are not zero, zm heights that answer the
frozen block before the last; F, kd tension at rest and stiffness of the droppers; mu_c, mu_d relaxations of contact
and correction forces; kk local step of a dropper's record. I_cc, I_cd, z0 are filtered (eq. 8).

Every height is a product of one row with the force vectors instead of a sum of changes (eqs 2 and 10): the same
number, no rounding that builds up, and no step that costs more than the others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel

__all__ = [
    "Constants", "DropperLaw", "Forces", "LineMatrices", "Loop", "LoopState", "Sweep", "dot", "loop_step", "plain",
    "plain_step",
]  # fmt: skip

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_OPTIONS = {"error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}
SETTLED = 1.0e-9  # N, change of a correction force that ends the sweeps


class LineMatrices(NamedTuple):
    """Height at rest [m] and influence matrices [m/N] of a line; all but ``I_dc`` and ``K`` keep few harmonics.

    ``z0`` (step,), ``I_cc`` (step, step), ``I_cd`` (step, dropper, local step), ``I_dc`` (dropper, local step, step),
    ``K`` (dropper, dropper, lag) that of droppers on each other, with the lag falling.
    """

    z0: Floats
    I_cc: Floats
    I_cd: Floats
    I_dc: Floats
    K: Floats


class DropperLaw(NamedTuple):
    """Tension at rest (dropper,) [N], stiffness [N/m], and ``offset`` (dropper,), the step of the first sample."""

    F: Floats
    kd: float
    offset: Ints


class Forces(NamedTuple):
    """Relaxed contact force (step,) and correction forces (dropper, local step) [N], not zero from ``lo`` to ``hi``."""

    f: Floats
    fd: Floats
    lo: Ints
    hi: Ints


class Sweep(NamedTuple):
    """Memory of one step's sweeps: droppers and local steps solved for, their elongations [m] and old forces [N]."""

    who: Ints
    at: Ints
    e: Floats
    old: Floats


class LoopState(NamedTuple):
    """State that a loop carries from step to step; the ``frozen`` forces are those at the last block's end."""

    now: Forces
    frozen: Forces
    zm: Floats
    sweep: Sweep


class Constants(NamedTuple):
    """Settings of a loop: most sweeps of a step, relaxations, delay [steps], which heights are sent, ramp [steps]."""

    sweeps: int
    mu_d: float
    mu_c: float
    delay: int
    compensation: bool
    by_span: bool
    slack: bool
    ramp: int


class Loop(NamedTuple):
    """A loop as its step takes it; of its parts the state alone changes."""

    line: LineMatrices
    droppers: DropperLaw
    state: LoopState
    constants: Constants


# a loop without names: tuples of the fields of its parts, in their order
Plain = tuple[tuple[Any, ...], ...]


@kernel(**_OPTIONS)
def dot(a: Floats, b: Floats) -> float:
    """Sum of products of two vectors."""
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@kernel(**_OPTIONS)
def _height(r, line, forces):
    """Height at station r that answers the forces (eq. 11)."""
    fd, lo, hi = forces.fd, forces.lo, forces.hi
    z = line.z0[r] + dot(line.I_cc[r], forces.f)
    for d in range(lo.size):
        if lo[d] < hi[d]:
            z += dot(line.I_cd[r, d, lo[d] : hi[d]], fd[d, lo[d] : hi[d]])
    return z


@kernel(**_OPTIONS)
def _elongation(d, kk, line, forces):
    """Elongation of dropper d at its local step kk (eq. 12)."""
    fd, lo, hi = forces.fd, forces.lo, forces.hi
    M = fd.shape[1]
    e = dot(line.I_dc[d, kk], forces.f)
    for c in range(lo.size):
        if lo[c] < hi[c]:
            e += dot(line.K[d, c, M - 1 - kk + lo[c] : M - 1 - kk + hi[c]], fd[c, lo[c] : hi[c]])
    return e


@kernel(**_OPTIONS)
def _widen(forces, d, kk):
    """Keep the range outside which the correction forces of a dropper are zero."""
    fd, lo, hi = forces.fd, forces.lo, forces.hi
    if fd[d, kk] != 0.0:
        if lo[d] >= hi[d]:
            lo[d], hi[d] = kk, kk + 1
        lo[d], hi[d] = min(lo[d], kk), max(hi[d], kk + 1)
        return
    while lo[d] < hi[d] and fd[d, lo[d]] == 0.0:
        lo[d] += 1
    while hi[d] > lo[d] and fd[d, hi[d] - 1] == 0.0:
        hi[d] -= 1


@kernel(**_OPTIONS)
def _slacken(n, line, droppers, state, constants):
    """Correction forces of the step, solved in their own step (eqs 11, 12; mu_d = 1 gives the solution itself).

    At any time a dropper's record holds one sample, or none, for each period in which that dropper may be slack. The
    sweeps (projected Gauss-Seidel) cover all of them; what they depend on else is known.
    """
    K, F, kd, forces = line.K, droppers.F, droppers.kd, state.now
    fd, (who, at, e, old) = forces.fd, state.sweep
    nd, M, N = fd.shape[0], fd.shape[1], forces.f.size
    count = 0
    moving = False
    for period in range((M - 1) // N, -1, -1):
        for d in range(nd):
            kk = (n - droppers.offset[d]) % N + period * N
            if kk >= M:
                continue
            who[count], at[count] = d, kk
            e[count] = _elongation(d, kk, line, forces)
            old[count] = fd[d, kk]
            moving = moving or old[count] != 0.0 or F[d] + kd * e[count] < 0.0
            count += 1
    if not moving:
        return
    for _ in range(constants.sweeps):
        change = 0.0
        for i in range(count):
            d, kk = who[i], at[i]
            was = fd[d, kk]
            new = max(0.0, was - (F[d] + kd * e[i] + was) / (1.0 + kd * K[d, d, M - 1]))
            if new != was:
                fd[d, kk] = new
                for j in range(count):
                    e[j] += K[who[j], d, M - 1 - at[j] + kk] * (new - was)
                change = max(change, abs(new - was))
        if change <= SETTLED:
            break
    for i in range(count):
        d, kk = who[i], at[i]
        fd[d, kk] = old[i] + constants.mu_d * (fd[d, kk] - old[i])
        _widen(forces, d, kk)


@kernel(**_OPTIONS)
def _freeze(now, frozen):
    """Keep the forces of the block that has just ended."""
    frozen.f[:] = now.f
    for d in range(now.lo.size):
        for j in range(min(now.lo[d], frozen.lo[d]), max(now.hi[d], frozen.hi[d])):
            frozen.fd[d, j] = now.fd[d, j]
        frozen.lo[d], frozen.hi[d] = now.lo[d], now.hi[d]


@kernel(**_OPTIONS)
def loop_step(k: int, force: float, loop: Loop) -> float:
    """Take the force measured at step k and return the height to send, which is reached ``delay`` steps later."""
    line, droppers, state, constants = loop
    now, frozen, zm = state.now, state.frozen, state.zm
    f, N = now.f, now.f.size
    n = k % N
    f[n] += constants.mu_c * (force - f[n])
    if constants.slack:
        _slacken(n, line, droppers, state, constants)
    r = (k + (constants.delay if constants.compensation else 1)) % N
    if constants.by_span:
        m = (k + 1) % N
        if m == 0:
            _freeze(now, frozen)
        new = _height(r, line, frozen)
        weight = m / (N - 1.0)
        z = (1.0 - weight) * zm[r] + weight * new
        zm[r] = new
    else:
        z = _height(r, line, now)
    return z * min(1.0, (k + 1.0) / constants.ramp) if constants.ramp > 0 else z


def plain(loop: Loop) -> Plain:
    """The parts of a loop as plain tuples, in the order of their fields."""
    line, droppers, (now, frozen, zm, sweep), constants = loop
    return tuple(line), tuple(droppers), (tuple(now), tuple(frozen), zm, tuple(sweep)), tuple(constants)


@kernel(**_OPTIONS)
def plain_step(k: int, force: float, loop: Plain) -> float:
    """``loop_step`` of a loop in ``plain`` tuples, which Python hands over in less time than those with names."""
    line, droppers, (now, frozen, zm, sweep), constants = loop
    state = LoopState(Forces(*now), Forces(*frozen), zm, Sweep(*sweep))
    return loop_step(k, force, Loop(LineMatrices(*line), DropperLaw(*droppers), state, Constants(*constants)))
