"""The network of bars of `bars_at_rest` in motion: explicit central differences, large deformation, one pantograph.

Legend: r, v places and velocities of points, v half a step behind; f forces. Damping is linear about rest, as the
program's is: mass times alpha, and beta times the stiffness at rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import splu

from catenary.kernels.compiled import kernel

SAFE = 0.9


class Net(NamedTuple):
    """Arrays of a line for the compiled loop; ``free`` (point, 3) is zero where a coordinate is held."""

    ends: np.ndarray
    EA: np.ndarray
    l0: np.ndarray
    rest: np.ndarray
    across: np.ndarray
    bend: np.ndarray
    factor: np.ndarray
    bending: np.ndarray
    mass: np.ndarray
    load: np.ndarray
    free: np.ndarray
    spring: np.ndarray
    dashpot: np.ndarray
    low: np.ndarray
    high: np.ndarray
    cut: np.ndarray
    drop: float
    drop_rest: np.ndarray
    drop_across: np.ndarray
    arm: np.ndarray
    joint: np.ndarray
    arm_l0: float
    arm_EA: float
    arm_unit: np.ndarray
    arm_across: np.ndarray
    wire: np.ndarray
    support: np.ndarray
    alpha: float
    beta: float


def net(line):
    """Arrays of a `BarLine` whose ends are held in height and free along the track, where dashpots take waves up."""
    p, spec, support = line.parts, line.spec, line.spec.support
    N, e, length = line.bars(line.r, line.l0)
    mass = line.masses(line.l0, line.length)
    load = np.zeros_like(line.r)
    load[:, 2] = -9.81 * mass
    mass[p.support_low] += support.steady_arm_mass / 3.0
    free, spring, dashpot = (np.ones_like(line.r), np.zeros_like(line.r), np.zeros_like(line.r))
    if not line.spatial:
        free[:, 1] = 0.0
    free[p.support_high, 1] = 0.0
    reaction = line.reaction
    load[p.support_high, 2] += reaction[p.support_high, 2]
    spring[p.support_high, 2], dashpot[p.support_high, 2] = support.messenger_stiffness, support.messenger_damping
    for points, wire in ((p.support_low, spec.contact_wire), (p.support_high, spec.messenger_wire)):
        ends = points[[0, -1]]
        free[ends, 1:] = 0.0
        load[ends, 0] += reaction[ends, 0]
        dashpot[ends, 0] = np.sqrt(wire.axial_stiffness * wire.mass_per_length)
    axis, drop = line.droppers(line.r)
    arm, bar = p.support_low, support.steady_arm
    joint, unit, l0, EA, across = np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), 0.0, np.zeros(0)
    if line.spatial and bar is not None:
        pull = np.linalg.norm(reaction[arm, 1:], axis=1)
        unit = np.concatenate([np.zeros((len(arm), 1)), reaction[arm, 1:]], axis=1) / pull[:, None]
        joint = line.r[arm] + unit * bar.length
        EA, l0, across = (
            bar.axial_stiffness / bar.length,
            bar.length - pull * bar.length / bar.axial_stiffness,
            pull / bar.length,
        )
    else:
        load[arm, 2] += reaction[arm, 2]
        spring[arm, 2] += support.steady_arm_stiffness
        arm = arm[:0]
    return Net(
        p.ends, line.EA, line.l0, e, N / length, p.bend, p.factor, line.bending, mass, load, free, spring, dashpot,
        p.low, p.high, line.cut, spec.droppers.stiffness, axis, line.force / drop, arm, joint, l0, EA, unit, across,
        p.contact, p.support_low, spec.damping.alpha, spec.damping.beta,
    )  # fmt: skip


@kernel()
def _bar(out, i, j, pull, e, damped, rate, e0):
    """Add a bar's pull along e and its damping at rest: ``damped`` along e0 and across."""
    along = 0.0
    for c in range(3):
        along += rate[c] * e0[c]
    for c in range(3):
        f = pull * e[c] + (damped[0] - damped[1]) * along * e0[c] + damped[1] * rate[c]
        if i >= 0:
            out[i, c] += f
        if j >= 0:
            out[j, c] -= f


@kernel()
def _apart(r, v, i, j, e, rate):
    """Distance of two points; their direction and relative velocity into ``e`` and ``rate``."""
    length = 0.0
    for c in range(3):
        e[c] = r[j, c] - r[i, c]
        rate[c] = v[j, c] - v[i, c]
        length += e[c] * e[c]
    length = np.sqrt(length)
    e /= length
    return length


@kernel()
def forces(s, r, v, slack, out):
    """Forces on points at places r, damping by velocities v; droppers that hang loose do not push."""
    out[:] = s.load
    e, rate = np.empty(3), np.empty(3)
    for k in range(s.l0.size):
        i, j = s.ends[k]
        length = _apart(r, v, i, j, e, rate)
        damped = (s.beta * s.EA[k] / s.l0[k], s.beta * s.across[k])
        _bar(out, i, j, s.EA[k] * (length / s.l0[k] - 1.0), e, damped, rate, s.rest[k])
    for k in range(s.bending.size):
        a, b, d = s.bend[k]
        for c in (1, 2):
            moment = s.factor[k, 0] * (r[a, c] + s.beta * v[a, c]) + s.factor[k, 1] * (r[b, c] + s.beta * v[b, c])
            moment = s.bending[k] * (moment + s.factor[k, 2] * (r[d, c] + s.beta * v[d, c]))
            out[a, c] -= s.factor[k, 0] * moment
            out[b, c] -= s.factor[k, 1] * moment
            out[d, c] -= s.factor[k, 2] * moment
    for k in range(s.low.size):
        i, j = s.low[k], s.high[k]
        length = _apart(r, v, i, j, e, rate)
        pull = s.drop * (length - s.cut[k])
        damped = (s.beta * s.drop, s.beta * s.drop_across[k])
        _bar(out, i, j, max(0.0, pull) if slack else pull, e, damped, rate, s.drop_rest[k])
    for k in range(s.arm.size):
        i = s.arm[k]
        length = 0.0
        for c in range(3):
            e[c] = s.joint[k, c] - r[i, c]
            rate[c] = -v[i, c]
            length += e[c] * e[c]
        length = np.sqrt(length)
        e /= length
        damped = (s.beta * s.arm_EA, s.beta * s.arm_across[k])
        _bar(out, i, -1, s.arm_EA * (length - s.arm_l0[k]), e, damped, rate, s.arm_unit[k])


@kernel()
def _point(s, r, x, last, weight):
    """First of four points around station x on the wire as it is, and their weights in the cubic through them."""
    k = last
    while k < s.wire.size - 3 and r[s.wire[k + 2], 0] <= x:
        k += 1
    for a in range(4):
        weight[a] = 1.0
        for b in range(4):
            if a != b:
                xa, xb = r[s.wire[k + a], 0], r[s.wire[k + b], 0]
                weight[a] *= (x - xb) / (xa - xb)
    return k


@kernel()
def run(s, r, v, rest, panto, z, contact, course, slack):
    """March: contact force (sample,) [N] and greatest rise of the wire at every support [m]; r, v, z are moved along.

    ``panto`` is masses, damping and stiffness matrices and applied force; ``contact`` stiffness, first station and
    speed; ``course`` the step, the number of samples and the steps in each.
    """
    masses, damping, stiffness, applied = panto
    dt, samples, every = course
    out, weight, zv = np.empty_like(r), np.empty(4), np.zeros_like(z)
    found, lift = np.zeros(samples), np.zeros(s.support.size)
    k, n = 0, masses.size
    t = 0.0
    for sample in range(samples):
        for _ in range(every):
            forces(s, r, v, slack, out)
            k = _point(s, r, contact[1] + contact[2] * t, k, weight)
            height = 0.0
            for a in range(4):
                height += weight[a] * r[s.wire[k + a], 2]
            lam = max(0.0, contact[0] * (z[0] - height))
            for a in range(4):
                out[s.wire[k + a], 2] += weight[a] * lam
            found[sample] += lam / every
            for i in range(s.mass.size):
                for c in range(3):
                    f = out[i, c] - s.spring[i, c] * (r[i, c] - rest[i, c]) - s.alpha * s.mass[i] * v[i, c]
                    v[i, c] = s.free[i, c] * (v[i, c] + dt * f / s.mass[i]) / (1.0 + dt * s.dashpot[i, c] / s.mass[i])
                    r[i, c] += dt * v[i, c]
            pull = np.zeros(n)
            for a in range(n):
                for b in range(n):
                    pull[a] -= stiffness[a, b] * z[b] + damping[a, b] * zv[b]
            pull[0] -= lam
            pull[n - 1] += applied
            zv += dt * pull / masses
            z += dt * zv
            t += dt
        for a in range(s.support.size):
            lift[a] = max(lift[a], r[s.support[a], 2] - rest[s.support[a], 2])
    return found, lift


def longest_step(s):
    """Step [s] below which central differences are stable: that of the quickest bar and its damping."""
    mass = np.minimum(s.mass[s.ends[:, 0]], s.mass[s.ends[:, 1]])
    w = np.sqrt(4.0 * (s.EA / s.l0) / mass).max()
    half = 0.5 * s.beta * w
    return SAFE * 2.0 / w * (np.sqrt(1.0 + half**2) - half)


def stiffness_at_rest(line, s):
    """Stiffness of a line at rest, sparse (coordinate, coordinate): bars, bends, droppers, arms and supports."""
    own = diags_array(s.spring.ravel())
    total = line.stiffness(line.r, line.l0, line.force, line.spec.droppers.stiffness) + own
    outer = s.arm_unit[:, :, None] * s.arm_unit[:, None, :]
    arms = s.arm_EA * outer + s.arm_across[:, None, None] * (np.eye(3) - outer)
    return csr_array(total + line._spread(s.arm[:, None], arms[:, None, :, None, :]))


def passage(line, pantograph, contact_stiffness, applied, speed, start, seconds, sample):
    """Contact force of a pantograph that starts at rest at a station, and the wire's greatest rise at every support.

    Force (sample,) [N], mean over every sample's time; rise (support,) [m].
    The start is that of the line linearised at rest, its ends held softly along the track, like the program's.
    """
    s = net(line)
    rest, r, v = line.r.copy(), line.r.copy(), np.zeros_like(line.r)
    masses, damping, stiffness = pantograph
    weight = np.empty(4)
    k = _point(s, r, start, 0, weight)
    load = np.zeros(r.size)
    load[3 * s.wire[k : k + 4] + 2] = weight
    K = stiffness_at_rest(line, s)
    soft = np.zeros_like(r)
    soft[s.dashpot[:, 0] > 0.0, 0] = 1.0e3
    free = np.flatnonzero(s.free.ravel())
    unit = np.zeros(r.size)
    unit[free] = splu((K + diags_array(soft.ravel())).tocsc()[free][:, free]).solve(load[free])
    height = float(load @ rest.ravel())
    n = len(masses)
    matrix = np.zeros((n + 1, n + 1))
    matrix[:n, :n], matrix[0, n], matrix[n, 0] = stiffness, 1.0, 1.0
    matrix[n, n] = -(load @ unit + 1.0 / contact_stiffness)
    found = np.linalg.solve(matrix, [*np.zeros(n - 1), applied, height])
    r += (unit * found[n]).reshape(-1, 3)
    every = int(np.ceil(sample / longest_step(s)))
    course = (sample / every, round(seconds / sample), every)
    panto = (masses, damping, stiffness, applied)
    return run(s, r, v, rest, panto, found[:n], (contact_stiffness, start, speed), course, True)
