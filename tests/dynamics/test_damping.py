"""Rayleigh damping by component: the parts of the line add up to the line, and who cannot take them refuses."""

import numpy as np
import pytest

from catenary.errors import InputError
from catenary.form_finding.equilibrium import open_line_equilibrium, periodic_equilibrium
from catenary.linearised.cell import vertical_cell
from catenary.linearised.open_line import linearise
from dynamics.influence.matrices import influence_matrices
from dynamics.open_line.solve import solve_open_line
from dynamics.travelling_window.setup import build_window

ALPHA, BETA = 0.3, 2.0e-3
FACTORS = {"alpha": ALPHA, "beta": BETA}
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
    for solver in ("periodic", "transient"):
        with pytest.raises(ValueError, match=f"{sentence} in solver={solver}: got factors of their own for droppers"):
            build_case(line, 275.0, applied_force_N=150.0, solver=solver)
    case = build_case(line, 275.0, applied_force_N=150.0, solver="open_line")
    cell = vertical_cell(periodic_equilibrium(line))
    with pytest.raises(InputError, match=sentence):
        build_window(cell, case.time_step, case.steps_per_period)
    with pytest.raises(InputError, match=sentence):
        influence_matrices(case)


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
