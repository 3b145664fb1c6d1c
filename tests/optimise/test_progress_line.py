"""The line that shows what long work does: rewritten in a terminal, a line for each stage elsewhere."""

import io
import time

import pytest

from optimise.entry import progress_line
from optimise.entry.progress_line import ProgressLine


class Terminal(io.StringIO):
    """A stream that is read by a person."""

    def isatty(self):
        return True


@pytest.fixture
def ticking(monkeypatch):
    monkeypatch.setattr(progress_line, "SECONDS_BETWEEN_TICKS", 0.01)


def test_what_runs_is_shown_in_a_terminal_with_the_time_that_it_takes(ticking, monkeypatch):
    began, stream = time.monotonic(), Terminal()
    monkeypatch.setattr(progress_line.time, "monotonic", lambda: began + 100.0 * (time.perf_counter() - begin))
    begin = time.perf_counter()
    line = ProgressLine(stream)
    with line.doing("run 1 of 2: nominal line"):
        time.sleep(0.2)
    line.end()
    shown = stream.getvalue()
    assert shown.endswith("\n") and shown.count("\n") == 1
    states = [text.rstrip() for text in shown.split("\r")[1:]]
    assert states[0] == "run 1 of 2: nominal line | 0:00"
    minutes, seconds = states[-1].rpartition("| ")[2].split(":")
    assert 60 * int(minutes) + int(seconds) >= 20, "the time so far grows while the work runs"
    assert len(set(states)) > 3


def test_a_later_state_leaves_nothing_of_a_longer_one_and_none_is_longer_than_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    line = ProgressLine(stream)
    line.write("x" * 100)
    line.write("short")
    line.end()
    first, second = stream.getvalue().split("\r")[1:]
    assert first == "x" * 39 and second == "short" + " " * 34 + "\n"


def test_elsewhere_a_stage_is_one_line_when_it_begins(ticking):
    stream = io.StringIO()
    line = ProgressLine(stream)
    with line.doing("run 1 of 2: nominal line"):
        assert stream.getvalue() == "run 1 of 2: nominal line\n"
        time.sleep(0.05)
    line.end()
    assert stream.getvalue() == "run 1 of 2: nominal line\n"


def test_work_that_fails_stops_the_clock(ticking):
    stream = Terminal()
    line = ProgressLine(stream)
    with pytest.raises(KeyboardInterrupt), line.doing("report"):
        raise KeyboardInterrupt
    before = stream.getvalue()
    time.sleep(0.05)
    assert stream.getvalue() == before
