"""Steady wind on a line with an auxiliary wire, at rest: what each wire takes, and where three tied wires stand."""

import numpy as np
import pytest
import yaml

import catenary
from catenary.errors import InputError
from catenary.form_finding.equilibrium import open_line_equilibrium, periodic_equilibrium
from catenary.linearised.aerodynamic import gust_loads
from catenary.linearised.blow_off import farthest_place, in_gust
from catenary.linearised.contact_wire import place_on_head
from catenary.linearised.open_line import linearise

SPAN = 50.0
WIRES = ("contact_wire", "messenger_wire", "auxiliary_wire")
DIAMETERS = (15.5e-3, 17.5e-3, 16.0e-3)
WIND = {
    "speed": 25.0,
    **{name: {"diameter": d} for name, d in zip(WIRES, DIAMETERS, strict=True)},
    "droppers": {"diameter": 5.0e-3},
}
PRESSURE = 0.5 * 1.225 * 1.2 * 25.0**2  # N/m2, of drag 1.2
STRAIGHT = {"support": {"stagger": 0.0, "messenger_stagger": 0.0}}


@pytest.fixture(scope="module")
def line():
    """A compound line in space, in still air."""
    return catenary.load_line("shinkansen_compound").with_changes(dimension="spatial")


def supple(line, **changes):
    """The same without bending stiffness, on a straight line."""
    taut = {name: {"bending_stiffness": 0.0, **changes.pop(name, {})} for name in WIRES}
    return line.with_changes(**taut, **STRAIGHT, **changes)


def test_supports_carry_the_wind_on_every_wire_and_dropper(line):
    """Half the density, times drag, width and speed squared: all of it goes into arms and supports."""
    eq = open_line_equilibrium(line.with_changes(wind=WIND), 3)
    assert eq.status.value == "ok"
    load = PRESSURE * (sum(DIAMETERS) * 3 * SPAN + 5.0e-3 * eq.dropper_length.sum())
    carried = [each.sum() for each in (eq.steady_arm_side_force, eq.messenger_side_force, eq.auxiliary_side_force)]
    assert -sum(carried) == pytest.approx(load, abs=1e-4)
    assert max(carried) < 0.0


def test_every_tension_section_carries_the_wind_on_its_own_wires(tmp_path):
    """Two that pass each other over two spans: 4 and 3 spans of all three wires."""
    sections = [{"name": "A", "from": 0, "to": 200}, {"name": "B", "from": 100, "to": 250}]
    content = {
        "kind": "line",
        "type": "shinkansen_compound",
        "supports": [{"station_m": 50 * k} for k in range(6)],
        "sections": sections,
        "changes": {"dimension": "spatial", "wind": {**WIND, "droppers": None}},
    }
    (tmp_path / "km12.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    eq = open_line_equilibrium(catenary.load_line(str(tmp_path / "km12.yaml")), 5)
    assert eq.status.value == "ok" and len(eq.auxiliary_side_force) == 5 + 4
    for part, spans in zip(eq.parts, (4, 3), strict=True):
        each = (part.steady_arm_side_force, part.messenger_side_force, part.auxiliary_side_force)
        assert -sum(force.sum() for force in each) == pytest.approx(PRESSURE * sum(DIAMETERS) * spans * SPAN, abs=1e-3)


def test_wires_that_blow_alike_stand_off_as_one_wire_of_their_tensions(line):
    """Loads as tensions: no dropper turns, and w L^2 / (8 T) has the sums of both; elements round kinks a little."""
    tension = [getattr(line, name).tension for name in WIRES]
    widths = {name: {"diameter": 0.016 * T / tension[0]} for name, T in zip(WIRES, tension, strict=True)}
    alike = supple(line, mesh={"elements_per_bay": 40}, wind={**WIND, **widths, "droppers": None})
    eq = open_line_equilibrium(alike, 1)
    load = PRESSURE * 0.016 * sum(tension) / tension[0]
    expected = load * SPAN**2 / (8.0 * sum(tension))
    low, high = eq.q[eq.mesh.dropper_bottom, 1], eq.q[eq.mesh.dropper_top, 1]
    assert farthest_place(eq)[1] == pytest.approx(expected, rel=5e-3)
    assert np.abs(high - low).max() < 5e-3 * expected


def tied_strings(still, loads, on_droppers, cells=500):
    """Places of three taut strings at rest in wind (wire, cell + 1) [m], tied by droppers that hang as in still air.

    A dropper ties its clamps with its pull over its length. Finite differences over one span, 0.1 m apart.
    """
    h, n = SPAN / cells, cells + 1
    tension = [getattr(still.spec, name).tension for name in WIRES]
    K, f = np.zeros((3 * n, 3 * n)), np.zeros(3 * n)
    for wire in range(3):
        at = wire * n + np.arange(n)
        for k in at[1:-1]:
            K[k, [k - 1, k, k + 1]] = np.array([-1.0, 2.0, -1.0]) * tension[wire] / h
            f[k] = loads[wire] * h
        K[at[[0, -1]], at[[0, -1]]] = 1.0
    layout = still.mesh.layout
    for k, x in enumerate(layout.dropper_x):
        bottom, top = (2, 1) if layout.dropper_is_main[k] else (0, 2)
        a, b = (wire * n + round(x / h) for wire in (bottom, top))
        tie = still.dropper_force[k] / still.dropper_length[k]
        K[[a, a, b, b], [a, b, b, a]] += tie * np.array([1.0, -1.0, 1.0, -1.0])
        f[[a, b]] += 0.5 * on_droppers * still.dropper_length[k]
    return np.linalg.solve(K, f).reshape(3, n)


def test_three_wires_stand_where_tied_strings_do(line):
    """Each wire has a load and tension of its own, so that droppers turn and pass some on: strings by differences."""
    fine = supple(line, mesh={"elements_per_bay": 20})
    still, blown = (open_line_equilibrium(fine.with_changes(**given), 1) for given in ({}, {"wind": WIND}))
    y = tied_strings(still, [PRESSURE * d for d in DIAMETERS], PRESSURE * 5.0e-3)
    layout, mesh = blown.mesh.layout, blown.mesh
    at = np.round(np.array(layout.dropper_x) / (SPAN / 500)).astype(int)
    main = np.array(layout.dropper_is_main)
    low, high = blown.q[mesh.dropper_bottom, 1], blown.q[mesh.dropper_top, 1]
    farthest = y[0].max()
    for found, wire, which in ((low, 0, ~main), (low, 2, main), (high, 2, ~main), (high, 1, main)):
        np.testing.assert_allclose(found[which], y[wire, at[which]], atol=5e-3 * farthest)
    assert np.abs(y[0] - y[1]).max() > 0.1 * farthest  # not one wire


@pytest.mark.parametrize("find", [periodic_equilibrium, lambda spec: open_line_equilibrium(spec, 3)])
def test_no_wind_leaves_the_line_as_it_is(line, find):
    line = line.with_changes(repeat={"spans": 2})
    still, none = find(line), find(line.with_changes(wind={**WIND, "speed": 0.0}))
    assert np.array_equal(still.q, none.q) and np.array_equal(still.elem_l0, none.elem_l0)


def test_a_wind_from_the_other_side_leaves_the_mirror_image(line):
    left, right = (
        open_line_equilibrium(supple(line, wind={**WIND, "blows_to": side}), 2) for side in ("left", "right")
    )
    np.testing.assert_allclose(left.q[:, 1], -right.q[:, 1], atol=1e-9)
    np.testing.assert_allclose(left.q[:, [0, 2]], right.q[:, [0, 2]], atol=1e-9)
    assert left.q[:, 1].max() > 0.1
    # with staggers that change sides it is that of the next span, but for tensions, prescribed in the first bay
    cell = [
        periodic_equilibrium(line.with_changes(wind={**WIND, "blows_to": side}, repeat={"spans": 2}))
        for side in ("left", "right")
    ]
    x = np.linspace(0.0, SPAN, 26)
    assert place_on_head(cell[0], x) == pytest.approx(-place_on_head(cell[1], x + SPAN), abs=5e-5)


def test_a_gust_and_damping_find_the_auxiliary_wire(line):
    """Slope of the load by the wind's speed on every wire, as gusts have it and as motion is damped by it."""
    spec = line.with_changes(wind={**WIND, "droppers": None, "gust_factor": 1.5})
    eq = open_line_equilibrium(spec, 2)
    slope = 2.0 * PRESSURE / 25.0 * sum(DIAMETERS) * 2 * SPAN
    dof, load, _ = gust_loads(eq, eq.spec.wind)
    across = np.isin(dof, eq.mesh.dof[:, 1])
    assert load[across].sum() == pytest.approx(slope, rel=1e-12)
    still = open_line_equilibrium(spec.with_changes(wind={"aerodynamic_damping": False}), 2)
    damping = (linearise(eq).damping - linearise(still).damping).tocsr()
    moves = np.zeros(eq.mesh.n_dof)
    moves[eq.mesh.dof[:, 1]] = 1.0
    assert moves @ damping @ moves == pytest.approx(slope, rel=1e-3)
    assert farthest_place(in_gust(eq))[1] > farthest_place(eq)[1] + 0.02


def test_a_wind_that_does_not_know_the_auxiliary_wire_is_refused(line):
    with pytest.raises(InputError, match=r"wind\.auxiliary_wire \(diameter, drag_coefficient\) is missing"):
        line.with_changes(wind={key: value for key, value in WIND.items() if key != "auxiliary_wire"})
