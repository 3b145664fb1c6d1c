"""The cable element in three dimensions: forces, their derivatives, rigid motions, weight and mass."""

import numpy as np
import pytest

from catenary.elements.ancf_cable import cable_forces, cable_mass, cable_tangent

L0 = np.array([0.7, 1.3, 2.1])
EA, EI = np.array([18.0e6, 13.2e6, 3.9e6]), np.array([195.0, 131.7, 10.0])
RHO = np.array([1.35, 1.08, 0.31])
WEIGHT = 9.81 * RHO
STEP = 1.0e-6


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


def forces(q, l0=L0, weight=WEIGHT):
    return cable_forces(q, l0, EA, EI, weight)


def rotation(seed):
    q, r = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else -q


@pytest.mark.parametrize("seed", range(4))
def test_tangent_is_the_derivative_of_the_force(seed):
    q = states(seed)
    _, tangent, _ = forces(q)
    for i in range(12):
        d = np.zeros((2, 6))
        d.flat[i] = STEP
        difference = (forces(q + d)[0] - forces(q - d)[0]) / (2 * STEP)
        scale = np.abs(tangent).max(axis=(1, 2))[:, None]
        np.testing.assert_array_less(np.abs(difference - tangent[:, :, i]) / scale, 1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_tangent_is_symmetric_and_splits_into_axial_and_transverse(seed):
    q = states(seed)
    _, tangent, _ = forces(q)
    axial, transverse = cable_tangent(q, L0, EA, EI)
    scale = np.abs(tangent).max()
    np.testing.assert_allclose(tangent, tangent.transpose(0, 2, 1), rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(axial + transverse, tangent, rtol=0, atol=1e-12 * scale)


@pytest.mark.parametrize("seed", range(4))
def test_derivative_by_unstretched_length(seed):
    q = states(seed)
    _, _, by_l0 = forces(q)
    difference = (forces(q, L0 + STEP)[0] - forces(q, L0 - STEP)[0]) / (2 * STEP)
    np.testing.assert_array_less(np.abs(difference - by_l0) / np.abs(by_l0).max(axis=1)[:, None], 1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_rigid_motions_of_an_unstretched_element_give_no_force(seed):
    q = np.zeros((3, 2, 6))
    q[:, 1, 0], q[:, :, 3] = L0, 1.0
    turn = rotation(seed)
    moved = np.concatenate([q[..., :3] @ turn.T + [3.0, -2.0, 5.0], q[..., 3:] @ turn.T], axis=-1)
    force, _, _ = forces(moved, weight=np.zeros(3))
    # rounding of a strain of 1e-16 times EA
    np.testing.assert_allclose(force, 0.0, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_elastic_forces_turn_with_the_element(seed):
    q, turn = states(seed), rotation(seed + 10)
    turned = np.concatenate([q[..., :3] @ turn.T, q[..., 3:] @ turn.T], axis=-1)
    none = np.zeros(3)
    before = forces(q, weight=none)[0].reshape(3, 4, 3)
    after = forces(turned, weight=none)[0].reshape(3, 4, 3)
    np.testing.assert_allclose(after, before @ turn.T, rtol=0, atol=1e-11 * np.abs(before).max())


def test_a_straight_stretched_element_carries_green_strain_times_stretch():
    stretch = 1.002
    q = np.zeros((3, 2, 6))
    q[:, 1, 0], q[:, :, 3] = stretch * L0, stretch
    force = forces(q, weight=np.zeros(3))[0]
    tension = EA * 0.5 * (stretch**2 - 1) * stretch
    np.testing.assert_allclose(force[:, 6], tension, rtol=1e-12)
    np.testing.assert_allclose(force[:, 0], -tension, rtol=1e-12)


def test_bending_follows_the_cubic_beam():
    """A straight element whose far end turns by a small angle feels 4 EI / l there and 2 EI / l at the near end."""
    angle = 1.0e-6
    q = np.zeros((3, 2, 6))
    q[:, 1, 0], q[:, :, 3], q[:, 1, 5] = L0, 1.0, angle
    force = forces(q, weight=np.zeros(3))[0]
    np.testing.assert_allclose(force[:, 11], 4 * EI / L0 * angle, rtol=1e-6)
    np.testing.assert_allclose(force[:, 5], 2 * EI / L0 * angle, rtol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_resultant_of_nodal_forces_is_the_weight(seed):
    force = forces(states(seed))[0].reshape(3, 4, 3)
    resultant = force[:, 0] + force[:, 2]
    expected = np.zeros((3, 3))
    expected[:, 2] = WEIGHT * L0
    np.testing.assert_allclose(resultant, expected, rtol=0, atol=1e-13 * np.abs(force).max())


def test_mass_matrix_holds_the_mass_and_the_moment_of_inertia():
    mass = cable_mass(L0, RHO)
    np.testing.assert_array_equal(mass, mass.transpose(0, 2, 1))
    assert (np.linalg.eigvalsh(mass) > 0).all()
    for c in range(3):
        shift = np.zeros(12)
        shift[[c, 6 + c]] = 1.0
        np.testing.assert_allclose(np.einsum("i,eij,j->e", shift, mass, shift), RHO * L0, rtol=1e-12)
        turn = np.zeros((3, 12))
        turn[:, [3 + c, 9 + c]] = 1.0
        turn[:, 6 + c] = L0
        np.testing.assert_allclose(np.einsum("ei,eij,ej->e", turn, mass, turn), RHO * L0**3 / 3, rtol=1e-12)
