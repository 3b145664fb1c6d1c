"""Elements of a line by stations and worn contact wire: closed forms, balances, the same line described otherwise."""

import numpy as np
import pytest
import yaml
from scipy.sparse.linalg import splu

from catenary.errors import InputError
from catenary.form_finding.equilibrium import open_line_equilibrium
from catenary.form_finding.first_guess import GRAVITY
from catenary.layout.along_contact_wire import worn_depth
from catenary.layout.mesh import Z
from catenary.layout.running_surface import surface_of
from catenary.library.line_workbook import write_line_workbook
from catenary.library.lines import line_file_of, load_line
from catenary.linearised.open_line import linearise
from catenary.spec.attached.wear import worn_round

SPANS = 5
SPRING = {"station_m": 1135.2, "kind": "spring_support", "wire": "messenger", "stiffness_kN/m": 50}
DAMPER = {"station_m": 1140.6, "kind": "damper", "damping": 400}
INSULATOR = {"station_m": 1140.6, "kind": "insulator", "mass": 12, "length_m": 1.8, "bending_stiffness": 2000}
COARSE = {"mesh": {"elements_per_bay": 2, "largest_element_length": 2.0}}


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a line file of five spans into a folder of its own, and read it."""
    monkeypatch.chdir(tmp_path)

    def read(changes=None, **keys):
        supports = [{"station_m": 1000 + 55 * k} for k in range(SPANS + 1)]
        content = {"kind": "line", "type": "bruni_2015", "supports": supports, "changes": {**COARSE, **(changes or {})}}
        (tmp_path / "km12.yaml").write_text(yaml.safe_dump({**content, **keys}), encoding="utf-8")
        return load_line("km12.yaml")

    return read


def hung(line):
    eq = open_line_equilibrium(line, len(line.spans))
    assert eq.status.value == "ok"
    return eq


def answer(eq, ends, omega=0.0):
    """Relative move of points by a unit force between them, or of one against the ground [m/N]."""
    model = linearise(eq)
    kept = np.setdiff1d(np.arange(eq.mesh.n_dof), model.fixed)
    A = (model.stiffness + 1j * omega * model.damping - omega**2 * model.mass)[kept][:, kept]
    load = np.zeros(eq.mesh.n_dof, dtype=complex)
    load[eq.mesh.dof[ends, Z]] = [1.0, -1.0][: len(ends)]
    return load[kept] @ splu(A.tocsc()).solve(load[kept])


def test_a_spring_support_stands_parallel_to_what_the_line_answers(write):
    """1/e = 1/e0 + k at its clamp, at rest, and 1/e0 + k + i w c at 3 Hz; the line hangs as without it."""
    free, held = (hung(write(elements=[{**SPRING, **own}])) for own in ({"stiffness_kN/m": 0, "force": 1e-9}, {}))
    np.testing.assert_allclose(held.q, free.q, rtol=0, atol=1e-9)
    at = [free.mesh.mass_nodes[0]]
    assert 1.0 / answer(held, at).real == pytest.approx(1.0 / answer(free, at).real + 50e3, rel=1e-9)
    damped, omega = hung(write(elements=[{**SPRING, "damping": 900.0}])), 6.0 * np.pi
    assert 1.0 / answer(damped, at, omega) == pytest.approx(1.0 / answer(free, at, omega) + 50e3 + 900j * omega)


def test_a_damper_stands_parallel_to_what_the_wires_answer_between_its_clamps(write):
    free, damped = (hung(write(elements=[{**DAMPER, "damping": c}])) for c in (1e-9, 400.0))
    ends, omega = free.mesh.mass_nodes, 10.0 * np.pi
    assert len(ends) == 2 and abs(free.q[ends[1], 2] - free.q[ends[0], 2]) > 0.5
    assert 1.0 / answer(damped, ends, omega) == pytest.approx(1.0 / answer(free, ends, omega) + 400j * omega, rel=1e-6)
    assert answer(damped, ends) == pytest.approx(answer(free, ends))


def carried(eq):
    """What supports and arms carry beyond the weight of wires as the type has them, and of droppers [N]."""
    wires = np.array([1.35, 1.08])[eq.mesh.elem_wire] @ eq.elem_l0
    weight = GRAVITY * (wires + eq.spec.droppers.mass_per_length * eq.dropper_length.sum())
    return eq.steady_arm_force.sum() + eq.messenger_support_force.sum() - weight


def test_supports_carry_less_by_what_spring_supports_lift_and_more_by_an_insulator(write):
    plain, lifted = hung(write()), hung(write(elements=[{**SPRING, "force_kN": 0.3}]))
    assert carried(lifted) - carried(plain) == pytest.approx(-300.0, abs=1e-3)
    heavier = hung(write(elements=[INSULATOR]))
    replaced = heavier.elem_l0[np.isclose(heavier.mesh.elem_length, 0.9)].sum()
    assert replaced == pytest.approx(1.8, rel=2e-3)
    more = GRAVITY * replaced * (12.0 / 1.8 - 1.35)
    assert carried(heavier) - carried(plain) == pytest.approx(more, abs=1e-3)


def test_an_insulator_made_as_the_wire_changes_nothing_and_a_stiff_one_stays_straight(write):
    fine = {"mesh": {"elements_per_bay": 12, "largest_element_length": 0.5}}
    plain = hung(write(fine))
    same = hung(write(fine, elements=[{**INSULATOR, "mass": 1.35 * 1.8, "bending_stiffness": 195.0}]))
    np.testing.assert_allclose(same.dropper_force, plain.dropper_force, rtol=0, atol=0.05)
    stiff = hung(write(fine, elements=[{**INSULATOR, "mass": 1.35 * 1.8, "bending_stiffness": 1e5}]))
    turned = [np.ptp(eq.q[_inside(eq), 5]) for eq in (same, stiff)]
    assert turned[0] > 1e-4 and turned[1] < 0.1 * turned[0]


def _inside(eq):
    """Nodes of the contact wire from end to end of the insulator."""
    mesh = eq.mesh
    first, last = mesh.node_x[mesh.mass_nodes]
    return np.flatnonzero((mesh.node_wire == 0) & (mesh.node_x >= first) & (mesh.node_x <= last))


@pytest.mark.parametrize("dimension", ["planar", "spatial"])
def test_a_line_worn_all_along_is_one_of_a_lighter_wire_whose_droppers_keep_their_lengths(write, dimension):
    worn = hung(write({"dimension": dimension}, wear=[{"from_m": 1000, "to_m": 1275, "area_percent": 20}]))
    design = hung(write({"dimension": dimension}))
    wire = design.spec.contact_wire
    lighter = {
        "mass_per_length": 0.8 * wire.mass_per_length,
        "axial_stiffness": 0.8 * wire.axial_stiffness,
        "bending_stiffness": worn_round(0.2).bending * wire.bending_stiffness,
    }
    lengths = {
        "prescribed": "lengths", "lengths": tuple(design.dropper_unstretched_length), "contact_wire_heights": None,
    }  # fmt: skip
    other = hung(design.spec.with_changes(contact_wire=lighter, droppers=lengths))
    np.testing.assert_allclose(worn.q, other.q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(worn.dropper_force, other.dropper_force, rtol=0, atol=1e-4)
    np.testing.assert_allclose(worn.dropper_unstretched_length, design.dropper_unstretched_length, rtol=0, atol=1e-7)
    assert worn.q[worn.mesh.dropper_bottom, Z].mean() > design.q[design.mesh.dropper_bottom, Z].mean() + 0.01
    matrices = [linearise(eq) for eq in (worn, other)]
    for name in ("mass", "stiffness", "damping"):
        assert (
            abs(getattr(matrices[0], name) - getattr(matrices[1], name)).max()
            < 1e-5 * abs(getattr(matrices[1], name)).max()
        ), name


def test_a_worn_stretch_lifts_the_line_as_taking_its_weight_off_does(write):
    """Linear answer of the sound line to the weight that is gone, within 5 %; elements are covered in part.

    Tensions are kept, and heights at supports, where form-finding finds the arms' force.
    """
    kept_tension = {"tension_in_motion": "constant"}
    sound = hung(write(kept_tension))
    worn = hung(write(kept_tension, wear=[{"from_m": 1111.3, "to_m": 1141.9, "area_percent": 10}]))
    mesh = sound.mesh
    a, b = mesh.node_x[mesh.elem_nodes].T
    share = np.where(mesh.elem_wire == 0, np.clip(np.minimum(b, 141.9) - np.maximum(a, 111.3), 0, None), 0.0)
    load = np.zeros(mesh.n_dof)
    for end in mesh.elem_nodes.T:
        np.add.at(load, mesh.dof[end, Z], 0.5 * share * 0.1 * 1.35 * GRAVITY)
    model = linearise(sound)
    supports = mesh.dof[np.concatenate([mesh.support_contact, mesh.support_messenger]), Z]
    kept = np.setdiff1d(np.arange(mesh.n_dof), np.concatenate([model.fixed, supports]))
    rise = np.zeros(mesh.n_dof)
    rise[kept] = splu(model.stiffness[kept][:, kept].tocsc()).solve(load[kept])
    near = (np.array(mesh.layout.dropper_x) > 100.0) & (np.array(mesh.layout.dropper_x) < 150.0)
    nodes = mesh.dropper_bottom[near]
    assert share.sum() == pytest.approx(30.6)
    moved = worn.q[nodes, Z] - sound.q[nodes, Z]
    np.testing.assert_allclose(moved, rise[mesh.dof[nodes, Z]], rtol=0.05, atol=0.05 * moved.max())


def test_what_is_left_of_a_round_wire_is_that_of_a_circle_cut_off_in_strips():
    for area in (0.05, 0.2, 0.5):
        left = worn_round(area)
        y = np.linspace(-1.0, 1.0 - 2.0 * left.depth, 200_001)
        wide = 2.0 * np.sqrt(1.0 - y**2)
        whole = np.trapezoid(wide, y)
        centre = np.trapezoid(wide * y, y) / whole
        assert 1.0 - whole / np.pi == pytest.approx(area, abs=1e-5)
        assert np.trapezoid(wide * (y - centre) ** 2, y) / (0.25 * np.pi) == pytest.approx(left.bending, abs=1e-4)


def test_the_surface_of_a_worn_stretch_lies_as_much_higher_as_the_wire_is_flat(write):
    line = write(wear=[{"from_m": 1110, "to_m": 1140, "area_percent": 20}])
    wire = line.contact_wire
    diameter = np.sqrt(4.0 * 1.35 / (np.pi * 8890.0))
    depth = worn_depth(line.section.wear[0], wire)
    assert depth == pytest.approx(0.25407 * diameter, rel=1e-4)
    h = surface_of(line.section, wire, 0, (0.0, 275.0))
    x = np.linspace(0.0, 275.0, len(h))
    found = np.interp([109.0, 110.0, 110.5, 111.5, 139.0, 141.0], x, h)
    assert found == pytest.approx([0, 0, 0.5 * depth, depth, depth, 0], abs=1e-5)
    given = write(wear=[{"from_m": 1110, "to_m": 1140, "area_percent": 20, "depth_mm": 1}])
    assert surface_of(given.section, wire, 0, (0.0, 275.0)).max() == pytest.approx(1e-3)


def test_worn_stretches_that_adjoin_have_the_surface_of_one(write):
    """A table of wear goes in steps; between two depths the deeper stretch rises to the other."""

    def surface(*rows):
        wear = [{"from_m": begin, "to_m": end, "area_percent": 15, "depth_mm": mm} for begin, end, mm in rows]
        line = write(wear=wear)
        return surface_of(line.section, line.contact_wire, 0, (0.0, 275.0))

    whole, parts = surface((1110, 1140, 1)), surface((1120, 1140, 1), (1110, 1113, 1), (1113, 1120, 1))
    assert parts == pytest.approx(whole, abs=1e-12) and whole.max() == pytest.approx(1e-3)
    steps, x = surface((1110, 1120, 1), (1120, 1140, 3)), np.linspace(0.0, 275.0, len(whole))
    assert np.interp([112.0, 119.9, 120.0, 120.5, 121.5, 138.0], x, steps) == pytest.approx(
        [1e-3, 1e-3, 1e-3, 2e-3, 3e-3, 3e-3], abs=2e-5
    )
    assert np.abs(np.diff(steps)).max() < 1e-4, "no step"


def test_two_masses_in_one_place_are_refused_and_two_wires_may_have_one_each(write):
    def masses(*rows):
        return [{"station_m": at, "wire": wire, "mass_kg": 3} for at, wire in rows]

    with pytest.raises(InputError, match=r"masses\[1\].*0.1 m clear of the mass at 140.6 m on the same wire"):
        write(masses=masses((1140.6, "messenger"), (1140.62, "messenger")))
    line = write(masses=masses((1140.6, "messenger"), (1140.6, "contact")))
    assert hung(line).residual < 1e-5


def test_elements_and_wear_of_sections_are_those_of_their_wires_and_a_workbook_holds_them(write, tmp_path):
    sections = [{"name": "A", "from_m": 1000, "to_m": 1165}, {"name": "B", "from_m": 1055, "to_m": 1275}]
    wear = [{"from_m": 1060, "to_m": 1160, "area_percent": 20, "section": "B"}]
    elements = [{**SPRING, "section": "A"}, {**INSULATOR, "station_m": 1195.8, "section": "B"}]
    line = write(sections=sections, wear=wear, elements=elements)
    eq = hung(line)
    sound = hung(write(sections=sections))
    rise = eq.q[eq.mesh.dropper_bottom, Z] - sound.q[sound.mesh.dropper_bottom, Z]
    a = sum(line.droppers.by_section[:1])
    assert np.abs(rise[:a]).max() < 2e-3 and rise[a:].max() > 0.01
    assert eq.mesh.node_x[eq.mesh.mass_nodes] == pytest.approx([135.2, 194.9, 196.7])
    assert list(eq.mesh.node_wire[eq.mesh.mass_nodes]) == [1, 0, 0]
    # of all sections together: the matrices of the joined line have what each section's own have
    spread = linearise(eq).mass.diagonal()[eq.mesh.dof[eq.mesh.mass_nodes, Z]]
    assert spread[1] == pytest.approx(spread[2], rel=0.3) and spread[1] > 12.0 / 1.8 * 0.3
    write_line_workbook(tmp_path / "km12.xlsx", "bruni_2015", line_file_of(tmp_path / "km12.yaml"), line)
    again = load_line("km12.xlsx")
    assert again.section.elements == line.section.elements and again.section.wear == line.section.wear


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"elements": [{**SPRING, "station_m": 1110.05}]}, "must stay 0.1 m clear of the support or dropper at 110 m"),
        ({"elements": [SPRING, {**DAMPER, "station_m": 1135.25}]}, "0.1 m clear of the element at 135.2 m"),
        ({"elements": [{**INSULATOR, "station_m": 1142.9}]}, "elements[0]: section.elements[0]: an insulator must lie"),
        ({"elements": [{**INSULATOR, "station_m": 1000.4}]}, "the whole insulator on a wire, between 0 and 275 m: got"),
        ({"elements": [INSULATOR, DAMPER]}, "stay clear of the insulator from"),
        ({"elements": [DAMPER, INSULATOR]}, "insulator clear of the element at"),
        ({"elements": [{**DAMPER, "damping": 0}]}, "damping must be above 0 N s/m: the damper does nothing"),
        ({"elements": [{"station_m": 1140, "kind": "damper"}]}, "damping is missing: an element of kind 'damper'"),
        ({"elements": [{**DAMPER, "mass": 3}]}, "mass must be left out of an element of kind 'damper'"),
        ({"elements": [{**SPRING, "stiffness_kN/m": 0}]}, "the spring support does nothing"),
        (
            {"elements": [{**SPRING, "station_m": 1300}]},
            "elements[0]: station must lie on the line, 1000 to 1275 m: got 1300 m",
        ),
        ({"elements": [{**DAMPER, "kind": "dampr"}]}, "kind must be one of spring_support, damper, insulator: got"),
        (
            {"wear": [{"from_m": 1100, "to_m": 1090, "area_percent": 20}]},
            "wear[0]: to must be beyond from, 1100 m: got 1090 m",
        ),
        (
            {"wear": [{"from_m": 1100, "to_m": 1190, "area_percent": 60}]},
            "area must be between 0.0001 and 50 percent: got 60 percent",
        ),
        (
            {"wear": [{"from_m": 1100, "to_m": 1490, "area_percent": 6}]},
            "wear[0]: to must lie on the line, 1000 to 1275 m: got 1490 m",
        ),
        ({"wear": [{"from_m": 1100, "area_percent": 6}]}, "km12.yaml wear[0]: to is missing"),
        ({"wear": [{"from_m": 1100, "to_m": 1150, "area": 0.1, "section": "C"}]}, "section must be left out: got C"),
    ],
)
def test_what_finds_no_place_is_refused_by_its_row(write, keys, sentence):
    with pytest.raises(InputError) as refused:
        write(**keys)
    assert sentence in "\n".join(refused.value.problems)


def test_a_line_that_repeats_takes_neither(write):
    line = write(elements=[DAMPER])
    with pytest.raises(InputError, match="must be left out of a line that repeats"):
        line.with_changes(repeat={"spans": SPANS})
