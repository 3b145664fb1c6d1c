"""Steady wind on a line at rest: its load, the blow-off of a taut wire, what it damps, and a limit on the blow-off."""

import numpy as np
import pytest

from catenary.form_finding.equilibrium import equilibrium_at_rest, open_line_equilibrium
from catenary.linearised.aerodynamic import gust_loads
from catenary.linearised.blow_off import farthest_place
from catenary.linearised.open_line import linearise
from catenary.linearised.static_checks import FaultKind, faults_at_rest
from catenary.spec.surroundings.wind import DragSpec, WindSpec

BARE = {"diameter": 0.0125, "drag_coefficient": 1.2}
WIND = {"speed": 30.0, "contact_wire": BARE, "messenger_wire": BARE}


def wind(**changes):
    return WindSpec.model_validate({**WIND, **changes})


def test_load_of_a_wind():
    """30 m/s, 12.5 mm, C_d 1.2, 1.225 kg/m3: 8.26875 N/m; from the other side its negative."""
    assert wind().load(DragSpec(**BARE)) == pytest.approx(8.26875, abs=1e-12)
    assert wind(blows_to="right").load(DragSpec(**BARE)) == pytest.approx(-8.26875, abs=1e-12)
    assert wind().slope(DragSpec(diameter=0.0144)) == pytest.approx(0.64, rel=0.01)


def test_blow_off_of_a_taut_wire(build_line):
    """p L^2 / 8 T = 0.286225 m for 60 m and 13 kN.

    Both wires have one load and one tension, so that droppers hang upright and pass nothing; no bending. Elements turn
    kinks of the wires at supports into bends: a fine mesh.
    """
    wire = {"tension": 13e3, "bending_stiffness": 0.0, "axial_stiffness": 1e8}
    at = {"positions": (10.0, 20.0, 30.0, 40.0, 50.0), "contact_wire_heights": (0.0,) * 5}
    spec = build_line(
        elements_per_bay=40, dimension="spatial", span_length=60.0, encumbrance=2.2, contact_wire=wire,
        messenger_wire=wire, droppers=at, support={"stagger": 0.0, "messenger_stagger": 0.0}, wind=WIND,
    )  # fmt: skip
    eq = open_line_equilibrium(spec, 2)
    middle = eq.q[eq.mesh.dropper_bottom[2], 1]
    assert middle == pytest.approx(0.286225, rel=5e-3)
    assert farthest_place(eq)[1] == pytest.approx(middle, rel=1e-3)


def test_wind_on_droppers_is_carried_by_the_wires(build_line):
    """All that blows on wires and droppers goes into the supports, the wires' end supports included."""
    spec = build_line(dimension="spatial", wind={**WIND, "droppers": {"diameter": 0.01}})
    bare, hung = (
        open_line_equilibrium(spec.with_changes(wind=None if still else {**WIND, "droppers": own}), 4)
        for still, own in ((True, None), (False, {"diameter": 0.01}))
    )
    load = 8.26875 * 2 * 220.0 + 0.5 * 1.225 * 1.2 * 0.01 * 900.0 * hung.dropper_length.sum()
    carried = sum(
        (eq.steady_arm_side_force + eq.messenger_side_force).sum() * sign for eq, sign in ((hung, -1.0), (bare, 1.0))
    )
    assert carried == pytest.approx(load, rel=1e-3)


def test_wind_damps_sideways_twice_as_much_as_in_height(build_line):
    spec = build_line(dimension="spatial", wind=WIND)
    eq = open_line_equilibrium(spec, 3)
    still = open_line_equilibrium(spec.with_changes(wind={"aerodynamic_damping": False}), 3)
    added = linearise(eq).damping - linearise(still).damping
    for component, slope in ((1, 2 * 8.26875 / 30.0), (2, 8.26875 / 30.0)):
        moves = np.zeros(eq.mesh.n_dof)
        moves[eq.mesh.dof[:, component]] = 1.0
        # consistent damping of a rigid move is slope x length, of both wires
        assert moves @ added @ moves == pytest.approx(slope * 2 * 165.0, rel=1e-2)


def test_gust_loads_add_up_to_the_slope_of_drag(build_line):
    eq = open_line_equilibrium(build_line(dimension="spatial", wind=WIND), 3)
    dof, load, at = gust_loads(eq, eq.spec.wind)
    places = np.isin(dof, eq.mesh.dof[:, 1])
    assert load[places].sum() == pytest.approx(2 * 8.26875 / 30.0 * 2 * 165.0, rel=1e-3)
    assert at.min() == 0.0 and at.max() == 165.0


def test_limit_on_blow_off_names_place_and_cure(build_line):
    spec = build_line(dimension="spatial", wind={**WIND, "largest_place": 0.2}, repeat={"spans": 2})
    (fault,) = faults_at_rest(equilibrium_at_rest(spec))
    assert faults_at_rest(equilibrium_at_rest(spec), lambda stations: np.zeros(np.shape(stations), dtype=bool)) == ()
    assert (fault.kind, fault.key) == (FaultKind.BLOWN, "wind.largest_place")
    assert "in a wind of 30 m/s" in fault.sentence
    assert not faults_at_rest(equilibrium_at_rest(spec.with_changes(wind={"largest_place": 0.5})))


def test_a_mirrored_cell_is_found_in_still_air(build_line):
    """Staggers that change sides and a wind that does not need an even number of spans; wind on two spans is kept."""
    odd = build_line(dimension="spatial", wind=WIND)
    assert odd.repeating.wind is None
    two = build_line(dimension="spatial", wind=WIND, repeat={"spans": 2})
    assert two.repeating is two
    eq, line = equilibrium_at_rest(two), open_line_equilibrium(odd, 8)
    third = line.q[line.mesh.dropper_bottom[36:54], 1]
    assert third == pytest.approx(eq.q[eq.mesh.dropper_bottom, 1], abs=1e-4)
