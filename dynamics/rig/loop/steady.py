"""The steady state that a loop converges to, solved at once: the reference that an emulated test is compared with.

A periodic device answers harmonic by harmonic, so that the contact force follows from the droppers' correction forces;
these solve a complementarity problem by projected Gauss-Seidel in time order. Filters are the loop's own, or none.
Nothing of the loop's stepping is used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.rig.loop.device import LumpedDevice
from dynamics.rig.loop.engine import elongation_filter
from dynamics.rig.loop.harmonics import harmonic_basis, largest_count
from dynamics.rig.loop.model import PeriodicModel
from dynamics.rig.loop.spec import LoopSettings
from dynamics.rig.loop.status import LoopStatus

__all__ = ["LoopSteadyState", "slackened_model", "solve_steady"]

Array = NDArray[np.float64]
OUTER, SWEEPS, NEWTON = 60, 300, 100
SETTLED, PRESSED = 1.0e-8, 1.0e-6  # N


@dataclass(frozen=True)
class LoopSteadyState:
    """One period of the loop's fixed point.

    Attributes
    ----------
    status : LoopStatus
        Whether it is one to rely on: `OK`, `CONTACT_LOST` or `SLACK_NOT_SETTLED`.
    contact_force : float array (step,)
        [N].
    height : float array (step,)
        Filtered contact height [m].
    correction_force : float array (dropper, dropper step)
        [N].
    """

    status: LoopStatus
    contact_force: Array
    height: Array
    correction_force: Array


def solve_steady(model: PeriodicModel, device: LumpedDevice, settings: LoopSettings) -> LoopSteadyState:
    """Solve for the periodic state of loop and device in contact; of the settings the filters, slack and added force.

    Status says when a device that cannot pull would have to, or when slack does not settle.
    """
    N = model.steps
    Q = harmonic_basis(settings.height_harmonics or largest_count(N), N)
    answer = device_periodic(device, N, Q)
    gain = Q.T @ model.I_cc
    push = device.static_force + settings.added_force_N
    inverse = np.linalg.inv(np.eye(Q.shape[1]) - gain @ answer)
    linear = push + answer @ (inverse @ (Q.T @ model.z0 + gain.sum(axis=1) * push))
    I_dc = elongation_filter(model, settings.dropper_harmonics)
    problem = _Slack(model, I_dc, answer @ inverse @ Q.T)
    squeeze, settled = problem.solve(linear) if settings.slack else (np.zeros(I_dc.shape[:2]), True)
    force = linear + problem.force_change(squeeze)
    forces = np.tensordot(model.I_cd, squeeze, axes=2)
    height = Q @ (Q.T @ (model.z0 + model.I_cc @ force + forces))
    lost = device.unilateral and float((force - settings.added_force_N).min()) < 0.0
    status = LoopStatus.CONTACT_LOST if lost else LoopStatus.OK
    status = status if settled else LoopStatus.SLACK_NOT_SETTLED
    return LoopSteadyState(status, force - settings.added_force_N, height, squeeze)


def slackened_model(model: PeriodicModel, state: LoopSteadyState, settings: LoopSettings) -> PeriodicModel:
    """Model whose contact influence is that of small changes about a steady state with its droppers slack.

    The correction forces follow the contact force as long as the same samples stay slack: f_d = -(1/k + K)^-1 I_dc f.
    """
    d, at = np.nonzero(state.correction_force > 0.0)
    if not d.size:
        return model
    M = model.dropper_steps
    matrix = model.K_dd[d[:, None], d[None, :], at[:, None] - at[None, :] + M - 1]
    matrix += np.eye(len(d)) / model.dropper_stiffness
    I_dc = elongation_filter(model, settings.dropper_harmonics)[d, at]
    return replace(model, I_cc=model.I_cc - model.I_cd[:, d, at] @ np.linalg.solve(matrix, I_dc))


def device_periodic(device: LumpedDevice, steps: int, basis: Array) -> Array:
    """Force of a periodic device per harmonic of the height, (step, harmonic) [N/m]."""
    theta = 2.0 * np.pi * np.arange(steps // 2 + 1) / steps
    transfer = device.transfer(theta)
    return np.fft.irfft(transfer[:, None] * np.fft.rfft(basis, axis=0), steps, axis=0)


class _Slack:
    """Correction forces of a periodic state, found on a set of samples that grows until nothing is in compression."""

    def __init__(self, model: PeriodicModel, I_dc: Array, answer: Array) -> None:
        self.model, self.I_dc, self.answer = model, I_dc, answer

    def force_change(self, squeeze: Array) -> Array:
        """Change of contact force that correction forces bring about, (step,) [N]."""
        return self.answer @ np.tensordot(self.model.I_cd, squeeze, axes=2)

    def tension(self, force: Array, squeeze: Array) -> Array:
        """Tension of every dropper at its local steps, correction included [N]; a slack one has none."""
        model, M = self.model, squeeze.shape[1]
        e = np.asarray(self.I_dc @ force)
        for cause in np.flatnonzero(squeeze.any(axis=1)):
            for d in range(len(squeeze)):
                e[d] += np.convolve(model.K_dd[d, cause], squeeze[cause])[M - 1 : 2 * M - 1]
        return model.dropper_force[:, None] + model.dropper_stiffness * e + squeeze

    def solve(self, linear: Array) -> tuple[Array, bool]:
        """Correction forces (dropper, dropper step) [N] for a force without slack, and whether they settled."""
        model, k = self.model, self.model.dropper_stiffness
        M = model.dropper_steps
        squeeze = np.zeros((model.droppers, M))
        active = self.tension(linear, squeeze) < 0.0
        for _ in range(OUTER):
            d, at = np.nonzero(active)
            order = np.argsort(at, kind="stable")
            d, at = d[order], at[order]
            I_cd, I_dc = model.I_cd[:, d, at], self.I_dc[d, at]
            matrix = model.K_dd[d[:, None], d[None, :], at[:, None] - at[None, :] + M - 1] + I_dc @ (self.answer @ I_cd)
            matrix += np.eye(len(d)) / k
            x = squeeze[d, at]
            offset = model.dropper_force[d] / k + I_dc @ linear
            if not _projected(matrix, offset, x, SETTLED, SWEEPS) and not _newton(matrix, offset, x):
                return squeeze, False
            squeeze[:] = 0.0
            squeeze[d, at] = x
            pressed = (self.tension(linear + self.force_change(squeeze), squeeze) < -PRESSED) & ~active
            if not pressed.any():
                return squeeze, True
            active |= pressed
        return squeeze, False


def _newton(matrix: Array, offset: Array, x: Array) -> bool:
    """Active-set Newton on the same problem, for sets on which the sweeps go round in circles; whether it settled."""
    scale = np.diag(matrix)
    active = x - (matrix @ x + offset) / scale > 0.0
    for _ in range(NEWTON):
        x[:] = 0.0
        at = np.flatnonzero(active)
        x[at] = np.linalg.solve(matrix[np.ix_(at, at)], -offset[at])
        now = x - (matrix @ x + offset) / scale > 0.0
        if (now == active).all():
            return True
        active = now
    return False


@kernel(error_model="numpy")
def _projected(matrix, offset, x, settled, sweeps):
    """Projected Gauss-Seidel: x >= 0, matrix x + offset >= 0, one of them zero; whether it settled."""
    for _ in range(sweeps):
        change = 0.0
        for i in range(x.size):
            total = offset[i]
            for j in range(x.size):
                total += matrix[i, j] * x[j]
            new = max(0.0, x[i] - total / matrix[i, i])
            change = max(change, abs(new - x[i]))
            x[i] = new
        if change < settled:
            return True
    return False
