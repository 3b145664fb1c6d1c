"""What pages and console say of points that the operator does not cover."""

import pytest

from dynamics.spec.checks.operator_scope import NOT_COVERED
from optimise.evaluation.outcome import Outcome, OutcomeStatus
from studies.report.sections.tables import marched_text

MARCHED = f"{NOT_COVERED}: a head that rolls"


@pytest.mark.parametrize(
    ("messages", "begin", "end"),
    [
        (["", MARCHED, ""], "1 of 3 points was marched, since ", "`message` in result.nc says which."),
        (["", MARCHED, f"something else; {MARCHED}"], "2 of 3 points were marched, since ", " says which."),
        ([MARCHED, MARCHED], "All points were marched, since ", "this step and window leaves."),
    ],
)
def test_their_number_and_the_reason_are_said(messages, begin, end):
    said = marched_text([Outcome(k, OutcomeStatus.OK, message) for k, message in enumerate(messages)])
    assert said.startswith(begin) and said.endswith(end) and "(a head that rolls)" in said


def test_where_none_was_marched_nothing_is_said():
    assert marched_text([Outcome(0, OutcomeStatus.OK)]) == ""
