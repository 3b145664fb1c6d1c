"""Stations in whole steps and droppers cut to whole steps, by construction: at every point, for every kind of space."""

from itertools import pairwise

import numpy as np
import pytest
import yaml
from cheap_evaluation import case_of
from hypothesis import given, settings
from hypothesis import strategies as st

from catenary.errors import InputError
from catenary.form_finding.equilibrium import equilibrium_at_rest, periodic_equilibrium
from catenary.library.lines import load_line
from optimise.design.cut_lengths import heights_at_rest, with_lengths
from optimise.design.space import DesignSpace
from optimise.spec.campaign import CampaignSpec, DesignSpec

LINES = {"stitched": case_of().catenary, "pre-sag": case_of("bruni_2015", "bruni_2015").catenary}
GRIDS = [0.01, 0.05, 0.3]
# ranges of the line as a whole that move droppers
RANGES = {
    "span_difference": (0.0, 8.0),
    "span_length": (52.0, 66.0),
    "droppers": (5, 10),
}


def space_of(name, kind, **content):
    return DesignSpace(LINES[name], DesignSpec(kind=kind, **content))


@st.composite
def points(draw):
    """A space with a grid and a point of its box, corners included."""
    kind = draw(st.sampled_from(["heights", "spacing", "both", "line"]))
    keys = draw(st.lists(st.sampled_from(sorted(RANGES)), unique=True, min_size=int(kind == "line")))
    content = {key: RANGES[key] for key in keys} | {"station_grid": draw(st.sampled_from(GRIDS))}
    space = space_of(draw(st.sampled_from(sorted(LINES))), kind, **content)
    shares = [draw(st.sampled_from([0.0, 1.0]) | st.floats(0.0, 1.0)) for _ in space.variables]
    values = np.array([v.low + s * (v.high - v.low) for s, v in zip(shares, space.variables, strict=True)])
    return space, np.where([v.integer for v in space.variables], np.round(values), values)


def off_the_grid(line, step):
    """Distance of each dropper that is not at mid-span from the nearest grid of its span [m]."""
    x, found = np.array(line.droppers.positions), []
    for a, b in pairwise(line.supports):
        own = x[(x > a) & (x < b)]
        away = np.minimum(own - a, b - own)
        away = away[np.abs(away - 0.5 * (b - a)) > 1e-6]
        found.append(np.abs(away - step * np.round(away / step)))
        assert own - a == pytest.approx((b - own)[::-1], abs=2e-9)  # each span stays symmetric
    return np.concatenate(found)


@settings(max_examples=250, deadline=None)
@given(points())
def test_stations_are_whole_steps_from_the_support_at_every_point_and_distances_are_kept(point):
    space, values = point
    line, d = space.spec_of(values), space.design
    assert off_the_grid(line, d.station_grid).max(initial=0.0) < 1e-8
    x, supports = np.array(line.droppers.positions), np.array(line.supports)
    if d.kind != "heights" or space.design.line_ranges:
        least = min(d.minimum_spacing, np.diff(space.nominal.droppers.positions).min())
        assert np.diff([*x, x[0] + line.period]).min() >= least - 1e-8
        assert np.abs(x[:, None] - supports).min() >= d.support_clearance - 1e-8
    exact = np.array(space.exact.spec_of(values).droppers.positions)
    assert np.abs(x - exact).max() < 2.6 * d.station_grid  # a half by rounding, the rest by distances rounded up
    if line.stitch is not None:
        clamps = np.concatenate([supports - 0.5 * line.stitch.length, supports + 0.5 * line.stitch.length])
        assert np.abs(x[:, None] - clamps).min() >= d.clamp_clearance - 1e-8
        assert [(x < c).sum() for c in clamps] == [(exact < c).sum() for c in clamps]


@settings(max_examples=100, deadline=None)
@given(points())
def test_a_line_on_the_grid_stands_for_a_point_that_makes_it_again(point):
    space, values = point
    line = space.spec_of(values)
    try:
        found = space.values_of(line)
    except InputError:
        # at the limit of two distances at once no point of the box is near enough
        assert space.moves
        return
    again = space.spec_of(found)
    assert again.droppers.positions == pytest.approx(line.droppers.positions, abs=1e-6)
    assert again.droppers.contact_wire_heights == pytest.approx(line.droppers.contact_wire_heights, abs=1e-6)


@pytest.mark.parametrize("kind", ["heights", "spacing", "both"])
@pytest.mark.parametrize("ranges", [{}, {"span_difference": (0.0, 8.0)}])
@pytest.mark.parametrize("name", LINES)
def test_the_nominal_line_is_built_to_the_same_steps(name, ranges, kind):
    space = space_of(name, kind, station_grid=0.3, length_step=1e-3, **ranges)
    nominal = space.spec_of([v.nominal for v in space.variables])
    assert nominal == space.typical_of(space.nominal)
    assert off_the_grid(nominal, 0.3).max() < 1e-8
    assert nominal.droppers.prescribed == "lengths"
    # heights follow the nominal profile at the stations of the grid, as near as a millimetre of length leaves them
    n = len(space.nominal.droppers.positions)
    wanted = space.droppers.profile(np.array(nominal.droppers.positions[:n]))
    assert np.abs(np.array(heights_at_rest(nominal))[:n] - wanted).max() < 5e-3


def test_a_grid_finer_than_the_plan_leaves_the_nominal_line_as_it_is():
    assert space_of("pre-sag", "both", station_grid=0.25).typical_of(LINES["pre-sag"]).droppers.positions == (
        pytest.approx(LINES["pre-sag"].droppers.positions, abs=1e-9)
    )


@pytest.mark.parametrize("dimension", ["planar", "spatial"])
@pytest.mark.parametrize("name", LINES)
def test_lengths_are_whole_steps_and_the_line_hangs_within_a_step_of_what_was_drawn(name, dimension):
    line = LINES[name].model_copy(update={"dimension": dimension})
    space = DesignSpace(line, DesignSpec(kind="both", station_grid=0.05, length_step=5e-3))
    rng = np.random.default_rng(3)
    for _ in range(4):
        values = [rng.uniform(0.4 * v.low, 0.4 * v.high) for v in space.variables]
        built, drawn = space.spec_of(values), space.as_drawn(values)
        lengths = np.array(built.droppers.lengths)
        assert np.abs(lengths - 5e-3 * np.round(lengths / 5e-3)).max() < 1e-9
        exact = periodic_equilibrium(drawn)
        assert exact.dropper_force.min() > 0.0
        assert np.abs(lengths - exact.dropper_unstretched_length[: len(lengths)]).max() <= 2.5e-3 + 1e-6
        # both wires give way to a change of length, so heights move by a part of the changes of all
        moved = np.array(heights_at_rest(built)) - np.array(drawn.droppers.contact_wire_heights)
        assert 0.0 < np.abs(moved).max() < 2.5e-2
        found = periodic_equilibrium(built)
        assert found.dropper_unstretched_length[: len(lengths)] == pytest.approx(lengths, abs=1e-7)


def test_a_design_whose_heights_would_need_a_dropper_to_push_is_cut_to_the_nearest_heights_that_hang():
    space = space_of("pre-sag", "heights", length_step=1e-3, load_change=1.0)
    values = [v.low if k % 2 else v.high for k, v in enumerate(space.variables)]
    pushing = periodic_equilibrium(space.as_drawn(values))
    assert pushing.dropper_force.min() < -1.0
    hung = periodic_equilibrium(space.spec_of(values))
    assert hung.dropper_force.min() == pytest.approx(0.0, abs=12.0) and hung.dropper_force.min() >= 0.0


def test_a_grid_without_a_place_for_a_dropper_is_refused_by_name():
    with pytest.raises(InputError, match=r"design\.station_grid .*1 m .*dropper \d of \d.*bruni_2015"):
        space_of("pre-sag", "both", station_grid=1.0, minimum_spacing=5.7, support_clearance=4.4)
    with pytest.raises(InputError, match=r"design\.station_grid .*1 m"):
        space_of("pre-sag", "both", station_grid=1.0, span_length=(50.0, 60.0), minimum_spacing=5.2)


def test_a_polish_and_steps_are_refused_together():
    with pytest.raises(ValueError, match=r"polish\.best must be 0.*stations in steps of 50 mm"):
        CampaignSpec.model_validate({"name": "x", "polish": {"best": 1}, "design": {"station_grid": 0.05}})


def test_a_line_in_sections_with_a_broken_dropper_hangs_by_its_lengths_from_end_to_end(tmp_path):
    """Hung as a period its two sections had droppers in one place; where none hangs, the wire's height is said."""
    rows = [{"station_m": 55.0 * k} for k in range(11)]
    sections = [{"name": "A", "from_m": 0, "to_m": 385}, {"name": "B", "from_m": 220, "to_m": 550}]
    content = {"kind": "line", "name": "two", "type": "bruni_2015", "changes": {"dimension": "planar"},
               "supports": rows, "sections": sections, "overlaps": [{"section": "A", "elevation_mm": 400}],
               "defects": [{"span": 3, "dropper": 4, "kind": "broken"}]}  # fmt: skip
    path = tmp_path / "two.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    line = load_line(path)
    whole = equilibrium_at_rest(line.with_changes(section={"defects": ()}))
    cut = with_lengths(line, tuple(whole.dropper_unstretched_length))
    heights = np.array(heights_at_rest(cut))
    at, wanted = 2 * 9 + 3, whole.q[whole.mesh.dropper_bottom, 2]
    assert len(heights) == len(line.droppers.positions)
    assert 1e-3 < wanted[at] - heights[at] < 0.2, "the wire sags where the dropper was"
    far = np.abs(np.array(line.droppers.positions) - line.droppers.positions[at]) > 120.0
    assert heights[far] == pytest.approx(wanted[far], abs=1e-4)
