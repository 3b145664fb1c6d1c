"""Compile in a process of its own what later runs of a case march through, while this process is busy with others.

A march is compiled for each number of vectors in a short window's rows and once for all longer ones, and influence
matrices have a kernel of their own. The process that searches for a design needs none of these in double precision, and
leaves a core idle while it compiles and solves the nominal line.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import numpy as np

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.kernels.kernel_cache import when_first_compiled
from catenary.linearised.cell import VerticalCell, vertical_cell
from catenary.spec.mesh import per_bay
from dynamics.spec.case import CaseSpec

__all__ = ["MATRICES", "compile_kernels", "compiled_ahead", "estimate_windows"]

MATRICES = "matrices"
# the driver and its workers go first
NICE = 10
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def estimate_windows() -> list[tuple[int, int]]:
    """Windows (spans behind, spans ahead) that a run with its numerical error is marched on, in their usual order."""
    from dynamics.accuracy.companions import long_window, shorter_window
    from dynamics.accuracy.estimated_run import SHORT_WINDOW

    behind, ahead = long_window().values()
    fewer_behind, fewer_ahead = shorter_window(long_window()).values()
    return [SHORT_WINDOW, (fewer_behind, fewer_ahead), (behind, ahead)]


@contextmanager
def compiled_ahead(case: CaseSpec, *, matrices: bool = False) -> Iterator[None]:
    """Compile in another process, meanwhile, the kernels of error estimates, and of influence matrices if asked for.

    Nothing is done where kernels are kept already: it begins once this process has had to compile one itself, and it
    ends with the block at the latest. What it has not compiled until it is needed is compiled there, as without it.
    """
    started: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        with suppress(OSError):  # a system that lets no more processes begin: nothing is lost but time
            started.append(_process(case, matrices))

    with when_first_compiled(start):
        try:
            yield
        finally:
            for process in started:
                process.kill()
                process.wait()


def _process(case: CaseSpec, matrices: bool) -> subprocess.Popen[bytes]:
    """Start the process, which Ctrl-C in a terminal does not reach; the folder it starts in holds no modules for it."""
    command = [sys.executable, "-P", "-m", "dynamics.kernels", *([MATRICES] if matrices else [])]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **ONE_THREAD},
        start_new_session=True,
    )
    assert process.stdin is not None
    with process.stdin as stream, suppress(BrokenPipeError):
        stream.write(case.model_dump_json().encode())
    return process


def compile_kernels(case: CaseSpec, *, matrices: bool) -> None:
    """Compile, or load, what `compiled_ahead` says, on as few elements as a mesh can have."""
    light = case.model_copy(update={"catenary": case.catenary.model_copy(update={"mesh": per_bay(2)})})
    cell = vertical_cell(periodic_equilibrium(light.catenary))
    own = (case.periodic.spans_behind, case.periodic.spans_ahead)
    for window in (*estimate_windows(), own):
        _march_a_span(light, cell, window)
    if matrices:
        from dynamics.influence.condensed import CondensedCell
        from dynamics.influence.contact_sums import Angles
        from dynamics.influence.sums import Records, Sums

        line, angle = CondensedCell(light, cell), np.array([0.3 - 0.01j])
        records = Records(light.line.spans, cell.equilibrium.spec.dropper_positions, line.steps)
        Sums(line, records).contact.add(Angles(angle, angle, line.answers(angle)))
        line.motions(angle, line.loads, line.loads)


def _march_a_span(case: CaseSpec, cell: VerticalCell, spans: tuple[int, int]) -> None:
    from dynamics.travelling_window.window import TravellingWindow

    window = TravellingWindow(case, cell, *spans)
    window.march(window.static_start()[0])


if __name__ == "__main__":
    if hasattr(os, "nice"):  # Windows has none
        os.nice(NICE)
    compile_kernels(CaseSpec.model_validate_json(sys.stdin.buffer.read()), matrices=MATRICES in sys.argv[1:])
