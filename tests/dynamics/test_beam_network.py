"""The finite-element cell under Bloch conditions against a network of exact beams, which shares no dynamics with it."""

import numpy as np
import pytest
from beam_network import BeamNetwork

from catenary.form_finding.equilibrium import periodic_equilibrium
from dynamics.influence.matrices import influence_matrices

COUNT = 6


def quadrature(top, ratio=1.02, first=0.02, longest=1.0):
    """Gauss nodes and weights on 0 < w < top, denser towards 0, where peaks are narrower."""
    x, weight = np.polynomial.legendre.leggauss(4)
    edges = [0.0, first]
    while edges[-1] < top:
        edges.append(edges[-1] + min(longest, (ratio - 1.0) * edges[-1] + first))
    middle, half = 0.5 * np.add(edges[1:], edges[:-1]), 0.5 * np.diff(edges)
    return (middle[:, None] + half[:, None] * x).ravel(), (half[:, None] * weight).ravel()


def by_harmonics(matrices, count):
    """Contact height per contact force of sampled matrices, harmonic by harmonic."""
    steps = len(matrices.I_cc)
    turn = np.exp(-2j * np.pi * np.outer(np.arange(-count, count + 1), np.arange(steps)) / steps)
    return turn @ matrices.I_cc @ turn.conj().T / steps


@pytest.mark.parametrize(("name", "longest"), [("re330", 0.8), ("c350", 0.5)])
def test_heights_by_forces_are_those_of_exact_beams(build_line, build_case, name, longest):
    line = build_line(name, damping={"alpha": 0.5}, mesh={"elements_per_bay": 4, "largest_element_length": longest})
    case = build_case(line, 275.0, dt=4e-3, applied_force_N=150.0)
    there = by_harmonics(influence_matrices(case, 1e-3), COUNT)
    network = BeamNetwork(periodic_equilibrium(line), case.speed, case.time_step)
    here = network.heights_by_forces(*quadrature(300.0), COUNT)
    assert np.abs(here - there).max() < 0.01 * np.abs(there).max()
    assert np.linalg.norm(here - there) < 0.015 * np.linalg.norm(there)
    # what the test is for: without tensions that move with the wires, low harmonics are others
    rigid = periodic_equilibrium(line.model_copy(update={"tension_in_motion": "constant"}))
    # five times as much is missing there as is allowed here: a tenth of the frequencies will do
    few = quadrature(300.0, ratio=1.2, first=0.2, longest=5.0)
    still = BeamNetwork(rigid, case.speed, case.time_step).heights_by_forces(*few, COUNT)
    assert np.linalg.norm(still - there) > 0.05 * np.linalg.norm(there)
