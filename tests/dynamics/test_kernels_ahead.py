"""Kernels compiled ahead: all that runs with their error and influence matrices need, and no process that stays."""

import subprocess
import sys

import numpy as np
import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.kernels import kernel_cache
from catenary.linearised.cell import vertical_cell
from dynamics import kernels
from dynamics.accuracy.companions import shorter_window
from dynamics.accuracy.numerical_error import estimate_error
from dynamics.influence.key_dofs import key_answers
from dynamics.influence.matrices import influence_matrices
from dynamics.steady_state.periodic import solve_periodic
from dynamics.travelling_window.kernel import march_span
from dynamics.travelling_window.solve import settle_spans
from dynamics.travelling_window.window import TravellingWindow, window_spans
from optimise.afterwards.confirming_runs import confirming


@pytest.fixture(scope="module")
def case(build_line, build_case):
    droppers = {"positions": [8.0, 21.0, 33.0], "contact_wire_heights": [0.0, -0.02, 0.0]}
    line = build_line(elements_per_bay=3, span_length=40.0, droppers=droppers)
    return build_case(line, 280.0, mean_force_N=140.0, dt=2.0e-3)


def test_runs_with_their_error_and_matrices_need_no_other_kernel(case):
    kernels.compile_kernels(case, matrices=True)
    known = [len(kernel.signatures) for kernel in (march_span, settle_spans, key_answers)]
    error = estimate_error(case, solve_periodic(case))
    influence_matrices(case.model_copy(update={"mean_force_N": None, "applied_force_N": 150.0}))
    assert error is not None and error.total is not None
    assert [len(kernel.signatures) for kernel in (march_span, settle_spans, key_answers)] == known


def test_the_transients_that_confirm_a_design_run_on_windows_compiled_ahead(case):
    ahead = {window_spans(*window) for window in kernels.estimate_windows()}
    for numerics in confirming(case, 3.0):
        settings = numerics.transient
        assert window_spans(settings.spans_behind, settings.spans_ahead) in ahead


def test_a_shorter_window_has_two_thirds_of_the_spans_and_fills_whole_vectors():
    behind, ahead = shorter_window({"spans_behind": 45, "spans_ahead": 49}).values()
    assert (behind, ahead) == window_spans(behind, ahead) == (30, 32)


@pytest.fixture
def process(monkeypatch):
    """A process that would run for a minute in the place of the one that compiles, once it was started."""
    started = []

    def start(*_):
        started.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]))
        return started[-1]

    monkeypatch.setattr(kernels, "_process", start)
    return started


def test_nothing_is_started_where_kernels_are_kept_and_one_process_where_they_are_not(case, process):
    with kernels.compiled_ahead(case):
        assert process == []
    kernel_cache.report_compiled()
    assert process == []
    with kernels.compiled_ahead(case):
        kernel_cache.report_compiled()
        kernel_cache.report_compiled()
        assert [each.poll() for each in process] == [None]
    assert [each.poll() is None for each in process] == [False]


def test_the_process_ends_with_a_block_that_is_interrupted(case, process):
    with pytest.raises(KeyboardInterrupt), kernels.compiled_ahead(case):
        kernel_cache.report_compiled()
        raise KeyboardInterrupt
    assert process[0].poll() is not None


def test_a_kernel_that_this_process_compiles_starts_the_other():
    from numba import njit

    heard = []
    with kernel_cache.when_first_compiled(lambda: heard.append("compiled")):
        assert njit(lambda x: x + 1.0)(1.0) == 2.0
        assert njit(lambda x: x + 2.0)(1.0) == 3.0
    assert heard == ["compiled"]


def test_the_process_itself_compiles_and_ends_well(case, monkeypatch):
    """By its command line, on a kernel cache that holds the kernels already."""
    monkeypatch.setattr(kernels, "NICE", 0)
    process = kernels._process(case, matrices=False)
    assert process.wait(timeout=250) == 0


def test_a_state_moves_on_by_a_span_with_all_of_the_mass_that_moves(case):
    """The product of mass and velocity over the dofs that move is that over all of them."""
    cell = vertical_cell(periodic_equilibrium(case.catenary))
    window = TravellingWindow(case, cell, 6, 8)
    state, _ = window.static_start()
    window.march(state)
    ni, S, M = cell.n_interface, window.spans, cell.mass
    velocity = window._w[:ni, S].copy()
    window.shift(state)
    v, last = np.zeros(cell.n_dof), np.zeros(ni)
    v[:ni] = velocity
    for dofs in cell.along:
        v[dofs[dofs >= ni]] = velocity[dofs[0]]
        last[dofs[dofs < ni]] = velocity[dofs[0]]
    expected = 2.0 / window.dt * (M.own[ni:] @ v + M.next[ni:] @ last)
    expected[cell.tensions - ni] = 0.0
    assert np.abs(expected).max() > 0.0
    np.testing.assert_allclose(state.a[ni:, S - 1], expected, rtol=1e-9, atol=1e-12 * np.abs(expected).max())
