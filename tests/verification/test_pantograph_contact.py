"""Contact of the pantograph: a train that creeps against statics, and contact that is lost and found again."""

import numpy as np
import pytest

from catenary.cell import vertical_cell
from catenary.contact_wire import static_height
from catenary.elasticity import static_elasticity
from catenary.equilibrium import periodic_equilibrium
from dynamics.pantograph.lumped import pantograph_matrices
from dynamics.periodic import solve_periodic
from dynamics.status import Status
from dynamics.travel import TravellingWindow

APPLIED = 60.0


def march(case, spans):
    window = TravellingWindow(case, vertical_cell(periodic_equilibrium(case.catenary)), 4, 4)
    state, _ = window.static_start()
    records = []
    for span in range(spans):
        if span:
            window.shift(state)
        records.append(window.march(state))
    return records


def test_a_creeping_pantograph_presses_as_in_statics(build_line, build_case):
    """At 5 km/h the force is that of springs in series: pantograph, contact, wire at rest.

    (1/kc + p + c(x)) f = a (F - C z') - z0(x), with the head's compliance p, its rise a per applied force and the
    wire's elasticity c; C is the damper to the base. The train runs at 0.01 of the wave speed; what is left is a
    ripple of the lightly damped line at the droppers.
    """
    line = build_line(damping={"alpha": 0.5})
    case = build_case(line, 5.0, applied_force_N=APPLIED)
    record = march(case, 2)[-1]
    n = case.steps_per_period
    at = np.arange(n // 20, n, n // 20)
    x = (at + 1) * line.span_length / n
    flexibility = np.linalg.inv(pantograph_matrices(case.pantograph)[2])
    in_series = 1.0 / case.contact.stiffness + flexibility[0, 0]
    in_series = in_series + static_elasticity(periodic_equilibrium(line), x, APPLIED)
    pushed = APPLIED - case.pantograph.dampings[-1] * np.gradient(record.head, case.time_step)[at]
    expected = (flexibility[0, -1] * pushed - static_height(periodic_equilibrium(line), x)) / in_series
    np.testing.assert_allclose(record.force[at], expected, rtol=0, atol=0.2)


def test_force_is_the_contact_spring_between_head_and_wire(build_case):
    case = build_case("bruni_2015", 320.0, applied_force_N=182.17)
    record = march(case, 3)[-1]
    pressed = case.contact.stiffness * np.maximum(0.0, record.head - record.height)
    np.testing.assert_allclose(record.force, pressed, rtol=0, atol=1e-6)


def test_contact_is_lost_and_found_again(build_case):
    """A pantograph that presses far too lightly leaves the wire; the wire never pulls it down."""
    solution = solve_periodic(build_case("bruni_2015", 320.0, applied_force_N=90.0))
    assert solution.status is Status.OK, solution.message
    force = solution.contact_force
    lost = force == 0.0
    assert force.min() == 0.0
    assert 0.01 < lost.mean() < 0.5
    assert np.diff(lost.astype(int)).min() == -1
    assert solution.statistics is not None
    assert solution.statistics.contact_loss_percent == pytest.approx(100 * lost.mean())
