"""A line that repeats after several spans: equal ones are the line of one span, unequal ones an open line's middle."""

import numpy as np
import pytest

from catenary.form_finding.equilibrium import open_line_equilibrium, periodic_equilibrium
from catenary.linearised.elasticity import static_elasticity
from catenary.spec.line import CatenarySpec
from dynamics.influence.matrices import influence_matrices
from dynamics.open_line.solve import solve_open_line
from dynamics.spec.status import Status
from dynamics.steady_state.periodic import solve_periodic
from dynamics.steady_state.transient import solve_transient

WINDOW = {"spans_behind": 20, "spans_ahead": 20}


def repeated(line: CatenarySpec, times: int) -> CatenarySpec:
    """The same line, written as several equal spans before it repeats."""
    content, drops = line.model_dump(), line.droppers
    content["further_spans"] = (line.span_length,) * (times - 1)
    content["droppers"]["positions"] = tuple(s * line.span_length + x for s in range(times) for x in drops.positions)
    for key in ("contact_wire_heights", "lengths"):
        if key in content["droppers"]:
            content["droppers"][key] = content["droppers"][key] * times
    return CatenarySpec.model_validate(content)


def both_ways(build_case, line, content):
    """One case by the one span, and by two equal ones, with the same time step."""
    one = build_case(line, 275.0, **content)
    return one, build_case(repeated(line, 2), 275.0, **{**content, "dt": one.time_step})


def unequal(line: CatenarySpec, spans: tuple[float, ...]) -> CatenarySpec:
    """Spans of other lengths, stations in proportion, pre-sag with the square of the span."""
    content, drops = line.model_dump(), line.droppers
    starts = np.cumsum([0.0, *spans])
    content["span_length"], content["further_spans"] = spans[0], spans[1:]
    ratio = [length / line.span_length for length in spans]
    content["droppers"]["positions"] = tuple(
        a + r * x for a, r in zip(starts, ratio, strict=False) for x in drops.positions
    )
    content["droppers"]["contact_wire_heights"] = tuple(r**2 * z for r in ratio for z in drops.contact_wire_heights)
    return CatenarySpec.model_validate(content)


@pytest.mark.parametrize("name", ["bruni_2015", "re330"])
@pytest.mark.parametrize("changes", [{}, {"dimension": "spatial"}], ids=["planar", "spatial"])
def test_equal_spans_hang_as_the_one_span(build_line, name, changes):
    line = build_line(name, **changes)
    one, two = periodic_equilibrium(line), periodic_equilibrium(repeated(line, 2))
    np.testing.assert_allclose(two.dropper_force, np.tile(one.dropper_force, 2), rtol=1e-8)
    np.testing.assert_allclose(two.steady_arm_force, np.tile(one.steady_arm_force, 2), rtol=1e-8)
    np.testing.assert_allclose(two.horizontal_reaction, 0.0, atol=1e-6)
    x = np.array([3.0, 21.7, 40.1])
    by_two = static_elasticity(two, x + line.span_length, 150.0)
    np.testing.assert_allclose(by_two, static_elasticity(one, x, 150.0), rtol=1e-3)  # of a line one span longer


@pytest.mark.parametrize("changes", [{}, {"dimension": "spatial"}], ids=["planar", "spatial"])
def test_equal_spans_have_the_steady_state_of_the_one_span(build_line, build_case, changes):
    line = build_line("re330", **changes)
    content = {"mean_force_N": 140.0, "periodic": {**WINDOW, "tolerance": 1e-6}}
    one, two = (solve_periodic(case) for case in both_ways(build_case, line, content))
    assert one.status is Status.OK and two.status is Status.OK
    np.testing.assert_allclose(
        two.contact_force, np.tile(one.contact_force, 2), atol=0.1
    )  # of windows of unequal length
    assert two.statistics.max_uplift_at_supports_mm == pytest.approx(one.statistics.max_uplift_at_supports_mm, rel=1e-4)


def test_equal_spans_are_marched_as_the_one_span(build_line, build_case):
    line = build_line("re330")
    content = {"applied_force_N": 150.0, "transient": {"spans": 12, "spans_evaluated": 4, **WINDOW}}
    one, two = (solve_transient(case) for case in both_ways(build_case, line, content))
    cut = slice(0, 6 * one.case.steps_per_period)
    np.testing.assert_allclose(two.contact_force[cut], one.contact_force[cut], atol=0.5)
    assert two.spans_evaluated == one.spans_evaluated
    assert two.statistics.contact_force_std_N == pytest.approx(one.statistics.contact_force_std_N, rel=2e-3)


def test_a_transient_counts_two_periods_at_least_for_it_has_halves(build_line, build_case):
    line = repeated(build_line("bruni_2015", 2), 12)
    case = build_case(
        line, 275.0, applied_force_N=150.0, dt=4e-3, transient={"spans": 5, "spans_evaluated": 2, **WINDOW}
    )
    found = solve_transient(case)
    assert found.status is Status.OK and found.spans_evaluated == 24 and len(found.support_uplift) == 2
    assert len(found.halves) == 2 and None not in found.halves


def test_equal_spans_have_the_influence_of_the_one_span(build_line, build_case):
    droppers = {"positions": [5.0, 16.25, 27.5, 38.75, 50.0], "contact_wire_heights": [0.0, -0.03, -0.04, -0.03, 0.0]}
    line = build_line("bruni_2015", 2, droppers=droppers, damping={"alpha": 0.3, "beta": 1e-3})
    case = build_case(line, 275.0, applied_force_N=150.0, dt=4e-3)
    one = influence_matrices(case)
    two = influence_matrices(case.model_copy(update={"catenary": repeated(line, 2)}))
    n = one.case.steps_per_period
    np.testing.assert_allclose(two.z0, np.tile(one.z0, 2), atol=1e-9)
    # a force repeated every span is felt as the one-span loop feels it
    folded = two.I_cc[:, :n] + two.I_cc[:, n:]
    np.testing.assert_allclose(folded, np.tile(one.I_cc, (2, 1)), atol=2e-4 * np.abs(one.I_cc).max())


@pytest.mark.parametrize("name", ["bruni_2015", "re330"])
@pytest.mark.parametrize("changes", [{}, {"dimension": "spatial"}], ids=["planar", "spatial"])
def test_unequal_spans_hang_as_in_the_middle_of_an_open_line(build_line, name, changes):
    nominal = build_line(name, **changes)
    length = nominal.span_length
    line = unequal(nominal, (length, 0.9 * length, 0.95 * length))
    cell, whole = periodic_equilibrium(line), open_line_equilibrium(line, 9)
    n = len(line.droppers.positions)
    np.testing.assert_allclose(whole.dropper_force[n : 2 * n], cell.dropper_force, rtol=2e-3)
    # the stagger has the other side in the second of three cells of three spans
    np.testing.assert_allclose(whole.steady_arm_side_force[3:6], -cell.steady_arm_side_force, rtol=2e-3)
    stations = np.array(cell.mesh.layout.dropper_x)
    np.testing.assert_allclose(whole.mesh.layout.dropper_x[n : 2 * n], line.period + stations)


def test_unequal_spans_have_the_steady_state_that_an_open_line_comes_to(build_line, build_case):
    """Two solvers that share elements alone: a travelling window of cells, and thirty spans marched whole."""
    line = unequal(build_line("bruni_2015", damping={"alpha": 0.1, "beta": 2e-4}), (55.0, 47.0))
    content = {"applied_force_N": 150.0, "dt": 1e-3}
    steady = solve_periodic(build_case(line, 240.0, periodic={"spans_behind": 30, "spans_ahead": 30}, **content))
    settings = {"spans": 44, "start": 1.0, "first_evaluated": 33, "last_evaluated": 34, "ends": "absorbing"}
    whole = solve_open_line(build_case(line, 240.0, solver="open_line", open_line=settings, **content))
    assert steady.status is Status.OK and whole.status is Status.OK
    assert whole.statistics.contact_force_std_N == pytest.approx(steady.statistics.contact_force_std_N, rel=0.01)
