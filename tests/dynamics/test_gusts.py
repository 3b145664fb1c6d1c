"""Records of gusts against spectrum and coherence; gusts and aerodynamic damping on an open line in space."""

import numpy as np
import pytest
from scipy.signal import csd, welch

from catenary.form_finding.equilibrium import open_line_equilibrium
from catenary.spec.surroundings.wind import TurbulenceSpec
from dynamics.open_line.build import build_pantographs, build_system, build_whole_line
from dynamics.solution import solve
from dynamics.wind.gusts import coherence, gust_record, spectrum

MEAN = 25.0
BAND = slice(8, 160)  # lines of the spectrum, 0.05 to 1 Hz
DRAG = {"diameter": 0.0144, "drag_coefficient": 1.2}
WIND = {"speed": 30.0, "contact_wire": DRAG, "messenger_wire": DRAG}


def turbulence(**changes):
    return TurbulenceSpec.model_validate({"intensity": 0.15, "length_scale": 100.0, "seed": 3, **changes})


@pytest.mark.parametrize("kind", ["von_karman", "kaimal"])
def test_spectra_integrate_to_the_variance(kind):
    f = np.geomspace(1e-7, 1e5, 200_001)
    assert np.trapezoid(spectrum(turbulence(spectrum=kind), MEAN, f), f) == pytest.approx(3.75**2, rel=1e-3)


@pytest.mark.parametrize("kind", ["von_karman", "kaimal"])
def test_record_has_its_spectrum_and_coherence(kind):
    """Spectrum and root coherence of the samples within 5 % of the target, as means over bands of an octave."""
    own = turbulence(spectrum=kind, step=0.1)
    stations = np.arange(60) * 6.0
    u = gust_record(own, MEAN, stations, 4000.0).speed
    # stations 30 m apart share next to nothing above 0.2 Hz, neighbours much
    f, power = welch(u[:, ::5], fs=10.0, nperseg=2048, axis=0)
    _, cross = csd(u[:, :-1], u[:, 1:], fs=10.0, nperseg=2048, axis=0)
    _, each = welch(u, fs=10.0, nperseg=2048, axis=0)
    for low in (0.05, 0.1, 0.2, 0.4, 0.8):
        band = (f >= low) & (f < 2.0 * low)
        assert power[band].mean() == pytest.approx(spectrum(own, MEAN, f[band]).mean(), rel=0.05)
        found = (cross.real.mean(axis=1) / each.mean(axis=1))[band].mean()
        assert found == pytest.approx(coherence(own, MEAN, f[band], 6.0).mean(), abs=0.05)


def test_one_seed_is_one_record():
    stations = np.arange(10) * 5.0
    a, b, c = (gust_record(turbulence(seed=s), MEAN, stations, 20.0).speed for s in (1, 1, 2))
    assert np.array_equal(a, b) and not np.array_equal(a, c)


@pytest.fixture
def blown(build_case):
    """Build a case of a short open line in space, in wind."""

    def build(wind, **changes):
        settings = {"spans": 6, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
        case = build_case(
            "bruni_2015", 200.0, solver="open_line", applied_force_N=120.0, dt=4e-3, open_line=settings, **changes
        )
        mesh = {"elements_per_bay": 2, "largest_element_length": 3.0}
        line = case.catenary.with_changes(dimension="spatial", mesh=mesh, wind=wind)
        return case.model_copy(update={"catenary": line})

    return build


def test_side_motion_decays_as_the_drag_says(blown):
    """A wire moving sideways loses rho C_d d U / m of its speed a second: 0.64 N s/m2 on 1.35 kg/m, 1 %.

    Half of that in height. The line's own damping is out.
    """
    case = blown(WIND)
    spec = case.catenary.with_changes(damping={"alpha": 0.0, "beta": 0.0}, support={"steady_arm_mass": 0.0})
    line = build_whole_line(open_line_equilibrium(spec, 6))
    mesh = line.equilibrium.mesh
    between_droppers = (mesh.node_wire == 0) & (mesh.node_x > 60.0) & (mesh.node_x < 65.0)
    (node,) = np.flatnonzero(between_droppers)
    for component, share in ((1, 1.0), (2, 0.5)):
        dof = line.kept(mesh.dof[[node], component])
        rate = (line.damping[dof][:, dof].sum()) / (line.mass[dof][:, dof].sum())
        # exp(-rate t): after a second
        assert np.exp(-rate) == pytest.approx(np.exp(-share * 0.64 / 1.35), rel=0.01)


def test_gusts_load_the_march_as_steady_wind_would(blown):
    """A gust that never changes is a wind of another speed: its load is the slope of drag times the speed."""
    case = blown({**WIND, "turbulence": {"intensity": 0.15, "seed": 1}})
    line = build_whole_line(open_line_equilibrium(case.catenary, 6))
    system = build_system(case, line, build_pantographs(case, 55.0))
    gusts = system.gusts
    total = np.bincount(gusts.dof, weights=gusts.load, minlength=line.mass.shape[0])
    moves = line.kept(line.equilibrium.mesh.dof[:, 1])
    assert total[moves[moves >= 0]].sum() == pytest.approx(2 * 0.6350 * 330.0, rel=0.03)
    assert gusts.speed.std() == pytest.approx(4.5, rel=0.5)


def test_gusts_shake_the_wire_and_the_seed_decides(blown):
    still, one, other = (
        solve(blown({**WIND, **gusts}))
        for gusts in ({}, {"turbulence": {"intensity": 0.2, "seed": 1}}, {"turbulence": {"intensity": 0.2, "seed": 2}})
    )
    sigma = [s.statistics.contact_force_std_N for s in (still, one, other)]
    assert len({round(s, 6) for s in sigma}) == 3
    again = solve(blown({**WIND, "turbulence": {"intensity": 0.2, "seed": 1}}))
    assert np.array_equal(again.leading.contact_force, one.leading.contact_force)
