"""Periods of several spans of which some have a defect: at rest, in the steady state, span by span."""

import numpy as np
import pytest

from catenary.errors import InputError
from catenary.form_finding.equilibrium import open_line_equilibrium, periodic_equilibrium
from catenary.layout.laid_out import laid_out
from catenary.spec.line import CatenarySpec
from dynamics.adjoint.droppers import dropper_slopes
from dynamics.adjoint.steady_slopes import SteadySlopes
from dynamics.influence.matrices import influence_matrices
from dynamics.refusals import refuse_unfit_case
from dynamics.results.by_span import figures_by_span
from dynamics.spec.status import Status
from dynamics.steady_state.periodic import solve_periodic
from dynamics.steady_state.span_map import SpanMap
from dynamics.steady_state.tiled_start import tiled_start, without_repeat

WINDOW = {"spans_behind": 12, "spans_ahead": 15}
BROKEN = {"span": 2, "dropper": 1, "kind": "broken"}


def repeating(line, spans, *defects):
    return line.with_changes(repeat={"spans": spans, "defects": list(defects)})


def solved(case):
    solution = solve_periodic(case)
    assert solution.status is Status.OK, solution.message
    return solution


@pytest.fixture(scope="module")
def coarse(build_line):
    return build_line(elements_per_bay=3)


def test_a_period_of_equal_spans_is_the_one_span_line(coarse, build_case):
    """0.1 % of sigma: the windows end at other spans. Every span has its share, and begins where the last one ends."""
    content = {"mean_force_N": 157.3, "periodic": {"spans_behind": 20, "spans_ahead": 26}}
    one = solved(build_case(coarse, 300.0, **content)).statistics
    several = solved(build_case(repeating(coarse, 3), 300.0, **content))
    assert several.statistics.contact_force_std_N == pytest.approx(one.contact_force_std_N, rel=1e-3)
    spans = figures_by_span(several)
    assert [(s.begin_m, s.end_m) for s in spans] == [(0.0, 55.0), (55.0, 110.0), (110.0, 165.0)]
    for span in spans:
        assert span.contact_force_std_N == pytest.approx(one.contact_force_std_N, rel=1e-2)
        assert span.uplift_end_mm == pytest.approx(one.max_uplift_at_supports_mm, rel=2e-2)


def test_at_rest_a_defect_does_what_it_does_on_a_line_that_ends(coarse):
    """Nine spans, the defects in the middle: the wires' ends are as far as the next defect's effect."""
    long_one = {"span": 5, "dropper": 4, "kind": "length", "by": 0.01}
    soft = {"span": 6, "dropper": 3, "kind": "stiffness", "stiffness": 1e4}
    defects = [{**BROKEN, "span": 5}, long_one, soft]
    cell = periodic_equilibrium(repeating(coarse, 9, *defects))
    every = laid_out(repeating(coarse, 9)).model_dump(exclude={"repeat"})
    ending = open_line_equilibrium(CatenarySpec.model_validate({**every, "section": {"defects": defects}}), 9)
    assert len(cell.dropper_force) == len(ending.dropper_force) == 80
    middle = slice(27, 53)
    np.testing.assert_allclose(cell.dropper_force[middle], ending.dropper_force[middle], rtol=0, atol=0.2)
    sound = periodic_equilibrium(coarse).dropper_force
    changed = np.abs(cell.dropper_force[36:44] - sound[1:])
    assert changed[0] > 50.0 and changed[2] > 10.0
    assert abs(cell.horizontal_reaction).max() < 1e-6


def test_a_period_of_one_span_without_a_dropper_is_a_line_that_has_none_there(coarse, build_case):
    """Droppers and clamps without mass, cut as the design has them: nothing of the broken one is left."""
    massless = coarse.with_changes(
        droppers={"mass_per_length": 0.0, "clamp_mass_contact_wire": 0.0, "clamp_mass_messenger_wire": 0.0}
    )
    lengths = 1e3 * periodic_equilibrium(massless).dropper_unstretched_length
    kept = np.delete(np.arange(9), 4)
    without = massless.with_changes(
        droppers={
            "positions": [massless.droppers.positions[k] for k in kept],
            "prescribed": "lengths",
            "lengths": (1e-3 * lengths[kept]).tolist(),
            "contact_wire_heights": None,
        }
    )
    repeated = repeating(massless, 1, {**BROKEN, "span": 1, "dropper": 5})
    hung = [periodic_equilibrium(line) for line in (repeated, without)]
    np.testing.assert_allclose(hung[0].dropper_force, hung[1].dropper_force, rtol=0, atol=1e-3)
    # a line so light takes long to settle: what is left of the change from span to span is within the tolerance
    content = {"applied_force_N": 165.0, "periodic": {**WINDOW, "tolerance": 3e-4}}
    by_defect, by_hand = (solved(build_case(line, 300.0, **content)).contact_force for line in (repeated, without))
    assert np.sqrt(np.mean((by_defect - by_hand) ** 2)) < 5e-3 * by_hand.std()


def test_spans_of_a_period_make_up_the_whole_and_the_defect_is_where_it_is(coarse, build_case):
    found = solved(build_case(repeating(coarse, 3, BROKEN), 300.0, applied_force_N=165.0, periodic=WINDOW))
    spans, whole = figures_by_span(found), found.statistics
    means, sigmas = (np.array([getattr(s, f"contact_force_{n}_N") for s in spans]) for n in ("mean", "std"))
    assert means.mean() == pytest.approx(whole.contact_force_mean_N, abs=1e-9)
    total = np.mean(sigmas**2) + np.mean((means - means.mean()) ** 2)
    assert np.sqrt(total) == pytest.approx(whole.contact_force_std_N, rel=1e-9)
    assert max(s.contact_force_max_N for s in spans) == pytest.approx(whole.contact_force_max_N)
    # the wire hangs from the support and the second dropper alone: it rises most where the second span begins
    rises = [s.uplift_begin_mm for s in spans]
    assert int(np.argmax(rises)) == 1 and rises[1] == pytest.approx(whole.max_uplift_at_supports_mm)
    assert len(found.dropper_slack_time) == 26


def test_a_step_down_the_exact_derivatives_does_what_they_say(coarse, build_case):
    """A dropper's height in every span of a period of which one has a defect; the step is computed as well."""
    case = build_case(repeating(coarse, 2, BROKEN), 300.0, mean_force_N=157.3, periodic={**WINDOW, "tolerance": 1e-5})
    found = dropper_slopes(SteadySlopes(solved(case)))
    assert len(found.droppers) == 9
    assert found.check.expected < -0.01
    assert found.check.computed == pytest.approx(found.check.expected, rel=0.1)


@pytest.mark.parametrize("dimension", ["planar", "spatial"])
def test_a_search_begins_at_the_state_of_the_line_as_designed(build_line, build_case, dimension):
    """One period from there changes a tenth of what it changes from rest, and the force is within 2 % of its end."""
    line = build_line(elements_per_bay=3, dimension=dimension)
    case = build_case(repeating(line, 3), 300.0, applied_force_N=165.0, periodic=WINDOW)
    alike = without_repeat(case)
    one = solved(alike)
    target = SpanMap(case, periodic_equilibrium(case.catenary))
    start = tiled_start(target, SpanMap(alike, one.equilibrium), one.warm_start)
    target.near_start(start)
    sigma = one.contact_force.std()
    tiled = np.linalg.norm(target.apply(start.state)[1])
    assert target.record.force.std() == pytest.approx(sigma, rel=0.02)
    assert tiled < 0.1 * np.linalg.norm(target.apply(target.static_start())[1])


def test_a_line_that_is_laid_out_stays_as_it_is_and_reads_back(coarse):
    named = laid_out(repeating(coarse, 2, BROKEN))
    assert laid_out(named) is named and CatenarySpec.model_validate(named.model_dump()) == named
    assert (len(named.spans), len(named.droppers.positions), named.ends, named.spans_of_a_period) == (2, 18, False, 2)
    assert "repeat" not in coarse.model_dump() and laid_out(coarse) is coarse


@pytest.mark.parametrize(
    ("repeat", "sentences"),
    [
        (
            {"spans": 2, "defects": [{**BROKEN, "span": 3}, {**BROKEN, "dropper": 10}]},
            ["repeat.defects[0].span must be 1 to 2: got 3", "repeat.defects[1].dropper must be 1 to 9"],
        ),
        ({"spans": 2, "defects": [BROKEN, BROKEN]}, ["repeat.defects[1] is the second of dropper 1 of span 2"]),
        ({"spans": 25}, ["repeat.spans", "25"]),
        ({"spans": 2, "defects": [{**BROKEN, "kind": "length"}]}, ["by is missing"]),
    ],
)
def test_what_cannot_be_is_refused_by_name(coarse, repeat, sentences):
    with pytest.raises(InputError) as refused:
        coarse.with_changes(repeat=repeat)
    for sentence in sentences:
        assert sentence in str(refused.value)


def test_a_period_must_hold_whole_patterns_and_a_line_that_ends_has_none(coarse, build_case):
    x = coarse.droppers.positions
    both = coarse.with_changes(
        further_spans=[55.0],
        droppers={
            "positions": [*x, *(55.0 + s for s in x)],
            "contact_wire_heights": coarse.droppers.contact_wire_heights * 2,
        },
    )
    with pytest.raises(InputError, match=r"repeat.spans must be a multiple of the 2 spans .* got 3"):
        repeating(both, 3)
    assert laid_out(repeating(both, 4)).period == 220.0
    with pytest.raises(ValueError, match=r"catenary\.repeat must be left out with solver=open_line"):
        build_case(repeating(coarse, 2, BROKEN), 300.0, applied_force_N=165.0, solver="open_line")
    soft = {"span": 1, "dropper": 3, "kind": "stiffness", "stiffness": 1e5}
    with pytest.raises(ValueError, match="droppers of one stiffness"):
        influence_matrices(build_case(repeating(coarse, 2, soft), 300.0, applied_force_N=165.0))


@pytest.mark.parametrize("spans", [1, 4])
def test_a_step_too_long_for_the_span_is_refused_before_a_run_writes(coarse, build_case, spans):
    """The steady state of several spans is sought from that of one, whose supports the step must suit."""
    hung = {"positions": [6.0, 15.0, 24.0], "contact_wire_heights": [0.0, 0.0, 0.0]}
    short = coarse.with_changes(span_length=30.0, droppers=hung, damping={"beta": 3e-3})
    case = build_case(
        short.with_changes(repeat={"spans": spans}) if spans > 1 else short, 97.3, dt=1e-3, applied_force_N=60.0
    )
    with pytest.raises(InputError, match="neighbouring supports hardly act on each other"):
        refuse_unfit_case(case)
