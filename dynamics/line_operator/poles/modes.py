r"""Compiled correction of poles, each by loads to which its own mode answers alone.

At a pole D(omega_p) v = 0 and u^T D(omega_p) = 0, u under the opposite Bloch phase. Loads b = D' v, D' the derivative
by omega, and answers tested by a = D'^T u see that mode: since u_q^T (D(omega_p) - D(omega_q)) v_p = 0, the answer

    g(omega) = a^T D(omega)^-1 b  =  (u^T D' v) / (omega - omega_p) + ...

has hardly anything of poles near by, and neither has it on a line near by, where 1 / g runs straight through its zero.

Legend: p pole; S, phase, ni, n as in `dynamics.influence.kernel`.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.influence.kernel import answers_taken, bloch_opposite, bloch_solution, bloch_work
from dynamics.line_operator.condensed.parts import Bays, Damping, Points
from dynamics.line_operator.kernel import OPTIONS, assemble

__all__ = ["ALIKE", "ANYHOW", "BRISK", "CAREFUL", "SLOW", "Numbered", "PoleModes", "followed_poles", "pole_modes"]

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Complexes = NDArray[np.complexfloating[Any, Any]]
Numbered: TypeAlias = tuple[Bays, Points, Ints, int, float, Damping]

SECANTS = 12
STRAY, ABOVE = 3.0, 1.0  # in omega T, from the guess and above the axis: farther away no pole is looked for
CLOSE = 1.0e-10  # of a pole: what the next step may have, as far as the last two tell
PASSING = 1.0e-5  # the same on the way to another line
# first steps where no pole met another or got lost before; where one did, and again, each found to CLOSE
BRISK, CAREFUL, SLOW = 1.0, 0.1, 0.02
ALIKE, ANYHOW = 2.0, np.inf  # times as steep, or as flat, as 1 / g may become in a step
LEAST_STEP = 1.0e-3
FARTHEST, ASTRAY = 0.4, 0.2  # distances between harmonics: a pole may move by, and miss a later guess by
IMAGINARY = 1.0e-6  # rad/s: a pole as near to the imaginary axis stays on it
ASIDE, ACROSS = 1.0e-6, 1.0e-3  # of a pole: where its mode is solved for, half the step of its derivative; times 1 / T


class PoleModes(NamedTuple):
    """Loads b and tests a of poles, ``seen`` (pole, 2, dof); ``slope`` (pole,) is that of 1 / g at the pole [s]."""

    seen: Complexes
    slope: Complexes


@kernel(**OPTIONS)
def _add_moved(S, v, phase, factor, out):
    """Add the forces (dof,) under which the period moves by v (dof,), the next one ``phase`` times as much."""
    n, m = v.size, S.shape[0]
    whole, forces = np.empty(m, np.complex128), np.zeros(m, np.complex128)
    whole[:n] = v
    for i in range(n, m):
        whole[i] = phase * v[i - n]
    for i in range(m):
        forces[i] += S[i, i] * whole[i]
        for j in range(i):
            if S[i, j] != 0.0:
                forces[i] += S[i, j] * whole[j]
                forces[j] += S[i, j] * whole[i]
    for i in range(n):
        out[i] += factor * forces[i]
    for i in range(n, m):
        out[i - n] += factor * forces[i] / phase


@kernel(**OPTIONS)
def _seen(omega, line, numbers, work, spare, out):
    """Fill in a pole's load and test, out (2, dof); returns the slope of 1 / g."""
    (_, points, first), (ni, T, damping) = line, numbers
    (v, u, push), n = spare, points.mass.size
    for i in range(n):
        push[i, 0] = 1.0 + 0.618 * ((i * i) % 7)  # no mode is blind to it
    at = omega + ASIDE / T
    phase = np.exp(-1j * at * T)
    assemble(work.S, at, line, damping)
    bloch_solution(phase, ni, first, push, work)
    answers_taken(work, v)
    bloch_opposite(phase, ni, first, push, work, u)
    v /= np.abs(v).max()
    u /= np.abs(u).max()
    out[:] = 0.0
    for sign in (1.0, -1.0):
        at = omega + sign * ACROSS / T
        phase = np.exp(-1j * at * T)
        assemble(work.S, at, line, damping)
        _add_moved(work.S, v[:, 0], phase, sign * 0.5 * T / ACROSS, out[0])
        _add_moved(work.S, u[:, 0], 1.0 / phase, sign * 0.5 * T / ACROSS, out[1])
    return 1.0 / (u[:, 0] * out[0]).sum()


@kernel(**OPTIONS)
def pole_modes(omega: Complexes, line: tuple[Bays, Points, Ints], numbers: tuple[int, float, Damping]) -> PoleModes:
    """Loads and tests of poles omega (pole,) [rad/s]; ``line`` and ``numbers`` are `LineNetwork.arguments`."""
    n = line[1].mass.size
    seen, slope = np.empty((omega.size, 2, n), np.complex128), np.empty(omega.size, np.complex128)
    work, spare = bloch_work(n, numbers[0], 1), _columns(n)
    for p in range(omega.size):
        slope[p] = _seen(omega[p], line, numbers, work, spare, seen[p])
    return PoleModes(seen, slope)


@kernel(**OPTIONS)
def _columns(n):
    return np.empty((n, 1), np.complex128), np.empty((n, 1), np.complex128), np.empty((n, 1), np.complex128)


@kernel(**OPTIONS)
def _settled(guess, seen, slope, line, numbers, memory, close, stray):
    """Pole of a line by the secant rule from a guess, and how much 1 / g is steeper, or less steep, there than it was.

    Not a number where it does not settle or strays in omega T.
    """
    (_, _, first), (ni, T, damping) = line, numbers
    work, (_, _, rhs) = memory
    s, slope, before, there, last = guess * T, slope / T, 0.0 + 0.0j, 0.0 + 0.0j, 0.0
    was = np.abs(slope)
    for turn in range(SECANTS):
        assemble(work.S, s / T, line, damping)
        rhs[:, 0] = seen[0]
        bloch_solution(np.exp(-1j * s), ni, first, rhs, work)
        answer = 0.0 + 0.0j
        for i in range(rhs.shape[0]):
            answer += seen[1, i] * complex(work.Br[i, 0], work.Bi[i, 0])
        here = 1.0 / answer
        if turn > 0:
            slope = (here - there) / (s - before)
        step = here / slope
        if not (np.isfinite(step.real) and np.isfinite(step.imag)):
            break
        step /= max(1.0, np.abs(step))
        before, there = s, here
        s -= step
        if np.abs(s - guess * T) > stray or s.imag > ABOVE:
            break
        size, enough = np.abs(step), close * max(1.0, np.abs(s))
        if size <= enough or (size < last and size * size <= enough * last):
            found, steep = complex(0.0, s.imag / T) if np.abs(guess.real) < IMAGINARY else s / T, np.abs(slope)
            return found, max(steep / was, was / steep)
        last = size
    return complex(np.nan, np.nan), np.inf


@kernel(**OPTIONS)
def _between(lines, share):
    """Line between two others, and its numbers: every number that is not an index is interpolated.

    On the way to a line on which another dropper hangs loose that dropper has a part of its spring.
    """
    (start, points, _, ni, T, damping), (end, others, first, _, T_, other) = lines
    a, b = 1.0 - share, share
    bays = Bays(
        end.dof, end.along, end.entry, end.side, end.turn,
        a * start.length + b * end.length, a * start.tension + b * end.tension,
        a * start.bending + b * end.bending, a * start.mass + b * end.mass, a * start.curvature + b * end.curvature,
        a * start.slope + b * end.slope, a * start.veer + b * end.veer,
        a * start.compliance + b * end.compliance, a * start.alpha + b * end.alpha, a * start.beta + b * end.beta,
    )  # fmt: skip
    attached = Points(
        a * points.mass + b * others.mass, a * points.drag + b * others.drag,
        a * points.stiffness + b * others.stiffness,
        a * points.held + b * others.held, a * points.dashpot + b * others.dashpot, others.bottom, others.top,
        a * points.dropper + b * others.dropper, a * points.upright + b * others.upright,
        a * points.sway + b * others.sway, others.swaying, a * points.loose + b * others.loose,
        a * points.axis + b * others.axis, others.aside,
        a * points.mixed + b * others.mixed, a * points.across + b * others.across,
        others.arm, a * points.skew + b * others.skew,
    )  # fmt: skip
    between = Damping(
        a * damping.alpha + b * other.alpha, a * damping.beta + b * other.beta,
        a * damping.droppers + b * other.droppers, a * damping.arms + b * other.arms,
    )  # fmt: skip
    return (bays, attached, first), (ni, a * T + b * T_, between)


@kernel(**OPTIONS)
def _walked(start, seen, slope, lines, memory, walk):
    """Pole of the last line by steps from the first one's, each as long as extrapolation allows; not a number if lost.

    After every step the pole is recognised by its mode there; a step is shorter where 1 / g became more than ``alike``
    times as steep, or as flat: a mode that changes so much as its pole passes another one would continue with that one.
    """
    (work, spare), harmonics, (pace, alike) = memory, 2.0 * np.pi / max(lines[0][4], lines[1][4]), walk
    now, before, done, last, step, most = start, start, 0.0, -1.0, 0.5 * pace, FARTHEST
    while done < 1.0:
        share = min(1.0, done + step)
        line, numbers = _between(lines, share)
        guess = now + (now - before) * ((share - done) / (done - last))
        found, changed = _settled(
            guess, seen, slope, line, numbers, memory, CLOSE if share == 1.0 or pace < BRISK else PASSING,
            min(STRAY, most * harmonics * numbers[1]),
        )  # fmt: skip
        if np.abs(found - guess) < most * harmonics and found.imag < 0.0 and changed < alike:
            step, most = 1.5 * (share - done), ASTRAY
            before, last, now, done = now, done, found, share
            if done < 1.0:
                slope = _seen(now, line, numbers, work, spare, seen)
        else:
            step = 0.5 * (share - done)
            if step <= LEAST_STEP:
                return complex(np.nan, np.nan)
    return now


@kernel(**OPTIONS)
def followed_poles(
    omega: Complexes,
    modes: PoleModes,
    lines: tuple[Numbered, Numbered],
    on_foot: bool,
    walk: tuple[float, float],
) -> tuple[Complexes, Bools]:
    """Poles of a line from those of another one; not a number where one is lost. And which were followed in steps.

    Parameters
    ----------
    omega : complex array (pole,)
        Poles of the first line [rad/s].
    modes : PoleModes
        How they are recognised.
    lines : tuple
        First and last line: bays, points, ``first``, and the numbers of `LineNetwork.arguments`.
    on_foot : bool
        Whether they are followed in steps from the beginning; else where they do not find their place at once.
    walk : tuple of float
        Of those that are followed in steps: pace, `BRISK`, `CAREFUL` or `SLOW`; and by how much the slope of 1 / g may
        change in a step, `ALIKE` or anything (`ANYHOW`).
    """
    out, stepped, n = np.empty(omega.size, np.complex128), np.full(omega.size, on_foot), lines[1][1].mass.size
    work, spare = bloch_work(n, lines[1][3], 1), _columns(n)
    end, numbers = _between(lines, 1.0)
    harmonics = 2.0 * np.pi / max(lines[0][4], lines[1][4])
    for p in range(omega.size):
        if not on_foot:
            out[p], _ = _settled(omega[p], modes.seen[p], modes.slope[p], end, numbers, (work, spare), CLOSE, STRAY)
            stepped[p] = not (np.abs(out[p] - omega[p]) < FARTHEST * harmonics and out[p].imag < 0.0)
        if stepped[p]:
            out[p] = _walked(omega[p], modes.seen[p].copy(), modes.slope[p], lines, (work, spare), walk)
    return out, stepped
