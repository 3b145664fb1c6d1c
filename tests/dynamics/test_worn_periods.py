"""Worn stretches and bends of the contact wire of a line that repeats: at rest, under a pantograph, for a rig."""

import numpy as np
import pytest

from catenary.errors import InputError
from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.layout.laid_out import laid_out
from catenary.linearised.contact_wire import running_height, static_height
from catenary.spec.attached.wear import WearSpec
from catenary.spec.attached.worn_wire import share_lost, worn_wire
from catenary.spec.line import CatenarySpec
from dynamics.adjoint import droppers
from dynamics.adjoint.steady_slopes import SteadySlopes
from dynamics.influence.matrices import influence_matrices
from dynamics.solution import solve
from dynamics.spec.status import Status
from optimise.evaluation.installation import InstallationErrors, installed
from studies.commands import simulate
from studies.commands.optimise import compose

SPAN, LOST = 55.0, 0.003
KINK = {"station": 30.0, "height": 0.0015, "length": 1.5}
WINDOW = {"spans_behind": 12, "spans_ahead": 15}


@pytest.fixture(scope="module")
def coarse(build_line):
    return build_line(elements_per_bay=3)


def solved(case):
    solution = solve(case)
    assert solution.status is Status.OK, solution.message
    return solution


def worn(line, begin, end, spans=1, **depth):
    area = share_lost(line.contact_wire, LOST)
    return line.with_changes(repeat={"spans": spans, "wear": [{"begin": begin, "end": end, "area": area, **depth}]})


def test_a_wire_worn_everywhere_is_a_lighter_wire(coarse, build_case):
    """Droppers as the new wire has them: the same line by another wire and its lengths. The surface stays in place."""
    cut = periodic_equilibrium(coarse).dropper_unstretched_length.tolist()
    hung = {"prescribed": "lengths", "lengths": cut, "contact_wire_heights": []}
    given = coarse.model_copy(update={"contact_wire": worn_wire(coarse.contact_wire, LOST)}).with_changes(droppers=hung)
    runs = [
        solved(build_case(line, 300.0, dt=2e-3, applied_force_N=165.0, periodic=WINDOW))
        for line in (worn(coarse, 0.0, SPAN, depth=0.0), given)
    ]
    np.testing.assert_allclose(runs[0].equilibrium.dropper_force, runs[1].equilibrium.dropper_force, rtol=0, atol=1e-6)
    assert runs[0].statistics.contact_force_std_N == pytest.approx(runs[1].statistics.contact_force_std_N, rel=1e-4)
    new = solved(build_case(coarse, 300.0, dt=2e-3, applied_force_N=165.0, periodic=WINDOW))
    assert abs(new.statistics.contact_force_std_N - runs[1].statistics.contact_force_std_N) > 0.5


@pytest.mark.parametrize("kind", ["kinks", "wear"])
def test_a_place_of_a_period_does_what_it_does_on_a_line_that_ends(build_line, build_case, kind):
    """What it changes of the force, from 5 m before it to 55 m behind it, in a period of four spans."""
    line = build_line("re330", elements_per_bay=3)
    rows = {"kinks": KINK, "wear": {"begin": 20.0, "end": 45.0, "area": 0.2}}[kind]
    stations = {"station", "begin", "end"}
    changes = []
    for spans, before, changed in (
        (4, line.period, {"periodic": {"spans_behind": 20, "spans_ahead": 26, "tolerance": 5e-4}}),
        (
            16,
            9 * line.period,
            {"solver": "open_line", "open_line": {"spans": 16, "first_evaluated": 9, "last_evaluated": 12}},
        ),
    ):
        moved = {kind: [{k: x + before if k in stations else x for k, x in rows.items()}]}
        if spans == 4:
            lines = [line.with_changes(repeat={"spans": spans, **own}) for own in ({}, moved)]
        else:
            every = laid_out(line.with_changes(repeat={"spans": spans})).model_dump(exclude={"repeat"})
            lines = [CatenarySpec.model_validate({**every, "section": own}) for own in ({}, moved)]
        content = {"dt": 2e-3, "applied_force_N": 165.0, **changed}
        runs = [solved(build_case(each, 300.0, **content)) for each in lines]
        place = np.arange(15.0, 100.0, 0.1)
        without, with_it = (np.interp(place + before, run.position, run.contact_force) for run in runs)
        changes.append(with_it - without)
    repeated, ending = changes
    assert np.abs(ending).max() > 30.0
    assert np.abs(repeated - ending).max() < 0.25 * np.abs(ending).max()
    assert np.sqrt(np.mean((repeated - ending) ** 2)) < 0.2 * ending.std()


def test_a_bend_at_the_end_of_a_period_reaches_into_the_next_one(coarse, build_case):
    case = build_case(
        coarse.with_changes(repeat={"spans": 1, "kinks": [{**KINK, "station": 0.0}]}), 300.0, dt=2e-3,
        applied_force_N=165.0, periodic=WINDOW,
    )  # fmt: skip
    eq = periodic_equilibrium(case.catenary)
    x = np.array([0.0, 0.375, 0.75, 30.0, SPAN - 0.375])
    np.testing.assert_allclose(running_height(eq, x) - static_height(eq, x), [1.5e-3, 0.75e-3, 0.0, 0.0, 0.75e-3])
    plain = build_case(coarse, 300.0, dt=2e-3, applied_force_N=165.0, periodic=WINDOW)
    rig = influence_matrices(case).z0 - influence_matrices(plain).z0
    assert rig.max() == pytest.approx(1.5e-3, rel=1e-9) and np.count_nonzero(np.abs(rig) > 1e-12) < 12


def test_a_bend_given_at_both_ends_of_a_period_is_one_bend(coarse):
    """As where it is given at either end alone, however the spans add up; unlike ones contradict each other."""
    uneven = coarse.with_changes(span_length=55.1, further_spans=[55.2, 55.3], droppers=drawn_out(coarse))
    x = np.array([0.0, 0.375, 30.0])
    for line, spans in ((coarse, 2), (uneven, 3)):
        end = line.period * (spans // len(line.spans))
        rises = []
        for stations in ((0.0,), (end,), (0.0, end), (end, 0.0), (0.0, end, 30.0)):
            kinks = [{**KINK, "station": s} for s in stations]
            eq = periodic_equilibrium(line.with_changes(repeat={"spans": spans, "kinks": kinks}))
            rises.append(running_height(eq, x) - static_height(eq, x))
        np.testing.assert_allclose(rises[:4], [[1.5e-3, 0.75e-3, 0.0]] * 4, atol=1e-12)
        np.testing.assert_allclose(rises[4], [1.5e-3, 0.75e-3, 1.5e-3], atol=1e-12)
    other = [KINK | {"station": 0.0}, KINK | {"station": 2 * SPAN, "height": 0.002}]
    with pytest.raises(
        InputError, match=r"repeat\.kinks\[1\] at 110 m, where the line repeats, must be repeat\.kinks\[0\]"
    ):
        coarse.with_changes(repeat={"spans": 2, "kinks": other})


def drawn_out(line):
    """Droppers of three spans from 55.1 to 55.3 m long, each from its own support on."""
    own, begins = line.droppers, (0.0, 55.1, 110.3)
    return {
        "positions": [b + x for b in begins for x in own.positions],
        "contact_wire_heights": [*own.contact_wire_heights] * 3,
    }


def test_a_step_down_the_derivatives_of_a_worn_period_does_what_they_say(coarse, build_case, monkeypatch):
    """A fifth of the usual step: droppers that fall slack earlier or later bend sigma."""
    monkeypatch.setattr(droppers, "CHECKED", 2e-5)
    line = worn(coarse, 20.0, 75.0, spans=2)
    case = build_case(line, 300.0, dt=2e-3, mean_force_N=157.3, periodic={**WINDOW, "tolerance": 1e-5})
    found = droppers.dropper_slopes(SteadySlopes(solved(case)))
    assert found.check.expected < -0.01
    assert found.check.computed == pytest.approx(found.check.expected, rel=0.1)


def test_the_operator_leaves_them_to_the_march(coarse, build_case):
    case = build_case(
        worn(coarse, 10.0, 30.0), 300.0, dt=2e-3, mean_force_N=157.3,
        periodic={"method": "operator", "spans_behind": 4, "spans_ahead": 6, "tolerance": 1e-2},
    )  # fmt: skip
    found = solved(case)
    assert found.method == "march" and found.message.endswith("a contact wire that is worn or bent in places")


def test_a_stretch_that_continues_beyond_the_period_has_no_ramp_there(coarse):
    """From 50 to 60 m of a line that repeats after 55 m, in two rows; ramps of 1 m where it begins and ends."""
    rows = [{"begin": 50.0, "end": SPAN, "area": 0.1}, {"begin": 0.0, "end": 5.0, "area": 0.1}]
    eq = periodic_equilibrium(coarse.with_changes(repeat={"spans": 1, "wear": rows}))
    x = np.array([0.0, 0.5, 2.0, 4.5, 5.0, 30.0, 50.5, 52.0, 54.9])
    rise = running_height(eq, x) - static_height(eq, x)
    np.testing.assert_allclose(rise / rise.max(), [1, 1, 1, 0.5, 0, 0, 0.5, 1, 1], atol=1e-9)
    whole = periodic_equilibrium(worn(coarse, 0.0, SPAN, depth=1e-3))
    np.testing.assert_allclose(running_height(whole, x) - static_height(whole, x), 1e-3, rtol=1e-9)


def test_height_errors_of_a_worn_line_are_those_of_the_new_one_that_wore(coarse):
    """Errors so small that they change nothing; heights of the worn wire would be worn again."""
    line = periodic_equilibrium(worn(coarse, 20.0, 45.0))
    none = np.zeros(len(line.spec.droppers.positions))
    found = installed(line, InstallationErrors(none + 1e-12, none, none, 0.0))
    np.testing.assert_allclose(found.dropper_force, line.dropper_force, rtol=0, atol=1e-3)


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        (["scenarios.wear.lost_mm=[2]"], "scenarios.wear must be left out of a line with worn stretches of its own"),
        (
            ["design=line", "design.span_length=[50,60]"],
            "design.span_length must be left out with catenary.repeat.wear",
        ),
    ],
)
def test_a_search_refuses_what_would_wear_it_twice_or_move_it(typed, sentence):
    repeat = "catenary.repeat={spans: 1, wear: [{begin: 10, end: 30, area: 0.1}]}"
    with pytest.raises(InputError) as refused:
        compose(["catenary=bruni_2015", repeat, *typed])
    assert sentence in str(refused.value)


def test_a_line_without_them_is_written_as_before(coarse):
    assert set(coarse.with_changes(repeat={"spans": 2}).model_dump()["repeat"]) == {"spans", "defects"}


def test_what_cannot_be_is_refused_by_name_all_at_once(coarse):
    wear = [{"begin": 100.0, "end": 120.0, "area": 0.1}, {"begin": 40.0, "end": 105.0, "area": 0.1}]
    with pytest.raises(InputError) as refused:
        coarse.with_changes(repeat={"spans": 2, "wear": wear, "kinks": [KINK | {"station": 111.0}]})
    for sentence in (
        "repeat.wear[0] must lie on its wire, from 0 to 110 m: got 100 to 120 m",
        "repeat.wear[1] must not overlap repeat.wear[0], 100 to 120 m",
        "repeat.kinks[0] must lie on a wire: got 111 m",
    ):
        assert sentence in str(refused.value)
    named = laid_out(coarse.with_changes(repeat={"spans": 2})).model_dump()
    with pytest.raises(ValueError, match=r"repeat\.wear must be left out of a line with a section"):
        CatenarySpec.model_validate({**named, "repeat": {"spans": 2, "wear": wear[:1]}})
    with pytest.raises(ValueError, match=r"section\.irregularity must be left out of a line that repeats"):
        CatenarySpec.model_validate(named | {"section": {"irregularity": {"rms": 1e-3, "seed": 1}}})


def test_a_bend_between_two_steps_and_ice_on_a_worn_wire_are_refused(coarse, build_case):
    short = coarse.with_changes(repeat={"spans": 1, "kinks": [KINK | {"length": 0.3}]})
    with pytest.raises(ValueError, match=r"dt must be at most 0.0018 s, 2 steps on the shortest bend .*0.3 m"):
        build_case(short, 300.0, dt=2e-3, mean_force_N=157.3)
    build_case(short, 300.0, dt=1e-3, mean_force_N=157.3)
    with pytest.raises(InputError, match=r"repeat\.wear must be left out with catenary\.ice"):
        worn(coarse, 10.0, 30.0).with_changes(ice={"contact_wire": 0.5})


def test_ends_of_a_worn_stretch_are_named_as_in_a_table_of_a_line():
    rows = [{"from": 10.0, "to": 30.0, "area": 0.1}, {"begin": 10.0, "end": 30.0, "area": 0.1}]
    read = [WearSpec.model_validate(dict(row)) for row in rows]
    assert read[0] == read[1] and read[0].model_dump(include={"begin", "end"}) == {"begin": 10.0, "end": 30.0}
    for typed, said in (
        ("to: 30", "from is missing on the command line: give the station at which it begins"),
        ("begin: -4, to: 30", "from must be between 0 and 7200 m: got -4 m"),
        ("from: 4, begin: 5, to: 30", "from must be left out where begin is given"),
    ):
        with pytest.raises(InputError) as refused:
            simulate.compose([f"catenary.repeat={{spans: 1, wear: [{{{typed}, area: 0.1}}]}}"])
        (sentence,) = refused.value.problems
        assert sentence.startswith(f"catenary.repeat.wear[0].{said}")
