"""One emulated test with everything it is compared with: the periodic states, and the long transient."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.contact_force.filters import filter_periodic
from dynamics.contact_force.statistics import filter_force, force_statistics
from dynamics.results.solution import Solution
from dynamics.rig.loop.device import LumpedDevice, mass_device
from dynamics.rig.loop.emulation import LoopRun, emulate
from dynamics.rig.loop.model import PeriodicModel
from dynamics.rig.loop.settling import Settling, own_band, settling
from dynamics.rig.loop.spec import RigSettings
from dynamics.rig.loop.status import LoopStatus
from dynamics.rig.loop.steady import LoopSteadyState, slackened_model, solve_steady
from dynamics.rig.stability.search import RELAXATIONS, radii
from dynamics.spec.case import CaseSpec
from dynamics.steady_state.transient import solve_transient
from studies.jobs.loop import LoopTestSpec
from studies.jobs.pressed import Press, pressed_pantograph

__all__ = ["SPANS_DRAWN", "Chosen", "EmulatedTest", "choose", "compared", "figures", "last_spans", "run_chosen"]

SPANS_DRAWN = 5
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Chosen:
    """Settings of a test.

    Attributes
    ----------
    settings : RigSettings
        With the mu_c chosen.
    device : LumpedDevice
        Pressed as asked, or as the reference mean force wants.
    radii : dict of float to float
        Spectral radius by mu_c, the larger of without and with slack.
    settled_radius : float
        Of the line with the droppers slack that are so in the steady state, with the mu_c chosen: how errors fall at
        the end.
    steady : LoopSteadyState
        What the test must converge to.
    """

    settings: RigSettings
    device: LumpedDevice
    radii: dict[float, float]
    settled_radius: float
    steady: LoopSteadyState

    @property
    def radius(self) -> float:
        """Spectral radius with the mu_c chosen."""
        return self.radii[self.settings.loop.contact_relaxation]


@dataclass(frozen=True)
class EmulatedTest:
    """A test and its references.

    Attributes
    ----------
    untruncated : LoopSteadyState
        Steady state with every harmonic.
    transient : Solution or None
        Long transient of the same line, pantograph, force, contact stiffness and step.
    settling : Settling
        How the test came to its steady state.
    wall_time_s : float
        Of the test alone.
    """

    model: PeriodicModel
    spec: LoopTestSpec
    chosen: Chosen
    record: LoopRun
    untruncated: LoopSteadyState
    transient: Solution | None
    settling: Settling
    wall_time_s: float

    @property
    def forces(self) -> dict[str, Array]:
        """Force over one span by name, not filtered, (step,) [N]; a test that was stopped has none of its own."""
        found = {"emulated": self.record.mean_force} if self.record.status is LoopStatus.OK else {}
        return {
            **found,
            "periodic": self.chosen.steady.contact_force,
            "untruncated": self.untruncated.contact_force,
        }

    @property
    def curves(self) -> dict[str, Array]:
        """The same through the figures' filter."""
        cut, kind = self.spec.signal.cutoff_hz, self.spec.signal.kind
        return {name: filter_periodic(force, self.model.dt, 0.0, cut, kind) for name, force in self.forces.items()}


def choose(spec: LoopTestSpec, model: PeriodicModel) -> Chosen:
    """Device, applied force and mu_c of a test."""
    if spec.device == "mass":
        device = mass_device(spec.mass_kg, spec.contact.stiffness, model.dt, spec.damping_ratio)
    else:
        press = Press(spec.contact.stiffness, spec.damping_ratio, spec.applied_force_N, spec.mean_force_N)
        device = pressed_pantograph(model, spec.pantograph, press, spec.loop)
    steady = solve_steady(model, device, spec.loop)
    slack = slackened_model(model, steady, spec.loop)
    grid = sorted({*RELAXATIONS, spec.loop.contact_relaxation})
    settled = radii((slack,), device, spec.loop, grid)
    found = settled
    if slack is not model:
        found = {mu: max(radius, settled[mu]) for mu, radius in radii((model,), device, spec.loop, grid).items()}
    mu = min(found, key=lambda key: found[key]) if spec.best_relaxation else spec.loop.contact_relaxation
    loop = spec.loop.model_copy(update={"contact_relaxation": mu})
    settings = RigSettings(loop=loop, actuator=spec.actuator, sensor=spec.sensor)
    return Chosen(settings, device, found, settled[mu], steady)


def run_chosen(
    spec: LoopTestSpec,
    model: PeriodicModel,
    chosen: Chosen,
    case: CaseSpec | None = None,
    progress: Callable[[int, int, float], None] | None = None,
) -> EmulatedTest:
    """Run a test; with the line's ``case`` also the long transient."""
    began = time.perf_counter()
    start = chosen.steady if spec.start == "predicted" else None
    record = emulate(model, chosen.device, chosen.settings, spec.duration_s, progress, start)
    spent = time.perf_counter() - began
    loop = chosen.settings.loop
    whole = loop.model_copy(update={"height_harmonics": None, "dropper_harmonics": None})
    return EmulatedTest(
        model,
        spec,
        chosen,
        record,
        solve_steady(model, chosen.device, whole),
        None if case is None else _transient(spec, case, chosen.device),
        settling(model, loop, record, chosen.steady, chosen.settled_radius),
        spent,
    )


def _transient(spec: LoopTestSpec, case: CaseSpec, device: LumpedDevice) -> Solution:
    """Long transient with the pantograph, force, contact stiffness and filter of a test."""
    changed = {
        "pantograph": spec.pantograph.model_dump(),
        "contact": spec.contact.model_dump(),
        "applied_force_N": device.applied_force,
        "mean_force_N": None,
        "solver": "transient",
        "signal": spec.signal.model_dump(),
    }
    return solve_transient(CaseSpec.model_validate({**case.model_dump(), **changed}))


def last_spans(trajectory: Solution, steps: int, count: int = SPANS_DRAWN) -> Array:
    """Filtered force of a transient's last whole spans, each from its support on, (span, step) [N].

    The march records the end of every step, so that a span's first sample is its forerunner's last. The very last span
    is left out: the filter has nothing behind it.
    """
    passed = np.round(trajectory.time / trajectory.case.time_step).astype(np.int64)
    supports = np.flatnonzero(passed % steps == 0)
    first = [int(at) for at in supports if at + steps <= len(passed)][-count - 1 : -1]
    return np.array([trajectory.contact_force_filtered[at : at + steps] for at in first]).reshape(-1, steps)


def figures(test: EmulatedTest) -> dict[str, dict[str, float]]:
    """Mean, standard deviation and extremes of every force through the figures' filter [N]."""
    names = ("contact_force_mean_N", "contact_force_std_N", "contact_force_max_N", "contact_force_min_N")
    found = {}
    for name, force in test.forces.items():
        kept = filter_force(force, test.model.dt, test.spec.signal, periodic=True)
        of_force = force_statistics(force, kept)
        found[name] = {key: float(getattr(of_force, key)) for key in names}
    if test.transient is not None and test.transient.statistics is not None:
        found["transient"] = {key: float(getattr(test.transient.statistics, key)) for key in names}
    return found


def compared(test: EmulatedTest) -> dict[str, Any]:
    """Differences of sigma [%] and of the curves [N, RMS]; the loop's own band and that of the figures."""
    loop, curves = test.chosen.settings.loop, test.curves
    top = own_band(test.model, loop)
    found: dict[str, Any] = {
        "highest_frequency_hz": top,
        "steady_state": test.chosen.steady.status.value,
        "untruncated_steady_state": test.untruncated.status.value,
        "untruncated_against_periodic": _pair(curves["untruncated"], curves["periodic"]),
    }
    spans = np.zeros((0, test.model.steps))
    if test.transient is not None and test.transient.statistics is not None:
        spans = last_spans(test.transient, test.model.steps, test.transient.spans_evaluated)
        found["untruncated_against_transient"] = _pair(curves["untruncated"], spans)
    if "emulated" not in curves:
        return found
    own = [
        filter_periodic(force, test.model.dt, 0.0, top) for force in (test.forces["emulated"], test.forces["periodic"])
    ]
    found["emulated_against_periodic_own_band"] = _pair(own[0], own[1])
    found["emulated_against_periodic"] = _pair(curves["emulated"], curves["periodic"])
    if spans.size:
        found["emulated_against_transient"] = _pair(curves["emulated"], spans)
    steady = test.chosen.steady.correction_force
    found["largest_correction_force_N"] = float(steady.max())
    found["correction_force_difference_N"] = float(np.abs(test.record.mean_correction - steady).max())
    return found


def _pair(one: Array, reference: Array) -> dict[str, float]:
    """Of a curve against another, or against several spans: sigma over all of them, their mean curve."""
    mean = reference if reference.ndim == 1 else reference.mean(axis=0)
    return {
        "std_percent": 100.0 * float(one.std() / reference.std() - 1.0),
        "curve_rms_N": float(np.sqrt(np.mean((one - mean) ** 2))),
    }
