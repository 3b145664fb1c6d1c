"""What the closing lines of a search make of its gain: nothing without a confirmation that has an error."""

import json
import math

import pytest

from catenary.storage.files import write_json_atomic
from dynamics.accuracy.slack_companion import SlackDampingChange
from dynamics.charts.numbers import error_text, with_error
from optimise.afterwards import solved_cases
from optimise.afterwards.confirm import Confirmation, DesignConfirmation
from optimise.afterwards.solved_cases import Solving, solve_case
from optimise.evaluation.verdict import BETTER, SAME, UNKNOWN
from studies.afterwards.confirmation import confirmation_lines, confirmed_change, write_solved
from studies.report.sections.tables import plus_minus, value_text
from studies.writing.report_head import HeadRecord

NOMINAL = DesignConfirmation(0, 30.0, 30.0, 0.1, sigma_coarser_N=30.1)
FAILED = DesignConfirmation(7, 24.0, None, None, "the march did not settle")


def content_of(best):
    found = Confirmation(NOMINAL, best)
    lines = {
        name: {**vars(line), "difference_percent": line.difference_percent, "error_N": line.error}
        for name, line in (("nominal", NOMINAL), ("best", best))
    }
    names = ("change_percent", "change_transient_percent", "change_error_percent", "verdict")
    return {**lines, **{name: getattr(found, name) for name in names}}


@pytest.mark.parametrize(
    ("best", "word", "said"),
    [
        (FAILED, UNKNOWN, "not confirmed"),
        (DesignConfirmation(7, 24.0, 29.9, 0.1, sigma_coarser_N=31.0), SAME, "by the long transient −0.3 ± 3.3 %"),
        (DesignConfirmation(7, 24.0, 25.0, 0.1, sigma_coarser_N=25.1), BETTER, "by the long transient −16.667 ± "),
        (DesignConfirmation(7, 24.0, 25.0, 0.1), UNKNOWN, "by the long transient −16.7 %"),
    ],
)
def test_the_verdict_is_that_of_the_confirmation(tmp_path, best, word, said):
    content = content_of(best)
    write_json_atomic(tmp_path / "confirmation.json", content)
    shown = confirmed_change(tmp_path)
    assert shown.startswith(said) and shown.endswith(word)
    last = confirmation_lines(content)[-1]
    assert last.endswith(word) and "−20.00 %" in last
    assert ("by the search's own figures" in last) == math.isnan(content["change_transient_percent"] or math.nan)


def test_a_nominal_line_that_nothing_betters_has_no_change_against_itself():
    content = {**content_of(NOMINAL), "slack_damping": {"nominal": "kept or released", "best": "kept or released"}}
    (line, warning) = confirmation_lines(content)
    assert line.startswith("nominal: standard deviation 30.00 N, long transient 30.00 ± 0.10 N")
    assert warning == "nominal: kept or released"


def test_a_confirmed_line_says_what_the_reading_of_slack_droppers_does(tmp_path, build_case, monkeypatch):
    window = {"spans_behind": 5, "spans_ahead": 6, "spans_evaluated": 4, "spans": 8}
    case = build_case("bruni_2015", 200.0, mean_force_N=108.8, solver="transient", transient=window)
    asked, change = [], SlackDampingChange("kept", "released", 4.0, "31.2 N with kept, 32.4 N with released")
    monkeypatch.setattr(solved_cases, "compare_slack_damping", lambda case, solution: asked.append(case) or change)
    monkeypatch.setattr(solved_cases, "estimated", lambda case, solution: (solution, None))
    for wanted in (True, False):
        write_solved(tmp_path / str(wanted), solve_case(Solving(0, case=case, with_error=wanted)), HeadRecord())
        summary = json.loads((tmp_path / str(wanted) / "summary.json").read_text(encoding="utf-8"))
        assert summary["slack_damping"] == ({**vars(change), "warning": change.warning} if wanted else None)
    assert asked == [case]


def test_an_error_is_written_by_two_digits_and_never_as_nothing(tmp_path):
    best = DesignConfirmation(7, 24.0, 25.0, 0.0, sigma_coarser_N=25.0 * 30.1 / 30.0)
    content = {**content_of(best), "change_error_percent": 0.02}
    write_json_atomic(tmp_path / "confirmation.json", content)
    assert confirmed_change(tmp_path).startswith("by the long transient −16.667 ± 0.020 %")
    assert "−16.667 ± 0.020 %" in confirmation_lines(content)[-1], "the same figures wherever they stand"
    assert plus_minus(-16.7, 0.26, 1) == "−16.70 ± 0.26" and plus_minus(30.0, 1.5, 2) == "30.00 ± 1.50"
    assert plus_minus(21.89, 0.0996, 2) == "21.89 ± 0.10", "rounded up to the next decade"
    assert with_error(20.0, 0.0004, 2, signed=True) == "+20.0000 ± 0.0004", "as many decimals as a reader can use"
    assert with_error(20.0, 0.0, 2) == "20.0000 ± 0.0001" and error_text(1e-9, 2) == "0.0001"
    assert plus_minus(None, 0.02, 1) == value_text(None, 1) and "±" not in plus_minus(1.0, None, 1)
