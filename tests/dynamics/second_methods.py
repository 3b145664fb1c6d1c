"""Figures of second methods, for the cases that `catenary validate only=second_methods` compares with them.

Of the program they take the input of a case alone. Of the beam network, form-finding is shared.
"""

from __future__ import annotations

import numpy as np
from bars_at_rest import BarLine
from bars_in_motion import passage
from scipy.signal import butter, sosfiltfilt


def rest_figures(line, spans, size=0.25):
    """Figures of an open line of bars at rest, by the names of the gates."""
    bars = BarLine(line, spans, size)
    return {
        "dropper_force_N": bars.force,
        "dropper_cut_length_mm": 1e3 * bars.cut,
        "arm_force_N": bars.reaction[bars.parts.support_low, 2],
        "arm_side_force_N": bars.reaction[bars.parts.support_low, 1],
    }


def chain(values):
    """Matrix of a chain of springs or dampers, the last one to the base."""
    bands = np.diag(values) + np.diag([0.0, *values[:-1]])
    return bands - np.diag(values[:-1], 1) - np.diag(values[:-1], -1)


def low_passed(force, sample, cutoff=20.0):
    return sosfiltfilt(butter(4, cutoff, fs=1.0 / sample, output="sos"), force)


def passing_force(case, spans, start, end, size, sample=5e-4):
    """Time [s] and contact force [N] on bars between supports ``start`` and ``end``; rise of the wire at each [m]."""
    line, panto = case.catenary, case.pantograph
    bars = BarLine(line, spans, size)
    matrices = (np.array(panto.masses), chain(panto.dampings), chain(panto.stiffnesses))
    way = (end - start) * line.span_length
    force, lift = passage(
        bars,
        matrices,
        case.contact.stiffness,
        case.applied_force_N,
        case.speed,
        start * line.span_length,
        way / case.speed,
        sample,
    )
    return (np.arange(len(force)) + 0.5) * sample, force, lift


def span_of(time, case, start, first, last):
    """Times at which a pantograph that began at support ``start`` is in spans first to last (1 is the first)."""
    spans = start + time * case.speed / case.catenary.span_length
    return (spans >= first - 1) & (spans < last)


def steady_force(network, case, height, count, quadrature):
    """Contact force (sample,) below 20 Hz over a span, of harmonics -count to count, without slack or loss.

    ``height`` is the contact wire's at rest at equal steps along the span. Time runs by the network's step, in which
    springs and masses of the pantograph move by the bilinear rule.
    """
    H = network.heights_by_forces(*quadrature, count)
    k, panto = np.arange(-count, count + 1), case.pantograph
    z0 = (np.fft.fft(height) / len(height))[k % len(height)]
    w = 2.0 * np.pi * case.speed / case.catenary.period * k
    W = 2.0 / network.step * np.tan(0.5 * w * network.step)
    mass, damping, stiffness = np.diag(panto.masses), chain(panto.dampings), chain(panto.stiffnesses)
    head = [np.linalg.inv(-(s**2) * mass + 1j * s * damping + stiffness)[0, 0] for s in W]
    matrix, known = H + np.diag(head) + np.eye(len(k)) / case.contact.stiffness, -z0
    matrix[count], known[count] = np.eye(len(k))[count], case.mean_force_N
    force = np.linalg.solve(matrix, known)
    force *= 1.0 / (1.0 + (np.tan(0.5 * w * network.step) / np.tan(np.pi * 20.0 * network.step)) ** 8)
    x = np.arange(1000) / 1000.0
    return (force * np.exp(2j * np.pi * np.outer(x, k))).sum(axis=1).real
