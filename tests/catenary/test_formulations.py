"""Both formulations of a wire against closed forms of a tensioned beam, and against each other on whole lines."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh
from tensioned_beam import Beam

from catenary.elements.formulation import element_of
from catenary.form_finding.equations import FormFindingProblem
from catenary.form_finding.equilibrium import EquilibriumStatus, open_line_equilibrium, periodic_equilibrium
from catenary.form_finding.prescribed import prescribed_by_heights, prescribed_by_lengths
from catenary.layout.geometry import CONTACT, periodic_layout
from catenary.layout.mesh import build_mesh
from catenary.linearised.contact_wire import static_height
from catenary.linearised.open_line import linearise
from dynamics.influence.matrices import influence_matrices
from dynamics.spec.status import Status
from dynamics.steady_state.periodic import solve_periodic

LIBRARY = ("bruni_2015", "re330", "c350", "en50318_2002")
FORMULATIONS = ("ancf", "beam")
DIMENSIONS = ("planar", "spatial")
TENSION, EA, EI, RHO = 22.0e3, 18.0e6, 195.0, 1.35


def straight_wire(build_line, formulation, length, elements):
    """Mass and stiffness (node, component) of a straight wire under tension, ends held in place; unstretched length.

    Green's strain: EA (stretch^2 - 1) / 2 is the axial force per stretch, TENSION / stretch.
    """
    element = element_of(build_line(formulation=formulation))
    stretch = next(iter(r.real for r in np.roots([0.5 * EA, 0.0, -0.5 * EA, -TENSION]) if r.real > 0.9))
    q = np.zeros((elements, 2, 6))
    place = np.linspace(0.0, length, elements + 1)
    q[:, 0, 0], q[:, 1, 0], q[:, :, 3] = place[:-1], place[1:], stretch if element.axial_slope else 0.0
    l0, one = np.full(elements, length / elements / stretch), np.ones(elements)
    stiffness = sum(element.tangent(q, l0, EA * one, EI * one))
    mass = element.mass(l0, RHO * one)
    found = np.zeros((2, 6 * elements + 6, 6 * elements + 6))
    for e in range(elements):
        at = np.ix_([0, 1], np.arange(6 * e, 6 * e + 12), np.arange(6 * e, 6 * e + 12))
        found[at] += np.stack([mass[e], stiffness[e]])
    return found[0], found[1], stretch


def across(elements, *, clamped):
    """Rows of z and z' that are free: z held at both ends, z' too where they are clamped."""
    z, slope = 6 * np.arange(elements + 1) + 2, 6 * np.arange(elements + 1) + 5
    return np.sort(np.concatenate([z[1:-1], slope[1:-1] if clamped else slope]))


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_natural_frequencies_of_a_tensioned_beam(build_line, formulation):
    """omega^2 = k^2 (T + EI' k^2) / rho', k = n pi / L; rho' and EI' of the stretched wire."""
    length = 5.0
    M, K, stretch = straight_wire(build_line, formulation, length, 60)
    free = np.ix_(*[across(60, clamped=False)] * 2)
    found = np.sqrt(eigh(K[free], M[free], eigvals_only=True)[:8])
    k = np.arange(1, 9) * np.pi / length
    exact = k * np.sqrt((TENSION + EI * stretch**3 * k**2) * stretch / RHO)
    np.testing.assert_allclose(found, exact, rtol=1e-5)
    np.testing.assert_allclose(found[0], exact[0], rtol=1e-8)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_frequencies_converge_with_the_fourth_power_of_the_element(build_line, formulation):
    """Cubic shapes for a beam: the error of an eigenvalue falls with h^4 where bending governs it."""
    error = []
    for elements in (6, 12):
        M, K, stretch = straight_wire(build_line, formulation, 0.5, elements)
        free = np.ix_(*[across(elements, clamped=False)] * 2)
        k = 3 * np.pi / 0.5
        exact = k**2 * (TENSION + EI * stretch**3 * k**2) * stretch / RHO
        error.append(eigh(K[free], M[free], eigvals_only=True)[2] / exact - 1.0)
    assert error[1] > 0.0
    assert np.log2(error[0] / error[1]) == pytest.approx(4.0, abs=0.15)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_deflection_under_a_point_load(build_line, formulation):
    """Clamped ends, 100 N in the middle: closed form to 1e-6 on elements a quarter of the boundary layer, order 4."""
    length, load, error = 2.0, -100.0, []
    for elements in (40, 80):
        _, K, stretch = straight_wire(build_line, formulation, length, elements)
        rows = across(elements, clamped=True)
        force = np.zeros(len(K))
        middle = 6 * (elements // 2) + 2
        force[middle] = load
        u = np.zeros(len(K))
        u[rows] = np.linalg.solve(K[np.ix_(rows, rows)], force[rows])
        beam = Beam(np.array([0.0, 0.5 * length]), length, TENSION, EI * stretch**3, 0.0)
        exact = beam.solve(np.array([0.0, np.nan]), np.array([0.0, -load]))[1][1]
        error.append(abs(u[middle] / exact - 1.0))
    assert error[1] < 1e-6
    assert np.log2(error[0] / error[1]) == pytest.approx(4.0, abs=0.15)


def equilibrium(build_line, name, per_bay, **changes):
    spec = build_line(name, elements_per_bay=per_bay, **changes)
    eq = periodic_equilibrium(spec)
    assert eq.status is EquilibriumStatus.OK
    return eq


@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("name", LIBRARY)
def test_every_line_hangs_alike_in_both_formulations(build_line, name, dimension):
    """What differs is the mesh's: 1.4 mm in the height of a messenger wire with 6 elements a bay, 0.2 mm with 24."""
    apart = []
    for per_bay in (6, 24):
        ancf, beam = (equilibrium(build_line, name, per_bay, dimension=dimension, formulation=f) for f in FORMULATIONS)
        forces = np.concatenate(
            [ancf.dropper_force - beam.dropper_force, ancf.steady_arm_force - beam.steady_arm_force]
        )
        apart.append((np.abs(forces).max(), np.abs(ancf.q[:, [1, 2]] - beam.q[:, [1, 2]]).max()))
        assert np.abs(beam.horizontal_reaction).max() < 1e-6
    assert apart[0][0] < 5e-3 and apart[0][1] < 2e-3
    assert apart[1][0] < 1e-3 and apart[1][1] < 0.3 * apart[0][1]


@pytest.mark.parametrize("name", ["bruni_2015", "re330"])
def test_heights_to_lengths_and_back(build_line, name):
    eq = periodic_equilibrium(build_line(name, formulation="beam"))
    back = periodic_equilibrium(prescribed_by_lengths(eq))
    assert back.spec.formulation == "beam" and back.status is EquilibriumStatus.OK
    np.testing.assert_allclose(
        prescribed_by_heights(back).droppers.contact_wire_heights,
        eq.spec.droppers.contact_wire_heights,
        rtol=0,
        atol=1e-8,
    )


def test_contact_points_stand_on_the_wire(build_line):
    """x runs linearly along a beam: stations at the nodes are met there; between them both formulations agree."""
    ancf, beam = (periodic_equilibrium(build_line(elements_per_bay=12, formulation=f)) for f in FORMULATIONS)
    nodes = np.flatnonzero(beam.mesh.node_wire == CONTACT)
    np.testing.assert_allclose(static_height(beam, beam.q[nodes, 0]), beam.q[nodes, 2], rtol=0, atol=1e-12)
    x = np.linspace(0.0, 54.9, 500)
    np.testing.assert_allclose(static_height(beam, x), static_height(ancf, x), rtol=0, atol=2e-6)


def test_a_mesh_of_the_other_formulation_is_refused(build_line):
    line = build_line(formulation="beam")
    with pytest.raises(ValueError, match="formulation 'beam'"):
        FormFindingProblem(line, build_mesh(periodic_layout(line), line.mesh))


def free_matrices(line, spans):
    model = linearise(open_line_equilibrium(line, spans))
    free = np.setdiff1d(np.arange(model.mass.shape[0]), model.fixed)
    return (x[free][:, free].tocsc() for x in (model.mass, model.stiffness))


@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("name", LIBRARY)
def test_matrices_are_symmetric_and_positive_definite(build_line, name, dimension):
    M, K = free_matrices(build_line(name, elements_per_bay=2, formulation="beam", dimension=dimension), 3)
    for matrix in (M, K):
        scale = 1.0 / np.sqrt(matrix.diagonal())
        scaled = (matrix.toarray() * scale).T * scale
        np.testing.assert_allclose(scaled, scaled.T, rtol=0, atol=1e-12)
        assert np.linalg.eigvalsh(scaled)[0] > 0.0


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_open_lines_ring_alike(build_line, dimension):
    """Forty lowest frequencies of three spans: 8e-4 apart with 4 elements a bay, 3e-4 with 8, 7e-5 with 16."""
    apart = []
    for per_bay in (4, 8):
        rings = []
        for formulation in FORMULATIONS:
            line = build_line(elements_per_bay=per_bay, formulation=formulation, dimension=dimension)
            M, K = free_matrices(line, 3)
            rings.append(np.sort(eigsh(K, k=40, M=M, sigma=0.0, return_eigenvectors=False)) ** 0.5)
        apart.append(np.abs(rings[1] / rings[0] - 1.0).max())
    assert apart[0] < 1e-3 and apart[1] < 0.5 * apart[0]


def sigma_and_mean(case):
    solution = solve_periodic(case)
    assert solution.status is Status.OK
    return solution.statistics.contact_force_std_N, solution.statistics.contact_force_mean_N


@pytest.mark.parametrize(("speed", "applied"), [(275.0, 152.26), (320.0, 182.17)])
def test_steady_states_agree(build_line, build_case, speed, applied):
    """Within 0.1 % in the standard deviation (0.02 % with 6 elements a bay) and 0.01 N in the mean."""
    window = {"spans_behind": 5, "spans_ahead": 6}
    found = [
        sigma_and_mean(build_case(build_line(formulation=f), speed, applied_force_N=applied, periodic=window))
        for f in FORMULATIONS
    ]
    assert found[1][0] == pytest.approx(found[0][0], rel=1e-3)
    assert found[1][1] == pytest.approx(found[0][1], abs=1e-2)
    assert found[1] != found[0]


@pytest.mark.validate
def test_influence_matrices_agree(build_line, build_case):
    """On three elements a bay of 7 to 16 m: 0.2 % for the contact force, 1.4 % for the droppers."""
    droppers = {"positions": [7.0, 23.0], "contact_wire_heights": [0.0, 0.0]}
    found = []
    for formulation in FORMULATIONS:
        line = build_line(elements_per_bay=3, span_length=30.0, droppers=droppers, damping={"alpha": 0.5},
                          formulation=formulation)  # fmt: skip
        found.append(influence_matrices(build_case(line, 50.0, applied_force_N=100.0, dt=4.0e-3), 1.0e-3))
    for name, tolerance in (("I_cc", 5e-3), ("I_dc", 3e-2), ("I_cd", 3e-2)):
        ancf, beam = (getattr(matrices, name) for matrices in found)
        assert np.linalg.norm(beam - ancf) < tolerance * np.linalg.norm(ancf), name
