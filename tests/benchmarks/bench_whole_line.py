"""Whole open lines and the window next to them: seconds per simulated second, memory, growth with the line."""

import resource
import time

import numpy as np
import pytest

from catenary.form_finding.equilibrium import open_line_equilibrium
from dynamics.open_line.run import prepare_line, run_whole_line
from dynamics.steady_state.transient import solve_transient

SPEED, FORCE = 320, "applied_force_N=182.17"
START, SHORT = 2.0, 3.0  # spans
KINDS = {
    "planar, linearised": ("dimension=planar",),
    "spatial, linearised": ("dimension=spatial",),
    "planar, non-linear": ("dimension=planar", "kinematics=nonlinear"),
    "spatial, non-linear": ("dimension=spatial", "kinematics=nonlinear"),
    "spatial, non-linear, beam": ("dimension=spatial", "kinematics=nonlinear", "formulation=beam"),
}


def _seconds(case, spans, run=SHORT, repeats=3):
    """Least time and CPU time per simulated second over some spans of a line, after one to warm up."""
    line = prepare_line(case, open_line_equilibrium(case.catenary, spans))
    run_whole_line(case, line, START, 2.0 / case.steps_per_period)
    wall, cpu, found = [], [], None
    for _ in range(repeats):
        a, b = time.perf_counter(), time.process_time()
        found = run_whole_line(case, line, START, run)
        wall.append(time.perf_counter() - a)
        cpu.append(time.process_time() - b)
    simulated = run * case.steps_per_period * case.time_step
    return min(wall) / simulated, min(cpu) / simulated, found


@pytest.mark.benchmark
@pytest.mark.parametrize(("dimension", "reach"), [("planar", "<= 0.06 s"), ("spatial", "<= 0.3 s")])
def test_window_per_simulated_second(bruni, figure, dimension, reach):
    """The window as long as the 20-span line; its error against the whole line is bench_transient's."""
    settings = {"spans": 20, "spans_evaluated": 10, "spans_behind": 14, "spans_ahead": 17}
    case = bruni(SPEED, FORCE, f"dimension={dimension}", solver="transient", transient=settings)
    solve_transient(case)
    spent, cpu = [], []
    for _ in range(7):
        began = time.process_time()
        solution = solve_transient(case)
        cpu.append(time.process_time() - began)
        spent.append(solution.wall_time_s["dynamics"])
        simulated = solution.time[-1]
    figure(
        f"window 14 + 17, {dimension}, 20 spans, {SPEED} km/h, 1 ms: per simulated second",
        f"{min(spent) / simulated:.3f} s (best of 7), CPU {min(cpu) / simulated:.3f} s",
        reach,
    )


@pytest.mark.benchmark
@pytest.mark.parametrize("kind", KINDS)
def test_whole_line_per_simulated_second(bruni, figure, kind):
    case = bruni(SPEED, FORCE, "solver=open_line", *KINDS[kind])
    wall, cpu, run = _seconds(case, 20)
    figure(
        f"whole line of 20 spans, {kind}, 6 elements a bay, 1 ms: per simulated second",
        f"{wall:.2f} s, CPU {cpu:.2f} s; {run.iterations_mean:.1f} corrections a step",
        "<= 3 s" if kind == "spatial, non-linear" else "",
    )


@pytest.mark.benchmark
@pytest.mark.parametrize("kinematics", ["linearised", "nonlinear"])
def test_two_pantographs(bruni, figure, kinematics):
    base = (FORCE, "solver=open_line", "dimension=spatial", f"kinematics={kinematics}")
    one, two = (
        _seconds(bruni(SPEED, *base, *more), 20)[1]
        for more in ((), ("trailing.distances_m=[100]", "open_line.spans=20"))
    )
    figure(f"two pantographs against one, spatial, {kinematics}", f"{two / one:.2f} times", "<= 1.2 times")


@pytest.mark.benchmark
def test_growth_of_a_transient_with_its_spans(bruni, figure):
    """The window has one length, whatever the way."""
    spans, cpu = np.array([10, 20, 40, 80]), []
    for n in spans:
        settings = {"spans": int(n), "spans_evaluated": 5, "spans_behind": 14, "spans_ahead": 17}
        case = bruni(SPEED, FORCE, solver="transient", transient=settings)
        solve_transient(case)
        began = time.process_time()
        solve_transient(case)
        cpu.append(time.process_time() - began)
    exponent = np.polyfit(np.log(spans), np.log(cpu), 1)[0]
    figure(
        "cost of a transient (window) over 10, 20, 40, 80 spans",
        f"{', '.join(f'{t:.2f}' for t in cpu)} s CPU: exponent {exponent:.2f}",
        "<= 1.1",
    )


@pytest.mark.benchmark
def test_growth_with_the_line(bruni, figure):
    case = bruni(SPEED, FORCE, "solver=open_line")
    spans = np.array([10, 20, 40, 80])
    cpu = np.array([_seconds(case, int(n), run=1.0)[1] for n in spans])
    exponent = np.polyfit(np.log(spans), np.log(cpu), 1)[0]
    figure(
        "cost of a simulated second on whole lines of 10, 20, 40, 80 spans (planar, linearised)",
        f"{', '.join(f'{t:.2f}' for t in cpu)} s CPU: exponent {exponent:.2f}",
        "<= 1.1",
    )


@pytest.mark.benchmark
def test_memory_with_all_histories(bruni, figure):
    """Peak of this process, the 20 spans run in space with shapes and 100 nodes kept at every step."""
    stations = ",".join(f"{x:.1f}" for x in np.linspace(5.0, 1090.0, 50))
    keep = (
        f"histories.contact_wire_m=[{stations}]",
        f"histories.messenger_wire_m=[{stations}]",
        "histories.animation=true",
    )
    case = bruni(
        SPEED,
        FORCE,
        "dimension=spatial",
        "solver=open_line",
        "open_line.spans=20",
        "histories.frames_per_second=200",
        *keep,
    )
    line = prepare_line(case, open_line_equilibrium(case.catenary, 20))
    run = run_whole_line(case, line, START, 17.0).histories
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    assert run.frames is not None
    figure(
        f"peak memory, 20 spans in space, {len(run.time)} steps, 100 nodes, {len(run.frames.time)} shapes",
        f"{peak:.2f} GiB",
        "<= 1 GiB",
    )
