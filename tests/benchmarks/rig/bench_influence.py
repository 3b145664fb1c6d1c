"""Influence matrices of the demonstration's line, all droppers."""

import pytest

from dynamics.influence.matrices import influence_matrices


@pytest.mark.benchmark
def test_influence_matrices(case_of, figure, timed):
    case = case_of("catenary=re330", "pantograph=dsa380", "speed_kmh=300", dt=2.0e-3)
    matrices, timing = timed(lambda: influence_matrices(case))
    N, droppers = len(matrices.z0), len(matrices.dropper_force)
    figure("influence matrices, re330, 300 km/h, 2 ms, all droppers", timing, "<= 20 s")
    figure("  steps a span, droppers, frequencies", f"{N}, {droppers}, {matrices.quadrature_nodes}")
    figure("  quadrature error of the probed entries over the largest", f"{matrices.truncation_error:.1e}")
