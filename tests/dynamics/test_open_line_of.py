"""Spans of a line by stations that count by default, alone and where a train needs room behind them."""

import pytest

from dynamics.spec.open_line_of import fill_open_line

LINE = {"section": {}, "span_length": 65.0, "further_spans": [65.0] * 10 + [50.0]}


def filled(given=(), **blocks):
    data = {"catenary": LINE, "open_line": {}, **blocks}
    fill_open_line(data, given)
    assert data["solver"] == "open_line"
    return data["open_line"]


def test_three_spans_at_either_end_do_not_count():
    found = filled(trailing={"distances_m": []}, scenarios={"trailing": None})
    assert found == {"spans": 12, "start": 0.5, "first_evaluated": 4, "last_evaluated": 9, "spans_after": 3}


@pytest.mark.parametrize(("distance", "last"), [(50.0, 8), (51.0, 7), (115.0, 7), (180.0, 6), (700.0, 4)])
def test_the_longest_train_leaves_its_last_span_on_the_line(distance, last):
    for blocks in (
        {"trailing": {"distances_m": [20.0, distance]}},
        {"scenarios": {"trailing": [[], [distance], [30.0]]}},
        {"design": {"trailing_distances": [[10.0, 20.0], [40.0, distance]]}},
    ):
        assert filled(**blocks)["last_evaluated"] == last


def test_what_is_given_goes_before():
    train = {"distances_m": [100.0]}
    assert filled(["open_line.last_evaluated"], trailing=train).get("last_evaluated") is None


def test_a_train_that_holds_words_is_left_to_the_check_of_the_whole():
    assert filled(trailing={"distances_m": ["far", None]}, scenarios="mine", design=None)["last_evaluated"] == 9
