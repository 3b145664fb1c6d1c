"""A shorter and a longer span in turn: valid, at their distances, undone exactly, and refused where they cannot be."""

from itertools import pairwise

import numpy as np
import pytest
from cheap_evaluation import case_of
from hypothesis import given, settings
from hypothesis import strategies as st

from catenary.errors import InputError
from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.spec.line import CatenarySpec
from optimise.design.line_layout import quantity_of
from optimise.design.space import DesignSpace
from optimise.design.string_model import nominal_loads, shortest_dropper
from optimise.design.unequal_spans import SAME_PLACE, repeated, with_longer
from optimise.spec.campaign import DesignSpec

RE330 = case_of().catenary
BRUNI = case_of("bruni_2015", "bruni_2015").catenary
LINES = {"stitched": RE330, "pre-sag": BRUNI}
RANGES = {"span_difference": (0.0, 8.0), "span_length": (50.0, 66.0), "contact_wire_tension": (15.0e3, 31.0e3)}


@st.composite
def points(draw):
    line, kind = LINES[draw(st.sampled_from(sorted(LINES)))], draw(st.sampled_from(["heights", "both", "line"]))
    keys = ["span_difference", *draw(st.lists(st.sampled_from(["span_length", "contact_wire_tension"]), unique=True))]
    space = DesignSpace(line, DesignSpec(kind=kind, **{key: RANGES[key] for key in keys}))
    shares = [draw(st.sampled_from([0.0, 1.0]) | st.floats(0.0, 1.0)) for _ in space.variables]
    return space, np.array([v.low + s * (v.high - v.low) for s, v in zip(shares, space.variables, strict=True)])


@settings(max_examples=200, deadline=None)
@given(points())
def test_every_point_is_a_line_of_two_spans_that_keeps_its_distances_and_can_be_undone(point):
    space, values = point
    line, d = space.spec_of(values), space.design
    wanted = dict(zip((v.name for v in space.variables), values, strict=True))
    difference = wanted["span_difference"]
    assert quantity_of(line, "span_difference") == pytest.approx(difference, abs=SAME_PLACE)
    assert line.mean_span == pytest.approx(wanted.get("span_length", space.nominal.span_length), abs=SAME_PLACE)
    assert len(line.spans) == 2
    x = np.array(line.droppers.positions)
    gaps = np.diff([*x, x[0] + line.period])
    assert gaps.min() >= d.minimum_spacing - 1e-9
    supports = np.array(line.supports)
    assert np.abs(x[:, None] - supports).min() >= d.support_clearance - 1e-9
    if line.stitch is not None:
        clamps = np.concatenate([supports - 0.5 * line.stitch.length, supports + 0.5 * line.stitch.length])
        assert np.abs(x[:, None] - clamps).min() >= d.clamp_clearance - 1e-9
    for a, b in pairwise(supports):  # each span is symmetric about its middle
        own = x[(x > a) & (x < b)]
        assert own - a == pytest.approx((b - own)[::-1], abs=1e-9)
    assert space.values_of(line) == pytest.approx(values, abs=1e-6)


def test_the_nominal_line_is_written_as_two_spans_too_so_that_errors_are_common_to_all_designs():
    space = DesignSpace(BRUNI, DesignSpec(kind="heights", span_difference=(0.0, 8.0)))
    nominal = space.spec_of([v.nominal for v in space.variables])
    assert nominal == space.typical_of(BRUNI)
    assert nominal.model_copy(update={"mesh": BRUNI.mesh}) == repeated(BRUNI, 2)  # the mesh is that of all designs
    longer = space.spec_of([*[0.0] * space.lifts, 8.0])
    assert len(longer.droppers.positions) == len(nominal.droppers.positions)
    assert not np.any(space.values_of(BRUNI)) and not np.any(space.values_of(nominal))


def test_a_line_without_a_stitch_wire_stands_for_no_point_where_the_stitch_varies():
    space = DesignSpace(RE330, DesignSpec(kind="both", stitch_length=(16.0, 20.0)))
    with pytest.raises(InputError, match="the line must have a stitch wire, whose stitch_length varies"):
        space.values_of(BRUNI)


def test_loads_of_a_line_of_two_equal_spans_are_those_of_the_one_span():
    for line in LINES.values():
        assert nominal_loads(repeated(line, 2)) == pytest.approx(np.tile(nominal_loads(line), 2), rel=1e-9)
        assert shortest_dropper(repeated(line, 2)) == pytest.approx(shortest_dropper(line), rel=1e-12)


def test_taut_strings_tell_the_shortest_dropper_of_unequal_spans():
    line = with_longer(BRUNI, 9.0)
    found = periodic_equilibrium(line)
    assert shortest_dropper(line) == pytest.approx(float(found.dropper_length.min()), abs=0.02)


def test_a_line_that_names_several_spans_has_no_stations_or_heights_to_vary():
    line = with_longer(BRUNI, 4.0)
    with pytest.raises(InputError) as refused:
        DesignSpace(line, DesignSpec(kind="heights", span_length=(50.0, 60.0)))
    assert [p.partition(" must")[0] for p in refused.value.problems] == ["design.kind", "design.span_length"]
    assert "must be 'line', not 'heights'," in refused.value.problems[0]
    space = DesignSpace(line, DesignSpec(kind="line", contact_wire_tension=(15.0e3, 31.0e3)))
    made = space.spec_of([25.0e3])
    assert made.further_spans == line.further_spans and made.contact_wire.tension == 25.0e3


def test_another_line_of_two_spans_stands_for_no_point():
    space = DesignSpace(BRUNI, DesignSpec(kind="heights", span_difference=(0.0, 8.0)))
    content = with_longer(BRUNI, 4.0).model_dump()
    content["droppers"]["positions"] = (*content["droppers"]["positions"][:-1], 105.0)
    with pytest.raises(InputError, match="those of the longer one in proportion"):
        space.values_of(CatenarySpec.model_validate(content))


@pytest.mark.parametrize(
    ("ranges", "sentence"),
    [
        ({"span_difference": (1.0, 5.0)}, "design.span_difference must begin with 0"),
        ({"span_difference": (0.0, 59.0)}, "every line of the design space must have droppers of at least 0.05 m"),
    ],
)
def test_a_range_that_leaves_no_line_is_refused(ranges, sentence):
    with pytest.raises(InputError, match=sentence):
        DesignSpace(BRUNI, DesignSpec(kind="heights", **ranges))
