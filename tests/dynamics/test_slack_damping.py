"""What a slack dropper keeps: when the choice is reported to matter."""

from dataclasses import replace

import numpy as np
import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.form_finding.prescribed import prescribed_by_lengths
from dynamics.accuracy.slack_companion import LARGE_CHANGE, compare_slack_damping
from dynamics.steady_state.periodic import solve_periodic

WINDOW = {"spans_behind": 10, "spans_ahead": 12}


def test_a_choice_that_moves_sigma_is_reported(build_line, build_case):
    """Stiff droppers whose damping grows with their stiffness: kept is far from released, and the run says so."""
    line = build_line(droppers={"stiffness": 1.0e6}, damping={"alpha": 0.3})
    case = build_case(line, 275.0, mean_force_N=143.4, periodic=WINDOW)
    kept = solve_periodic(case)
    found = compare_slack_damping(case, kept)
    assert found is not None and found.other == "released"
    assert found.change_percent < -LARGE_CHANGE
    assert f"slack_damping=released changes the standard deviation by {found.change_percent:+.1f} %" in found.warning
    released = solve_periodic(case.model_copy(update={"slack_damping": "released"}))
    ratio = released.statistics.contact_force_std_N / kept.statistics.contact_force_std_N
    assert found.change_percent == pytest.approx(100.0 * (ratio - 1.0), abs=1e-6)
    back = compare_slack_damping(released.case, released)
    assert back is not None and back.other == "kept" and back.change_percent > LARGE_CHANGE


def test_a_choice_without_effect_is_not_reported(build_line, build_case):
    """Where no dropper slackens there is nothing to compare; without damping of droppers there is no difference."""
    case = build_case(build_line(damping={"alpha": 0.3, "beta": 0.0}), 275.0, mean_force_N=143.4, periodic=WINDOW)
    solution = solve_periodic(case)
    found = compare_slack_damping(case, solution)
    assert found is not None and found.change_percent == pytest.approx(0.0, abs=0.05)
    assert found.warning == ""
    taut = replace(solution, dropper_slack_time=np.zeros(9))
    assert compare_slack_damping(case, taut) is None


def test_a_line_whose_only_slack_droppers_hang_loose_is_compared(build_line, build_case):
    """Their dashpots work before and behind every passage, and no passage slackens them."""
    line = prescribed_by_lengths(periodic_equilibrium(build_line()))
    line = line.with_droppers(lengths_mm=1e3 * np.array(line.droppers.lengths) + 60.0 * (np.arange(9) == 3))
    solution = solve_periodic(build_case(line, 200.0, mean_force_N=60.0, periodic=WINDOW))
    time = solution.dropper_slack_time
    assert np.flatnonzero(np.isnan(time)).tolist() == [3]
    solution = replace(solution, dropper_slack_time=np.where(np.isnan(time), np.nan, 0.0))
    found = compare_slack_damping(solution.case, solution)
    assert found is not None and found.change_percent is not None and found.change_percent != 0.0


def test_after_a_run_by_the_operator_two_marches_are_compared(build_case):
    """The operator has one choice alone: what it differs by from a march has nothing to do with the other."""
    case = build_case("bruni_2015", 320.0, mean_force_N=169.3, periodic={**WINDOW, "method": "operator"})
    marched = case.model_copy(update={"periodic": case.periodic.model_copy(update={"method": "march"})})
    found, wanted = (compare_slack_damping(c, solve_periodic(c)) for c in (case, marched))
    assert solve_periodic(case).method == "operator" and "both marched" in found.message
    assert found.change_percent == pytest.approx(wanted.change_percent, abs=1e-3)
