"""Running surface of the contact wire: its spectrum, and what it does to the contact force."""

import numpy as np
import pytest
from scipy.signal import welch

import catenary
from catenary.errors import InputError
from catenary.layout.running_surface import drawn_heights, spectral_density, surface_of
from catenary.spec.running_surface.surface import IrregularitySpec, KinkSpec, ProfileSpec
from catenary.spec.section import SectionSpec
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import load_pantograph

SPANS, SPAN = 5, 55.0
MESH = {"elements_per_bay": 2, "largest_element_length": 2.0}


def case(speed_kmh=150.0, dt=1e-3, contact=None, spatial=False, **section):
    """A line of five spans by stations whose droppers hold both ways at that speed, pressed by 100 N."""
    content = catenary.load_line("bruni_2015").model_dump()
    drops = content["droppers"]
    at = [k * SPAN + x for k in range(SPANS) for x in drops["positions"]]
    content["droppers"] |= {"positions": at, "contact_wire_heights": [*drops["contact_wire_heights"]] * SPANS}
    content |= {"further_spans": [SPAN] * (SPANS - 1), "section": section, "mesh": MESH, "name": "five"}
    content["dimension"] = "spatial" if spatial else "planar"
    way = {"spans": SPANS, "start": 0.5, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
    return CaseSpec.model_validate(
        {
            "catenary": content, "pantograph": load_pantograph("bruni_2015").model_dump(), "speed_kmh": speed_kmh,
            "applied_force_N": 100.0, "dt": dt, "solver": "open_line", "open_line": way,
            "contact": contact or {}, "kinematics": "nonlinear" if spatial else "linearised",
        }
    )  # fmt: skip


def raw(found):
    assert found.status.has_figures, found.message
    one = found.pantographs[0]
    return one.position[one.evaluated], one.contact_force[one.evaluated]


def test_samples_have_the_spectrum_and_belong_to_their_seed_and_wire():
    spec = IrregularitySpec(rms=1e-3, exponent=2.5, longest=20.0, shortest=0.5, seed=3)
    x = np.linspace(0.0, 12_000.0, 240_001)
    h = drawn_heights(spec, 0, x)
    n, found = welch(h, 1.0 / (x[1] - x[0]), nperseg=4096)
    for low, high in ((0.06, 0.2), (0.2, 0.6), (0.6, 1.8)):
        band = (n >= low) & (n <= high)
        assert np.trapezoid(found[band], n[band]) == pytest.approx(
            np.trapezoid(spectral_density(spec, n[band]), n[band]), rel=0.05
        )
    assert h.std() == pytest.approx(1e-3, rel=0.05)
    every = np.linspace(0.05, 2.0, 400_000)
    assert np.trapezoid(spectral_density(spec, every), every) == pytest.approx(1e-6, rel=1e-3)
    assert np.array_equal(h, drawn_heights(spec, 0, x))
    for other in (drawn_heights(spec, 1, x), drawn_heights(spec.model_copy(update={"seed": 4}), 0, x)):
        assert abs(np.corrcoef(h, other)[0, 1]) < 0.1


def test_profile_and_kink_are_where_they_are_given():
    section = SectionSpec(
        profiles=(ProfileSpec(stations=(10.0, 20.0, 30.0), heights=(0.001, 0.001, 0.001)),),
        kinks=(KinkSpec(station=25.0, height=-0.004, length=1.0),),
    )
    h = surface_of(section, catenary.load_line("bruni_2015").contact_wire, 0, (0.0, 50.0))
    x = np.linspace(0.0, 50.0, len(h))
    assert np.interp([5.0, 15.0, 25.0, 24.75, 35.0], x, h) == pytest.approx([0, 1e-3, -3e-3, -1e-3, 0], abs=1e-6)
    assert np.interp([7.5, 32.5], x, h) == pytest.approx([5e-4, 5e-4], abs=1e-6), "back to the smooth wire within 5 m"
    assert np.abs(np.diff(h)).max() < 3e-4, "no step"
    assert surface_of(SectionSpec(), catenary.load_line("bruni_2015").contact_wire, 0, (0.0, 50.0)).size == 0


def test_an_even_surface_is_a_wire_that_is_held_as_much_higher():
    """Supports that are 20 mm higher lift all of the wire; so does its surface, and the springs to the base feel it."""
    lifted = solve(case(contact_heights=(0.02,) * (SPANS + 1)))
    surface = solve(case(profiles=[{"stations": [-1.0, SPANS * SPAN + 1.0], "heights": [0.02, 0.02]}]))
    smooth = raw(solve(case()))[1]
    a, b = raw(lifted)[1], raw(surface)[1]
    assert a == pytest.approx(b, abs=1e-6)
    # 160 N/m to the base over 20 mm, less what the wire gives way
    assert smooth.mean() - b.mean() == pytest.approx(3.2, abs=0.4)


def test_a_kink_presses_in_space_as_it_does_upright():
    """What a kink adds to the force is the same where contacts are sought in space: wire and head are nearly level."""
    added = []
    for contact in ({}, {"space": {}}):
        smooth, rough = (
            raw(solve(case(contact=contact, spatial=True, kinks=kinks, dt=2e-3)))[1]
            for kinks in ([], [{"station": 140.0, "height": -0.004, "length": 2.0}])
        )
        added.append(rough - smooth)
    assert np.abs(added[0]).max() > 20.0
    assert added[1] == pytest.approx(added[0], abs=0.03 * np.abs(added[0]).max())


def test_short_waves_press_with_the_contact_stiffness():
    """Far above the resonance of head and contact the head stands still and the force follows -k h.

    At 150 km/h waves of 0.4 m come at 104 Hz, and 5 kN/m on a head of 7.5 kg are at 4 Hz: (4/104)^2 is 0.2 %. The wire,
    a string of impedance 2 sqrt(T rho), gives way by k / (2 pi f 2 sqrt(T rho)) = 2 %, a quarter of a period later.
    """
    wave, height, k = 0.4, 1e-3, 5e3
    x = np.arange(0.0, SPANS * SPAN + 0.01, 0.05)
    heights = (height * np.sin(2.0 * np.pi * x / wave)).tolist()
    soft = {"contact": {"stiffness": k}}
    at, smooth = raw(solve(case(**soft)))
    _, rough = raw(solve(case(profiles=[{"stations": x.tolist(), "heights": heights}], **soft)))
    in_phase, behind = (
        2.0 * np.mean((rough - smooth) * f(2.0 * np.pi * at / wave)) / (k * height) for f in (np.sin, np.cos)
    )
    assert in_phase == pytest.approx(-1.0, abs=0.04)
    assert abs(behind) < 0.06


def test_a_drawn_surface_raises_what_is_filtered_and_needs_its_steps():
    smooth = solve(case()).statistics.contact_force_std_N
    drawn = {"rms": 1e-3, "longest": 30.0, "shortest": 0.8, "seed": 2}
    rough = solve(case(irregularity=drawn)).statistics.contact_force_std_N
    assert rough > smooth + 1.0
    with pytest.raises(ValueError, match=r"dt must be at most 0.00[0-9]+ s, 4 steps on the shortest wave"):
        case(speed_kmh=300.0, dt=4e-3, irregularity=drawn)


def test_what_would_stand_between_two_steps_is_refused():
    kink = {"station": 200.0, "height": 0.005, "length": 0.1}
    with pytest.raises(ValueError, match=r"dt must be at most 0.0006 s, 2 steps on the shortest bend of .*section"):
        case(speed_kmh=300.0, dt=1e-3, kinks=[kink])
    case(speed_kmh=300.0, dt=5e-4, kinks=[kink])
    x = np.arange(200.0, 201.0, 0.07)
    tooth, flat = 0.003 * (-1.0) ** np.arange(len(x)), np.where(np.arange(len(x)) < 7, 0.0, 4e-4)

    def profile(heights):
        return {"stations": x.tolist(), "heights": heights.tolist()}

    with pytest.raises(ValueError, match=r"at most 0.0008\d* s, a step from crest to trough .*0.07 m at 200"):
        case(speed_kmh=300.0, dt=2e-3, profiles=[profile(tooth)])
    case(speed_kmh=300.0, dt=8e-4, profiles=[profile(tooth)])
    for smooth in (flat, 0.01 * np.sin(2.0 * np.pi * x), np.full(len(x), 0.01)):  # points may be as near as one likes
        case(speed_kmh=300.0, dt=2e-3, profiles=[profile(smooth)])


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"kinks": [{"station": 400.0, "height": 0.001}]}, r"kinks\[0\] must lie on a wire: got 400 m"),
        ({"profiles": [{"stations": [0, 1], "heights": [0]}]}, "one height per station"),
        ({"profiles": [{"stations": [1, 0], "heights": [0, 0]}]}, "stations must increase: point 2 is at 0 m"),
        ({"profiles": [{"stations": [0, 1], "heights": [0, 0], "section": "A"}]}, "section must be left out: got A"),
        ({"irregularity": {"rms": 1e-3, "longest": 0.6, "shortest": 0.5}}, "longest must be at least twice shortest"),
    ],
)
def test_surfaces_that_cannot_be_are_refused(section, said):
    with pytest.raises((InputError, ValueError), match=said):
        case(**section)
