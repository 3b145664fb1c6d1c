"""Wire elements in three dimensions: forces, their derivatives, energy, rigid motions, weight and mass."""

from dataclasses import dataclass

import numpy as np
import pytest

from catenary.elements.ancf_cable import cable_force, cable_forces, cable_mass, cable_tangent
from catenary.elements.euler_bernoulli import beam_force, beam_forces, beam_mass, beam_tangent

L0 = np.array([0.7, 1.3, 2.1])
EA, EI = np.array([18.0e6, 13.2e6, 3.9e6]), np.array([195.0, 131.7, 10.0])
RHO = np.array([1.35, 1.08, 0.31])
WEIGHT = 9.81 * RHO
STEP = 1.0e-6
UNUSED = [3, 9]


@dataclass(frozen=True)
class Element:
    forces: object
    tangent: object
    mass: object
    one: object
    beam: bool


ELEMENTS = {
    "ancf": Element(cable_forces, cable_tangent, cable_mass, cable_force, False),
    "beam": Element(beam_forces, beam_tangent, beam_mass, beam_force, True),
}


@pytest.fixture(params=ELEMENTS)
def element(request):
    return ELEMENTS[request.param]


def states(seed, axial_strain=2.0e-3):
    """Three elements lying any way in space, stretched, bent and twisted out of plane."""
    random = np.random.default_rng(seed)
    q = np.zeros((3, 2, 6))
    for e in range(3):
        direction = random.normal(size=3)
        direction /= np.linalg.norm(direction)
        q[e, 1, :3] = direction * L0[e] * (1 + axial_strain)
        q[e, :, 3:] = direction * (1 + axial_strain)
    q[:, :, :3] += 1e-3 * random.normal(size=(3, 2, 3))
    q[:, :, 3:] += 5e-2 * random.normal(size=(3, 2, 3))
    return q


def energy(q, e, beam):
    """Strain energy of element ``e`` [J], from polynomials alone; complex coordinates are carried through."""
    nodes, weights = np.polynomial.legendre.leggauss(8)
    xi, l0 = 0.5 * (nodes + 1.0), L0[e]
    slope, curvature = [], []
    for c in range(3):
        p1, s1, p2, s2 = q[0, c], q[0, 3 + c] * l0, q[1, c], q[1, 3 + c] * l0
        cubic = [p1, s1, 3 * (p2 - p1) - 2 * s1 - s2, s1 + s2 - 2 * (p2 - p1)]
        if beam and c == 0:
            cubic = [p1, p2 - p1, 0.0, 0.0]
        slope.append((cubic[1] + 2 * cubic[2] * xi + 3 * cubic[3] * xi**2) / l0)
        curvature.append((2 * cubic[2] + 6 * cubic[3] * xi) / l0**2)
    strain = 0.5 * (sum(s * s for s in slope) - 1.0)
    mean = 0.5 * weights
    axial = (mean @ strain) ** 2 if beam else mean @ strain**2
    return 0.5 * l0 * (EA[e] * axial + EI[e] * (mean @ sum(k * k for k in curvature)))


@pytest.mark.parametrize("seed", range(4))
def test_force_is_the_gradient_of_the_energy(element, seed):
    """By complex steps, which lose no digit: 1e-13 of EA, the rounding of a strain."""
    q = states(seed)
    for e in range(3):
        out = np.full(12, np.nan)
        element.one(q[e], L0[e], EA[e], EI[e], out)
        for i in range(12):
            moved = q[e].astype(complex)
            moved.flat[i] += 1e-30j
            assert out[i] == pytest.approx(energy(moved, e, element.beam).imag / 1e-30, rel=1e-12, abs=1e-13 * EA[e])


@pytest.mark.parametrize("seed", range(4))
def test_one_element_feels_what_the_vectorised_form_says(element, seed):
    q, out = states(seed), np.zeros((3, 12))
    for e in range(3):
        element.one(q[e], L0[e], EA[e], EI[e], out[e])
    every = element.forces(q, L0, EA, EI, np.zeros(3))[0]
    np.testing.assert_allclose(out, every, rtol=0, atol=1e-13 * EA.max())


def rotation(seed):
    q, r = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else -q


@pytest.mark.parametrize("seed", range(4))
def test_tangent_is_the_derivative_of_the_force(element, seed):
    q = states(seed)
    _, tangent, _ = element.forces(q, L0, EA, EI, WEIGHT)
    for i in range(12):
        d = np.zeros((2, 6))
        d.flat[i] = STEP
        difference = (element.forces(q + d, L0, EA, EI, WEIGHT)[0] - element.forces(q - d, L0, EA, EI, WEIGHT)[0]) / (
            2 * STEP
        )
        scale = np.abs(tangent).max(axis=(1, 2))[:, None]
        np.testing.assert_array_less(np.abs(difference - tangent[:, :, i]) / scale, 1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_tangent_is_symmetric_and_splits_into_axial_and_transverse(element, seed):
    q = states(seed)
    _, tangent, _ = element.forces(q, L0, EA, EI, WEIGHT)
    axial, transverse = element.tangent(q, L0, EA, EI)
    scale = np.abs(tangent).max()
    np.testing.assert_allclose(tangent, tangent.transpose(0, 2, 1), rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(axial + transverse, tangent, rtol=0, atol=1e-12 * scale)


@pytest.mark.parametrize("seed", range(4))
def test_derivative_by_unstretched_length(element, seed):
    q = states(seed)
    _, _, by_l0 = element.forces(q, L0, EA, EI, WEIGHT)
    difference = (element.forces(q, L0 + STEP, EA, EI, WEIGHT)[0] - element.forces(q, L0 - STEP, EA, EI, WEIGHT)[0]) / (
        2 * STEP
    )
    np.testing.assert_array_less(np.abs(difference - by_l0) / np.abs(by_l0).max(axis=1)[:, None], 1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_rigid_motions_of_an_unstretched_element_give_no_force(element, seed):
    q = np.zeros((3, 2, 6))
    q[:, 1, 0], q[:, :, 3] = L0, 1.0
    turn = rotation(seed)
    moved = np.concatenate([q[..., :3] @ turn.T + [3.0, -2.0, 5.0], q[..., 3:] @ turn.T], axis=-1)
    force, _, _ = element.forces(moved, L0, EA, EI, np.zeros(3))
    # rounding of a strain of 1e-16 times EA
    np.testing.assert_allclose(force, 0.0, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_a_translation_changes_no_force(element, seed):
    tangent = element.forces(states(seed), L0, EA, EI, WEIGHT)[1]
    for c in range(3):
        shift = np.zeros(12)
        shift[[c, 6 + c]] = 1.0
        np.testing.assert_allclose(tangent @ shift, 0.0, atol=1e-14 * EA.max())


@pytest.mark.parametrize("seed", range(3))
def test_elastic_forces_of_the_cable_turn_with_the_element(seed):
    q, turn = states(seed), rotation(seed + 10)
    turned = np.concatenate([q[..., :3] @ turn.T, q[..., 3:] @ turn.T], axis=-1)
    none = np.zeros(3)
    before = cable_forces(q, L0, EA, EI, none)[0].reshape(3, 4, 3)
    after = cable_forces(turned, L0, EA, EI, none)[0].reshape(3, 4, 3)
    np.testing.assert_allclose(after, before @ turn.T, rtol=0, atol=1e-11 * np.abs(before).max())


def test_a_straight_stretched_element_carries_green_strain_times_stretch(element):
    stretch = 1.002
    q = np.zeros((3, 2, 6))
    q[:, 1, 0], q[:, :, 3] = stretch * L0, stretch
    force = element.forces(q, L0, EA, EI, np.zeros(3))[0]
    tension = EA * 0.5 * (stretch**2 - 1) * stretch
    np.testing.assert_allclose(force[:, 6], tension, rtol=1e-12)
    np.testing.assert_allclose(force[:, 0], -tension, rtol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_no_force_has_a_moment_about_the_origin(seed):
    """A small turn of the whole element changes no energy: positions and slopes, each crossed with its own force."""
    q = states(seed)
    q[:, :, :3] += np.random.default_rng(seed).normal(scale=5.0, size=(3, 1, 3))
    force = cable_forces(q, L0, EA, EI, np.zeros(3))[0].reshape(3, 4, 3)
    moment = np.cross(q.reshape(3, 4, 3), force).sum(axis=1)
    np.testing.assert_allclose(moment, 0.0, rtol=0, atol=1e-12 * np.abs(force).max() * np.abs(q).max())


def resultants(element, q, lengths, stretching, bending):
    """Elastic forces on the nodes of a row of elements (node, 6) [N, N m]."""
    found, out = np.zeros_like(q), np.zeros(12)
    for e, length in enumerate(lengths):
        element.one(q[e : e + 2], length, stretching, bending, out)
        found[e : e + 2] += out.reshape(2, 6)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_a_row_of_unequal_elements_passes_the_patch_test(element, seed):
    """Under one strain, or one curvature alone, its inner nodes are at rest, wherever they stand along the wire."""
    random = np.random.default_rng(seed)
    lengths = random.uniform(0.1, 2.0, size=6)
    x, stretch, curvature = np.concatenate([[0.0], np.cumsum(lengths)]), 1.0 + random.uniform(0.0, 3e-3), 0.02
    q = np.zeros((7, 6))
    q[:, 0], q[:, 3] = stretch * x, stretch
    force = resultants(element, q, lengths, EA[0], EI[0])
    tension = EA[0] * 0.5 * (stretch**2 - 1.0) * stretch
    np.testing.assert_allclose(force[1:-1], 0.0, rtol=0, atol=1e-8 * tension)
    assert force[[0, -1], 0] == pytest.approx([-tension, tension], rel=1e-9)
    q[:, 0], q[:, 3], q[:, 2], q[:, 5] = x, 1.0, 0.5 * curvature * x**2, curvature * x
    force = resultants(element, q, lengths, 0.0, EI[0])
    np.testing.assert_allclose(force[1:-1], 0.0, rtol=0, atol=1e-9 * EI[0])
    assert force[[0, -1], 5] == pytest.approx([-EI[0] * curvature, EI[0] * curvature], rel=1e-9)


def test_bending_follows_the_cubic_beam(element):
    """A straight element whose far end turns by a small angle feels 4 EI / l there and 2 EI / l at the near end."""
    angle = 1.0e-6
    q = np.zeros((3, 2, 6))
    q[:, 1, 0], q[:, :, 3], q[:, 1, 5] = L0, 1.0, angle
    force = element.forces(q, L0, EA, EI, np.zeros(3))[0]
    np.testing.assert_allclose(force[:, 11], 4 * EI / L0 * angle, rtol=1e-6)
    np.testing.assert_allclose(force[:, 5], 2 * EI / L0 * angle, rtol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_resultant_of_nodal_forces_is_the_weight(element, seed):
    force = element.forces(states(seed), L0, EA, EI, WEIGHT)[0].reshape(3, 4, 3)
    resultant = force[:, 0] + force[:, 2]
    expected = np.zeros((3, 3))
    expected[:, 2] = WEIGHT * L0
    np.testing.assert_allclose(resultant, expected, rtol=0, atol=1e-13 * np.abs(force).max())


def test_mass_matrix_holds_the_mass_and_the_moment_of_inertia(element):
    mass = element.mass(L0, RHO)
    np.testing.assert_array_equal(mass, mass.transpose(0, 2, 1))
    used = np.setdiff1d(np.arange(12), UNUSED if element.beam else [])
    assert (np.linalg.eigvalsh(mass[:, used][:, :, used]) > 0).all()
    for c in range(3):
        shift = np.zeros(12)
        shift[[c, 6 + c]] = 1.0
        np.testing.assert_allclose(np.einsum("i,eij,j->e", shift, mass, shift), RHO * L0, rtol=1e-12)
        turn = np.zeros((3, 12))
        turn[:, [3 + c, 9 + c]] = 1.0
        turn[:, 6 + c] = L0
        np.testing.assert_allclose(np.einsum("ei,eij,ej->e", turn, mass, turn), RHO * L0**3 / 3, rtol=1e-12)
