"""Influence matrices of two lines, all droppers."""

import time

import numpy as np
import pytest

from dynamics.influence.matrices import influence_matrices

ARRAYS = ("z0", "I_cc", "I_cd", "I_dc", "K_dd")


@pytest.mark.benchmark
@pytest.mark.parametrize(
    ("line", "pantograph", "reach"), [("bruni_2015", "bruni_2015", "<= 1.5 s"), ("re330", "dsa380", None)]
)
def test_influence_matrices(case_of, figure, timed, line, pantograph, reach):
    case = case_of(f"catenary={line}", f"pantograph={pantograph}", "speed_kmh=300", dt=2.0e-3)
    matrices, timing = timed(lambda: influence_matrices(case))
    figure(f"influence matrices, {line}, 300 km/h, 2 ms, all droppers", timing, *([reach] if reach else []))
    before = time.process_time()
    influence_matrices(case)
    figure("  processor time of one more, two threads", f"{time.process_time() - before:.2f} s")
    describe(figure, matrices)


def describe(figure, matrices):
    N, droppers = len(matrices.z0), len(matrices.dropper_force)
    figure("  steps a period, droppers, frequencies", f"{N}, {droppers}, {matrices.quadrature_nodes}")
    figure("  error of the sum over frequencies, over the largest entry", f"{matrices.truncation_error:.1e}")
    size = sum(np.asarray(getattr(matrices, name)).nbytes for name in ARRAYS)
    figure("  size of the matrices, in memory and on disk", f"{size / 1e6:.0f} MB")
