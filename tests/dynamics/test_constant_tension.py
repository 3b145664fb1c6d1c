"""Wires whose tension does not change in motion: closed forms, and the limit of wires that stretch easily."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import brentq

from catenary.form_finding.equilibrium import open_line_equilibrium, periodic_equilibrium
from catenary.layout.geometry import CONTACT
from catenary.layout.mesh import Z
from catenary.linearised.cell import vertical_cell
from catenary.linearised.open_line import linearise
from catenary.spec.line import CatenarySpec
from dynamics.open_line.solve import solve_open_line
from dynamics.spec.status import Status
from dynamics.steady_state.periodic import solve_periodic

SPAN, AT = 60.0, 0.5
WIRE = {"tension": 8.0e3, "mass_per_length": 1.35, "axial_stiffness": 18.0e6, "bending_stiffness": 1.0}


@pytest.fixture
def sagging(build_line):
    """Function that builds a line with one bay of contact wire that hangs by itself from 0.5 to 59.5 m."""

    def build(tension, formulation="ancf"):
        droppers = {"positions": [AT, SPAN - AT], "contact_wire_heights": [0.0, 0.0]}
        return build_line(
            "bruni_2015", 24, span_length=SPAN, droppers=droppers, contact_wire=WIRE, encumbrance=1.5,
            tension_in_motion=tension, formulation=formulation,
        )  # fmt: skip

    return build


def first_frequencies(mass, stiffness):
    """Lowest natural frequencies [rad/s] of dense matrices."""
    return np.sqrt(eigh(stiffness, mass, eigvals_only=True)[:2])


def bay_nodes(mesh):
    """Nodes inside the long bay, and those at its ends."""
    x, wire = mesh.node_x, mesh.node_wire == CONTACT
    return wire & (x > AT + 1e-6) & (x < SPAN - AT - 1e-6), np.isin(np.arange(len(x)), mesh.dropper_bottom)


def of_open_line(line):
    """Lowest frequencies of the long bay, its ends and all else held."""
    eq = open_line_equilibrium(line, 1)
    model, mesh = linearise(eq), eq.mesh
    inner, ends = bay_nodes(mesh)
    dof = np.unique(np.concatenate([mesh.dof[inner].ravel(), mesh.dof[ends][:, 3:].ravel()]))
    dof = dof[dof >= 0]
    return first_frequencies(model.mass[dof][:, dof].toarray(), model.stiffness[dof][:, dof].toarray())


def of_cell(line):
    """The same of the periodic cell, its bay's tension eliminated."""
    cell = vertical_cell(periodic_equilibrium(line))
    mesh = cell.equilibrium.mesh
    inner, ends = bay_nodes(mesh)
    dof = np.concatenate([cell.dof_of[mesh.dof[inner][:, [Z, 5]]].ravel(), cell.dof_of[mesh.dof[ends][:, 5]]])
    bay = np.flatnonzero(mesh.elem_nodes[mesh.group_elems[:, 0], 0] == mesh.dropper_bottom[0])[0]
    n = cell.tensions[bay]
    K, h = cell.stiffness.own[np.ix_(dof, dof)], cell.stiffness.own[dof, n]
    return first_frequencies(cell.mass.own[np.ix_(dof, dof)], K - np.outer(h, h) / cell.stiffness.own[n, n])


@pytest.mark.parametrize("frequencies", [of_open_line, of_cell])
@pytest.mark.parametrize("formulation", ["ancf", "beam"])
def test_a_wire_of_constant_tension_swings_as_a_string(sagging, frequencies, formulation):
    """omega_n = (n pi / l) sqrt((T + EI (n pi / l)^2) / rho), whatever it sags.

    With tensions coupled the first mode, which stretches the wire, is Irvine's: tan(w/2) = w/2 - (4/lambda^2) (w/2)^3,
    w = omega l sqrt(rho / T), lambda^2 = (q l / T)^2 l EA / (T l_e); the second stretches nothing and stays.
    """
    length, T, rho, EA = SPAN - 2.0 * AT, WIRE["tension"], WIRE["mass_per_length"], WIRE["axial_stiffness"]
    wave = np.array([1, 2]) * np.pi / length
    string = wave * np.sqrt((T + WIRE["bending_stiffness"] * wave**2) / rho)
    np.testing.assert_allclose(frequencies(sagging("constant", formulation)), string, rtol=3e-3)
    sag = rho * 9.81 * length**2 / (8.0 * T)
    slack = 64.0 * (sag / length) ** 2 * EA / (T * (1.0 + 8.0 * (sag / length) ** 2))
    stretched = brentq(lambda x: np.tan(x) - x + 4.0 / slack * x**3, 0.5 * np.pi + 1e-6, 1.4999 * np.pi)
    expected = sorted([2.0 * stretched / length * np.sqrt(T / rho), string[1]])
    coupled = frequencies(sagging("coupled", formulation))
    np.testing.assert_allclose(coupled, expected, rtol=6e-3)
    assert coupled[0] > 1.5 * string[0]


def sigma(case):
    solution = {"periodic": solve_periodic, "open_line": solve_open_line}[case.solver](case)
    assert solution.status is Status.OK, solution.message
    return solution.statistics.contact_force_std_N


@pytest.mark.parametrize("dimension", ["planar", "spatial"])
def test_wires_that_stretch_easily_have_constant_tensions(build_line, build_case, dimension):
    """What the coupling moves goes with EA: several per cent on a stitched line, at a tenth of EA little."""
    window = {"spans_behind": 10, "spans_ahead": 12}

    def moved(ease):
        found = []
        for tension in ("coupled", "constant"):
            line = build_line("re330", 3, dimension=dimension, tension_in_motion=tension)
            content = line.model_dump()
            for wire in ("contact_wire", "messenger_wire", "stitch"):
                content[wire]["axial_stiffness"] /= ease
            line = CatenarySpec.model_validate(content)
            found.append(sigma(build_case(line, 300.0, applied_force_N=157.3, periodic=window)))
        return abs(found[1] / found[0] - 1.0)

    full = moved(1.0)
    assert full > 0.02
    assert moved(10.0) < 0.35 * full


def test_the_open_line_and_the_window_agree_with_constant_tensions(build_line, build_case):
    line = build_line("bruni_2015", damping={"alpha": 0.3}, tension_in_motion="constant")
    settings = {"spans": 24, "first_evaluated": 16, "last_evaluated": 17, "spans_after": 3}
    window = {"spans_behind": 10, "spans_ahead": 12}
    steady = sigma(build_case(line, 275.0, applied_force_N=150.0, periodic=window))
    marched = sigma(build_case(line, 275.0, applied_force_N=150.0, solver="open_line", open_line=settings))
    assert marched == pytest.approx(steady, rel=0.005)


@pytest.mark.parametrize("name", ["bruni_2015", "re330"])
def test_operator_and_march_agree_with_constant_tensions(build_line, build_case, name):
    line = build_line(name, 12, damping={"alpha": 0.3}, tension_in_motion="constant")
    window = {"spans_behind": 20, "spans_ahead": 26, "tolerance": 1.0e-4}
    found = [
        solve_periodic(build_case(line, 275.0, dt=1.0e-3, mean_force_N=143.4, periodic={**window, "method": method}))
        for method in ("operator", "march")
    ]
    assert found[0].method == "operator", found[0].message
    of_operator, of_march = (each.statistics.contact_force_std_N for each in found)
    assert of_operator == pytest.approx(of_march, rel=0.005)


def test_large_deformation_refuses_constant_tensions(build_line, build_case):
    line = build_line(tension_in_motion="constant")
    with pytest.raises(ValueError, match="tension_in_motion must be 'coupled' with kinematics=nonlinear"):
        build_case(line, 275.0, applied_force_N=150.0, solver="open_line", kinematics="nonlinear")


def test_a_line_with_coupled_tensions_reads_as_it_always_did(build_line):
    assert "tension_in_motion" not in build_line().model_dump()
    assert build_line(tension_in_motion="constant").model_dump()["tension_in_motion"] == "constant"
