"""A test as a machine of states: whatever arrives, every height is guarded, and every step is taken once."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rig_session import CLIENT, DT, MS, OTHER, N, Rig, Spring

from dynamics.rig.service.frames import FRAME_BYTES, Frame, Kind, Mark, Reason, Refusal, pack, unpack
from dynamics.rig.service.run import blocks_of
from dynamics.spec.case import SignalSpec


def test_a_frame_is_what_it_was():
    frame = Frame(Kind.FORCE, 7, 8, 9, 1.5, -2.5, 3.5, 4, 5, 6)
    data = pack(frame)
    assert len(data) == FRAME_BYTES == 60
    assert unpack(data) == frame
    for at in range(60):
        harmed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        assert unpack(harmed) in ("foreign", "broken")
    assert unpack(data[:-1]) == unpack(b"") == unpack(data + b"x") == "foreign"


def test_forces_in_time_are_answered_one_by_one():
    rig = Rig()
    for k in range(200):
        (answer,) = rig.force(k, 100.0 + k)
        assert (answer.kind, answer.sequence, answer.status) == (Kind.HEIGHT, k, 0)
        assert answer.value == pytest.approx(1e-6 * (100.0 + k)) and answer.second == 100.0 + k
        assert answer.time_ns == 2 * MS * k
        assert rig.wait(1.9) == []
    assert rig.session.counts.substituted == 0 and rig.said[1:] == []


@pytest.mark.parametrize(("substitute", "expected"), [("hold", [110.0, 110.0]), ("extrapolate", [120.0, 130.0])])
def test_a_lost_force_has_a_substitute(substitute, expected):
    rig = Rig(loss={"substitute": substitute})
    rig.force(0, 100.0), rig.force(1, 110.0)
    answers = rig.force(4, 150.0)
    assert [a.sequence for a in answers] == [2, 3, 4]
    assert [a.status for a in answers] == [Mark.SUBSTITUTED, Mark.SUBSTITUTED, 0]
    assert rig.stepper.forces == [100.0, 110.0, *expected, 150.0]
    assert rig.session.counts.lost == 2
    assert [math.isnan(r[4]) for r in rig.records] == [False, False, True, True, False]


def test_late_out_of_order_and_repeated_forces_are_distinguished():
    rig = Rig()
    rig.force(0)
    rig.force(2)
    assert rig.force(1) == []  # after a later one
    assert rig.session.counts.out_of_order == 1
    (substitute,) = rig.wait(4.3)  # 3 is due after 2 ms, and waited for 2 ms more
    assert (substitute.sequence, substitute.status) == (3, Mark.SUBSTITUTED)
    assert rig.force(3) == []
    assert rig.session.counts.late == 1
    (answer,) = rig.force(4, 123.0)
    again = rig.force(4, 999.0)
    assert again == [answer] and rig.stepper.forces.count(999.0) == 0
    assert rig.force(2) == [] and rig.session.counts.repeated == 2
    assert rig.session.counts.lost == 0 and len(rig.records) == 5


def test_strangers_are_counted_and_change_nothing():
    rig = Rig()
    rig.force(0)
    other = pack(Frame(Kind.FORCE, rig.welcome.session ^ 1, 1))
    strange = [b"hello", other[:-1] + bytes([other[-1] ^ 1]), other]
    for data in strange * 5:
        assert rig.session.handle(data, CLIENT, rig.now) == []
    assert rig.session.handle(pack(Frame(Kind.FORCE, rig.welcome.session, 1)), OTHER, rig.now) == []
    assert rig.session.handle(pack(Frame(Kind.WELCOME, rig.welcome.session, 1)), CLIENT, rig.now) == []
    assert (rig.session.counts.foreign, rig.session.counts.broken) == (12, 5)
    assert len(rig.records) == 1 and len([s for s in rig.said if "came from" in s]) == 2


def test_a_second_client_and_another_clock_are_refused():
    rig = Rig()
    rig.force(0)
    (said,) = rig.sent(rig.session.handle(pack(Frame(Kind.HELLO)), OTHER, rig.now))
    assert (said.kind, said.status) == (Kind.REFUSAL, Refusal.BUSY)
    assert "another one has the test" in rig.said[-1]
    assert len(rig.force(1)) == 1
    for hello, refusal in ((Frame(Kind.HELLO, steps=N + 1), 2), (Frame(Kind.HELLO, step_ns=4 * MS), 3)):
        fresh = Rig()
        fresh.wait(60)  # the client that greeted is gone
        (said,) = fresh.sent(fresh.session.handle(pack(hello), OTHER, fresh.now))
        assert (said.kind, said.status, said.steps, said.step_ns) == (Kind.REFUSAL, refusal, N, 2 * MS)


def test_a_client_that_greets_and_goes_leaves_room_for_another():
    rig = Rig()
    rig.wait(60)
    assert rig.session.state == "waiting" and rig.records == []
    assert rig.sent(rig.session.handle(pack(Frame(Kind.HELLO)), OTHER, rig.now))[0].kind is Kind.WELCOME


@pytest.mark.parametrize("absurd", [math.nan, math.inf, -math.inf, 1e9, -3001.0])
def test_a_force_that_is_not_a_number_is_refused_and_three_stop_the_test(absurd):
    rig = Rig()
    rig.force(0, 150.0)
    (answer,) = rig.force(1, absurd)
    assert answer.value == pytest.approx(1.5e-4) and answer.status == Mark.SUBSTITUTED
    rig.force(2, 150.0)
    for k in (3, 4, 5):
        (answer,) = rig.force(k, absurd)
    assert answer.status == Mark.SUBSTITUTED | Mark.STOPPING and rig.session.reason is Reason.FORCE
    assert rig.session.counts.absurd == 4 and set(rig.stepper.forces) == {150.0}
    assert any("is refused, another one stands in" in s for s in rig.said)
    rig.is_guarded()


def test_refused_forces_are_reported_once_a_second_with_their_number():
    rig = Rig()
    for k in range(1500):
        rig.force(k, math.nan if k % 11 == 5 else 150.0)
    output = [s for s in rig.said if "is refused, another one stands in" in s]
    # of 136 in 3 s, each second's first one; a second holds 45 or 46
    assert len(output) == 3 and "more like it" not in output[0]
    assert output[1].endswith("; 45 more like it since the last one reported")
    assert rig.session.counts.absurd == 136


def test_every_second_force_refused_stops_the_test_too():
    rig = Rig()
    for k in range(60):
        rig.force(k, math.nan if k % 2 else 150.0)
    assert rig.session.reason is Reason.FORCE and rig.session.counts.absurd >= 25
    seldom = Rig()
    for k in range(1000):
        seldom.force(k, math.nan if k % 11 == 5 else 150.0)
    assert seldom.session.steps.stopping is None, "23 among any 250 are fewer than allowed"
    rig.is_guarded()


def test_the_last_span_of_a_test_is_clear_of_the_filter_at_its_end():
    k = np.arange(12 * N + 40)
    force = 150.0 + 40.0 * np.sin(2.0 * np.pi * k / N) + 15.0 * np.sin(14.0 * np.pi * k / N)
    columns = {"force": np.where(k < 12 * N, force, 0.0), "mark": np.where(k < 12 * N, 0.0, Mark.STOPPING)}
    blocks = blocks_of(columns, N, 55.0, DT, SignalSpec(cutoff_hz=25.0))
    assert blocks is not None and 8 <= len(blocks.force) < 12
    assert np.abs(blocks.force[-1] - blocks.force[4]).max() < 0.05


def test_one_line_shows_where_the_test_is(capsys):
    from studies.commands.rig_serve import live_line

    rig = Rig()
    rig.force(0, 150.0), rig.force(3, 160.0)
    live_line(rig.session)
    shown = capsys.readouterr().err
    assert shown.startswith("\rstep 4") and "160.0 N" in shown and "lost 2" in shown and "\n" not in shown


EVENT = st.one_of(
    st.tuples(st.just("force"), st.integers(-5, 40), st.floats(allow_nan=True, allow_infinity=True)),
    st.tuples(st.just("wait"), st.integers(1, 80), st.just(0.0)),
    st.tuples(st.just("noise"), st.integers(0, 70), st.just(0.0)),
    st.tuples(st.just("stop"), st.just(0), st.just(0.0)),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(EVENT, max_size=60), st.sampled_from(["hold", "extrapolate"]))
def test_whatever_arrives_every_height_is_guarded_and_every_step_is_taken_once(events, substitute):
    rig = Rig(Spring(1e-5), loss={"substitute": substitute})
    for what, number, value in events:
        if what == "force":
            rig.force(max(0, rig.session.steps.number + number), value)
        elif what == "wait":
            rig.wait(number)
        elif what == "noise":
            rig.session.handle(bytes(number), CLIENT, rig.now)
        elif number == 0 and len(events) % 3 == 0:
            rig.force(rig.session.steps.number, kind=Kind.STOP)
    rig.is_guarded()
    counts = rig.session.counts
    assert counts.lost >= 0 and counts.substituted <= len(rig.records)
