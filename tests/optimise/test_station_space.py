"""Design variables of a line by stations: which there are, what they change, the way back, and what is refused."""

import numpy as np
import pytest
import yaml

import catenary
from catenary.errors import InputError
from catenary.form_finding.equilibrium import equilibrium_at_rest
from catenary.spec.mesh import COARSE
from optimise.design.space import DesignSpace
from optimise.design.station_space import StationSpace, space_of
from optimise.spec.design import DesignSpec

CHANGE = (-0.03, 0.06)


@pytest.fixture(scope="module")
def line(tmp_path_factory):
    """Two sections of five spans on seven, three in common."""
    path = tmp_path_factory.mktemp("line") / "two.yaml"
    content = {
        "kind": "line", "type": "bruni_2015",
        "supports": [{"station_m": 1000 + 55 * k} for k in range(8)],
        "sections": [{"name": "A", "from_m": 1000, "to_m": 1275}, {"name": "B", "from_m": 1110, "to_m": 1385}],
        "overlaps": [{"section": "A", "elevation_mm": 400}],
    }  # fmt: skip
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return catenary.load_line(path)


def design(**keys):
    return DesignSpec.model_validate({"kind": "stations", **keys})


def test_heights_inside_an_overlap_vary_wire_by_wire(line):
    space = space_of(line, design(overlap_heights={"change": CHANGE}))
    assert [v.name for v in space.variables] == [
        f"contact_height_{name}_support_{k}" for name in "AB" for k in (4, 5)
    ]  # fmt: skip
    assert all((v.low, v.high, v.nominal) == (*CHANGE, 0.0) for v in space.variables)
    values = np.array([0.01, -0.02, 0.03, 0.06])
    made = space.spec_of(values)
    changed = np.subtract(made.section.contact_heights, line.section.contact_heights)
    # the line's first support is 1: A has 1 to 6, B 3 to 8
    assert changed == pytest.approx([0, 0, 0, 0.01, -0.02, 0, 0, 0.03, 0.06, 0, 0, 0], abs=1e-12)
    assert made.mesh == COARSE and made.droppers == line.droppers
    assert space.values_of(made) == pytest.approx(values, abs=1e-12)
    assert space.values_of(line) == pytest.approx(np.zeros(4)) and space.typical_of(line) == space.spec_of(np.zeros(4))
    # the wire hangs as much higher where it is held
    height = equilibrium_at_rest(made).q[:, 2]
    assert float(height.max() - equilibrium_at_rest(space.base).q[:, 2].max()) < 0.07


def test_elevations_and_staggers_are_those_of_the_wires_at_their_own_supports(line):
    keys = {"overlap_elevations": {"change": (-0.1, 0.1)}, "overlap_staggers": {"section": "A", "change": (-0.1, 0.1)}}
    spatial = line.with_changes(dimension="spatial")
    if not spatial.section.staggers:  # a planar file has none of its own
        section = spatial.section.model_copy(update={"staggers": (0.2,) * 12, "messenger_staggers": (0.0,) * 12})
        spatial = spatial.model_copy(update={"section": section})
    space = space_of(spatial, design(**keys))
    names = [v.name for v in space.variables]
    assert names[:2] == ["elevation_A_support_6", "elevation_B_support_3"] and len(names) == 6
    made = space.spec_of([0.05, -0.05, 0.1, 0.0, 0.0, -0.1])
    changed = np.subtract(made.section.contact_heights, spatial.section.contact_heights)
    assert np.flatnonzero(changed).tolist() == [5, 6] and changed[5] == pytest.approx(0.05)
    aside = np.subtract(made.section.staggers, spatial.section.staggers)
    assert np.flatnonzero(aside).tolist() == [3, 8] and aside[8] == pytest.approx(-0.1)


def test_single_droppers_vary_alone_or_as_they_lie_from_either_end(line):
    own = {"section": "B", "first_span": 4, "last_span": 5, "change": (-0.01, 0.01)}
    alone = space_of(line, design(dropper_heights=own))
    assert len(alone.variables) == 18
    pairs = space_of(line, design(dropper_heights={**own, "alike": "mirror"}))
    assert [v.name for v in pairs.variables[:5]] == [f"height_B_span_4_dropper_{k}" for k in range(1, 6)]
    made = pairs.spec_of([0.005, *np.zeros(9)])
    changed = np.subtract(made.droppers.contact_wire_heights, line.droppers.contact_wire_heights)
    moved = np.flatnonzero(changed)
    # A has 45 droppers; of B, which begins with span 3, the first and the last one of the second span
    assert moved.tolist() == [45 + 9, 45 + 17] and changed[moved] == pytest.approx(0.005)
    assert pairs.values_of(made) == pytest.approx([0.005, *np.zeros(9)], abs=1e-12)


def test_lengths_vary_about_those_to_which_the_design_is_cut(line):
    wanted = design(dropper_lengths={"section": "A", "first_span": 3, "last_span": 3})
    space = space_of(line, wanted)
    hung, cut = equilibrium_at_rest(line), space.base.droppers.lengths
    assert cut == tuple(hung.dropper_unstretched_length.tolist())
    made = space.spec_of([0.01, *np.zeros(8)])
    assert made.droppers.prescribed == "lengths"
    assert np.flatnonzero(np.subtract(made.droppers.lengths, np.round(cut, 9))).tolist() == [18]
    assert space.values_of(made)[0] == pytest.approx(0.01, abs=1e-9)


def test_what_wires_pull_varies_with_the_overlap(line):
    space = space_of(line, design(overlap_heights={}, contact_wire_tension=(20e3, 24e3)))
    made = space.spec_of([0, 0, 0, 0.01, 23e3])
    assert made.contact_wire.tension == 23e3 and space.values_of(made)[-1] == 23e3


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"overlap_heights": {"section": "B"}}, "overlap_heights.section must be one of A: got 'B'"),
        ({"overlap_staggers": {}}, "overlap_staggers needs dimension=spatial"),
        ({"dropper_heights": {"section": "X"}}, "dropper_heights.section must be one of A, B: got 'X'"),
        ({"dropper_heights": {"first_span": 9}}, "first_span must be 1 to 7: got 9"),
        (
            {"dropper_heights": {"section": "A", "first_span": 6}},
            r"first_span must be 1 to 5 \(section A has",
        ),
        (
            {"dropper_heights": {"section": "B", "last_span": 2}},
            r"last_span must be at least 3 \(section B has",
        ),
        ({"dropper_heights": {}, "dropper_lengths": {}}, "dropper_heights must be left out where lengths"),
        (
            {"overlap_heights": {}, "span_length": (50, 60)},
            "design.span_length must be left out for a line by stations",
        ),
        ({"overlap_heights": {}, "contact_wire_tension": (1e4, 2e4)}, "contact_wire_tension must hold 22000"),
        (
            {"kind": "heights", "overlap_heights": {}},
            "design.kind must be stations for a line by stations: got heights",
        ),
        ({"overlap_heights": {}, "length_step": 0.001}, "design.length_step must be left out"),
        ({"overlap_heights": {"change": (0.01, 0.02)}}, "change must go from at most 0 to at least 0"),
        (
            {"overlap_elevations": {"change": (-0.1, 0.2)}},
            "at the high end of all ranges section.contact_heights.*-0.5 and 0.5 m: got 0.6",
        ),
        ({}, "something to change"),
    ],
)
def test_what_does_not_fit_the_line_is_refused(line, keys, said):
    with pytest.raises((InputError, ValueError), match=said):
        space_of(line, design(**keys))


def test_a_line_that_repeats_has_no_overlap_to_vary():
    for kind, said in (
        ("stations", "kind must be heights, spacing, both or line"),
        ("both", "heights must be left out"),
    ):
        with pytest.raises(InputError, match=f"{said}.* re330 is not a line by stations"):
            space_of(catenary.load_line("re330"), design(kind=kind, overlap_heights={}))
    assert not isinstance(space_of(catenary.load_line("re330"), DesignSpec()), StationSpace)
    assert isinstance(space_of(catenary.load_line("re330"), DesignSpec()), DesignSpace)
