"""A contact wire that hangs from an auxiliary wire, and wires side by side: at rest."""

import numpy as np
import pytest
import yaml

import catenary
from catenary.errors import InputError
from catenary.form_finding.equilibrium import open_line_equilibrium, periodic_equilibrium
from catenary.form_finding.prescribed import prescribed_by_heights, prescribed_by_lengths
from catenary.layout.key_points import AUXILIARY
from catenary.library.line_workbook import write_line_workbook
from catenary.library.lines import line_file_of
from catenary.linearised.attachments import point_masses
from catenary.linearised.cell import vertical_cell
from catenary.linearised.elasticity import static_elasticity
from catenary.linearised.open_line import linearise
from catenary.linearised.static_checks import faults_in_words, loose_in_words

GRAVITY = 9.81
SUPPLE = {"bending_stiffness": 0.0}


@pytest.fixture(scope="module")
def compound():
    return catenary.load_line("shinkansen_compound")


def weight_of(eq):
    """Weight of wires, droppers and clamps [N]."""
    wires = (eq.spec.contact_wire, eq.spec.messenger_wire, None, eq.spec.auxiliary_wire)
    rho = np.array([0.0 if wire is None else wire.mass_per_length for wire in wires])
    points = sum(values.sum() for _, values in point_masses(eq, "droppers"))
    return GRAVITY * ((eq.elem_l0 * rho[eq.mesh.elem_wire]).sum() + points)


@pytest.mark.parametrize("dimension", ["planar", "spatial"])
def test_supports_carry_all_three_wires(compound, dimension):
    eq = periodic_equilibrium(compound.with_changes(dimension=dimension))
    carried = eq.steady_arm_force.sum() + eq.messenger_support_force.sum()
    assert eq.status.value == "ok" and carried == pytest.approx(weight_of(eq), abs=1e-5)
    assert len(eq.horizontal_reaction) == 3 and np.abs(eq.horizontal_reaction).max() < 1e-5


def test_wires_hang_as_taut_strings(compound):
    """Loads of main droppers, and the sag of the auxiliary wire between them, in closed form.

    Elements whose slope is one on both sides of a clamp cannot kink there: on longer ones the wire sags less.
    """
    wires = {"contact_wire": SUPPLE, "messenger_wire": SUPPLE, "auxiliary_wire": SUPPLE}
    supple = compound.with_changes(**wires, mesh={"elements_per_bay": 40})
    eq, own, drops = periodic_equilibrium(supple), supple.auxiliary_wire, supple.droppers
    low = np.flatnonzero(~np.array(eq.mesh.layout.dropper_is_main))
    main = np.flatnonzero(eq.mesh.layout.dropper_is_main)
    hung = 0.5 * drops.mass_per_length * eq.dropper_length[low[4]]
    load = GRAVITY * (5.0 * supple.contact_wire.mass_per_length + drops.clamp_mass_contact_wire + hung)
    assert eq.dropper_force[low[2:8]] == pytest.approx(load, rel=2e-3)
    at_clamp = load + GRAVITY * (drops.clamp_mass_messenger_wire + hung)
    half = 0.5 * own.droppers.mass_per_length * eq.dropper_length[main[2]]
    carried = GRAVITY * (10.0 * own.mass_per_length + own.droppers.clamp_mass_auxiliary_wire + half) + 2.0 * at_clamp
    assert eq.dropper_force[main[2]] == pytest.approx(carried, rel=2e-3)
    sag = (at_clamp * 2.5 + 0.5 * GRAVITY * own.mass_per_length * 2.5 * 7.5) / own.tension
    assert eq.dropper_length[low[4]] == pytest.approx(own.encumbrance - sag, abs=1.2e-4)
    coarse = periodic_equilibrium(supple.with_changes(mesh={"elements_per_bay": 10}))
    error = [each.dropper_length[low[4]] - (own.encumbrance - sag) for each in (eq, coarse)]
    assert 0.0 < 3.0 * error[0] < error[1]


def test_sides_follow_the_stagger(compound):
    """In space the auxiliary wire zigzags with the contact wire; a stagger of nothing leaves the plane's forces."""
    eq = periodic_equilibrium(compound.with_changes(dimension="spatial"))
    side = eq.q[eq.mesh.support_auxiliary, 1]
    assert side == pytest.approx(eq.q[eq.mesh.support_contact, 1]) and abs(side[0]) == compound.support.stagger
    straight = periodic_equilibrium(compound.with_changes(dimension="spatial", support={"stagger": 1e-3}))
    plane = periodic_equilibrium(compound)
    np.testing.assert_allclose(straight.dropper_force, plane.dropper_force, atol=0.02)


def simple_and_compound(tension, spare):
    """bruni_2015, and the same with a nearly weightless auxiliary wire held at every dropper by stiff short ones."""
    simple = catenary.load_line("bruni_2015")
    drops, content = simple.droppers, simple.model_dump()
    main = {
        "positions": drops.positions,
        "auxiliary_wire_heights": drops.contact_wire_heights,
        "stiffness": 1.0 / (1.0 / drops.stiffness - 1.0e-7),
        "mass_per_length": 0.0,
        "clamp_mass_auxiliary_wire": 0.0,
        "clamp_mass_messenger_wire": drops.clamp_mass_messenger_wire,
    }
    wire = {"tension": tension, "mass_per_length": 0.01, "axial_stiffness": 1e5, **SUPPLE, "encumbrance": spare}
    content |= {"name": "limit", "kind": "compound", "auxiliary_wire": {**wire, "droppers": main}, "provenance": {}}
    content["droppers"] |= {"stiffness": 1.0e7, "clamp_mass_messenger_wire": 0.0}
    return simple, type(simple).model_validate(content)


def test_a_wire_that_is_hardly_there_leaves_the_simple_line():
    """Its tension adds to the contact wire's: what it moves halves with it, and nothing is left at none."""
    x, rise = np.linspace(0.0, 55.0, 45)[:-1], []
    for tension in (400.0, 200.0):
        simple, other = simple_and_compound(tension, 0.25)
        rise.append(static_elasticity(periodic_equilibrium(other), x, 100.0))
    plain = static_elasticity(periodic_equilibrium(simple), x, 100.0)
    apart = [np.abs(each - plain).max() / plain.mean() for each in rise]
    assert 1.7 < apart[0] / apart[1] < 2.3
    np.testing.assert_allclose(2.0 * rise[1] - rise[0], plain, rtol=2e-3)


def test_an_open_line_hangs_as_the_cell(compound):
    cell, line = periodic_equilibrium(compound), open_line_equilibrium(compound, 6)
    n, middle = len(cell.dropper_force), 2 * len(cell.dropper_force)
    np.testing.assert_allclose(line.dropper_force[middle : middle + n], cell.dropper_force, atol=0.02)
    assert np.isin(AUXILIARY, line.mesh.node_wire) and line.mesh.wire_ends.shape == (1, 6)


def test_heights_follow_from_lengths_and_lengths_from_heights(compound):
    eq = periodic_equilibrium(compound)
    cut = prescribed_by_lengths(eq)
    again = periodic_equilibrium(cut)
    np.testing.assert_allclose(again.q[:, 2], eq.q[:, 2], atol=1e-7)
    there = prescribed_by_heights(again)
    np.testing.assert_allclose(there.auxiliary_wire.droppers.auxiliary_wire_heights, 0.0, atol=1e-7)
    main = list(cut.auxiliary_wire.droppers.lengths)
    main[2] += 0.01
    longer = periodic_equilibrium(cut.with_changes(auxiliary_wire={"droppers": {"lengths": main}}))
    sunk = (longer.q - eq.q)[eq.mesh.dropper_bottom, 2]
    assert sunk[4] < -1e-3 and sunk[5] == pytest.approx(sunk[4], abs=1e-6) and sunk[4] < sunk[0]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kind": "simple"}, "kind is 'simple' but auxiliary_wire is given"),
        ({"auxiliary_wire": {"encumbrance": 1.6}}, "auxiliary_wire.encumbrance must be below encumbrance = 1.5 m"),
        ({"auxiliary_wire": {"droppers": {"positions": [5.0, 15.1, 25.0]}}}, ""),
        ({"auxiliary_wire": {"droppers": {"positions": [5.0, 12.6, 25.0]}}}, "must stand at a dropper, or 0.3 m clear"),
        ({"auxiliary_wire": {"droppers": {"positions": [0.1]}}}, "must stay 0.3 m clear of the support"),
        ({"auxiliary_wire": {"droppers": {"auxiliary_wire_heights": [0.0]}}}, "one for each of 5 main droppers"),
        (
            {
                "auxiliary_wire": {"droppers": {"positions": [2.5, 15.0, 25.0, 35.0, 45.0]}},
                "repeat": {"spans": 2, "defects": [{"span": 1, "dropper": 1, "kind": "broken"}]},
            },
            "main droppers that share no clamp with a dropper: one stands at 2.5 m",
        ),
    ],
)
def test_what_does_not_fit_is_refused_by_name(compound, changes, words):
    if not words:
        assert compound.with_changes(**changes).auxiliary_wire.droppers.positions[1] == 15.1
        return
    with pytest.raises(InputError, match=words):
        compound.with_changes(**changes)


def test_a_main_dropper_that_would_push_is_a_fault(compound):
    heights = [0.0, 0.0, 0.3, 0.0, 0.0]
    lifted = compound.with_changes(auxiliary_wire={"droppers": {"auxiliary_wire_heights": heights}})
    assert any("main dropper" in words for words in faults_in_words(periodic_equilibrium(lifted)))


@pytest.mark.parametrize("dimension", ["planar", "spatial"])
def test_two_wires_are_one_of_twice_everything(dimension):
    """To the last bit; that two wires side by side move so is what the gate of halves shows (test_tension_sections)."""
    two = catenary.load_line("double_wire_3kv").with_changes(dimension=dimension)
    own = two.contact_wire
    doubled = {k: 2.0 * getattr(own, k) for k in ("mass_per_length", "axial_stiffness", "bending_stiffness")}
    one = two.with_changes(contact_wire={"count": 1, "tension": 2.0 * own.tension, **doubled})
    cells = [vertical_cell(periodic_equilibrium(line)) for line in (two, one)]
    for name in ("mass", "stiffness"):
        assert np.array_equal(*(getattr(cell, name).own for cell in cells))
    assert cells[0].wire_ends == cells[1].wire_ends
    single = vertical_cell(periodic_equilibrium(two.with_changes(contact_wire={"count": 1})))
    assert not np.array_equal(single.mass.own, cells[0].mass.own)
    assert "contact wire 2 x 10.5 kN" in two.in_words


@pytest.fixture
def by_stations(tmp_path, monkeypatch):
    """Write a line file of compound spans into a folder of its own, and read it."""
    monkeypatch.chdir(tmp_path)

    def read(at, **keys):
        content = {"kind": "line", "type": "shinkansen_compound", "supports": [{"station_m": x} for x in at], **keys}
        (tmp_path / "km12.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
        return catenary.load_line("km12.yaml")

    return read


@pytest.mark.parametrize("dimension", ["planar", "spatial"])
def test_equal_spans_by_stations_are_the_open_line_of_the_type_bit_by_bit(compound, by_stations, dimension):
    """Main droppers come last by stations, and last of every period of the type."""
    there = open_line_equilibrium(compound.with_changes(dimension=dimension), 5)
    here = open_line_equilibrium(by_stations([50 * k for k in range(6)], changes={"dimension": dimension}), 5)
    assert np.array_equal(here.q, there.q) and np.array_equal(here.elem_l0, there.elem_l0)
    order = np.argsort(there.mesh.layout.dropper_is_main, kind="stable")
    assert np.array_equal(here.dropper_force, there.dropper_force[order])
    matrices = linearise(here), linearise(there)
    for name in ("mass", "damping", "stiffness"):
        assert abs(getattr(matrices[0], name) - getattr(matrices[1], name)).max() == 0.0


def test_a_period_of_equal_spans_hangs_as_one_and_a_defect_as_on_a_line_that_ends(compound, by_stations):
    one, cell = periodic_equilibrium(compound), periodic_equilibrium(compound.with_changes(repeat={"spans": 3}))
    alike = dict(zip(np.round(one.mesh.layout.dropper_x, 6), one.dropper_force, strict=True))
    for x, force in zip(cell.mesh.layout.dropper_x, cell.dropper_force, strict=True):
        assert force == pytest.approx(alike[round(x % 50.0, 6)], abs=1e-6)
    defects = [{"span": 4, "dropper": 4, "kind": "broken"}, {"span": 4, "dropper": 7, "kind": "length", "by": 0.01}]
    period = periodic_equilibrium(compound.with_changes(repeat={"spans": 7, "defects": defects}))
    written = [defects[0], {"span": 4, "dropper": 7, "kind": "length", "by_mm": 10}]
    line = open_line_equilibrium(by_stations([50 * k for k in range(8)], defects=written), 7)
    assert np.allclose(period.mesh.layout.dropper_x, line.mesh.layout.dropper_x)
    middle = np.abs(np.array(line.mesh.layout.dropper_x) - 175.0) < 75.0
    np.testing.assert_allclose(period.dropper_force[middle], line.dropper_force[middle], rtol=0, atol=0.01)
    sound = cell.dropper_force[np.array(cell.mesh.layout.dropper_is_main)][:5]
    own = np.flatnonzero(line.mesh.layout.dropper_is_main)
    assert len(line.dropper_force) == 7 * 15 - 1 and np.abs(line.dropper_force[own[15:20]] - sound).max() > 1.0
    # contact and auxiliary wire keep the clamps of the broken dropper, and supports carry them
    assert [wire for wire, _ in line.mesh.layout.masses] == [0, AUXILIARY]
    supported = period.steady_arm_force.sum() + period.messenger_support_force.sum()
    left = GRAVITY * sum(mass for _, mass in period.mesh.layout.masses)
    assert supported == pytest.approx(weight_of(period) + left, abs=1e-4)


def test_rows_of_main_droppers_stand_in_place_of_the_types_and_a_workbook_holds_them(by_stations, tmp_path):
    at = [0, 50, 95, 150, 200]
    rows = [{"span": 3, "position": x, "height_mm": -5} for x in (5, 16, 27, 38, 50)]
    line = by_stations(at, main_droppers=rows)
    main = line.auxiliary_wire.droppers
    assert main.positions[5:15] == (54.5, 63.5, 72.5, 81.5, 90.5, 100, 111, 122, 133, 145)
    assert main.auxiliary_wire_heights[10:15] == (-0.005,) * 5 and set(main.auxiliary_wire_heights[:10]) == {0.0}
    assert open_line_equilibrium(line, 4).status.value == "ok"
    write_line_workbook(tmp_path / "km12.xlsx", "shinkansen_compound", line_file_of(tmp_path / "km12.yaml"), line)
    assert catenary.load_line("km12.xlsx").auxiliary_wire == line.auxiliary_wire
    with pytest.raises(InputError, match="main droppers need a type of kind compound"):
        by_stations([55 * k for k in range(5)], type="bruni_2015", main_droppers=rows[:1])


def test_rows_of_main_droppers_name_their_section_where_two_pass(by_stations, tmp_path):
    """Those of the type follow the curves on which wires run in and out; a workbook holds the sections of all."""
    at = [0, 50, 100, 150, 200, 250]
    sections = [{"name": "A", "from": 0, "to": 200}, {"name": "B", "from": 100, "to": 250}]
    rows = [{"span": 3, "position": x, "height_mm": -5, "section": "B"} for x in (5, 25, 45)]
    line = by_stations(at, sections=sections, main_droppers=rows)
    main = line.auxiliary_wire.droppers
    assert main.by_section == (20, 13) and main.positions[20:24] == (105, 125, 145, 155)
    assert main.auxiliary_wire_heights[20:23] == (-0.005,) * 3
    # wire A climbs by 0.5 m over its last span, on a parabola: 125 mm below the chord in the middle
    assert main.auxiliary_wire_heights[15:20] == pytest.approx([-0.5 * s * (1 - s) for s in (0.1, 0.3, 0.5, 0.7, 0.9)])
    assert main.auxiliary_wire_heights[:15] == (0.0,) * 15
    assert open_line_equilibrium(line, 5).status.value == "ok"
    write_line_workbook(tmp_path / "km12.xlsx", "shinkansen_compound", line_file_of(tmp_path / "km12.yaml"), line)
    assert catenary.load_line("km12.xlsx").auxiliary_wire == line.auxiliary_wire
    with pytest.raises(
        InputError, match=r"km12\.yaml main_droppers\[0\]: section is missing: the wires of A and B pass"
    ):
        by_stations(at, sections=sections, main_droppers=[{"span": 3, "position": 5, "height_mm": -5}])


def test_a_main_dropper_that_hangs_loose_is_named(compound):
    cut = prescribed_by_lengths(periodic_equilibrium(compound))
    lengths = [*cut.auxiliary_wire.droppers.lengths]
    lengths[1] += 0.3
    longer = cut.with_changes(auxiliary_wire={"droppers": {"lengths": lengths}})
    assert "main dropper 2 hangs loose by" in loose_in_words(longer, periodic_equilibrium(longer))
