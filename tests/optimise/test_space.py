"""Every point of the box is a valid line; the nominal line is its centre; the map can be undone."""

import numpy as np
import pytest
from cheap_evaluation import case_of
from hypothesis import given, settings
from hypothesis import strategies as st

from catenary.errors import InputError
from catenary.spec.line import CatenarySpec
from optimise.design.line_layout import quantity_of
from optimise.design.space import DesignSpace
from optimise.spec.campaign import DesignSpec

RE330 = case_of().catenary
BRUNI = case_of("bruni_2015", "bruni_2015").catenary


def with_droppers(line, positions, heights=None):
    content = line.model_dump()
    content["droppers"]["positions"] = tuple(positions)
    content["droppers"]["contact_wire_heights"] = tuple(heights or [0.0] * len(positions))
    return CatenarySpec.model_validate(content)


LINES = {
    "stitched": RE330,
    "pre-sag": BRUNI,
    "even": with_droppers(RE330, [3.0, 7.0, 13.0, 21.0, 29.0, 36.0, 44.0, 52.0, 58.0, 62.0]),
    "one dropper a half": with_droppers(RE330, [5.0, 60.0]),
    "crowded": with_droppers(BRUNI, [2.0, 4.2, 6.5, 27.5, 48.5, 50.8, 53.0]),
}
KINDS = ["heights", "spacing", "both"]
WIDE = {"dropper_move": 15.0, "clamp_clearance": 0.3}
# ranges of the line as a whole, for lines on which all of their corners leave room
WHOLE = {
    "span_length": (48.0, 68.0),
    "encumbrance": (1.1, 2.0),
    "contact_wire_tension": (15.0e3, 31.0e3),
    "messenger_wire_tension": (15.0e3, 24.0e3),
    "clamp_mass_contact_wire": (0.1, 0.4),
    "clamp_mass_messenger_wire": (0.1, 0.4),
}
LAID_OUT = {
    "stitched": {**WHOLE, "droppers": (5, 12), "stitch_length": (15.0, 20.0), "stitch_tension": (2.0e3, 4.0e3)},
    "pre-sag": {**WHOLE, "droppers": (1, 14)},
    "even": {**WHOLE, "droppers": (5, 11)},
}


def space_of(name, kind, **content):
    return DesignSpace(LINES[name], DesignSpec(kind=kind, **content))


@st.composite
def points(draw):
    """A space and a point of its box, corners included."""
    space = space_of(draw(st.sampled_from(sorted(LINES))), draw(st.sampled_from(KINDS)), **draw(wide_or_not))
    shares = [draw(st.sampled_from([-1.0, 1.0]) | st.floats(-1.0, 1.0)) for _ in space.variables]
    return space, np.array([s * v.high for s, v in zip(shares, space.variables, strict=True)])


wide_or_not = st.sampled_from([{}, WIDE])


@settings(max_examples=300, deadline=None)
@given(points())
def test_every_point_of_the_box_is_a_valid_line_that_keeps_its_distances(point):
    space, values = point
    line = space.spec_of(values)  # validated by CatenarySpec: order, span, clamps, stitch
    d, span = space.design, line.span_length
    x, z = np.array(line.droppers.positions), np.array(line.droppers.contact_wire_heights)
    assert x == pytest.approx(span - x[::-1], abs=1e-9)
    assert z == pytest.approx(z[::-1], abs=1e-12)
    if space.lifts:
        changed = z[: space.lifts] - space.droppers.profile(x[: space.lifts])
        assert np.abs(changed).max() <= d.height_change + 1e-12
    if space.moves:
        # the nominal stations are decimal fractions, hence the rounding
        assert np.diff(x).min() >= d.minimum_spacing - 1e-9
        assert 2.0 * x[0] >= d.minimum_spacing - 1e-9
        assert x[0] >= d.support_clearance - 1e-9
        assert np.abs(x - np.array(space.nominal.droppers.positions)).max() <= d.dropper_move
    if space.moves and line.stitch is not None:
        clamp = 0.5 * line.stitch.length
        assert np.abs(x - clamp).min() >= d.clamp_clearance - 1e-9
        assert (x < clamp).sum() == (np.array(space.nominal.droppers.positions) < clamp).sum()


@settings(max_examples=300, deadline=None)
@given(points())
def test_the_map_can_be_undone(point):
    space, values = point
    assert space.values_of(space.spec_of(values)) == pytest.approx(values, abs=1e-7)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", LINES)
def test_the_nominal_line_is_the_centre_of_the_box_exactly(name, kind):
    space = space_of(name, kind)
    assert all(v.nominal == 0.0 == 0.5 * (v.low + v.high) for v in space.variables)
    assert space.spec_of([v.nominal for v in space.variables]) == space.typical_of(space.nominal)
    assert not np.any(space.values_of(space.nominal))


@st.composite
def whole_points(draw):
    """A space whose lines differ as a whole too, and a point of its box."""
    name = draw(st.sampled_from(sorted(LAID_OUT)))
    kind, keys = draw(st.sampled_from([*KINDS, "line"])), sorted(LAID_OUT[name])
    chosen = draw(st.lists(st.sampled_from(keys), min_size=1, unique=True))
    space = space_of(name, kind, **{key: LAID_OUT[name][key] for key in chosen})
    shares = [draw(st.sampled_from([0.0, 1.0]) | st.floats(0.0, 1.0)) for _ in space.variables]
    values = [v.low + s * (v.high - v.low) for s, v in zip(shares, space.variables, strict=True)]
    whole = zip(values, space.variables, strict=True)
    return space, np.clip([round(x) if v.integer else x for x, v in whole], *bounds(space))


def bounds(space):
    return np.array([v.low for v in space.variables]), np.array([v.high for v in space.variables])


@settings(max_examples=300, deadline=None)
@given(whole_points())
def test_every_line_of_another_make_is_valid_keeps_its_distances_and_can_be_undone(point):
    space, values = point
    line = space.spec_of(values)
    d, span = space.design, line.span_length
    for variable, value in zip(space.variables, values, strict=True):
        if variable.name in d.line_ranges:
            assert quantity_of(line, variable.name) == value
    x, z = np.array(line.droppers.positions), np.array(line.droppers.contact_wire_heights)
    assert x == pytest.approx(span - x[::-1], abs=1e-9)
    assert z == pytest.approx(z[::-1], abs=1e-12)
    assert np.diff(x).min(initial=99.0) >= d.minimum_spacing - 1e-9
    assert 2.0 * x[0] >= d.minimum_spacing - 1e-9
    assert x[0] >= d.support_clearance - 1e-9
    if line.stitch is not None:
        clamp = 0.5 * line.stitch.length
        assert np.abs(x - clamp).min() >= d.clamp_clearance - 1e-9
        assert (x < clamp).sum() == (np.array(space.nominal.droppers.positions) < 9.0).sum()
    found = space.values_of(line)
    assert np.all(found >= bounds(space)[0]) and np.all(found <= bounds(space)[1])
    again = space.spec_of(found)
    assert np.array(again.droppers.positions) == pytest.approx(x, abs=1e-6)
    assert np.array(again.droppers.contact_wire_heights) == pytest.approx(z, abs=1e-6)
    if len(x) >= len(space.nominal.droppers.positions):
        assert (found - values) / space.ranges == pytest.approx(np.zeros(len(values)), abs=1e-5)


@pytest.mark.parametrize("kind", [*KINDS, "line"])
@pytest.mark.parametrize("name", LAID_OUT)
def test_the_nominal_line_is_given_back_exactly_next_to_others_of_another_make(name, kind):
    space = space_of(name, kind, **LAID_OUT[name])
    nominal = np.array([v.nominal for v in space.variables])
    assert space.spec_of(nominal) == space.typical_of(space.nominal)
    assert np.array_equal(space.values_of(space.nominal), nominal)


def test_another_number_of_droppers_keeps_the_outermost_and_the_shape():
    space = space_of("pre-sag", "both", droppers=(5, 13))
    nominal = {v.name: v.nominal for v in space.variables}

    def of(**changed):
        return space.spec_of(list((nominal | changed).values())).droppers

    for count in (5, 8, 13):
        x, z = np.array(of(droppers=count).positions), np.array(of(droppers=count).contact_wire_heights)
        assert len(x) == count and (x[0], x[-1]) == pytest.approx((4.5, 50.5))
        assert np.diff(x) == pytest.approx(np.full(count - 1, 46.0 / (count - 1)), abs=1e-9)  # as even as the nominal
        assert z == pytest.approx(space.droppers.profile(x))
    lifted = np.array(of(droppers=13, lift_5=0.02).contact_wire_heights) - of(droppers=13).contact_wire_heights
    assert int(lifted.argmax()) == 6 and lifted[6] > lifted[4] > lifted[2] > 0.0


def test_droppers_on_the_stitch_move_with_it_and_are_not_laid_out_again():
    space = space_of("stitched", "line", stitch_length=(15.0, 20.0), droppers=(5, 11))
    x = np.array(space.spec_of([7, 16.0]).droppers.positions)
    assert x[0] == pytest.approx(4.5 * 16.0 / 18.0)
    assert x[1] == pytest.approx(8.0 + 3.0 * 24.5 / 23.5)
    assert len(x) == 7 and x[3] == 32.5


def test_a_longer_span_carries_every_station_over():
    space = space_of("pre-sag", "line", span_length=(50.0, 60.0))
    line = space.spec_of([60.0])
    assert np.array(line.droppers.positions) == pytest.approx(np.array(BRUNI.droppers.positions) * 60.0 / 55.0)
    assert line.droppers.contact_wire_heights == BRUNI.droppers.contact_wire_heights


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        (
            "pre-sag",
            {"span_length": (60.0, 65.0)},
            r"design\.span_length must hold the 55 m of bruni_2015: got 60 to 65 m",
        ),
        ("pre-sag", {"stitch_length": (10.0, 20.0)}, r"design\.stitch_length must be left out .*no stitch wire"),
        ("pre-sag", {"encumbrance": (0.4, 1.5)}, r"droppers of at least 0\.05 m: with encumbrance 0\.4 the shortest"),
        ("stitched", {"droppers": (2, 9)}, r"design\.droppers must be at least 3 on re330"),
        (
            "pre-sag",
            {"droppers": (9, 30)},
            r"leave room for droppers 1 and 2 \(minimum_spacing\): .* with droppers 24",
        ),
        ("stitched", {"stitch_length": (9.0, 39.0), "span_length": (45.0, 65.0)}, "stitch.length must be below 0.8"),
    ],
)
def test_a_range_that_does_not_fit_the_line_is_refused(name, content, sentence):
    with pytest.raises(InputError, match=sentence):
        space_of(name, "line", **content)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"encumbrance": (1.5, 1.2)}, r"design\.encumbrance must be the least and then a larger value \[m\]: got 1.5"),
        ({"kind": "line"}, "design.kind 'line' must have something to change"),
        ({"contact_wire_tension": (1.0, 2.0e4)}, "greater than or equal to 5000"),
    ],
)
def test_a_range_that_is_not_one_is_refused(content, sentence):
    with pytest.raises(ValueError, match=sentence):
        DesignSpec(**content)


def test_variables_describe_one_half_and_the_dropper_at_mid_span_only_rises():
    names = [v.name for v in space_of("stitched", "both").variables]
    assert names == [f"lift_{k}" for k in range(1, 6)] + [f"move_{k}" for k in range(1, 5)]
    assert len(space_of("even", "both").variables) == 10


def test_small_moves_are_made_as_asked():
    space = space_of("stitched", "spacing")
    moved = np.array(space.spec_of([0.3, -0.2, 0.1, 0.4]).droppers.positions)[:4]
    assert moved - np.array(RE330.droppers.positions)[:4] == pytest.approx([0.3, -0.2, 0.1, 0.4], abs=1e-8)


def test_the_map_is_smooth_where_a_face_becomes_near():
    space = space_of("stitched", "spacing")
    s = np.linspace(0.0, 1.0, 2001)
    toward = np.array([v.high for v in space.variables]) * [1.0, -1.0, 1.0, -1.0]
    x = np.array([space.spec_of(k * toward).droppers.positions for k in s])
    slope = np.diff(x, axis=0) / np.diff(s)[:, None]
    assert np.abs(np.diff(slope, axis=0)).max() < 0.01 * np.abs(slope).max()


def test_neighbours_move_together_farther_than_they_may_move_apart():
    space = space_of("crowded", "spacing")
    x = np.array(space.spec_of([0.9 * v.high for v in space.variables]).droppers.positions)
    assert np.all(x[:3] > np.array(space.nominal.droppers.positions)[:3] + 0.15)


def test_a_moved_dropper_follows_the_pre_sag():
    space = space_of("pre-sag", "spacing")
    line = space.spec_of([0.0, 0.0, 2.0, 0.0])
    assert -0.052 < line.droppers.contact_wire_heights[2] < -0.041
    assert line.droppers.contact_wire_heights[1] == -0.024


def test_a_point_outside_the_box_is_refused():
    with pytest.raises(InputError, match=r"lift_1 must lie between -0\.0\d+ and 0\.0\d+ m: got 0\.07 m"):
        space_of("stitched", "heights").spec_of([0.07, 0.0, 0.0, 0.0, 0.0])


def test_a_line_outside_the_space_is_refused():
    close = with_droppers(RE330, [4.5, 12.0, 13.0, 25.65, 32.5, 39.35, 52.0, 53.0, 60.5])
    with pytest.raises(InputError, match=r"no room for droppers 2 and 3"):
        space_of("stitched", "spacing").values_of(close)
    with pytest.raises(InputError, match="9 droppers"):
        space_of("stitched", "spacing").values_of(BRUNI_WITH_EIGHT)


BRUNI_WITH_EIGHT = with_droppers(BRUNI, [4.0, 10.0, 16.0, 22.0, 33.0, 39.0, 45.0, 51.0])


def test_asymmetric_stations_are_refused_with_every_pair():
    line = with_droppers(RE330, [4.5, 12.0, 18.8, 25.65, 32.5, 39.35, 46.2, 53.5, 60.0])
    with pytest.raises(InputError) as refused:
        DesignSpace(line, DesignSpec())
    assert len(refused.value.problems) == 2
    first = refused.value.problems[0]
    assert "dropper 1 stands at 4.5 m, dropper 9 at 60 m" in first
    assert first.endswith("; place them at equal distances from mid-span")


def test_a_nominal_line_without_room_is_refused():
    with pytest.raises(InputError, match=r"droppers 1 and 2 \(minimum_spacing\): 0\.3 m are missing"):
        space_of("crowded", "spacing", minimum_spacing=2.5)
