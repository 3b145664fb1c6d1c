"""The emergency stop over real sockets: with the exchange flooded, stuck or stopped, the actuator comes down."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import numpy as np
import pytest
from rig_session import DT, Spring
from rig_sockets import Device, Served, flood, free_ports, stopped_for

from catenary.errors import InputError
from dynamics.rig.service.emergency.listener import EmergencyStop, ask_for_stop
from dynamics.rig.service.frames import Frame, Kind, Mark, Reason, Refusal, pack, unpack
from dynamics.rig.service.spec import EmergencyStopSpec, ServiceSpec
from dynamics.rig.service.udp import open_socket

HERE = Path(__file__).resolve().parent
JUNK = bytes(range(60))


def asks(served):
    assert ask_for_stop(served.service.emergency_stop, 10.0)


def came_down(device, safe=0.0):
    """Heights on the way are those of a stop: down in one direction, to the safe height, no leap among them."""
    way = [height for _, _, height, status in device.heights if status & Mark.STOPPING]
    assert way[-1] == safe and np.all(np.diff(way) <= 0.0)
    heights = [height for _, _, height, _ in device.heights]
    assert np.abs(np.diff(heights)).max() <= 1.0 * DT * (1 + 1e-9)
    return way


def test_a_stop_from_its_own_address_is_the_way_to_the_safe_height():
    served = Served(Spring(5e-4 / 100)).run(asks)
    assert served.session.reason is Reason.EMERGENCY and served.device.farewell.status == Reason.EMERGENCY
    assert len(came_down(served.device)) == 250, "half a second in steps of 2 ms"
    assert any("an emergency stop came from 127.0.0.1:" in s for s in served.said)


@pytest.mark.parametrize(
    "data", [JUNK, pack(Frame(Kind.HELLO)), pack(Frame(Kind.FORCE, 1, 2, 3, 4e9))], ids=("junk", "greetings", "forces")
)
def test_twenty_thousand_datagrams_in_a_tenth_of_a_second_do_not_end_a_test(data):
    served = Served(steps=700)
    begin, spent = flood(served.port, 20000, 0.1, data), []
    served.run(lambda _: spent.append(begin()))
    assert served.session.reason is Reason.DONE and served.device.farewell.status == Reason.DONE
    counts = served.session.counts
    # 16 of others a step are read; what the socket cannot hold is never seen
    assert 500 < counts.refused <= 20000 and len(served.said) <= 6, served.said


def test_a_flood_from_the_devices_own_address_does_not_end_a_test():
    """Its queue is its own; what stands in it is taken in turns, and every turn looks at the clock."""
    served, sent = Served(steps=700), []

    def later(_):
        # a slow machine still sends when the device has closed its socket
        with contextlib.suppress(OSError):
            sent.extend(served.device.sock.send(JUNK) for _ in range(20000))

    served.run(later)
    assert len(sent) > 2000
    assert served.session.reason is Reason.DONE and served.session.counts.foreign > 500
    assert len(served.said) <= 6, served.said


def test_strangers_get_a_budget_a_step():
    """The device's forces are read before anybody else's, whatever stands in the queue."""
    served = Served(Spring(), steps=300)
    begin, seen = flood(served.port, 20000, 0.1, JUNK), []
    handle = served.session.handle

    def noting(data, address, now_ns):
        seen.append((now_ns, data[4] if data[:4] == b"CRIG" else 0))
        return handle(data, address, now_ns)

    served.session.handle = noting
    served.run(lambda _: begin())
    strange = np.array([now for now, kind in seen if kind == 0])
    assert len(strange) > 500
    for first in strange[::100]:
        in_a_step = np.count_nonzero((strange >= first) & (strange < first + round(1e9 * DT)))
        assert in_a_step <= 32, "the end of one budget and the beginning of the next"


def test_the_stop_is_heard_in_a_flood_of_both_addresses():
    served = Served(Spring(5e-4 / 100), steps=100000)
    begin = [flood(port, 40000, 1.0, JUNK) for port in (served.port, served.stop_port)]

    def later(_):
        import threading

        threads = [threading.Thread(target=b) for b in begin]
        for thread in threads:
            thread.start()
        sleep(0.3)
        asks(served)
        for thread in threads:
            thread.join()

    served.run(later)
    assert served.session.reason is Reason.EMERGENCY
    came_down(served.device)


def test_a_key_is_wanted_where_there_is_one():
    served = Served(emergency_stop={"key": "red-Mushroom"})

    def wrong(_):
        address = served.service.emergency_stop
        for text in (b"STOP", b"STOP green", b"STOP red-Mushroom-", b"", b"stop red-Mushroom"):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
                sock.sendto(text, (address.host, address.port))
        assert not ask_for_stop(EmergencyStopSpec(host="127.0.0.1", port=address.port, key="green"), 0.3)
        sleep(0.1)
        assert served.session.state == "running"
        asks(served)

    served.run(wrong)
    assert served.session.reason is Reason.EMERGENCY
    assert any("has refused" in s and "without its text" in s for s in served.said)


class Stuck(Spring):
    """A model that takes two seconds over one step."""

    def step(self, force):
        if len(self.forces) == 150:
            sleep(2.0)
        return super().step(force)


def test_where_the_server_is_stuck_the_stop_leads_down_by_itself():
    served = Served(Stuck(5e-4 / 100), loss={"watchdog_ms": 5000.0}, steps=100000)
    asked = []

    def later(_):
        sleep(0.1)
        asked.append(monotonic())
        asks(served)

    served.run(later, after=149)
    device = served.device
    way = came_down(device)
    assert device.farewell.status == Reason.EMERGENCY and served.session.reason is Reason.EMERGENCY
    assert len(way) >= 250 and way[0] > 4.9e-4, "from the height that was sent last"
    arrived = [when for when, _, _, status in device.heights if status & Mark.STOPPING]
    assert arrived[0] - asked[0] < 0.5 and arrived[-1] - asked[0] < 1.9, "while the server was stuck"
    assert max(step for _, step, _, _ in device.heights) == 150 + len(way) - 1
    assert any("led the actuator down itself" in s for s in served.said)


def test_a_test_without_its_emergency_stop_does_not_continue():
    served = Served(Spring(5e-4 / 100), steps=100000)

    def later(_):
        listed = subprocess.run(
            ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=True
        )
        (pid,) = [int(row.split()[0]) for row in listed.stdout.splitlines() if "emergency.process" in row]
        os.kill(pid, signal.SIGKILL)

    served.run(later)
    assert served.session.reason is Reason.EMERGENCY_LOST
    came_down(served.device)


def test_two_devices_at_once_over_sockets():
    served, answers = Served(steps=400), []

    def later(_):
        for _ in range(20):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as second:
                second.settimeout(5.0)
                second.sendto(pack(Frame(Kind.HELLO)), ("127.0.0.1", served.port))
                answers.append(unpack(second.recv(2048)))

    served.run(later)
    assert {(a.kind, a.status) for a in answers} == {(Kind.REFUSAL, Refusal.BUSY)} and len(answers) == 20
    assert served.session.reason is Reason.DONE


def test_an_address_that_is_taken_or_is_the_exchanges_own_is_refused():
    with pytest.raises(ValueError, match=r"must be another one than address.port"):
        ServiceSpec.model_validate({"address": {"port": 5000}, "emergency_stop": {"port": 5000}})
    port, other = free_ports(2)
    spec = ServiceSpec.model_validate({"emergency_stop": {"host": "127.0.0.1", "port": other}})
    with open_socket("127.0.0.1", port) as exchange, open_socket("127.0.0.1", other):
        with pytest.raises(InputError, match=r"service.emergency_stop must be an address of this machine"):
            EmergencyStop(spec, exchange, 2_000_000)
        with pytest.raises(InputError, match=r"service.address must be"):
            open_socket("127.0.0.1", port)


@pytest.fixture
def server():
    """Function that serves a test in a process of its own, and a device for it."""
    began = []

    def begin(**service):
        port, stop_port = free_ports(2)
        content = {**service, "address": {"host": "127.0.0.1", "port": port}}
        content["emergency_stop"] = {"host": "127.0.0.1", "port": stop_port}
        process = subprocess.Popen(
            [sys.executable, str(HERE / "rig_sockets.py"), json.dumps(content)], stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parents[1])])},
        )  # fmt: skip
        device = Device(port)
        began.append((process, device))
        assert process.stdout.readline() == "listens\n"
        device.start()
        return process, device, EmergencyStopSpec(host="127.0.0.1", port=stop_port)

    yield begin
    for process, device in began:
        device.leave.set()
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()


def wait_for(device, step):
    until = monotonic() + 60.0
    while device.step < step and monotonic() < until:
        sleep(0.005)


def test_a_server_that_is_stopped_for_a_second_makes_no_leap(server):
    process, device, _ = server(loss={"watchdog_ms": 100.0})
    device.force = 1.0
    wait_for(device, 100)
    stopped_for(1.0, process.pid)
    said = process.communicate(timeout=30)[0]
    assert "this process was held up for" in said and "HELD_UP after" in said, said
    device.join(5.0)
    assert device.farewell.status == Reason.HELD_UP and device.heights[-1][2] == 0.0
    come = np.array([(when, height) for when, _, height, _ in device.heights])
    way, time = np.abs(come[:, None, 1] - come[:, 1]), np.abs(come[:, None, 0] - come[:, 0])
    assert (way <= 1.0 * (time + DT + 0.06 + 0.02)).all(), "a thread that is late may see heights closer together"


@pytest.mark.parametrize("begins", ("woke", "handle", "tick"))
def test_a_server_that_is_held_up_between_two_looks_at_the_clock_says_so(begins):
    served, held = Served(Spring(), steps=100000, loss={"watchdog_ms": 100.0}), []
    method = getattr(served.session, begins)

    def held_up(*arguments):
        done = method(*arguments)
        if served.session.steps.number > 100 and not held:
            held.append(True)
            sleep(0.5)
        return done

    setattr(served.session, begins, held_up)
    served.run(lambda _: None)
    assert held and served.session.reason is Reason.HELD_UP, served.said


def test_a_stop_while_the_server_is_stopped_is_led_by_the_stop_itself(server):
    process, device, stop = server(loss={"watchdog_ms": 10000.0})
    device.force = 1.0
    wait_for(device, 100)
    os.kill(process.pid, signal.SIGSTOP)
    asked = monotonic()
    assert ask_for_stop(stop, 5.0)
    device.join(5.0)
    assert device.farewell is not None and device.farewell.status == Reason.EMERGENCY and monotonic() - asked < 4.0
    came_down(device)
    os.kill(process.pid, signal.SIGCONT)
    said = process.communicate(timeout=30)[0]
    assert "led the actuator down itself" in said and "EMERGENCY after" in said, said
