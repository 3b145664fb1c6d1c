"""Anderson acceleration on maps whose fixed point is known."""

import numpy as np
import pytest

from dynamics.results.warm_start import SecantBasis
from dynamics.steady_state.anderson import MEMORY, Acceleration, compress


def linear_map(size, slowest, seed=3):
    rng = np.random.default_rng(seed)
    directions = np.linalg.qr(rng.normal(size=(size, size)))[0]
    A = directions @ np.diag(np.linspace(0.1, slowest, size)) @ directions.T
    b = rng.normal(size=size)
    return A, b, np.linalg.solve(np.eye(size) - A, b)


def errors(A, b, exact, memory, count):
    x, found = np.zeros(len(b)), []
    for _ in range(count):
        mapped = A @ x + b
        x = memory.propose(mapped, mapped - x)
        found.append(np.linalg.norm(x - exact) / np.linalg.norm(exact))
    return found


def test_a_linear_map_is_solved_in_as_many_steps_as_it_has_directions():
    A, b, exact = linear_map(8, 0.95)
    assert errors(A, b, exact, Acceleration(None, 1), 10)[-1] < 1e-6
    plain = np.linalg.norm(np.linalg.matrix_power(A, 10) @ exact) / np.linalg.norm(exact)
    assert plain > 0.1


def test_pairs_older_than_the_memory_are_forgotten_and_the_rest_still_serves():
    A, b, exact = linear_map(60, 0.9)
    memory = Acceleration(None, 1)
    found = errors(A, b, exact, memory, MEMORY + 15)
    assert len(memory.states) == len(memory.features) == MEMORY
    assert found[-1] < 1e-5 < found[5]


@pytest.mark.parametrize("scale", [1.0, 40.0])
def test_pairs_known_beforehand_need_not_be_orthonormal(scale):
    A, b, exact = linear_map(8, 0.95)
    steps = scale * np.random.default_rng(1).normal(size=(8, 8))
    basis = SecantBasis(steps @ A.T, steps @ A.T - steps)
    assert errors(A, b, exact, Acceleration(basis, 0), 1)[0] < 1e-6
    assert errors(A, b, exact, Acceleration(compress(basis.state, basis.feature, 8), 0), 1)[0] < 1e-6
