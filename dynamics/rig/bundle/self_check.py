"""The self-test of a bundle: forces and the heights that answer them, computed the long way.

Every height is formed from all forces on record, with the harmonics taken by a matrix: none of the short cuts of
the readers, whose heights must be the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import toeplitz

from dynamics.influence.matrices import InfluenceMatrices
from dynamics.rig.bundle.pfem import SWEEPS

__all__ = ["LoopSettings", "SelfTest", "band_matrix", "direct_heights", "harmonic_filter", "make_self_test"]

TOLERANCE = 1.0e-12
HARMONICS, DROPPER_HARMONICS, DELAY, RELAXATION = 25, 90, 8, 0.9
PAD = 3  # records: a dropper's own and zeros behind it, so that its ends do not meet
BLOCKS = 2.2


@dataclass(frozen=True)
class SelfTest:
    """Forces (step) [N], heights (strategy, step) [m] and what they were made with.

    ``squeeze`` (dropper, dropper step) are the droppers' correction forces at the end [N].
    """

    force: NDArray[np.float64]
    height: NDArray[np.float64]
    squeeze: NDArray[np.float64]
    harmonics: int
    dropper_harmonics: int
    delay: int
    relaxation: float
    ramp_steps: int
    tolerance: float

    @property
    def slack(self) -> int:
        """Slack samples on record at the end."""
        return int(np.count_nonzero(self.squeeze))


def make_self_test(matrices: InfluenceMatrices) -> SelfTest:
    """Self-test of two spans and a bit: a force that rises, sways and rattles, so that droppers slacken."""
    N = len(matrices.z0)
    n = np.arange(round(BLOCKS * N))
    force = 190.0 + 90.0 * np.sin(2 * np.pi * n / N) + 60.0 * np.sin(2 * np.pi * 6.7 * n / N) + 15.0 * (n * 7 % 11 - 5)
    most = N // 2 + 1
    settings = LoopSettings(DELAY, RELAXATION, N // 2, min(HARMONICS, most), min(DROPPER_HARMONICS, most))
    height, squeeze = direct_heights(matrices, force, settings)
    return SelfTest(
        force=force,
        height=height,
        squeeze=squeeze,
        harmonics=settings.harmonics,
        dropper_harmonics=settings.dropper_harmonics,
        delay=settings.delay,
        relaxation=settings.relaxation,
        ramp_steps=settings.ramp_steps,
        tolerance=TOLERANCE,
    )


@dataclass(frozen=True)
class LoopSettings:
    """Setting of a loop: delay [steps], relaxation [-], ramp [steps], harmonics of height and droppers (0: all)."""

    delay: int
    relaxation: float
    ramp_steps: int
    harmonics: int
    dropper_harmonics: int = 0


def direct_heights(
    matrices: InfluenceMatrices, force: NDArray[np.float64], settings: LoopSettings
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Heights to send (strategy, step) [m] for measured forces (step) [N]; the droppers' forces at the end [N]."""
    N, (droppers, M) = len(matrices.z0), matrices.I_dc.shape[:2]
    z0, I_cc, I_cd = (getattr(matrices, name).reshape(N, -1) for name in ("z0", "I_cc", "I_cd"))
    if settings.harmonics:
        keep = harmonic_filter(N, settings.harmonics)
        z0, I_cc, I_cd = keep @ z0, keep @ I_cc, keep @ I_cd
    I_dc = matrices.I_dc
    if settings.dropper_harmonics:
        I_dc = band_matrix(M, N, matrices.case.time_step, settings.dropper_harmonics) @ I_dc
    f, squeeze = np.zeros(N), np.zeros((droppers, M))
    before = last = (f.copy(), squeeze.copy())

    def row(r: int, held: tuple[NDArray[np.float64], NDArray[np.float64]]) -> float:
        return float(z0[r, 0] + I_cc[r] @ held[0] + I_cd[r] @ held[1].ravel())

    sent = np.empty((2, len(force)))
    for k, measured in enumerate(force):
        f[k % N] += settings.relaxation * (measured - f[k % N])
        _slacken(matrices, I_dc, (f, squeeze), k % N)
        if k % N == N - 1:
            before, last = last, (f.copy(), squeeze.copy())
        ahead, newer = (k + settings.delay) % N, ((k + 1) % N) / (N - 1)
        sent[:, k] = row(ahead, (f, squeeze)), (1.0 - newer) * row(ahead, before) + newer * row(ahead, last)
    ramp = np.minimum(1.0, np.arange(1, len(force) + 1) / settings.ramp_steps) if settings.ramp_steps else 1.0
    return sent * ramp, squeeze


def harmonic_filter(steps: int, harmonics: int) -> NDArray[np.float64]:
    """Matrix (step, step) that keeps the first harmonics of a periodic function and its mean (Gil et al., eq. 6)."""
    turn = 2.0 * np.pi * np.subtract.outer(np.arange(steps), np.arange(steps)) / steps
    kept = np.ones((steps, steps))
    for m in range(1, harmonics):
        kept += (1.0 if 2 * m == steps else 2.0) * np.cos(m * turn)
    return kept / steps


def band_matrix(samples: int, steps: int, dt: float, harmonics: int) -> NDArray[np.float64]:
    """Matrix (sample, sample) that keeps a record's frequencies up to half a harmonic above the last one kept.

    The record is followed by zeros. Frequencies are compared as every reader does, in the same order of operations.
    """
    length = PAD * samples
    turn = 2.0 * np.pi * np.arange(samples) / length
    kept = np.ones(samples)
    for m in range(1, length // 2 + 1):
        if m * (1.0 / (length * dt)) > (harmonics - 0.5) / (steps * dt):
            break
        kept += (1.0 if 2 * m == length else 2.0) * np.cos(m * turn)
    return toeplitz(kept / length)


def _slacken(
    matrices: InfluenceMatrices,
    I_dc: NDArray[np.float64],
    held: tuple[NDArray[np.float64], NDArray[np.float64]],
    n: int,
) -> None:
    """Correction forces of the droppers whose record holds step n, by the sweeps that the readers make."""
    f, squeeze = held
    N, M = len(f), squeeze.shape[1]
    K, stiffness = matrices.K_dd, matrices.dropper_stiffness
    samples = n - matrices.dropper_offset + np.array([[N], [0], [-N]])  # of the period behind, this one, that ahead
    on_record = (samples >= 0) & (samples < M)
    d, s = np.nonzero(on_record)[1], samples[on_record]
    at = list(zip(d, s, strict=True))
    # K_dd[d, d', s - s' + M - 1] for s' = M - 1 .. 0 is a slice
    elongation = np.array([I_dc[i, k] @ f + np.vdot(K[i, :, k : k + M], squeeze[:, ::-1]) for i, k in at])
    for _ in range(SWEEPS):
        for a, (i, k) in enumerate(at):
            slack = squeeze[i, k] - (matrices.dropper_force[i] + stiffness * elongation[a] + squeeze[i, k]) / (
                1.0 + stiffness * K[i, i, M - 1]
            )
            change = max(0.0, slack) - squeeze[i, k]
            if change != 0.0:
                squeeze[i, k] += change
                elongation += K[d, i, s - k + M - 1] * change
