"""Influence matrices by the ring below the real axis: against the sum over real frequencies, and its own checks."""

from dataclasses import replace

import numpy as np
import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.linearised.cell import vertical_cell
from dynamics.influence import condensed, poles, quadrature, sums
from dynamics.influence import matrices as influence
from dynamics.influence.condensed import CondensedCell
from dynamics.influence.matrices import influence_matrices
from dynamics.influence.poles import lower_poles

ARRAYS = ("I_cc", "I_cd", "I_dc", "K_dd")


@pytest.fixture(scope="module")
def small(build_line, build_case):
    """A line of three droppers, the damping of real ones."""
    droppers = {"positions": [8.0, 21.0, 33.0], "contact_wire_heights": [0.0, -0.02, 0.0]}
    line = build_line(elements_per_bay=2, span_length=40.0, droppers=droppers)
    return build_case(line, 280.0, applied_force_N=150.0, dt=4.0e-3)


@pytest.fixture(scope="module")
def cell(small):
    return CondensedCell(small, vertical_cell(periodic_equilibrium(small.catenary)))


@pytest.fixture(scope="module")
def by_ring(small):
    return influence_matrices(small)


def assert_close(one, other, share):
    for name in ARRAYS:
        expected = getattr(other, name)
        np.testing.assert_allclose(getattr(one, name), expected, rtol=0, atol=share * np.abs(expected).max())


def turned_back(monkeypatch):
    """No ring: the sum over real frequencies."""
    monkeypatch.setattr(influence, "lower_poles", lambda cell: None)


def test_ring_and_poles_are_the_sum_over_real_frequencies(small, by_ring, monkeypatch):
    turned_back(monkeypatch)
    real = influence_matrices(small, 1.0e-4)
    assert by_ring.quadrature_nodes == 4 * small.steps_per_period < 0.3 * real.quadrature_nodes
    assert_close(by_ring, real, 2e-4)


def test_twice_as_many_spans_change_nothing(small, by_ring, monkeypatch):
    monkeypatch.setattr(influence, "RINGS", (10,))
    assert_close(influence_matrices(small), by_ring, 1e-5)


def test_the_error_given_covers_that_of_fewer_angles(small, by_ring, monkeypatch):
    monkeypatch.setattr(influence, "RINGS", (3,))
    with_fewer = influence_matrices(small, 1.0)
    found = np.abs(with_fewer.I_cc - by_ring.I_cc).max() / np.abs(by_ring.I_cc).max()
    assert 0.0 < found < with_fewer.truncation_error
    assert by_ring.truncation_error < 1e-3


def test_condensed_cell_answers_as_the_whole_one(small, cell):
    """All dofs of the cell in one dense matrix, at an angle off the axis."""
    whole = vertical_cell(periodic_equilibrium(small.catenary))
    K, M, ni = whole.stiffness, whole.mass, whole.n_interface
    theta, spec = 0.31 - 0.02j, small.catenary
    W = 2.0 / cell.dt * np.tan(0.5 * theta)
    tau, mu = 1.0 + 1j * W * spec.damping.beta, -W * W + 1j * W * spec.damping.alpha
    phase = np.exp(-1j * theta * cell.steps)
    D = tau * K.own + mu * M.own
    D[whole.support_dof, whole.support_dof] += (
        spec.support.messenger_stiffness + 1j * W * spec.support.messenger_damping
    )
    onward = tau * K.next + mu * M.next
    D[:, :ni] += phase * onward
    D[:ni] += onward.T / phase
    squeeze = whole.dropper_operator()
    expected = squeeze.T @ np.linalg.solve(D, squeeze.astype(complex))
    found = cell.answers(np.array([theta]))[0][-cell.droppers :, -cell.droppers :]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_answers_next_to_a_pole_are_its_residue_over_the_distance(cell):
    """What is left falls with the distance: the residue is the whole of the pole, and one product of two vectors."""
    found = lower_poles(cell)
    assert found is not None and len(np.unique(found.theta)) == len(found.theta)
    strong = np.argsort(-np.abs(found.rise).max(axis=1) * np.abs(found.cause).max(axis=1))[:4]
    for p in strong:
        residue = np.outer(found.rise[p], found.cause[p])
        near = 1e-4 * np.abs(np.delete(found.theta, p) - found.theta[p]).min()
        left = [d * cell.answers(np.array([found.theta[p] + d]))[0] - residue for d in (near, 0.1 * near)]
        size = [np.abs(x).max() / np.abs(residue).max() for x in left]
        assert size[0] < 1e-2 and size[1] < 0.2 * size[0]


def test_a_missed_pole_is_detected(cell, monkeypatch):
    """Every pole that counts, one after the other, would be too slow: the narrowest, the deepest, one between."""
    corrected, found = poles.corrected_poles, lower_poles(cell)
    assert found is not None and len(found.theta) > 20
    s = cell.steps * found.theta
    counted = s[s.imag > -poles.DEPTH]
    order = np.argsort(-counted.imag)
    for missed in counted[order[[0, len(order) // 2, -1]]]:

        def all_but_one(*arguments, missed=missed):
            every = corrected(*arguments)
            return every[np.abs(every - missed) > 1e-9]

        with monkeypatch.context() as patch:
            patch.setattr(poles, "corrected_poles", all_but_one)
            assert lower_poles(cell) is None


def test_without_its_poles_a_ring_gives_others(small, by_ring, monkeypatch):
    """What the count is for: residues are not a small correction."""

    def without(cell):
        found = lower_poles(cell)
        return replace(found, rise=0.0 * found.rise)

    monkeypatch.setattr(influence, "lower_poles", without)
    wrong = influence_matrices(small, np.inf)
    assert np.abs(wrong.I_cc - by_ring.I_cc).max() > 1e-2 * np.abs(by_ring.I_cc).max()


def test_images_that_stay_turn_back_to_real_frequencies(small, by_ring, monkeypatch):
    monkeypatch.setattr(influence, "RINGS", (1,))
    found = influence_matrices(small)
    assert found.quadrature_nodes > 5 * small.steps_per_period
    assert_close(found, by_ring, 2e-3)


def test_one_thread_gives_the_same_bits_as_two(small, by_ring, monkeypatch):
    for module in (condensed, sums):
        monkeypatch.setattr(module, "THREADS", 1)
    alone = influence_matrices(small)
    for name in ARRAYS:
        assert np.array_equal(getattr(alone, name), getattr(by_ring, name)), name


def test_a_line_without_damping_is_refused(build_line, build_case, monkeypatch):
    monkeypatch.setattr(quadrature, "MAX_PANELS", 300)
    line = build_line("en50318_2002", elements_per_bay=2)
    case = build_case(line, 250.0, applied_force_N=150.0, dt=4.0e-3)
    with pytest.raises(ValueError, match=r"at most 0\.01 .*catenary\.damping"):
        influence_matrices(case)
