"""What the record of a campaign says of each design, read line by line without the project's own reader."""

import json
from collections import Counter

import pytest


def full(*values, minutes, name="full"):
    """Parameters of the full size, with the time that they may take."""
    return pytest.param(*values, id=name, marks=[pytest.mark.chaos, pytest.mark.timeout(60 * minutes)])


def times_recorded(folder):
    """How often each design was recorded, by number, out of those that were started."""
    lines = [json.loads(line) for line in (folder / "trials.jsonl").read_bytes().splitlines()]
    begun = sum(len(line.get("asked", ())) for line in lines)
    recorded = Counter(trial["trial"] for line in lines for trial in line.get("told", ()))
    return {number: recorded[number] for number in range(begun)}


def lost_and_twice(folder, trials):
    """Designs without an end on record, and those with more than one."""
    recorded = times_recorded(folder)
    assert len(recorded) == trials
    return sum(n == 0 for n in recorded.values()), sum(n > 1 for n in recorded.values())
