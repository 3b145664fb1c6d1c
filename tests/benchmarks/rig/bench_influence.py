"""Influence matrices of two lines and of a period of six spans, all droppers."""

import json
import subprocess
import sys
import time

import numpy as np
import pytest

from dynamics.influence.matrices import influence_matrices

ARRAYS = ("z0", "I_cc", "I_cd", "I_dc", "K_dd")
SPANS = 6
# a process of its own, the kernels compiled before: memory at most is that of a whole process
IN_A_PROCESS = f"""
import json, resource, sys, time
from dynamics.influence.matrices import influence_matrices
from dynamics.spec.case import CaseSpec
case = CaseSpec.model_validate_json(sys.stdin.read())
begin, processor = time.perf_counter(), time.process_time()
found = influence_matrices(case)
spent = time.perf_counter() - begin, time.process_time() - processor
print(json.dumps({{
    "spent": spent,
    "most": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    "size": sum(getattr(found, name).nbytes for name in {ARRAYS}),
    "frequencies": found.quadrature_nodes,
    "error": found.truncation_error,
    "shape": found.I_cd.shape,
}}))
"""


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


@pytest.mark.benchmark
def test_six_spans(bruni, figure):
    case = bruni(300, f"catenary.repeat={{spans: {SPANS}}}", dt=2.0e-3)
    command = [sys.executable, "-c", IN_A_PROCESS]
    done = subprocess.run(command, input=case.model_dump_json(), capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    (wall, processor), (N, droppers, M) = found["spent"], found["shape"]
    figure(f"a period of {SPANS} spans of bruni_2015, the same", f"{wall:.1f} s", "<= 60 s")
    figure("  processor time, two threads", f"{processor:.1f} s")
    figure("  memory of the whole process at most", f"{1e-6 * found['most']:.2f} GB", "<= 3 GB")
    figure("  steps a period, droppers, frequencies", f"{N}, {droppers}, {found['frequencies']}")
    figure("  steps of a dropper's record", M)
    figure("  error of the sum over frequencies, over the largest entry", f"{found['error']:.1e}")
    figure("  size of the matrices, in memory and on disk", f"{found['size'] / 1e6:.0f} MB")
