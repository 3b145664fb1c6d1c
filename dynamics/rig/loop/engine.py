"""The loop as an object: filtered matrices, state, and one compiled step that a rig's server calls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from dynamics.rig.loop.harmonics import harmonic_filter, largest_count
from dynamics.rig.loop.kernel import (
    Constants,
    DropperLaw,
    Forces,
    LineMatrices,
    Loop,
    LoopState,
    Sweep,
    plain,
    plain_step,
)
from dynamics.rig.loop.model import PeriodicModel
from dynamics.rig.loop.spec import LoopSettings

__all__ = ["FilteredModel", "ForceError", "LoopEngine", "elongation_filter", "filtered_model"]


FILTER_PAD = 3  # records: zeros behind a dropper's own, so that its ends do not meet


class ForceError(ValueError):
    """A measured force that no height may follow from: not a number, or beyond the largest allowed."""


@dataclass(frozen=True)
class FilteredModel:
    """Matrices as the loop's kernel takes them: filtered once, so that no step filters (Gil et al., eq. 8).

    Attributes
    ----------
    line : LineMatrices
        Heights and influence matrices.
    droppers : DropperLaw
        What makes their correction forces.
    """

    line: LineMatrices
    droppers: DropperLaw


def filtered_model(model: PeriodicModel, settings: LoopSettings) -> FilteredModel:
    """Filter the matrices of a model once, as the settings ask.

    Raises
    ------
    InputError
        If more harmonics are asked for than a period holds.
    """
    N = model.steps
    for key, count in (
        ("height_harmonics", settings.height_harmonics),
        ("dropper_harmonics", settings.dropper_harmonics),
    ):
        if count is not None and count > largest_count(N):
            raise InputError(
                [f"{key} must be at most {largest_count(N)}, what {N} steps of a span can hold: got {count}"]
            )
    z0, I_cc, I_cd, K_dd = model.z0, model.I_cc, model.I_cd, model.K_dd
    if settings.height_harmonics is not None:
        W = harmonic_filter(settings.height_harmonics, N)
        z0, I_cc = W @ z0, W @ I_cc
        I_cd = (W @ I_cd.reshape(N, -1)).reshape(I_cd.shape)
    I_dc = elongation_filter(model, settings.dropper_harmonics)
    falling = np.ascontiguousarray(K_dd[:, :, ::-1])
    line = LineMatrices(*(np.ascontiguousarray(a) for a in (z0, I_cc, I_cd, I_dc, falling)))
    return FilteredModel(line, DropperLaw(model.dropper_force, model.dropper_stiffness, model.dropper_offset))


def elongation_filter(model: PeriodicModel, harmonics: int | None) -> NDArray[np.float64]:
    """Elongation per contact force with frequencies above that of the last harmonic taken out, shape of I_dc.

    A dropper's record is not a period, so the filter of eq. 4 would leak at its ends. It is cut off in its own local
    time instead (zeros before and after), at half a harmonic above the last one kept. The correction forces' own share
    of the elongation stays as it is, in time order: filtered as well, it makes the loop diverge (docs/notebook).
    """
    if harmonics is None:
        return model.I_dc
    M = model.dropper_steps
    length = FILTER_PAD * M
    spectrum = np.fft.rfft(model.I_dc, length, axis=1)
    cut = (harmonics - 0.5) / (model.steps * model.dt)
    spectrum[:, np.fft.rfftfreq(length, model.dt) > cut] = 0.0
    return np.ascontiguousarray(np.fft.irfft(spectrum, length, axis=1)[:, :M])


class LoopEngine:
    """Steps the loop: a measured force in, the height to send out (Gil et al., section 3, fig. 3).

    Parameters
    ----------
    model : PeriodicModel
        Matrices of the line.
    settings : LoopSettings
        Strategy, delay, filters, relaxation, ramp.
    filtered : FilteredModel, optional
        Matrices that were filtered before with the same settings.
    """

    def __init__(self, model: PeriodicModel, settings: LoopSettings, filtered: FilteredModel | None = None) -> None:
        self.model, self.settings = model, settings
        self.filtered = filtered_model(model, settings) if filtered is None else filtered
        self.step_number = 0
        self.predicted_force: NDArray[np.float64] | None = None
        self.state = _at_rest(model, self.filtered.line.z0)
        s = settings
        self.constants = Constants(
            sweeps=s.sweeps,
            mu_d=s.dropper_relaxation,
            mu_c=s.contact_relaxation,
            delay=s.delay_steps,
            compensation=s.compensation,
            by_span=s.strategy == "span_by_span",
            slack=s.slack,
            ramp=self.ramp_steps,
        )
        self._plain = plain(self.loop)

    @property
    def ramp_steps(self) -> int:
        """Steps of the initial ramp, N_r."""
        return round(self.settings.ramp_s / self.model.dt)

    def start_from(self, force: NDArray[np.float64], squeeze: NDArray[np.float64], height: NDArray[np.float64]) -> None:
        """Start from a periodic state, as if the blocks before had measured it, instead of the line at rest.

        Its force is held while the ramp lasts, whatever is measured meanwhile.

        Parameters
        ----------
        force : float array (step,)
            Contact force, without what is added to it [N].
        squeeze : float array (dropper, dropper step)
            Correction forces [N].
        height : float array (step,)
            Filtered height that answers them [m].
        """
        self.predicted_force = force
        for forces in (self.state.now, self.state.frozen):
            forces.f[:] = force + self.settings.added_force_N
            forces.fd[:] = squeeze
            for d, row in enumerate(squeeze):
                at = np.flatnonzero(row)
                forces.lo[d], forces.hi[d] = (int(at[0]), int(at[-1]) + 1) if at.size else (0, 0)
        self.state.zm[:] = height

    @property
    def held_steps(self) -> int:
        """Steps in which a predicted force stands for the measured one."""
        return 0 if self.predicted_force is None else self.ramp_steps

    @property
    def holding(self) -> bool:
        """Whether the next step takes a predicted force instead of the measured one."""
        return self.step_number < self.held_steps

    @property
    def loop(self) -> Loop:
        """Arguments of the compiled step after step number and force."""
        return Loop(self.filtered.line, self.filtered.droppers, self.state, self.constants)

    @property
    def correction_force(self) -> NDArray[np.float64]:
        """Force that squeezes each slack dropper at its local steps, (dropper, dropper step) [N]."""
        return self.state.now.fd

    def step(self, force: float) -> float:
        """Take the force measured at this step [N]; return the height to send [m], reached ``delay_steps`` later.

        Raises
        ------
        ForceError
            If the force is not a number or too large; the state is as it was.
        """
        if not abs(force) <= self.settings.largest_force_N:
            raise ForceError(
                f"the measured force must be a number within ±{self.settings.largest_force_N:g} N: got {force:g} N at "
                f"step {self.step_number}"
            )
        if self.predicted_force is not None and self.holding:
            force = float(self.predicted_force[self.step_number % len(self.predicted_force)])
        height = plain_step(self.step_number, force + self.settings.added_force_N, self._plain)
        self.step_number += 1
        return height


def _at_rest(model: PeriodicModel, height: NDArray[np.float64]) -> LoopState:
    """State of a loop that has measured nothing yet; ``height`` (step,) is that of the line at rest [m]."""
    N, M, nd = model.steps, model.dropper_steps, model.droppers
    most = nd * (M // N + 1)
    now, frozen = (Forces(np.zeros(N), np.zeros((nd, M)), np.zeros(nd, np.int64), np.zeros(nd, np.int64)) for _ in "01")
    sweep = Sweep(np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most), np.zeros(most))
    return LoopState(now, frozen, height.copy(), sweep)
