"""Attacks on a served test: frames, stamps and clocks that lie, floods, devices that vanish: heights keep limits."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rig_session import CLIENT, DT, MS, OTHER, Rig, Spring

from dynamics.rig.service.frames import Frame, Kind, Mark, Reason, pack, unpack

STEP = 2 * MS


def swing(k, size=20.0, steps=200):
    """A force that swings, so that a spring of 1 mm/N moves at 0.31 m/s by a clock of 2 ms a step."""
    return size * math.sin(2.0 * math.pi * k / steps)


def test_frames_that_come_five_times_as_fast_as_their_stamps_say_move_nothing_faster():
    """They left at 1.57 m/s where 1.0 was allowed."""
    rig = Rig(Spring(1e-3))
    for k in range(2000):
        rig.at(400_000 * k, k, swing(k))
        if rig.session.state == "ended":
            break
    assert rig.session.reason in (Reason.SPEED_LIMIT, Reason.RATE)
    rig.is_guarded()
    assert any("by the server's clock" in s for s in rig.said)


def test_a_burst_after_a_pause_is_not_a_leap():
    """All that queued up while the server waited for 48 ms: the way of 24 steps in one moment."""
    rig = Rig(Spring(1e-3))
    for k in range(100):
        rig.at(STEP * k, k, 0.2 * k)
    for k in range(100, 124):
        rig.at(STEP * 123, k, 0.2 * k)
    assert rig.session.reason is Reason.SPEED_LIMIT
    rig.is_guarded()


@pytest.mark.parametrize(("every_ns", "side"), [(400_000, "ahead of"), (1_900_000, "ahead of"), (3_900_000, "behind")])
def test_the_rate_is_held_against_the_servers_clock_too(every_ns, side):
    rig = Rig()
    for k in range(3000):
        rig.at(every_ns * k, k)
        if rig.session.state != "running":
            break
    # 54 ms ahead or behind are allowed; 0.04 ms of every step are forgotten
    assert rig.session.reason is Reason.RATE and k <= 54.0 / (abs(2.0 - 1e-6 * every_ns) - 0.04) + 2
    assert any(f"ms {side} this server's clock" in s for s in rig.said)
    rig.is_guarded()


@pytest.mark.parametrize("drift", [-0.015, 0.0, 0.015])
def test_an_honest_device_on_an_uneven_network_is_let_be(drift):
    """Delays of up to 1.5 ms, a server that pauses for 40 ms, a clock 1.5 % off: a minute without a fault."""
    rig, draw = Rig(Spring(1e-5), steps=40000), np.random.default_rng(1)
    arrival = STEP * (1.0 + drift) * np.arange(30000) + MS * draw.uniform(0.0, 1.5, 30000)
    for first in (7000, 19000):
        late = arrival[first] + 40 * MS
        arrival[first:] = np.maximum(arrival[first:], late)
    for k, now in enumerate(arrival):
        rig.at(int(now), k, 100.0 + swing(k))
    assert rig.session.steps.stopping is None and rig.session.counts.substituted == 0
    rig.is_guarded()


def test_a_hurrying_device_does_not_shorten_the_way_to_the_safe_height():
    rig = Rig(Spring(1e-3), limits={"speed_m_per_s": 0.5})
    for k in range(250):
        rig.force(k, float(k))
    rig.session.stop(Reason.INTERRUPTED)
    begun, number = rig.now, rig.session.steps.number
    for _ in range(200_000):
        rig.at(rig.now + 10_000, rig.session.steps.number)  # 200 forces a step
        if rig.session.state == "ended":
            break
    rig.is_guarded()
    way = 0.5 * math.pi * 0.249 / 0.5
    assert rig.session.state == "ended" and way - 0.06 <= 1e-9 * (rig.now - begun) <= way + 0.06
    assert len(rig.records) - number <= way / DT + 60, "frames that come too soon are not steps"


def test_a_server_that_was_held_up_stops_before_it_takes_what_queued_up():
    rig = Rig(Spring(1e-3))
    for k in range(100):
        rig.at(STEP * k, k, 0.2 * k)
    rig.session.woke(STEP * 99 + 40 * MS)
    assert rig.session.state == "running", "shorter than the watchdog"
    woken = STEP * 100 + 1000 * MS
    rig.session.woke(woken)
    assert rig.session.reason is Reason.HELD_UP and any("was held up for 9" in s for s in rig.said)
    for k in range(100, 377):  # what a socket keeps
        rig.at(woken + 10_000 * (k - 100), k, 0.2 * k)
    rig.is_guarded()
    assert rig.heights[-1] > 0.017, "on the way for 3 ms, not at its end"


@pytest.mark.parametrize("stamp", [STEP * 100, STEP * 50, 0])
def test_a_device_whose_clock_stands_still_or_goes_back_is_stopped(stamp):
    rig = Rig()
    for k in range(100):
        rig.at(STEP * k, k)
    (answer,) = rig.at(STEP * 100, 100, stamp=stamp)
    assert rig.session.reason is Reason.RATE and answer.status & Mark.STOPPING
    assert any("stands still or goes back at step 100" in s for s in rig.said)


def test_a_rate_that_changes_late_or_is_never_sampled_is_found_within_two_windows():
    """An hour of right steps hid a wrong one; so did the loss of every 250th frame."""
    rig = Rig(steps=60000)
    stamp = now = 0
    for k in range(31000):
        wrong = k >= 30000
        stamp, now = stamp + (STEP * 11 // 10 if wrong else STEP), now + STEP
        if k % 250 == 0 and k:
            continue
        rig.at(now, k, stamp=stamp)
        if rig.session.state != "running":
            break
    assert rig.session.reason is Reason.RATE and 30000 < k <= 30500


def test_too_many_substitutes_do_not_end_a_test_as_done():
    for share, reason in ((20, Reason.DONE), (10, Reason.SUBSTITUTES)):
        rig = Rig(steps=1000)
        for k in range(1000):
            if k % share == 1:
                continue
            answers = rig.force(k)
        while rig.session.state != "ended":
            answers = rig.wait(2.2)
        assert rig.session.reason is reason and answers[-1].status == reason
        output = [s for s in rig.said if "loss.largest_share_percent" in s]
        assert bool(output) == (reason is Reason.SUBSTITUTES)
    assert "100 of 1000 answers (10.0 %) were to a substitute force: more than 5 %" in output[0]
    rig.is_guarded()


def test_a_share_next_to_its_limit_has_the_decimals_that_show_its_side():
    """101 of 2000 were said to be 5.0 %, more than 5 % (here 5.05)."""
    rig = Rig(steps=2000)
    for k in range(2000):
        if k % 20 != 1 and k != 10:
            rig.force(k)
    assert rig.session.reason is Reason.SUBSTITUTES
    assert any("101 of 2000 answers (5.05 %) were to a substitute force: more than 5 %" in s for s in rig.said)


def test_a_flood_fills_no_log_and_loses_no_count():
    """20,000 greetings in 0.1 s were 20,000 lines."""
    rig = Rig()
    for k in range(1000):
        for i in range(400 if 100 <= k < 150 else 0):
            rig.session.handle(pack(Frame(Kind.HELLO)), OTHER, rig.now + i)
            rig.session.handle(bytes(60), OTHER, rig.now + i)
        rig.force(k)
        rig.session.tick(rig.now)
    assert rig.session.counts.refused_clients == rig.session.counts.foreign == 20000
    output = [s for s in rig.said if "refused a client" in s or "refused_clients" in s]
    assert len(output) == 2 and "19999 more" in output[1] and rig.session.steps.stopping is None
    assert len(rig.said) == 5 and rig.session.counts.refused == 40000


def test_a_device_that_vanishes_in_any_phase_leaves_the_actuator_at_its_safe_height():
    for last in range(0, 170, 3):
        rig = Rig(Spring(1e-5), steps=100, stop={"ramp_s": 0.1})
        for k in range(last):
            if rig.session.state == "ended":
                break
            rig.force(k, 100.0)
        rig.wait(400)
        if last == 0:
            assert rig.session.state == "waiting" and rig.session.client is None
            continue
        assert rig.session.state == "ended" and rig.heights[-1] == 0.0
        # silence is detected 24 steps later; what would have ended by then has too many substitutes, but for five
        expected = Reason.SILENT if last <= 75 else Reason.SUBSTITUTES if last < 95 else Reason.DONE
        assert rig.session.reason is expected, last
        rig.is_guarded()


def test_frames_of_an_earlier_test_and_of_this_one_do_not_count_as_steps_when_replayed():
    earlier, rig = Rig(), Rig()
    while earlier.welcome.session == rig.welcome.session:
        earlier = Rig()
    taken = [pack(Frame(Kind.FORCE, earlier.welcome.session, k, STEP * (k + 1), 1e3)) for k in range(300)]
    own = []
    for k in range(300):
        own.append(pack(Frame(Kind.FORCE, rig.welcome.session, k, STEP * (k + 1), 100.0)))
        rig.at(STEP * k, k)
        for data in (taken[k], pack(Frame(Kind.STOP, earlier.welcome.session, k)), *own[-40:]):
            replies = rig.session.handle(data, CLIENT, rig.now)
            assert [unpack(d).sequence for d, _ in replies] in ([], [k]), "the last answer again, at most"
    assert len(rig.records) == 300 and rig.session.state == "running" and rig.session.counts.foreign == 600
    assert set(rig.stepper.forces) == {100.0}


def test_two_devices_at_once_do_not_share_a_test():
    """The second greets in every phase, and sends forces under the first one's number from its own address."""
    rig = Rig(steps=100, stop={"ramp_s": 0.1})
    k = 0
    while rig.session.state != "ended":
        rig.at(STEP * k, k)
        (refusal,) = rig.sent(rig.session.handle(pack(Frame(Kind.HELLO)), OTHER, rig.now))
        assert refusal.kind is Kind.REFUSAL
        for kind in (Kind.FORCE, Kind.STOP):
            frame = Frame(kind, rig.welcome.session, k + 1, STEP * (k + 2), 2000.0)
            assert rig.session.handle(pack(frame), OTHER, rig.now) == []
        k += 1
    assert rig.session.reason is Reason.DONE and set(rig.stepper.forces) == {100.0}


def test_an_emergency_stop_in_any_phase():
    waiting = Rig()
    waiting.wait(60)
    waiting.session.stop(Reason.EMERGENCY)
    assert waiting.session.state == "ended" and waiting.session.reason is Reason.EMERGENCY
    for last in (0, 1, 50, 100, 120):
        rig = Rig(Spring(1e-5), steps=100, stop={"ramp_s": 0.1})
        for k in range(last):
            rig.force(k, 100.0)
        rig.session.stop(Reason.EMERGENCY)
        answers = rig.wait(300)
        assert rig.session.state == "ended" and rig.session.reason is Reason.EMERGENCY
        assert answers[-1].kind is Kind.FAREWELL and answers[-1].status == Reason.EMERGENCY
        assert rig.heights[-1] == 0.0 and len(rig.records) == min(last, 100) + 50
        rig.is_guarded()


FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from(list(Kind)),
        "session": st.integers(0, 2**32 - 1),
        "sequence": st.integers(0, 2**32 - 1),
        "time_ns": st.integers(0, 2**64 - 1),
        "value": st.floats(),
        "second": st.floats(),
        "third": st.floats(),
        "status": st.integers(0, 2**16 - 1),
        "steps": st.integers(0, 2**32 - 1),
        "step_ns": st.integers(0, 2**32 - 1),
    },
)
EVENT = st.tuples(st.integers(0, 3_000_000), st.integers(0, 3), FIELDS, st.floats(-3000.0, 3000.0))


@settings(max_examples=150, deadline=None)
@given(st.lists(EVENT, max_size=80))
def test_whatever_comes_at_whatever_time_every_height_is_guarded(events):
    """Frames that are right but for some fields, from the device and others, at any moments of the server's clock."""
    rig = Rig(Spring(1e-5))
    for passes, further, fields, force in events:
        rig.now += passes
        rig.session.woke(rig.now)
        due = rig.session.steps.number
        right = Frame(Kind.FORCE, rig.welcome.session, due + further, STEP * (due + 1), force)
        address = OTHER if fields.get("status", 0) % 5 == 4 else CLIENT
        rig.session.handle(pack(replace(right, **fields)), address, rig.now)
        rig.session.tick(rig.now)
    rig.is_guarded()
    rig.wait(2000)
    assert rig.session.state in ("ended", "waiting") and (not rig.records or rig.heights[-1] == 0.0)
    rig.is_guarded()
