"""Influence matrices of periods of several spans: those of one span again where all are alike, and other sums' else."""

import numpy as np
import pytest

from catenary.linearised.cell import vertical_cell
from dynamics.influence import matrices as influence_module
from dynamics.influence import poles
from dynamics.influence.condensed import CondensedCell
from dynamics.influence.matrices import influence_matrices
from dynamics.rig.loop.engine import LoopEngine
from dynamics.rig.loop.model import model_of
from dynamics.rig.loop.spec import LoopSettings

ARRAYS = ("I_cc", "I_cd", "I_dc", "K_dd")
SPANS = 3


@pytest.fixture(scope="module")
def line_of(build_line):
    droppers = {"positions": [8.0, 21.0, 33.0], "contact_wire_heights": [0.0, -0.02, 0.0]}
    return lambda **changes: build_line(**{"elements_per_bay": 2, "span_length": 40.0, "droppers": droppers, **changes})


@pytest.fixture(scope="module")
def one(line_of, build_case):
    return influence_matrices(build_case(line_of(), 280.0, applied_force_N=150.0, dt=4.0e-3))


@pytest.fixture(scope="module")
def several(one, line_of, build_case):
    """The same spans, three of them a period, with the very step of one."""
    step = one.case.time_step
    case = build_case(line_of(repeat={"spans": SPANS}), 280.0, applied_force_N=150.0, dt=step)
    assert case.steps_per_period == SPANS * len(one.z0)
    return influence_matrices(case)


def folded(several, span):
    """Matrices of one span: what all spans' forces give to one of them; a force is felt in later passes, too."""
    N, droppers = len(several.z0) // SPANS, len(several.dropper_force) // SPANS
    rows, own = slice(span * N, (span + 1) * N), slice(span * droppers, (span + 1) * droppers)
    return {
        "I_cc": several.I_cc[rows].reshape(N, SPANS, N).sum(axis=1),
        "I_cd": several.I_cd[rows].reshape(N, SPANS, droppers, -1).sum(axis=1),
        "I_dc": several.I_dc[own].reshape(droppers, -1, SPANS, N).sum(axis=2),
        "K_dd": several.K_dd[own].reshape(droppers, SPANS, droppers, -1).sum(axis=1),
    }


@pytest.mark.parametrize("span", range(SPANS))
def test_equal_spans_have_the_matrices_of_one(one, several, span):
    """Forces that repeat from span to span are those of a line of one span: records begin a span apart."""
    assert several.truncation_error < 1e-4
    N = len(one.z0)
    np.testing.assert_array_equal(several.dropper_offset, np.repeat(np.arange(SPANS) * N, 3) + one.dropper_offset[0])
    for name, share in zip(ARRAYS, (3e-5, 1e-6, 1e-6, 1e-6), strict=True):
        wanted = getattr(one, name)
        np.testing.assert_allclose(folded(several, span)[name], wanted, rtol=0, atol=share * np.abs(wanted).max())


def test_no_span_is_all_of_it(one, several):
    """What the sum over spans is for: a force is felt beyond its own span."""
    N = len(one.z0)
    assert np.abs(several.I_cc[:N, N : 2 * N]).max() > 0.05 * np.abs(one.I_cc).max()


def test_a_missed_pole_of_several_spans_is_detected(several, monkeypatch):
    """The count reaches twice as deep as that of one span: the narrowest pole, the deepest, one between."""
    cell = CondensedCell(several.case, vertical_cell(several.equilibrium))
    corrected, found = poles.corrected_poles, poles.lower_poles(cell)
    assert found is not None
    s = cell.steps * found.theta
    order = np.argsort(-s.imag[s.imag > -poles.depth_of(cell)])
    counted = s[s.imag > -poles.depth_of(cell)][order[[0, len(order) // 2, -1]]]
    assert counted[-1].imag < -1.5 * poles.DEPTH
    for missed in counted:

        def all_but_one(*arguments, missed=missed):
            every = corrected(*arguments)
            return every[np.abs(every - missed) > 1e-9]

        with monkeypatch.context() as patch:
            patch.setattr(poles, "corrected_poles", all_but_one)
            assert poles.lower_poles(cell) is None


def test_unequal_spans_have_the_sum_over_real_frequencies(line_of, build_case, monkeypatch):
    """Records begin where spans that differ do; the ring lies twice as deep as that of one span."""
    droppers = {"positions": [8.0, 21.0, 33.0, 47.0, 62.0], "contact_wire_heights": [0.0, -0.02, 0.0, 0.0, 0.0]}
    case = build_case(line_of(further_spans=[31.0], droppers=droppers), 280.0, applied_force_N=150.0, dt=4.0e-3)
    by_ring = influence_matrices(case)
    assert by_ring.quadrature_nodes <= 2 * case.steps_per_period and len(np.unique(by_ring.dropper_offset)) == 2
    monkeypatch.setattr(influence_module, "lower_poles", lambda cell: None)
    real = influence_matrices(case, 1.0e-4)
    for name in ARRAYS:
        wanted = getattr(real, name)
        np.testing.assert_allclose(getattr(by_ring, name), wanted, rtol=0, atol=2e-4 * np.abs(wanted).max())


def test_loop_of_several_spans_is_that_of_one(one, several):
    """Droppers slacken, each on its own record: forces that repeat give heights that repeat, the same ones."""
    N = len(one.z0)
    force = 110.0 + 50.0 * np.sin(2 * np.pi * np.arange(20 * SPANS * N) / N)
    settings = LoopSettings(strategy="step_by_step", delay_steps=1, contact_relaxation=1.0, ramp_s=0.0)
    heights, slack = [], []
    for matrices in (one, several):
        engine = LoopEngine(model_of(matrices), settings)
        heights.append(np.array([engine.step(f) for f in force])[-SPANS * N :])
        slack.append(np.count_nonzero(engine.state.now.fd))
    assert slack[1] == SPANS * slack[0] > 100
    np.testing.assert_allclose(heights[1], heights[0], rtol=0, atol=1e-5 * np.abs(heights[0]).max())
