"""Rayleigh damping by component: the parts of the line add up to the line, and who cannot take them refuses."""

import numpy as np
import pytest

from catenary.errors import InputError
from catenary.form_finding.equilibrium import open_line_equilibrium, periodic_equilibrium
from catenary.linearised.cell import vertical_cell
from catenary.linearised.open_line import linearise
from dynamics.contact_force.statistics import filter_force
from dynamics.influence.matrices import influence_matrices
from dynamics.open_line.solve import solve_open_line
from dynamics.rig.loop.device import lumped_device
from dynamics.rig.loop.model import model_of
from dynamics.rig.loop.spec import LoopSettings
from dynamics.rig.loop.steady import solve_steady
from dynamics.solution import solve
from dynamics.spec.status import Status
from dynamics.steady_state import by_operator
from dynamics.travelling_window.setup import build_window

ALPHA, BETA = 0.3, 2.0e-3
FACTORS = {"alpha": ALPHA, "beta": BETA}
OPERATOR = {"method": "operator"}
WIRES = {"contact_wire": {"alpha": 0.3, "beta": 1e-4}, "messenger_wire": {"alpha": 0.8, "beta": 1e-4},
         "steady_arms": {"alpha": 1.0, "beta": 1e-3}}  # fmt: skip
COMPONENTS = {
    "bruni_2015": ("contact_wire", "messenger_wire", "droppers", "steady_arms"),
    "re330": ("contact_wire", "messenger_wire", "stitch", "droppers", "steady_arms"),
}


def damping_matrix(line, spans=3):
    return linearise(open_line_equilibrium(line, spans)).damping


def largest(matrix):
    return float(np.abs(matrix.data).max()) if matrix.nnz else 0.0


@pytest.mark.parametrize("name", COMPONENTS)
def test_components_add_up_to_the_whole_line(build_line, name):
    # every component named, the global factors at zero, against one global pair: a part counted twice or left out shows
    one = damping_matrix(build_line(name, damping=FACTORS))
    named = dict.fromkeys(COMPONENTS[name], FACTORS)
    parts = damping_matrix(build_line(name, damping={"alpha": 0.0, "beta": 0.0, **named}))
    assert largest(one - parts) < 1e-12 * largest(one)


@pytest.mark.parametrize("name", COMPONENTS)
def test_a_component_of_its_own_changes_that_component_alone(build_line, name):
    none = {"alpha": 0.0, "beta": 0.0}
    bare = damping_matrix(build_line(name, damping=none))
    total = bare
    for component in COMPONENTS[name]:
        change = damping_matrix(build_line(name, damping={**none, component: FACTORS})) - bare
        assert largest(change) > 0.0, component
        total = total + change
    assert largest(total - damping_matrix(build_line(name, damping=FACTORS))) < 1e-12 * largest(total)


def test_damping_of_droppers_is_a_dashpot_along_each_of_them(build_line):
    line = build_line(damping={"alpha": 0.0, "beta": 0.0, "droppers": {"alpha": 0.0, "beta": BETA}})
    model = linearise(open_line_equilibrium(line, 3))
    stretch = model.dropper.toarray()
    support = line.support.messenger_damping
    dashpots = BETA * line.droppers.stiffness * stretch @ stretch.T
    vertical = np.flatnonzero(np.abs(stretch).sum(axis=1))
    inside = np.ix_(vertical, vertical)
    assert model.damping.toarray()[inside] == pytest.approx(dashpots[inside], abs=1e-9 * support)


def test_who_takes_one_pair_for_all_refuses_in_one_sentence(build_line, build_case):
    line = build_line(damping={"droppers": FACTORS})
    sentence = "catenary.damping must be one alpha and one beta for the whole line"
    marched = {
        "transient": {"solver": "transient"},
        r"periodic with periodic.method=march \(operator takes them\)": {"periodic": {"method": "march"}},
        "periodic, which marches slack_damping=released": {"periodic": OPERATOR, "slack_damping": "released"},
    }
    for solver, change in marched.items():
        with pytest.raises(ValueError, match=f"{sentence} in solver={solver}: got factors of their own for droppers"):
            build_case(line, 275.0, applied_force_N=150.0, **change)
    case = build_case(line, 275.0, applied_force_N=150.0, periodic=OPERATOR)
    cell = vertical_cell(periodic_equilibrium(line))
    with pytest.raises(InputError, match=sentence):
        build_window(cell, case.time_step, case.steps_per_period)


def test_a_line_without_a_stitch_wire_has_no_damping_of_it(build_line):
    with pytest.raises(ValueError, match=r"damping\.stitch must not be given"):
        build_line(damping={"stitch": FACTORS})


def test_the_march_of_an_open_line_feels_the_droppers_own_damping(build_line, build_case):
    """Named with the factors that all have, nothing changes (to rounding); ten times those move the force."""
    short = {"spans": 6, "start": 0.5, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}

    def sigma(**damping):
        line = build_line(damping=damping)
        case = build_case(line, 275.0, applied_force_N=150.0, solver="open_line", open_line=short)
        return solve_open_line(case).statistics.contact_force_std_N

    one, same = sigma(), sigma(droppers={"alpha": 0.0125, "beta": 1.0e-4})
    assert same == pytest.approx(one, rel=1e-9)
    assert abs(sigma(droppers={"alpha": 0.0125, "beta": 1.0e-3}) / one - 1.0) > 2e-3


@pytest.fixture(scope="module")
def by_component(build_line, build_case):
    """Case whose wires, stitch, droppers and arms have damping of their own, each far from the others'."""
    own = {"contact_wire": {"alpha": 0.3, "beta": 2e-5}, "messenger_wire": {"alpha": 0.8, "beta": 1e-4},
           "stitch": {"alpha": 0.0, "beta": 1e-3}, "droppers": {"alpha": 0.6, "beta": 2e-3},
           "steady_arms": {"alpha": 1.0, "beta": 1e-3}}  # fmt: skip
    line = build_line("re330", mesh={"largest_element_length": 0.25}, damping=own)
    return build_case(line, 250.0, mean_force_N=130.0, dt=5.0e-4, periodic=OPERATOR)


def test_the_operator_has_the_steady_state_of_a_long_open_line(by_component):
    """Both with damping by component; the pair of all for every component is far off both."""
    found = solve(by_component)
    assert found.method == "operator"
    ends = {"spans": 16, "first_evaluated": 9, "last_evaluated": 10, "spans_after": 3, "ends": "absorbing"}
    applied = {"mean_force_N": None, "applied_force_N": float(found.applied_force_N)}
    long = solve(by_component.with_changes(solver="open_line", open_line=ends, **applied))
    sigma, wanted = (each.statistics.contact_force_std_N for each in (found, long))
    assert sigma == pytest.approx(wanted, rel=2e-3)
    assert found.statistics.contact_force_max_N == pytest.approx(long.statistics.contact_force_max_N, abs=0.4)
    rest = dict.fromkeys(COMPONENTS["re330"])
    one = solve(by_component.with_changes(catenary={"damping": rest}))
    assert abs(one.statistics.contact_force_std_N / wanted - 1.0) > 0.02


def test_every_component_named_with_one_pair_is_the_pair(build_line, build_case):
    sigmas = []
    for named in ((), COMPONENTS["re330"]):
        line = build_line("re330", damping={**FACTORS, **dict.fromkeys(named, FACTORS)})
        case = build_case(line, 300.0, mean_force_N=157.3, periodic=OPERATOR)
        sigmas.append(solve(case).statistics.contact_force_std_N)
    assert sigmas[0] == pytest.approx(sigmas[1], rel=1e-9)


def test_a_steady_state_that_only_a_march_would_find_is_not_solved_and_says_so(by_component, monkeypatch):
    monkeypatch.setattr(by_operator, "find_poles", lambda *line: None)
    found = solve(by_component)
    assert found.status is Status.NOT_SOLVED and found.statistics is None
    assert found.message.startswith("poles of the line that could not be counted (solver=open_line")
    assert found.method == "operator", "nothing was marched"


def test_a_period_of_more_spans_than_are_solved_else_has_the_state_of_one(build_line, build_case):
    """No march can be in its place."""
    sigmas, damping = [], WIRES | {"droppers": {"alpha": 0.6, "beta": 2e-3}}
    for repeat in (None, {"spans": 3}):
        line = build_line(damping=damping, repeat=repeat)
        found = solve(build_case(line, 260.0, mean_force_N=130.0, periodic=OPERATOR))
        assert found.method == "operator"
        sigmas.append(found.statistics.contact_force_std_N)
    assert sigmas[0] == pytest.approx(sigmas[1], rel=1e-3)
    with pytest.raises(ValueError, match="which marches a period of more than 8 spans: got factors of their own"):
        build_case(build_line(damping=damping, repeat={"spans": 9}), 260.0, mean_force_N=130.0, periodic=OPERATOR)


def test_influence_matrices_have_the_damping_of_every_component(build_line, build_case):
    """Filtered contact force by the matrices in steps of 2 and 1 ms, extrapolated, against the operator's."""
    line = build_line(mesh={"largest_element_length": 0.6}, damping=WIRES | {"droppers": {"alpha": 0.6, "beta": 2e-3}})
    case = build_case(line, 260.0, mean_force_N=130.0, periodic=OPERATOR)
    found, sigma = solve(case), []
    for dt in (2e-3, 1e-3):
        stepped = case.with_changes(dt=dt)
        device = lumped_device(case.pantograph, float(found.applied_force_N), case.contact.stiffness, stepped.time_step)
        force = solve_steady(model_of(influence_matrices(stepped)), device, LoopSettings()).contact_force
        sigma.append(filter_force(force, stepped.time_step, case.signal, periodic=True).whole.std())
    wanted = found.statistics.contact_force_std_N
    assert sigma[1] + (sigma[1] - sigma[0]) / 3.0 == pytest.approx(wanted, rel=3e-3)
    alike = solve(case.with_changes(catenary={"damping": dict.fromkeys(COMPONENTS["bruni_2015"])}))
    assert abs(alike.statistics.contact_force_std_N / wanted - 1.0) > 0.1


@pytest.mark.parametrize(("line", "speed"), [("bruni_2015", 280.0), ("re330", 160.0)])
def test_wires_that_travel_along_the_track_slowly_move_nothing(build_line, build_case, line, speed):
    """They have a pole next to 0, the farther from it the more a wire is damped: with that alone means are far off.

    The applied force is that of tensions that stay constant, but for what they change.
    """
    by_weak_spring, applied = build_case("bruni_2015", speed, mean_force_N=150.0).pantograph, []
    for alpha, tension in ((10.0, "coupled"), (10.0, "constant"), (1.0, "coupled")):
        damping = {"messenger_wire": {"alpha": alpha, "beta": 1e-4}, "contact_wire": {"alpha": 1e-3, "beta": 1e-4}}
        wires = build_line(line, damping=damping, tension_in_motion=tension)
        case = build_case(wires, speed, mean_force_N=150.0, pantograph=by_weak_spring, periodic=OPERATOR)
        applied.append(float(solve(case).applied_force_N))
    assert applied[0] == pytest.approx(applied[1], abs=0.5)
    assert applied[0] != pytest.approx(applied[2], abs=0.05), "the damping counts"


def test_wires_without_beta_have_their_poles_counted(build_line, build_case):
    """The secant rule leads to the wires' rest, at 0, too, which moves nothing and counts for nothing."""
    wires = {name: {**factors, "beta": 0.0} for name, factors in WIRES.items() if name != "steady_arms"}
    damping = wires | {"droppers": {"alpha": 0.6, "beta": 2e-3}, "steady_arms": WIRES["steady_arms"]}
    case = build_case("bruni_2015", 260.0, mean_force_N=130.0, periodic=OPERATOR)
    found = solve(case.with_changes(catenary={"damping": damping}))
    assert found.status is Status.OK and found.method == "operator"
