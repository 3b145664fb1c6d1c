"""Lines in space, c350, large deformation and the loop with slack against formulations that share no code with them."""

import numpy as np
import pytest
from beam_network import BeamNetwork
from second_methods import low_passed, passing_force, rest_figures, span_of, steady_force
from test_beam_network import quadrature

from catenary.form_finding.equilibrium import open_line_equilibrium, periodic_equilibrium
from catenary.linearised.contact_wire import static_height
from dynamics.open_line.run import prepare_line, run_whole_line
from dynamics.rig.loop.device import lumped_device
from dynamics.rig.loop.model import model_of
from dynamics.rig.loop.spec import LoopSettings
from dynamics.rig.loop.status import LoopStatus
from dynamics.rig.loop.steady import solve_steady
from dynamics.solution import solve
from dynamics.spec.status import Status
from studies.validation.cases import case_from
from studies.validation.gates.gates import load_gates
from studies.validation.second_methods import at_rest

SPANS = 4


@pytest.mark.parametrize("dimension", ["planar", "spatial"])
@pytest.mark.parametrize("name", ["bruni_2015", "c350"])
def test_a_line_hangs_as_its_bars_do(build_line, name, dimension):
    """The program's error falls with the square of its mesh and is small on the finer one; the bars' is smaller yet."""
    spec = build_line(name, dimension=dimension)
    bars, finer = (rest_figures(spec, SPANS, size) for size in (0.25, 0.125))
    errors = []
    for elements in (12, 24):
        eq = open_line_equilibrium(build_line(name, elements, dimension=dimension), SPANS)
        found = {key: np.array([at_rest(eq, key, k) for k in range(len(finer[key]))]) for key in finer}
        errors.append({key: np.abs(found[key] - finer[key]).max() for key in finer})
    for key, fine in errors[1].items():
        assert np.abs(bars[key] - finer[key]).max() < max(0.6 * fine, 0.02)
        assert fine < max(0.4 * errors[0][key], 1e-6)
    assert errors[1]["dropper_force_N"] < 0.06 and errors[1]["arm_force_N"] < 0.06
    assert errors[1]["arm_side_force_N"] < 0.06 and errors[1]["dropper_cut_length_mm"] < 0.8


def test_a_steady_arms_side_force_is_the_turn_of_the_wire_in_plan(build_line):
    """Tension times the change of the wire's direction from the bay before a support to the bay behind it."""
    spec = build_line(elements_per_bay=24, dimension="spatial")
    eq = open_line_equilibrium(spec, SPANS)
    wire = np.flatnonzero(eq.mesh.node_wire == 0)
    for k in range(1, SPANS):
        x, reach = k * spec.span_length, 0.5 * spec.droppers.positions[0]
        # the middle of a bay lies beyond the layers in which bending turns the wire
        before, behind = (wire[np.abs(eq.q[wire, 0] - at).argmin()] for at in (x - reach, x + reach))
        slope = eq.q[:, 4] / eq.q[:, 3]
        turn = spec.contact_wire.tension * (slope[behind] - slope[before])
        assert eq.steady_arm_side_force[k] == pytest.approx(-turn, rel=1e-3)


def test_a_line_in_space_tends_to_the_plane_without_stagger(build_line, build_case):
    """An arm that then pulls upright is as stiff there as its bar; nothing else is left that could move sideways."""
    bar = {"length": 3.0, "axial_stiffness": 1.0e3}
    supports = {
        "planar": {"steady_arm_stiffness": bar["axial_stiffness"] / bar["length"]},
        "spatial": {"steady_arm": bar, "stagger": 1.0e-4},
    }
    forces = {}
    for dimension, support in supports.items():
        case = build_case(
            build_line(dimension=dimension, support=support), 320.0, solver="open_line", applied_force_N=182.0
        )
        line = prepare_line(case, open_line_equilibrium(case.catenary, SPANS))
        forces[dimension] = run_whole_line(case, line, 1.0, 2.0).histories.contact_force[:, 0]
    plane, space = (low_passed(force, case.time_step) for force in forces.values())
    assert space.std() == pytest.approx(plane.std(), rel=1e-3)
    np.testing.assert_allclose(space, plane, rtol=0, atol=1e-2 * plane.std())


def rows_by(method):
    return [row for row in load_gates().second_methods.in_motion if row.method == method]


def on_bars(case, size):
    """Time [s], force below 20 Hz [N], which samples count, and figures of a case on bars of one size."""
    run = case.open_line
    end = run.last_evaluated + run.spans_after
    time, force, lift = passing_force(case, run.spans, run.start, end, size)
    force = low_passed(force, time[1] - time[0])
    return time, force, span_of(time, case, run.start, run.first_evaluated, run.last_evaluated), lift


def test_large_deformation_in_space_presses_as_bars_do(build_line):
    """Differences: 0.7 N RMS of 43 N to bars of 0.5 m, 0.4 N to bars of 0.25 m; linearised 4.5 N.

    600 N at 200 km/h: 0.2 m of uplift at supports, two droppers of three slack for a while.
    """
    (row,) = [row for row in rows_by("bars") if row.quantity == "max_uplift_at_supports_mm"]
    case = case_from([*row.overrides, "dt=1.0e-3"])
    time, bars, inside, lift = on_bars(case, 0.5)
    whole = time < time[-1] * 0.98  # the filter's end
    found = {}
    for kinematics in ("nonlinear", "linearised"):
        run = solve(case.model_copy(update={"kinematics": kinematics}))
        force = low_passed(run.pantographs[0].contact_force, case.time_step)
        there = np.interp(time, run.time, force)
        found[kinematics] = (
            np.sqrt(np.mean((there - bars)[whole] ** 2)),
            there[inside].std() / bars[inside].std(),
            run.statistics.max_uplift_at_supports_mm,
        )
    rms, ratio, uplift = found["nonlinear"]
    assert rms < 1.3 and ratio == pytest.approx(1.0, abs=0.01)
    evaluated = lift[case.open_line.first_evaluated - 1 : case.open_line.last_evaluated + 1]
    assert uplift == pytest.approx(1e3 * evaluated.max(), rel=5e-3)
    assert found["linearised"][0] > 3.0 and found["linearised"][2] < 0.985 * uplift


@pytest.mark.validate
@pytest.mark.parametrize("row", rows_by("bars"), ids=lambda row: row.case)
def test_the_gates_hold_what_bars_give(row):
    case = case_from(row.overrides)
    _, force, inside, lift = on_bars(case, 0.25)
    rise = 1e3 * lift[case.open_line.first_evaluated - 1 : case.open_line.last_evaluated + 1].max()
    found = {"contact_force_std_N": force[inside].std(), "max_uplift_at_supports_mm": rise}[row.quantity]
    assert row.expected == pytest.approx(found, rel=1e-3)


def test_the_gates_hold_the_forms_of_bars():
    gate, made = load_gates().second_methods, {}
    for row in gate.at_rest:
        key = (row.catenary, row.dimension)
        if key not in made:
            typed = [f"catenary={row.catenary}", "pantograph=bruni_2015", f"dimension={row.dimension}"]
            made[key] = rest_figures(case_from(typed).catenary, gate.spans)
        assert row.expected == pytest.approx(made[key][row.quantity][row.at], abs=0.1 * row.tolerance)


def test_the_loops_state_with_slack_is_that_of_the_march(influence):
    """Influence matrices and a complementarity against a window that marches: in common the cell and the step.

    Measured: 0.07 N at any step, 0.03 N below 20 Hz. The march notes the ends of steps, the loop their beginnings.
    """
    case = influence.case
    assert case.contact.stiffness == 50.0e3
    march, model = solve(case), model_of(influence)
    device = lumped_device(case.pantograph, case.applied_force_N, case.contact.stiffness, case.time_step)
    state, taut = (solve_steady(model, device, LoopSettings(slack=slack)) for slack in (True, False))
    assert march.status is Status.OK and state.status is LoopStatus.OK and (state.correction_force > 0.0).sum() > 100
    np.testing.assert_allclose(np.roll(state.contact_force, -1), march.contact_force, rtol=0, atol=0.2)
    assert np.abs(taut.contact_force - state.contact_force).max() > 20.0


@pytest.mark.validate
def test_the_gates_hold_what_bars_give_for_the_loop():
    """Three spans of a passage along bars, far from where it began and from the line's end; sigma of their squares."""
    (row,) = load_gates().second_methods.loop
    case, spans = case_from(row.overrides), 14
    time, force, _ = passing_force(case, spans, 1, 10.5, 0.25)
    force = low_passed(force, time[1] - time[0])
    sigma = [force[span_of(time, case, 1, k, k)].std() for k in (8, 9, 10)]
    assert row.expected == pytest.approx(np.sqrt(np.mean(np.square(sigma))), rel=2e-3)


@pytest.mark.validate
def test_the_gates_hold_what_exact_beams_give():
    (row,) = rows_by("exact beams")
    case = case_from(row.overrides)
    eq = periodic_equilibrium(case.catenary)
    height = static_height(eq, np.arange(1024) / 1024 * case.catenary.period)
    network = BeamNetwork(eq, case.speed, case.time_step)
    force = steady_force(network, case, height, 48, quadrature(800.0, 1.01, 0.01))
    assert row.expected == pytest.approx(force.std(), rel=1e-3)
