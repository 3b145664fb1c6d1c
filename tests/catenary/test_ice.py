"""Ice on wires that weights hold: closed form of what two joined wires sag by, and what stays as it was cut."""

import numpy as np
import pytest

from catenary.errors import InputError
from catenary.form_finding.equilibrium import EquilibriumStatus, open_line_equilibrium, periodic_equilibrium
from catenary.library.lines import load_line
from dynamics.simulation import run_case


def sag(eq):
    """Heights of the contact wire under droppers [m]."""
    return eq.q[eq.mesh.dropper_bottom, 2]


def test_joined_wires_sag_by_the_ice_over_both_tensions(build_line):
    """Droppers close to each other make both wires move as one: w x (L - x) / 2 (H + T), w the ice by metre [N/m]."""
    positions = tuple(np.arange(0.5, 55.0, 1.5).tolist())
    wire = {"bending_stiffness": 0.0}
    spec = build_line(
        elements_per_bay=2,
        contact_wire=wire,
        messenger_wire=wire,
        droppers={"positions": positions, "contact_wire_heights": (0.0,) * len(positions)},
    )
    bare = periodic_equilibrium(spec)
    iced = periodic_equilibrium(spec.with_changes(ice={"messenger_wire": 0.2, "contact_wire": 0.1}))
    assert iced.status is EquilibriumStatus.OK
    x, L = np.array(positions), spec.span_length
    expected = -9.81 * 0.3 * x * (L - x) / (2.0 * (spec.contact_wire.tension + spec.messenger_wire.tension))
    middle = slice(6, -6)  # near supports the contact wire alone is held up
    np.testing.assert_allclose((sag(iced) - sag(bare))[middle], expected[middle], rtol=0.03)


def test_tensions_and_droppers_stay_and_wires_are_heavier(build_line):
    spec = build_line()
    bare, iced = (periodic_equilibrium(s) for s in (spec, spec.with_changes(ice={"messenger_wire": 0.5})))
    assert iced.dropper_unstretched_length == pytest.approx(bare.dropper_unstretched_length, abs=1e-9)
    assert iced.spec.messenger_wire.tension == spec.messenger_wire.tension
    assert iced.spec.messenger_wire.mass_per_length == pytest.approx(spec.messenger_wire.mass_per_length + 0.5)
    assert iced.spec.contact_wire == spec.contact_wire
    assert (sag(iced) < sag(bare)).all()
    assert iced.spec.ice is None and "ice" not in spec.model_dump()


@pytest.mark.parametrize("name", ["re330", "shinkansen_compound"])
def test_other_kinds_of_line_take_ice(name):
    spec = load_line(name)
    loads = {"contact_wire": 0.3} | ({"stitch": 0.2} if spec.kind == "stitched" else {"auxiliary_wire": 0.2})
    bare, iced = (periodic_equilibrium(s) for s in (spec, spec.with_changes(ice=loads)))
    assert iced.status is EquilibriumStatus.OK and sag(iced).mean() < sag(bare).mean()


def test_an_open_line_has_the_ice_of_the_line_that_repeats(build_line):
    spec = build_line().with_changes(ice={"messenger_wire": 0.3, "contact_wire": 0.3})
    period, line = periodic_equilibrium(spec), open_line_equilibrium(spec, 9)
    count = len(spec.droppers.positions)
    middle = sag(line)[4 * count : 5 * count]
    np.testing.assert_allclose(middle, sag(period), atol=2e-4)


def test_pantograph_meets_the_heavier_line(build_case):
    window = {"spans_behind": 4, "spans_ahead": 6}
    runs = []
    for ice in ({}, {"ice": {"contact_wire": 0.5, "messenger_wire": 0.5}}):
        case = build_case("bruni_2015", 275.0, mean_force_N=143.0, periodic=window)
        line = case.catenary.with_changes(**ice)
        runs.append(run_case(case.model_copy(update={"catenary": line}), error_estimate=False))
    assert runs[1].contact_force_mean_N == pytest.approx(143.0, abs=0.5)
    assert runs[1].contact_force_std_N > 1.2 * runs[0].contact_force_std_N


def test_wrong_ice_is_refused(build_line):
    spec = build_line()
    with pytest.raises(InputError, match=r"must be above 0 kg/m: all are 0"):
        spec.with_changes(ice={"contact_wire": 0.0})
    with pytest.raises(InputError, match=r"ice\.stitch must be left out: kind is simple"):
        spec.with_changes(ice={"stitch": 0.2})
    with pytest.raises(InputError, match=r"ice must be left out with temperature"):
        spec.with_changes(ice={"contact_wire": 0.2}, temperature={"now_C": 0.0})


WIND = {
    "speed": 20.0,
    **{name: {"diameter": 0.013, "drag_coefficient": 1.2} for name in ("contact_wire", "messenger_wire", "droppers")},
}


@pytest.mark.parametrize(
    "changes",
    [{"ice": {"contact_wire": 0.2, "messenger_wire": 0.3}}, {"temperature": {"now_C": 12.0}}],
    ids=["ice", "temperature"],
)
@pytest.mark.parametrize(
    "around",
    [{"wind": WIND}, {"track": {"plan": [{"kind": "straight", "length": 130.0},
                                         {"kind": "arc", "length": 400.0, "radius": 4000.0}]}}],
    ids=["wind", "plan"],
)  # fmt: skip
def test_wind_and_curves_stay_on_an_open_line_that_is_hung_in_two_steps(changes, around):
    """The wires' places across the track are those of the line without ice, at the temperature of stringing."""
    spec = load_line("bruni_2015").with_changes(dimension="spatial").with_changes(**around)
    plain, changed = (open_line_equilibrium(s, 7) for s in (spec, spec.with_changes(**changes)))
    across, found = (eq.q[eq.mesh.dropper_bottom, 1] for eq in (plain, changed))
    straight = open_line_equilibrium(load_line("bruni_2015").with_changes(dimension="spatial"), 7)
    moved = np.abs(across - straight.q[straight.mesh.dropper_bottom, 1]).max()
    assert moved > 0.02
    np.testing.assert_allclose(found, across, atol=0.05 * moved)
