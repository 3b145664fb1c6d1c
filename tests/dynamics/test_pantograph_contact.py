"""Contact of the pantograph: a train that creeps against statics, and contact that is lost and found again."""

import numpy as np
import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.linearised.cell import vertical_cell
from catenary.linearised.contact_wire import static_height
from catenary.linearised.elasticity import static_elasticity
from dynamics.open_line.solve import solve_open_line
from dynamics.pantograph.lumped import chain_matrix, pantograph_matrices, pressed_at_rest
from dynamics.pantograph.strips import Touching, strips_of_one_contact
from dynamics.spec.case import PantographSpec
from dynamics.spec.status import Status
from dynamics.steady_state.periodic import solve_periodic
from dynamics.steady_state.transient import solve_transient
from dynamics.travelling_window.window import TravellingWindow

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


def three_masses(to_base):
    springs = (10400.0, 10600.0, to_base)
    return PantographSpec(
        name="three_masses", masses=(6.1, 10.15, 19.05), stiffnesses=springs, dampings=(10.0, 0.0, 65.0)
    )


def trajectory(case):
    return {"periodic": solve_periodic, "transient": solve_transient, "open_line": solve_open_line}[case.solver](case)


@pytest.mark.parametrize(
    ("solver", "held"),
    [
        ("periodic", "mean_force_N"),
        ("periodic", "applied_force_N"),
        ("transient", "mean_force_N"),
        ("open_line", "applied_force_N"),
    ],
)
def test_a_pantograph_without_a_base_spring_presses_with_its_applied_force(build_line, build_case, solver, held):
    """Nothing but the wire holds it up: the mean is the applied force; 0.1 N/m to the base moves next to nothing."""
    line = build_line(elements_per_bay=3, damping={"alpha": 0.1})
    settings = {
        "open_line": {"spans": 10, "first_evaluated": 5, "last_evaluated": 6, "spans_after": 1},
        "transient": {"spans": 40, "spans_evaluated": 10},
    }
    free, sprung = (
        trajectory(build_case(line, 225.0, pantograph=p, solver=solver, **{held: 119.0}, **settings))
        for p in (three_masses(0.0), three_masses(0.1))
    )
    for one in (free, sprung):
        assert one.status is Status.OK, one.message
    assert free.statistics.contact_force_std_N == pytest.approx(sprung.statistics.contact_force_std_N, rel=1e-3)
    if solver != "open_line":  # two spans of a start
        assert free.applied_force_N == pytest.approx(free.statistics.contact_force_mean_N, abs=0.1)


def test_pressed_at_rest_is_what_springs_in_series_give():
    """With a base spring: (1/k_c + c + p) f = a F - z0; without one: f = F, whatever stands above."""
    softness, height = np.array([[4.0e-5]]), np.array([0.012])
    stiffness = chain_matrix((7000.0, 14000.0, 160.0))
    flexibility = np.linalg.inv(stiffness)
    first = np.zeros(1, np.int64)
    applied, own = np.array([[0.0] * 2 + [150.0]]), Touching(first, first, strips_of_one_contact(3))
    z, force = pressed_at_rest(stiffness, softness, height, applied, own)
    expected = (flexibility[0, -1] * 150.0 - 0.012) / (softness[0, 0] + flexibility[0, 0])
    assert force[0] == pytest.approx(expected, rel=1e-12)
    assert z[0, 0] == pytest.approx(0.012 + softness[0, 0] * expected, rel=1e-12)
    z, force = pressed_at_rest(chain_matrix((7000.0, 14000.0, 0.0)), softness, height, applied, own)
    assert force[0] == pytest.approx(150.0, rel=1e-12)
    np.testing.assert_allclose(z[0], 0.012 + 150.0 * (softness[0, 0] + np.array([0, 1 / 7e3, 1 / 7e3 + 1 / 14e3])))


def test_a_chain_that_depends_on_no_spring_is_refused():
    with pytest.raises(ValueError, match=r"stiffnesses\[1\], between mass 2 and mass 3, .* no position at rest"):
        PantographSpec(name="loose", masses=(6.0, 9.0, 19.0), stiffnesses=(1e4, 0.0, 0.0), dampings=(1.0, 1.0, 1.0))
