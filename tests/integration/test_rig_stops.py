"""What ends a test leads to the safe height: silence, stops, limits, another clock, a full disk, its last step."""

import math
import resource

import numpy as np
import pytest
from rig_session import DT, MS, OTHER, Rig, Spring

from dynamics.rig.service.frames import Frame, Kind, Mark, Reason, Refusal, pack
from dynamics.rig.service.journal import RECORD, Journal, read_journal


def test_silence_leads_to_the_safe_height_on_the_clock_alone():
    rig = Rig(Spring(5e-4 / 150), stop={"ramp_s": 0.1, "safe_height_m": -0.001})
    for k in range(100):
        rig.force(k, 150.0)
    answers = rig.wait(300)
    assert rig.session.state == "ended" and rig.session.reason is Reason.SILENT
    assert [a.kind for a in answers[-3:]] == 3 * [Kind.FAREWELL]
    assert {a.status for a in answers[-3:]} == {Reason.SILENT}
    stopping = [a for a in answers if a.kind is Kind.HEIGHT and a.status & Mark.STOPPING]
    # started within the watchdog's 50 ms and a step, then 0.1 s in steps of 2 ms
    assert len(stopping) == 50 and stopping[-1].value == -0.001
    assert 23 <= len([a for a in answers if a.kind is Kind.HEIGHT]) - 50 <= 26
    assert np.all(np.diff([a.value for a in stopping]) <= 0.0)
    rig.is_guarded()


def test_an_emergency_stop_is_in_the_very_next_height():
    """Latency: one step from the stop frame to the first height of the ramp, whatever the model would say."""
    rig = Rig(Spring(5e-4 / 150), stop={"ramp_s": 0.2})
    for k in range(50):
        rig.force(k, 150.0)
    assert rig.force(50, kind=Kind.STOP) == []
    (first,) = rig.force(50, 1500.0)
    assert first.status == Mark.STOPPING and first.value < 5e-4
    asked = len(rig.stepper.forces)
    k = 51
    while rig.session.state != "ended":
        answers = rig.force(k, 1500.0)
        k += 1
    assert k - 50 == 100 and answers[0].value == 0.0 and answers[-1].status == Reason.STOP_ASKED
    assert len(rig.stepper.forces) == asked == 50
    rig.is_guarded()


def test_a_stop_from_far_takes_longer_than_asked_for_rather_than_be_too_fast():
    rig = Rig(Spring(1e-3), stop={"ramp_s": 0.02}, limits={"speed_m_per_s": 0.5})
    for k in range(250):
        rig.force(k, float(k))  # up to 249 mm, at 0.5 m/s
    rig.session.stop(Reason.INTERRUPTED)
    while rig.session.state != "ended":
        rig.force(rig.session.steps.number, 0.0)
    rig.is_guarded()
    # half a cosine at 0.5 m/s takes pi/2 x 0.249 m / 0.5 m/s
    assert len(rig.records) - 250 == math.ceil(0.5 * math.pi * 0.249 / 0.5 / DT)


@pytest.mark.parametrize(
    ("height", "reason"),
    [
        (0.31, Reason.HEIGHT_LIMIT),
        (-0.21, Reason.HEIGHT_LIMIT),
        (math.nan, Reason.HEIGHT_LIMIT),
        (0.01, Reason.SPEED_LIMIT),
    ],
)
def test_a_height_out_of_bounds_is_never_sent(height, reason):
    rig = Rig()
    for k in range(10):
        rig.force(k)
    rig.stepper.step = lambda force: height
    (answer,) = rig.force(10)
    assert rig.session.reason is reason and answer.status == Mark.STOPPING
    assert abs(answer.value) <= 1e-4
    assert any("mm asked for after" in s for s in rig.said)
    rig.is_guarded()


def test_a_device_on_another_clock_is_stopped_with_both_rates():
    rig = Rig()
    for k in range(260):
        rig.force(k, stamp=4 * MS * k)
        if rig.session.state != "running":
            break
    assert rig.session.reason is Reason.RATE and k == 250
    assert any("sends every 4.000 ms, the bundle steps every 2 ms" in s for s in rig.said)


def test_too_many_forces_missing_at_once_stop_the_test():
    rig = Rig()
    rig.force(0)
    rig.force(27)
    assert rig.session.reason is Reason.GAP
    assert len(rig.records) == 2


def test_a_record_that_cannot_be_written_ends_the_test_at_the_safe_height(tmp_path):
    """A disk that fills up in the middle of a test, and in the middle of a record."""
    journal = Journal(tmp_path / "run.journal", {})
    begin, limits = (tmp_path / "run.journal").stat().st_size, resource.getrlimit(resource.RLIMIT_FSIZE)
    rig = Rig(Spring(5e-4 / 150), record=journal.add, stop={"ramp_s": 0.1})
    resource.setrlimit(resource.RLIMIT_FSIZE, (begin + 30 * RECORD.itemsize + 33, limits[1]))
    try:
        for k in range(200):
            answers = rig.force(k, 150.0)
            if rig.session.state == "ended":
                break
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    journal.close()
    assert k == 30 + 50 and answers[0].value == 0.0 and answers[-1].status == rig.session.reason == Reason.RECORD
    assert any("record of the test could not be written" in s for s in rig.said)
    rig.is_guarded()
    _, columns = read_journal(tmp_path / "run.journal")
    np.testing.assert_array_equal(columns["height"], rig.heights[:30])


def test_a_test_that_is_done_ends_at_the_safe_height():
    rig = Rig(steps=100, stop={"ramp_s": 0.1})
    for k in range(200):
        answers = rig.force(k)
        if rig.session.state == "ended":
            break
    assert k == 149 and answers[-1].status == Reason.DONE and rig.heights[-1] == 0.0
    (said,) = rig.sent(rig.session.handle(pack(Frame(Kind.HELLO)), OTHER, rig.now))
    assert said.status == Refusal.OVER


def lead_down(rig, k, phase_ms):
    """Forces at the device's own pace, each so late after the server's step, until the test has ended."""
    answers = []
    while rig.session.state != "ended":
        rig.now = max(rig.now, round(2 * MS * k))
        rig.wait(phase_ms)
        answers += rig.force(k, 150.0)
        rig.wait(1.8 - phase_ms)
        k += 1
    return k


@pytest.mark.parametrize("ended", [None, Reason.INTERRUPTED])
def test_a_device_that_keeps_its_pace_is_in_time_on_the_way_down(ended):
    """Its forces come a moment after they are due by the server's clock, which waits for them as it does in a test."""
    rig = Rig(Spring(5e-4 / 150), steps=100 if ended is None else 10000, stop={"ramp_s": 0.1})
    for k in range(100):
        rig.force(k, 150.0)
    if ended is not None:
        rig.session.stop(ended)
    lead_down(rig, 100, 0.4)
    steps = rig.session.steps
    assert (steps.steps_of_test, steps.number) == (100, 150)
    # what a person stops does not wait for the force of its first height
    assert steps.on_way_down.late == steps.on_way_down.substituted == (0 if ended is None else 1)
    rig.is_guarded()


def test_a_device_that_falls_behind_does_not_hold_up_the_way_down():
    rig = Rig(Spring(5e-4 / 150), steps=100, loss={"grace_ms": 40.0}, stop={"ramp_s": 0.1})
    for k in range(100):
        rig.force(k, 150.0)
    began = rig.now
    rig.wait(2.0)
    rig.force(100, 150.0)
    while rig.session.state != "ended":
        rig.wait(0.2)
    assert rig.now - began <= (50 + 2) * 2 * MS


def test_the_test_and_the_way_down_are_counted_apart():
    rig = Rig(Spring(5e-4 / 150), steps=100, stop={"ramp_s": 0.1})
    for k in (k for k in range(100) if k % 25 != 7):
        rig.force(k, 150.0)
    for k in range(100, 150, 2):
        rig.force(k, 150.0)
    rig.wait(5.0)
    counts, down = rig.session.counts, rig.session.steps.on_way_down
    assert rig.session.state == "ended" and rig.session.reason is Reason.DONE
    assert (down.substituted, down.lost) == (25, 25)
    assert (counts.substituted - down.substituted, rig.session.steps.steps_of_test) == (4, 100)
