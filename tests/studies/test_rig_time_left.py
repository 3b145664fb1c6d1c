"""What a long map says while it is computed."""

from studies.commands.rig_map import time_left


def test_thetime_left_is_that_of_the_rows_to_come():
    assert time_left(30.0, 10, 60).strip() == "2:30 left"
    assert time_left(5.0, 60, 60).strip() == "0:00 left"
