"""Large deformation without a reference run: a hanging cable swings with a chain's period and keeps its energy."""

import numpy as np
import pytest
from cable_pendulum import GRAVITY, Pendulum

from catenary.form_finding.equilibrium import open_line_equilibrium
from dynamics.open_line.build import build_pantographs, build_system
from dynamics.open_line.integrators import Request
from dynamics.open_line.run import prepare_line

LENGTH, RHO, ANGLE = 10.0, 1.0, np.radians(90.0)


@pytest.fixture
def of_line(build_line, build_case):
    """System of a short line, whose wires the pendulum takes the place of."""
    case = build_case(
        build_line(elements_per_bay=2), 200.0, solver="open_line", kinematics="nonlinear", applied_force_N=100.0
    )
    line = prepare_line(case, open_line_equilibrium(case.catenary, 3))
    return build_system(case, line, build_pantographs(case, 0.0))


def test_small_swings_have_the_period_of_a_hanging_chain(of_line):
    """It was 0.004 % longer, by the stretch under its weight (0.01 % at the pin)."""
    cable, dt, size = Pendulum(LENGTH, 8, 1.0e6, 0.02, RHO), 5.0e-3, 0.02
    u, v = cable.swing(
        of_line, cable.first_mode(size), Request(dt, tolerance=1e-12), round(1.1 * cable.period / dt), "newmark"
    )
    x = u[:, -4]  # of the free end
    before = np.flatnonzero(np.diff(np.sign(x)))
    through = (before + 1.0 + x[before] / (x[before] - x[before + 1])) * dt
    assert 2.0 * np.diff(through) == pytest.approx([cable.period], rel=1e-4)
    assert x.min() == pytest.approx(-size, rel=1e-3) and x[-1] > 0.9 * size * np.cos(0.2 * np.pi)
    energy = [cable.energy(*at) for at in zip(u[::20], v[::20], strict=True)]
    assert np.ptp(energy) < 1e-5 * energy[0]


def drift(of_line, integrator, dt):
    """Largest relative change of energy over 1.5 s of a swing from level, and where the end then is [m]."""
    cable = Pendulum(LENGTH, 8, 2.0e4, 0.5, RHO)
    start = cable.turned(ANGLE)
    held = cable.energy(start, 0.0 * start)
    sunk = 0.5 * LENGTH + RHO * GRAVITY * LENGTH**2 / (3.0 * cable.EA[0])  # centre of mass of a stretched cable
    assert held == pytest.approx(RHO * LENGTH * GRAVITY * sunk * (1.0 - np.cos(ANGLE)), rel=1e-4)
    request = Request(dt, tolerance=1e-12, substep=dt if integrator == "rk4" else None)
    u, v = cable.swing(of_line, start, request, round(1.5 / dt), integrator)
    energy = np.array([cable.energy(*at) for at in zip(u[::4], v[::4], strict=True)])
    kinetic = [0.5 * rate @ (cable.mass @ rate) for rate in v[::4]]
    assert max(kinetic) > 0.9 * held, "it has swung through"
    return float(np.abs(energy / held - 1.0).max()), u[-1, -4:-2]


@pytest.mark.parametrize(("integrator", "most", "order"), [("newmark", 6e-5, 2), ("hht", 8e-5, 2), ("rk4", 8e-7, 4)])
def test_energy_drifts_with_the_order_of_the_step(of_line, integrator, most, order):
    """Drifts at 1 ms: 3.9e-5, 5.1e-5, 4.9e-7; at half of it 3.9, 4.1, 31 times less: Runge-Kutta damps with dt^5."""
    (coarse, _), (fine, _) = (drift(of_line, integrator, dt) for dt in (1.0e-3, 0.5e-3))
    assert fine < coarse < most
    assert coarse / fine > 0.9 * 2.0**order
    if order == 2:
        assert coarse / fine < 1.25 * 2.0**order


def test_integrators_end_the_swing_in_one_place(of_line):
    places = [drift(of_line, integrator, 0.5e-3)[1] for integrator in ("newmark", "hht", "rk4")]
    np.testing.assert_allclose(places[:2], [places[2]] * 2, rtol=0, atol=6e-4)
