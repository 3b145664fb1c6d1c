"""Lines on curves and in wind: open lines with a rolling head, steady state on a curve, records of gusts."""

import time

import numpy as np
import pytest

from catenary.form_finding.equilibrium import open_line_equilibrium
from catenary.spec.surroundings.wind import TurbulenceSpec
from dynamics.open_line.run import prepare_line, run_whole_line
from dynamics.steady_state.periodic import solve_periodic
from dynamics.wind.gusts import gust_record
from studies.commands.optimise import compose as compose_campaign

ON_CURVE = (
    "dimension=spatial",
    "catenary.track.radius=3000",
    "catenary.track.cant=0.1",
    "pantograph.head={roll_inertia:1.5,roll_stiffness:1750,roll_damping:5,friction:0.1,shaft_depth:0.1}",
)
STRIPS = ("+pantograph.head.suspension={strip_mass:1.5,stiffness:1e4,damping:20,pitch_inertia:0.15}",)
HEADS = {"head that rolls": (), "head that rolls and pitches, two strips on springs": STRIPS}
BY_BAY = ("catenary.mesh.elements_per_bay=6", "catenary.mesh.largest_element_length=60")
KINDS = {
    "linearised": ((), "<= 0.6 s"),
    "with contact in space, large deformation": (("kinematics=nonlinear", "contact.space.friction=0.1"), "<= 6 s"),
}
RUN = 3.0  # spans


@pytest.mark.benchmark
@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("kind", KINDS)
def test_open_line_on_a_curve(bruni, figure, kind, head):
    more, reach = KINDS[kind]
    case = bruni(320, "applied_force_N=182.17", "solver=open_line", *ON_CURVE, *HEADS[head], *BY_BAY, *more)
    line = prepare_line(case, open_line_equilibrium(case.catenary, 20))
    run_whole_line(case, line, 2.0, 2.0 / case.steps_per_period)
    wall, cpu = [], []
    for _ in range(3):
        a, b = time.perf_counter(), time.process_time()
        run_whole_line(case, line, 2.0, RUN)
        wall.append(time.perf_counter() - a)
        cpu.append(time.process_time() - b)
    simulated = RUN * case.steps_per_period * case.time_step
    figure(
        f"20 spans on R 3000 m, {head}, {kind}, 6 elements a bay, 1 ms: per simulated second",
        f"{min(wall) / simulated:.2f} s, CPU {min(cpu) / simulated:.2f} s",
        reach,
    )


@pytest.mark.benchmark
@pytest.mark.parametrize("head", HEADS)
def test_steady_state_on_a_curve(bruni, figure, head):
    settings = compose_campaign([]).job.periodic.model_dump()
    case = bruni(320, *ON_CURVE, *HEADS[head], *BY_BAY, dt=2e-3, periodic=settings)
    solve_periodic(case)
    wall, cpu, found = [], [], None
    for _ in range(3):
        a, b = time.perf_counter(), time.process_time()
        found = solve_periodic(case)
        wall.append(time.perf_counter() - a)
        cpu.append(time.process_time() - b)
    assert found is not None and found.statistics is not None, found
    figure(
        f"steady state on R 3000 m from rest, {head}, {found.spans_marched} spans, 2 ms",
        f"{min(wall):.3f} s, CPU {min(cpu):.3f} s; {found.status.value}",
        "<= 0.4 s",
    )


@pytest.mark.benchmark
def test_gust_record(figure, timed):
    own, stations = TurbulenceSpec(intensity=0.15), np.arange(0.0, 1100.1, 5.0)
    record, timing = timed(lambda: gust_record(own, 25.0, stations, 60.0))
    figure(f"gusts of 60 s at {len(stations)} stations over 20 spans, {len(record.speed)} samples", timing, "<= 2 s")
