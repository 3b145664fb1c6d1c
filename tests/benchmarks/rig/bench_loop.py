"""The hardware loop: one step compiled and through Python, stability maps of 60 by 60 points."""

import ctypes
import os
import time
from dataclasses import replace

import numpy as np
import pytest
from numba import njit

from dynamics.influence.matrices import influence_matrices
from dynamics.rig.loop.device import lumped_device
from dynamics.rig.loop.emulation import emulate
from dynamics.rig.loop.engine import LoopEngine
from dynamics.rig.loop.kernel import loop_step
from dynamics.rig.loop.model import model_of
from dynamics.rig.loop.spec import LoopSettings, RigSettings
from dynamics.rig.stability.maps import MapRow, stability_map
from dynamics.spec.case import PantographSpec
from dynamics.spec.case import case_of as case_of_job
from studies.commands.simulate import compose

STEPS, REPEATS = 60_000, 50


@njit
def _steps(force, first, loop):
    total = 0.0
    for k in range(force.size):
        total += loop_step(first + k, force[k], loop)
    return total


_clock = ctypes.CDLL(None).clock_gettime
_clock.argtypes, _clock.restype = [ctypes.c_int, ctypes.c_void_p], ctypes.c_int


@njit
def _steps_one_by_one(force, first, spent, loop):
    """Seconds of every step; the monotonic clock is read by the compiled code itself."""
    now = np.zeros(4, np.int64)
    for k in range(force.size):
        _clock(1, now[:2].ctypes)
        loop_step(first + k, force[k], loop)
        _clock(1, now[2:].ctypes)
        spent[k] = now[2] - now[0] + 1e-9 * (now[3] - now[1])


@pytest.fixture(scope="module")
def line():
    """Simple line at 250 km/h: N = 396, matrices of all droppers."""
    keys = ["catenary=bruni_2015", "pantograph=dsa380", "speed_kmh=250", "dt=2e-3", "contact.stiffness=600e3"]
    case = case_of_job(compose(keys).job)
    return case, model_of(influence_matrices(case))


def three_spans(model):
    """Records of three spans instead of two, zeros where nothing was computed."""
    N, pad = model.steps, model.steps // 2
    return replace(
        model,
        I_cd=np.pad(model.I_cd, ((0, 0), (0, 0), (pad, N - pad))),
        I_dc=np.pad(model.I_dc, ((0, 0), (pad, N - pad), (0, 0))),
        K_dd=np.pad(model.K_dd, ((0, 0), (0, 0), (N, N))),
        dropper_offset=model.dropper_offset - pad,
    )


@pytest.mark.benchmark
def test_loop_step(line, figure):
    case, narrow = line
    model = three_spans(narrow)
    settings = LoopSettings(height_harmonics=25, contact_relaxation=0.03, ramp_s=4.0)
    device = lumped_device(case.pantograph, 130.6, 600.0e3, model.dt, 0.02)
    run = emulate(model, device, RigSettings(loop=settings), 160.0)
    assert run.status == "ok" and (run.mean_correction > 0.0).sum() > 50
    engine = LoopEngine(model, settings)
    settled = np.tile(run.force[-model.steps :], STEPS // model.steps + 1)[:STEPS]
    _steps(run.force, 0, engine.loop)  # the state that goes with these forces
    first, best = len(run.force) // model.steps * model.steps, np.inf
    span = settled[: model.steps]
    for _ in range(REPEATS):
        began = time.thread_time()
        _steps(span, first, engine.loop)
        best = min(best, (time.thread_time() - began) / len(span))
    slack = int((engine.correction_force > 0.0).sum())
    what = f"loop step, N {model.steps}, droppers of three spans, {slack} slack samples, compiled"
    figure(what, f"{1e3 * best:.4f} ms of processor time (mean of a span, best of {REPEATS})", "<= 0.03 ms")
    spent = np.empty(STEPS)
    _steps_one_by_one(settled, first, spent, engine.loop)
    figure(f"  one by one, {STEPS} steps", percentiles(spent), "<= 0.03 ms")
    engine.step_number = first
    for k in range(STEPS):
        began = time.perf_counter()
        engine.step(settled[k])
        spent[k] = time.perf_counter() - began
    figure(f"  the same through Python, {STEPS} steps, load {os.getloadavg()[0]:.1f}", percentiles(spent), "<= 0.3 ms")


def percentiles(spent):
    """Sentence on times [s]."""
    middle, rare, most = 1e3 * np.percentile(spent, [50.0, 99.9, 100.0])
    return f"median {middle:.4f} ms, p99.9 {rare:.4f} ms, largest {most:.2f} ms"


@pytest.mark.benchmark
@pytest.mark.parametrize(
    ("strategy", "over", "limit"),
    [
        ("span_by_span", "stiffness", "<= 60 s"),
        ("step_by_step", "stiffness", "<= 360 s"),
        ("step_by_step", "delay", "<= 360 s"),
    ],
)
def test_stability_map(line, figure, strategy, over, limit):
    """Figs 4, 5 and 6 of Gil et al., whole, on two processes."""
    _, model = line
    spec = PantographSpec(name="hil_virtual", masses=(6.6,), stiffnesses=(7000.0,), dampings=(10.0,))
    grid = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
    if over == "stiffness":
        stiffness = np.geomspace(50.0e3, 5.0e6, 60)
        rows = [MapRow(lumped_device(spec, 100.0, float(k), model.dt, 0.02), 8) for k in stiffness]
    else:
        rows = [MapRow(lumped_device(spec, 100.0, 600.0e3, model.dt, 0.02), d) for d in range(1, 61)]
    settings, frequency = LoopSettings(strategy=strategy), np.linspace(2.0, 60.0, 60)
    stability_map(model, settings, rows[:1], frequency[-2:], grid)
    began, before = time.perf_counter(), os.times()
    found = stability_map(model, settings, rows, frequency, grid)
    wall, after = time.perf_counter() - began, os.times()
    # the rows are solved by processes of their own, which have ended
    busy = sum(after[:4]) - sum(before[:4])
    what = f"stability map 60 x 60 over the {over} x {len(grid)} mu_c, {strategy}"
    figure(what, f"{wall:.1f} s, {busy:.1f} s of processor, {found.dense} solved whole", limit)
