"""A line with droppers that hang loose at rest, in motion: they take up their gap first, in every solver alike."""

import numpy as np
import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.form_finding.prescribed import prescribed_by_lengths
from catenary.linearised.cell import vertical_cell
from catenary.linearised.elasticity import static_elasticity
from dynamics.solution import solve
from dynamics.spec.status import Status
from dynamics.travelling_window.window import TravellingWindow

WINDOW = {"spans_behind": 12, "spans_ahead": 12}
OPEN = {"spans": 12, "first_evaluated": 6, "last_evaluated": 8, "spans_after": 3}


@pytest.fixture
def loose_line(build_line):
    """The benchmark line with three droppers loose, by 3 to 23 mm."""
    line = prescribed_by_lengths(periodic_equilibrium(build_line()))
    wrong = np.array([0.0, 0.0, 25.0, 0.0, 40.0, 0.0, 0.0, 18.0, 0.0])
    found = line.with_droppers(lengths_mm=1e3 * np.array(line.droppers.lengths) + wrong)
    gap = periodic_equilibrium(found).dropper_gap
    assert np.flatnonzero(gap).tolist() == [2, 4, 7] and 1e-3 < gap[7] < 4e-3
    return found


@pytest.mark.parametrize("reading", ["kept", "released", "residual"])
def test_a_loose_line_at_rest_stays_at_rest(loose_line, build_case, reading):
    """The pantograph is lowered: nothing touches the line, and the correction forces are in balance."""
    case = build_case(loose_line, 275.0, applied_force_N=160.0, slack_damping=reading)
    window = TravellingWindow(case, vertical_cell(periodic_equilibrium(loose_line)), 4, 4)
    state = window.rest()
    state.z[:], state.applied_forces[:] = -1.0, -1.0e3
    record = window.march(state)
    assert (record.force == 0.0).all()
    assert np.abs(record.uplift).max() < 1e-9 and np.abs(state.u).max() < 1e-8
    assert record.slack_steps[2, 4] == len(record.force) and record.slack_steps[1].sum() == 0


def test_a_loose_line_moves_as_the_whole_line_with_large_deformation_does(loose_line, build_case):
    """Differences: 0.06 % between the two whole lines, 0.1 % to the window, which starts otherwise."""
    content = {"applied_force_N": 160.0}
    run = {"solver": "open_line", "open_line": OPEN}
    large, small, window = (
        solve(build_case(loose_line, 275.0, **content, **more)).statistics
        for more in (
            {**run, "kinematics": "nonlinear"},
            run,
            {"solver": "transient", "transient": {"spans": 8, "spans_evaluated": 3, **WINDOW}},
        )
    )
    assert small.contact_force_std_N == pytest.approx(large.contact_force_std_N, rel=5e-3)
    assert small.max_uplift_at_supports_mm == pytest.approx(large.max_uplift_at_supports_mm, rel=5e-3)
    assert window.contact_force_std_N == pytest.approx(large.contact_force_std_N, rel=2e-2)


def test_a_loose_line_has_a_steady_state(loose_line, build_case):
    found = solve(build_case(loose_line, 275.0, mean_force_N=143.4))
    assert found.status is Status.OK
    assert np.flatnonzero(np.isnan(found.dropper_slack_time)).tolist() == [2, 4, 7], "no passage slackens these"
    taut = found.dropper_force.max(axis=0)
    assert found.dropper_force.min() > -1e-4 and taut[7] > 5.0, "a gap of 3 mm closes behind the pantograph"


@pytest.mark.parametrize(("dimension", "longest", "dt"), [("planar", 0.25, 5e-4), ("spatial", 0.3, 1e-3)])
def test_a_loose_line_has_one_steady_state_by_the_operator_and_by_a_march(
    loose_line, build_case, dimension, longest, dt
):
    """A gap that closes is a spring that the operator adds and the march no longer takes away.

    Between twice as many samples a dropper that snaps taut hides less of its peak.
    """
    line = loose_line.with_changes(dimension=dimension, mesh={"largest_element_length": longest})
    one, other = (
        solve(build_case(line, 275.0, mean_force_N=143.4, dt=dt, periodic={"method": method, **more}))
        for method, more in (("operator", {"resolution": 2.0}), ("march", {"tolerance": dt}))
    )
    assert (one.method, other.method) == ("operator", "march")
    assert one.statistics.contact_force_std_N == pytest.approx(other.statistics.contact_force_std_N, rel=1e-2)
    assert one.support_uplift.max() == pytest.approx(other.support_uplift.max(), rel=5e-3)
    taut, pulled = one.dropper_force.max(axis=0), other.dropper_force.max(axis=0)
    assert taut[7] == pytest.approx(pulled[7], rel=0.1) and taut[7] > 50.0
    assert taut[4] == 0.0 and pulled[4] < 1e-4, "a gap of 23 mm stays open"


def test_slack_counts_beyond_where_the_operator_seeks_it(build_line, build_case):
    """A dropper that hangs by half a newton is slack in every wave that reaches it."""
    line = prescribed_by_lengths(periodic_equilibrium(build_line()))
    line = line.with_droppers(lengths_mm=1e3 * np.array(line.droppers.lengths) + 16.62 * (np.arange(9) == 4))
    found = solve(build_case(line, 275.0, mean_force_N=143.4, periodic={"method": "operator"}))
    state = found.operator_state
    sought = state.local.step * np.count_nonzero(state.slack.squeeze > 0.0, axis=0)
    assert 0.0 < found.equilibrium.dropper_force[4] < 1.0
    assert sought[4] + 0.05 < found.dropper_slack_time[4] < state.local.time[-1] - state.local.time[0]
    assert found.dropper_slack_time[0] == pytest.approx(sought[0], rel=1e-9), "a heavy one has all of it near"


def test_a_gap_too_wide_to_close_is_a_dropper_that_is_not_there(loose_line, build_case, build_line):
    """Wider still changes nothing: neither the elasticity nor the force of a passage."""
    lengths = 1e3 * np.array(loose_line.droppers.lengths)
    wider = loose_line.with_droppers(lengths_mm=lengths + 300.0 * (np.arange(9) == 4))
    x = np.linspace(0.0, 50.0, 7)
    two = [static_elasticity(periodic_equilibrium(line), x, 150.0) for line in (loose_line, wider)]
    np.testing.assert_allclose(two[1], two[0], rtol=1e-9)
    taut = static_elasticity(periodic_equilibrium(build_line()), np.array([27.5]), 150.0)
    loose = static_elasticity(periodic_equilibrium(wider), np.array([27.5]), 150.0)
    assert loose[0] < taut[0] * 1.5 and loose[0] != pytest.approx(taut[0], rel=1e-3)
    short = {"applied_force_N": 160.0, "solver": "transient"}
    short["transient"] = {"spans": 5, "spans_evaluated": 2, "spans_behind": 8, "spans_ahead": 8}
    one, other = (solve(build_case(line, 275.0, **short)).contact_force for line in (loose_line, wider))
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-4)
