"""Nothing inside the errors is called better; nothing without an error is either."""

import math

import pytest

from optimise.evaluation.verdict import BETTER, SAME, UNKNOWN, WORSE, verdict


@pytest.mark.parametrize(
    ("after", "error", "word"),
    [
        (37.0, 0.5, BETTER), (39.0, 0.5, WORSE), (37.5, 0.5, SAME), (38.5, 0.5, SAME), (38.0, math.nan, SAME),
        (30.0, math.nan, UNKNOWN),
    ],
)  # fmt: skip
def test_a_difference_counts_beyond_the_errors_of_both(after, error, word):
    assert verdict(38.0, error, after, error) == word


def test_the_errors_of_both_figures_count():
    assert verdict(38.0, 0.0, 37.0, 0.9) == verdict(38.0, 0.9, 37.0, 0.0) == BETTER
    assert verdict(38.0, 0.9, 37.0, 0.9) == SAME
