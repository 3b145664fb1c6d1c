"""The loop as a matrix against the loop as it is stepped, on both sides of 1 (Gil et al., section 4)."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from loop_growth import emulated_growth

from dynamics.rig.loop.device import lumped_device, mass_device
from dynamics.rig.loop.harmonics import harmonic_filter
from dynamics.rig.loop.model import model_of
from dynamics.rig.loop.spec import LoopSettings
from dynamics.rig.loop.steady import slackened_model, solve_steady
from dynamics.rig.stability.maps import MapRow, stability_map
from dynamics.rig.stability.search import RecommendationStatus, recommend
from dynamics.rig.stability.spectrum import block_matrix, spectral_radius
from dynamics.spec.case import PantographSpec

CONF = Path(__file__).resolve().parents[2] / "conf"


@pytest.fixture(scope="module")
def model(influence):
    return model_of(influence)


def device(name, model):
    if name == "mass":
        return mass_device(6.6, 600.0e3, model.dt)
    text = (CONF / "pantograph" / f"{name}.yaml").read_text(encoding="utf-8")
    return lumped_device(PantographSpec.model_validate(yaml.safe_load(text)), 100.0, 600.0e3, model.dt)


def settings(strategy, delay, harmonics, relaxation, **more):
    return LoopSettings(
        strategy=strategy,
        delay_steps=delay,
        height_harmonics=harmonics,
        contact_relaxation=relaxation,
        slack=False,
        ramp_s=0.0,
        **more,
    )


@pytest.mark.parametrize(
    ("strategy", "name", "delay", "harmonics", "relaxation", "stable"),
    [
        ("span_by_span", "hil_virtual", 8, 8, 0.2, True),
        ("span_by_span", "hil_virtual", 1, 20, 0.2, True),
        ("span_by_span", "bruni_2015", 8, 20, 0.2, False),
        ("span_by_span", "mass", 8, 20, 0.3, False),
        ("step_by_step", "bruni_2015", 1, 20, 0.05, True),
        ("step_by_step", "hil_virtual", 1, 20, 0.05, False),
        ("step_by_step", "hil_virtual", 8, 8, 0.05, False),
    ],
)
def test_growth_of_the_stepped_loop_is_the_spectral_radius(model, strategy, name, delay, harmonics, relaxation, stable):
    chosen = settings(strategy, delay, harmonics, relaxation)
    radius = spectral_radius(block_matrix(model, device(name, model), chosen))
    growth = emulated_growth(model, device(name, model), chosen, blocks=150)
    assert (radius < 1.0) is stable
    assert growth == pytest.approx(radius, rel=5e-5)


@pytest.mark.parametrize("strategy", ["span_by_span", "step_by_step"])
def test_without_compensation_too(model, strategy):
    chosen = settings(strategy, 8, 20, 0.2, compensation=False)
    radius = spectral_radius(block_matrix(model, device("hil_virtual", model), chosen))
    growth = emulated_growth(model, device("hil_virtual", model), chosen, blocks=150)
    assert radius > 1.0
    assert growth == pytest.approx(radius, rel=5e-5)


def test_a_small_share_is_stable_only_if_the_slow_loop_is(model):
    """As mu_c goes to nothing, (1 - radius)/mu_c tends to a number: the least real part of 1 - gain."""
    slopes = []
    for mu in (2e-3, 1e-3):
        chosen = settings("span_by_span", 8, 8, mu)
        slopes.append((1.0 - spectral_radius(block_matrix(model, device("bruni_2015", model), chosen))) / mu)
    assert 0.0 < slopes[0] < 2.0
    assert slopes[1] == pytest.approx(slopes[0], rel=0.01)


def test_delay_hardly_matters_span_by_span_and_decides_step_by_step(model):
    """What Gil et al. found: compensated delay leaves the span-by-span loop as it is."""
    radius = {
        (strategy, delay): spectral_radius(
            block_matrix(model, device("hil_virtual", model), settings(strategy, delay, 8, 0.05))
        )
        for strategy in ("span_by_span", "step_by_step")
        for delay in (1, 8)
    }
    assert radius["span_by_span", 8] == pytest.approx(radius["span_by_span", 1], abs=2e-3)
    assert radius["step_by_step", 8] > 2.0 * radius["step_by_step", 1]


def test_device_in_contact_is_its_transfer_function(model):
    """The response over a block against the harmonic answer, once the start has died away."""
    chosen = lumped_device(
        PantographSpec(name="d", masses=(7.0, 9.0), stiffnesses=(7000.0, 500.0), dampings=(60.0, 200.0)),
        0.0,
        600.0e3,
        model.dt,
    )
    chosen.contact_damping = 400.0
    chosen.unilateral = False
    chosen.__post_init__()
    theta = 2.0 * np.pi * 9 / model.steps
    step = np.arange(40 * model.steps)
    height = 1e-3 * np.sin(theta * step)
    force = np.array([chosen.force(z) for z in height])[-model.steps :]
    expected = 1e-3 * np.imag(chosen.transfer(np.array([theta]))[0] * np.exp(1j * theta * step[-model.steps :]))
    np.testing.assert_allclose(force, expected, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("strategy", ["span_by_span", "step_by_step"])
def test_maps_are_those_of_the_whole_matrices(model, strategy):
    """Krylov spaces against whole eigenvalue problems; the best mu_c is the best of the grid."""
    grid, frequency = (0.05, 0.2, 0.7), np.array([6.0, 30.0])
    pantograph = device("hil_virtual", model)
    rows = [MapRow(replace(pantograph, contact_stiffness=k), 8) for k in (80.0e3, 1.0e6)]
    found = stability_map(model, LoopSettings(strategy=strategy), rows, frequency, grid)
    for i, row in enumerate(rows):
        for j, count in enumerate((5, 22)):
            whole = [spectral_radius(block_matrix(model, row.device, settings(strategy, 8, count, mu))) for mu in grid]
            # what settles was solved whole, what does not may be a Krylov space's
            assert found.radius[i, j] == pytest.approx(min(whole), rel=1e-9 if min(whole) < 1.0 else 2e-4)
            assert found.relaxation[i, j] == grid[int(np.argmin(whole))]


def test_slack_softens_the_line_by_what_a_small_change_shows(model):
    """Influence about a slack steady state against the difference of two of them."""
    text = (CONF / "pantograph" / "bruni_2015.yaml").read_text(encoding="utf-8")
    spec = PantographSpec.model_validate(yaml.safe_load(text))
    chosen = LoopSettings(height_harmonics=14)
    one, two = (solve_steady(model, lumped_device(spec, f, 600.0e3, model.dt), chosen) for f in (165.0, 165.001))
    assert (one.correction_force > 0.0).sum() >= 5
    change = two.contact_force - one.contact_force
    W = harmonic_filter(14, model.steps)
    expected = W @ slackened_model(model, one, chosen).I_cc @ change
    np.testing.assert_allclose(two.height - one.height, expected, atol=0.01 * np.abs(expected).max())
    unslackened = W @ model.I_cc @ change
    assert np.abs(unslackened - expected).max() > 0.05 * np.abs(expected).max()


def test_the_recommendation_is_the_widest_band_that_settles(model):
    pantograph = device("bruni_2015", model)
    found = recommend((model,), pantograph, 8, (5.0, 10.0), radius_wanted=0.95)
    assert found.stable and found.margin == 1.0 - found.spectral_radius > 0.05
    own = settings(found.strategy, 8, found.height_harmonics, found.contact_relaxation)
    assert spectral_radius(block_matrix(model, pantograph, own)) == pytest.approx(found.spectral_radius)
    assert found.contact_relaxation <= found.stable_up_to
    # where nothing settles as wanted, the radius is that of the number of harmonics next to which it stands
    hopeless = recommend((model,), pantograph, 8, (5.0, 10.0), radius_wanted=0.5)
    assert not hopeless.stable and hopeless.content()["spectral_radius"] > 0.5
    assert hopeless.status is RecommendationStatus.SLOWER_THAN_WANTED and found.status is RecommendationStatus.OK
    assert replace(hopeless, spectral_radius=1.0).status is RecommendationStatus.NOTHING_SETTLES
    own = settings(hopeless.strategy, 8, hopeless.height_harmonics, hopeless.contact_relaxation)
    assert spectral_radius(block_matrix(model, pantograph, own)) == pytest.approx(hopeless.spectral_radius)
