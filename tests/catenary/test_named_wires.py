"""Wires by name: what they bring, what goes before them, and what is refused."""

import math

import numpy as np
import pytest

import catenary
from catenary.errors import InputError
from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.spec.components import WireSpec
from catenary.spec.line import CatenarySpec
from catenary.wires.makes import MAKES
from catenary.wires.names import BLOCKS

RE330 = catenary.load_line("re330")


def test_every_make_is_a_block_of_its_kind():
    keys = {
        block: set(CatenarySpec.model_fields[block].annotation.__pydantic_fields__)
        for block in ("contact_wire", "droppers")
    }
    for make in MAKES.values():
        of = "droppers" if make.role == "dropper rope" else "contact_wire"
        assert set(make.values) == set(make.marks) and set(make.values) <= keys[of]
        assert make.role in BLOCKS.values()
        # copper and its alloys: density, E and tensile strength of the whole section
        assert 8600.0 < make.values["mass_per_length"] / make.area < 9300.0
        assert 290e6 < make.strength / make.area < 620e6
        if of == "contact_wire":
            assert 110e9 < make.values["axial_stiffness"] / make.area < 126e9
            solid = make.values["axial_stiffness"] * make.area / (4.0 * math.pi)
            ratio = make.values["bending_stiffness"] / solid
            assert ratio == pytest.approx(0.9 if make.role == "contact wire" else 1.0, rel=2e-2)


def test_names_agree_with_what_the_library_of_lines_has_from_elsewhere():
    """Values of re330 and c350 were put together before there were names."""
    for line, block, name in (
        ("re330", "contact_wire", "CuMg AC-120"), ("re330", "messenger_wire", "BzII 120"),
        ("re330", "stitch", "BzII 35"),
        ("c350", "contact_wire", "CuMg AC-150"), ("c350", "messenger_wire", "Cu 95"),
    ):  # fmt: skip
        own = getattr(catenary.load_line(line), block)
        for key, value in MAKES[name].values.items():
            assert getattr(own, key) == pytest.approx(value, rel=0.1 if key == "bending_stiffness" else 0.03), (
                line,
                block,
                key,
            )


def test_a_name_fills_what_its_block_leaves_out():
    wire = WireSpec.model_validate({"wire": "cumg ac120", "tension": 27e3, "mass_per_length": 1.0})
    assert wire.wire == "CuMg AC-120" and wire.mass_per_length == 1.0
    assert wire.axial_stiffness == 120e-6 * 124e9
    assert WireSpec.model_validate(wire.model_dump()) == wire
    assert "wire" not in RE330.contact_wire.model_dump()


def test_a_name_that_is_laid_over_a_line_takes_the_place_of_its_values_and_marks():
    changed = RE330.with_changes(contact_wire={"wire": "CuAg AC-107", "tension": 15e3, "mass_per_length": 0.9})
    wire = changed.contact_wire
    assert (wire.mass_per_length, wire.axial_stiffness) == (0.9, 107e-6 * 120e9)
    marks = {k: v for k, v in changed.provenance.items() if k.startswith("contact_wire.")}
    assert marks["contact_wire.mass_per_length"] == "c" and marks["contact_wire.axial_stiffness"] == "d"
    assert CatenarySpec.model_validate(changed.model_dump()) == changed
    again = changed.with_changes(contact_wire={"wire": "CuMg AC-150"})
    assert again.contact_wire.mass_per_length == MAKES["CuMg AC-150"].values["mass_per_length"]


def test_a_named_line_and_one_with_the_same_values_hang_alike():
    named = catenary.load_line("bruni_2015").with_changes(messenger_wire={"wire": "BzII 120"})
    said = catenary.load_line("bruni_2015").with_changes(messenger_wire=MAKES["BzII 120"].values)
    one, other = periodic_equilibrium(named), periodic_equilibrium(said)
    assert np.array_equal(one.dropper_force, other.dropper_force)
    assert not np.array_equal(one.dropper_force, periodic_equilibrium(catenary.load_line("bruni_2015")).dropper_force)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"contact_wire": {"wire": "AC-120"}}, "got 'AC-120', did you mean Cu AC-120 or CuAg AC-120 or CuMg AC-120"),
        ({"contact_wire": {"wire": "CuMg AC-121"}}, "did you mean CuMg AC-120"),
        ({"messenger_wire": {"wire": "xyz"}}, "messenger_wire.wire .* got 'xyz', catenary wires lists them"),
        ({"contact_wire": {"wire": "BzII 70"}}, "contact_wire.wire must be a contact wire: BzII 70 is a stranded wire"),
        (
            {"stitch": {"wire": "BzII 10 flexible"}},
            "stitch.wire must be a contact wire or stranded wire: BzII 10 flexible is a dropper rope",
        ),
        ({"contact_wire": {"wire": "Cu AC-80", "tension": 27.6e3}}, "breaking load of Cu AC-80, 27500 N: got 27600 N"),
    ],
)
def test_names_that_cannot_be_are_refused(changes, said):
    with pytest.raises(InputError, match=said):
        RE330.with_changes(**changes)


def test_a_line_file_names_wires(tmp_path):
    rows = "".join(f"{65 * k},\n" for k in range(5))
    (tmp_path / "s.csv").write_text(f"station_m,encumbrance_m\n{rows}", encoding="utf-8")
    text = "kind: line\ntype: re330\nsupports: s.csv\nchanges: {contact_wire: {wire: CuMg AC-150, tension: 30.0e+3}}\n"
    (tmp_path / "own.yaml").write_text(text, encoding="utf-8")
    line = catenary.load_line(tmp_path / "own.yaml")
    assert line.contact_wire.wire == "CuMg AC-150" and line.contact_wire.axial_stiffness == 18.6e6
