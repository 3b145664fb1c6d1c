"""Sums by transforms round a ring against the sums that they stand for, written out."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dynamics.line_operator.answers import Contour
from dynamics.line_operator.dropper_kernels import BLOCK, dropper_kernels
from dynamics.line_operator.local_time import LocalTime

CONTOUR = Contour(0.7, 80.0, 5)
POLES = np.array([9.0 - 1.5j, 31.0 - 0.4j])
SINGLE = 2e-5  # sums in single precision, of the largest


@pytest.fixture(params=(5, 9), ids=("more frequencies than places", "fewer"))
def time(request) -> LocalTime:
    count = CONTOUR.count
    omega = np.concatenate([CONTOUR.frequencies(0, count), POLES])
    answers: Any = SimpleNamespace(omega=omega, ring=count)
    return LocalTime(CONTOUR, request.param, answers)


def drawn(*shape: int) -> np.ndarray:
    rng = np.random.default_rng(sum(shape))
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


def waves(time: LocalTime, sample: np.ndarray, omega: np.ndarray) -> np.ndarray:
    return np.exp(1j * np.outer(sample * time.step, omega))


def test_a_series_is_the_sum_over_frequencies_places_and_mirror_images(time):
    omega, M = time.answers.omega, time.around
    values, around = drawn(len(omega), 3), drawn(M, 3)
    summed = waves(time, time.sample, omega) @ values
    summed = summed + waves(time, time.sample, CONTOUR.frequencies(0, M)) @ around
    np.testing.assert_allclose(time.series(values, time.sample, around), 2.0 * summed.real, rtol=1e-10, atol=1e-10)


def test_sums_of_squeezes_are_those_at_all_places_and_poles(time):
    squeeze = drawn(len(time.sample), 3).real
    around, of_poles = time.sums(squeeze)
    expected = waves(time, -time.sample, CONTOUR.frequencies(0, time.around)).T @ squeeze
    np.testing.assert_allclose(around, expected, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(of_poles, waves(time, -time.sample, POLES).T @ squeeze, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("opposed", (False, True))
def test_fields_of_pairs_are_summed_over_harmonics_and_their_mirror_images(time, opposed):
    omega, K = time.answers.omega, 4
    values, phases, wave = drawn(3, len(omega), 2), drawn(2, 2 * K), drawn(len(omega), 2 * K)
    fields = (values @ phases) * wave
    turn = waves(time, -time.sample if opposed else time.sample, omega)
    expected = np.einsum("tn,cnk->tck", turn, fields[:, :, :K])
    expected += np.einsum("tn,cnk->tck", turn.conj(), fields[:, :, K:].conj())
    single = (each.astype(np.complex64) for each in (values, phases, wave))
    found = time.of_pairs(*single, time.sample, opposed=opposed)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=SINGLE * np.abs(expected).max())


def test_a_table_holds_what_hats_do_within_the_contour_and_beyond_it(time):
    omega, droppers = time.answers.omega, np.array([0, 2, 3])
    time.answers.by_droppers, time.answers.weight = drawn(len(omega), 4, 4), drawn(len(omega))
    ends = drawn(time.around, 4)
    found = dropper_kernels(time.answers, time, droppers, ends).stretch
    among = time.answers.by_droppers[:, droppers[:, None], droppers]
    expected = np.einsum("tn,n,nab->bat", waves(time, time.lags, omega), time.answers.weight * time.hat, among)
    own = waves(time, time.lags, CONTOUR.frequencies(0, time.around)) @ ends[:, droppers]
    expected[np.arange(3), np.arange(3)] += own.T
    assert not found[:, :, :BLOCK].any()
    np.testing.assert_allclose(found[:, :, BLOCK:], 2.0 * expected.real, rtol=0.0, atol=SINGLE * np.abs(expected).max())


def test_a_frequency_far_below_the_contour_has_no_share():
    depth = np.array([1.0, 1e3, 1e5])
    factors = CONTOUR.passed(7.0 - 1j * (CONTOUR.depth + depth))
    assert factors[0] == pytest.approx(-1j / (1.0 + np.exp((1.0 + 7j) * CONTOUR.images * CONTOUR.T)), rel=1e-12)
    assert (np.abs(factors[1:]) < 1e-100).all()
