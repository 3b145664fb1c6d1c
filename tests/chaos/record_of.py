"""What the record of a campaign says of each design, read line by line without the project's own reader."""

import json
from collections import Counter

import pytest

ENDED, BEGUN = 6, 4


def full(*values, minutes, name="full"):
    """Parameters of the full size, with the time that they may take."""
    return pytest.param(*values, id=name, marks=[pytest.mark.chaos, pytest.mark.timeout(60 * minutes)])


def times_told(folder):
    """How often each design was told, by number, out of those that were begun."""
    operations = [json.loads(line) for line in (folder / "journal.log").read_bytes().splitlines()]
    begun = sum(op["op_code"] == BEGUN for op in operations)
    told = Counter(op["trial_id"] for op in operations if op["op_code"] == ENDED)
    return {number: told[number] for number in range(begun)}


def lost_and_twice(folder, trials):
    """Designs without an end on record, and those with more than one."""
    told = times_told(folder)
    assert len(told) == trials
    return sum(n == 0 for n in told.values()), sum(n > 1 for n in told.values())
