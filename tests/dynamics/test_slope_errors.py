"""Derivatives with their errors: held against those of finer numerics, by the operator and by a march."""

import numpy as np
import pytest

from dynamics.adjoint.droppers import dropper_slopes
from dynamics.adjoint.inputs import input_slopes
from dynamics.adjoint.slope_errors import steady_derivatives
from dynamics.adjoint.steady_slopes import SteadySlopes
from dynamics.solution import solve

OPERATOR, FINEST = {"method": "operator"}, {"method": "operator", "resolution": 3.0}


def by_heights(droppers):
    return np.array([d.by_height[:4] for d in droppers])


@pytest.fixture(scope="module")
def solved(build_case):
    return solve(build_case("bruni_2015", 275.0, mean_force_N=143.36, periodic=OPERATOR))


@pytest.fixture(scope="module")
def found(solved):
    return steady_derivatives(solved)


@pytest.fixture(scope="module")
def finest(build_case):
    """Derivatives with three times the harmonics and samples."""
    return SteadySlopes(solve(build_case("bruni_2015", 275.0, mean_force_N=143.36, periodic=FINEST)))


def test_errors_by_droppers_hold_what_finer_numerics_have(solved, found, finest):
    """Instants of slack move from sample to sample, so that those of the run's own numerics are a tenth off."""
    own = by_heights(dropper_slopes(SteadySlopes(solved), checked=False).droppers)
    best = by_heights(found.droppers.droppers)
    errors = np.array([d.height_error[:4] for d in found.droppers.droppers])
    reference = by_heights(dropper_slopes(finest, checked=False).droppers)
    off = np.abs(best - reference)
    assert (off <= errors).mean() > 0.85 and (off <= 3.0 * errors).all()
    off_own = np.abs(own - reference)
    assert (off**2).mean(axis=0)[0] < 0.6 * (off_own**2).mean(axis=0)[0], "twice the samples are nearer"
    assert errors[:, 0].max() < 0.5 * np.abs(best[:, 0]).max(), "they say which droppers matter"


def test_errors_by_inputs_hold_what_finer_numerics_have(found, finest):
    reference = {x.name: x.slopes for x in input_slopes(finest)}
    off = np.array([np.abs(np.subtract(x.slopes[:4], reference[x.name][:4])) for x in found.inputs])
    errors = np.array([x.error[:4] for x in found.inputs])
    assert (off <= errors).mean() > 0.85 and (off[:, 0] <= 3.0 * errors[:, 0]).all()
    assert "twice the harmonics and samples of the run" in found.errors_from and not found.message


def test_the_computed_step_is_of_the_numerics_that_derivatives_have(found):
    check = found.droppers.check
    assert check.computed == pytest.approx(check.expected, rel=0.2) and check.expected < 0.0


def test_a_march_keeps_its_own_derivatives_and_has_their_errors(build_case):
    """Half of its window by half of its step is the worse of the two."""
    window = {"spans_behind": 8, "spans_ahead": 8, "tolerance": 1.0e-3}
    marched = solve(build_case("bruni_2015", 200.0, mean_force_N=60.0, dt=4.0e-3, periodic=window))
    alone = steady_derivatives(marched, with_errors=False)
    assert not alone.errors_from and all(d.height_error is None for d in alone.droppers.droppers)
    assert all(x.error is None for x in alone.inputs)
    both = steady_derivatives(marched)
    assert by_heights(both.droppers.droppers) == pytest.approx(by_heights(alone.droppers.droppers))
    errors = np.array([d.height_error.sigma for d in both.droppers.droppers])
    assert (errors > 0.0).all() and errors.min() > 0.2 * errors.max(), "none agrees by chance"
    assert "half of the window" in both.errors_from
