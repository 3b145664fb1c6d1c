"""A test over real sockets in this process: the server in the main thread, a device in another, floods from a third."""

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from functools import partial
from time import monotonic, monotonic_ns, sleep, time_ns

from rig_session import DT, N, Spring

from dynamics.rig.service.emergency.listener import EmergencyStop
from dynamics.rig.service.frames import Frame, Kind, pack, unpack
from dynamics.rig.service.server import serve
from dynamics.rig.service.session import RigSession, TestPlan
from dynamics.rig.service.spec import ServiceSpec
from dynamics.rig.service.steps import StepTaker
from dynamics.rig.service.udp import open_socket

# a machine that does other things as well makes frames late: that is not what these tests ask
PATIENT = {"grace_ms": 60.0, "watchdog_ms": 400.0, "largest_gap_steps": 200, "largest_share_percent": 50.0}

# Linux: the kernel stamps datagrams as they arrive, so that a thread which reads late does not see them late
SO_TIMESTAMPNS = 35

FLOOD = """
import socket, sys, time
port, count, seconds, hello = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), bytes.fromhex(sys.argv[4])
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
print("ready", flush=True)
sys.stdin.readline()
began = time.monotonic()
for k in range(count):
    sock.sendto(hello, ("127.0.0.1", port))
    while time.monotonic() - began < seconds * k / count:
        pass
print(time.monotonic() - began, flush=True)
"""


def free_ports(count):
    """Ports that are free, for UDP."""
    socks = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(count)]
    for sock in socks:
        sock.bind(("127.0.0.1", 0))
    ports = [sock.getsockname()[1] for sock in socks]
    for sock in socks:
        sock.close()
    return ports


class Device(threading.Thread):
    """A device that sends a force a step, on time, and keeps every height with the moment at which it came."""

    def __init__(self, port, force=100.0):
        super().__init__(daemon=True)
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.sock.connect(("127.0.0.1", port))
        self.force, self.heights, self.farewell, self.step, self.leave = force, [], None, 0, threading.Event()
        self.welcome = None

    def run(self):
        self.sock.settimeout(0.05)
        while self.welcome is None and not self.leave.is_set():
            try:
                self.sock.send(pack(Frame(Kind.HELLO)))
                frame = unpack(self.sock.recv(2048))
            except OSError:
                sleep(0.01)
                continue
            if isinstance(frame, Frame) and frame.kind is Kind.WELCOME:
                self.welcome = frame
        begin = monotonic()
        while self.farewell is None and not self.leave.is_set():
            left = begin + DT * self.step - monotonic()
            if left > 0.0:
                self.sock.settimeout(left)
                self._listen()
                continue
            frame = Frame(Kind.FORCE, self.welcome.session, self.step, round(1e9 * DT * (self.step + 1)), self.force)
            try:
                self.sock.send(pack(frame))
            except OSError:
                continue
            self.step += 1
        self.sock.close()

    def _listen(self):
        try:
            data, stamps, _, _ = self.sock.recvmsg(2048, 64)
        except OSError:
            return
        frame, (seconds, nanoseconds) = unpack(data), struct.unpack("@ll", stamps[0][2])
        if isinstance(frame, Frame) and frame.kind is Kind.HEIGHT:
            waited = time_ns() - (1_000_000_000 * seconds + nanoseconds)
            self.heights.append((1e-9 * (monotonic_ns() - waited), frame.sequence, frame.value, frame.status))
        elif isinstance(frame, Frame) and frame.kind is Kind.FAREWELL:
            self.farewell = frame


class Served:
    """A test that is served in this thread; ``later`` runs in a thread of its own once the device has its steps."""

    def __init__(self, stepper=None, steps=600, say=None, **service):
        self.port, self.stop_port = free_ports(2)
        content = {
            "address": {"host": "127.0.0.1", "port": self.port},
            "emergency_stop": {"host": "127.0.0.1", "port": self.stop_port},
            "loss": PATIENT,
            "limits": {"jitter_ms": 60.0},
        }
        for name, block in service.items():
            content[name] = {**content.get(name, {}), **block}
        self.service = ServiceSpec.model_validate(content)
        self.said, self.records, self.wrong = [], [], []
        say = say or self.said.append
        taker = StepTaker(stepper or Spring(), self.service, DT, self.records.append, say)
        self.session = RigSession(taker, self.service, TestPlan(N, DT, steps, 8), say)
        self.device = Device(self.port)

    def run(self, later=None, after=100):
        """Serve the test to its end; ``later`` is called with this when so many steps were taken."""

        def wait():
            try:
                while self.session.steps.number < after and self.session.state != "ended":
                    sleep(0.001)
                later(self)
            except BaseException as error:  # reported in the test's own thread
                self.wrong.append(error)

        helper = threading.Thread(target=wait, daemon=True)
        with (
            open_socket("127.0.0.1", self.port) as sock,
            EmergencyStop(self.service, sock, round(1e9 * DT)) as emergency,
        ):
            self.device.start()
            if later is not None:
                helper.start()
            serve(self.session, sock, emergency, lambda session: None)
        self.device.leave.set()
        self.device.join(5.0)
        if later is not None:
            helper.join(20.0)
        if self.wrong:
            raise self.wrong[0]
        return self


def flood(port, count, seconds, data):
    """Function that sends so many datagrams in that time, from a process that has started already; how long it took."""
    process = subprocess.Popen(
        [sys.executable, "-c", FLOOD, str(port), str(count), str(seconds), data.hex()],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout.readline() == "ready\n"

    def begin():
        return float(process.communicate("go\n", timeout=60)[0])

    return begin


def stopped_for(seconds, pid):
    """Stop a process for so long, as another terminal would."""
    os.kill(pid, signal.SIGSTOP)
    sleep(seconds)
    os.kill(pid, signal.SIGCONT)


def alone(content):
    """A server without a device, as a process of its own: what it says, and finally how it went, line by line."""
    served = Served(Spring(1e-3), steps=100000, say=partial(print, flush=True), **json.loads(content))
    with (
        open_socket("127.0.0.1", served.service.address.port) as sock,
        EmergencyStop(served.service, sock, round(1e9 * DT)) as emergency,
    ):
        print("listens", flush=True)
        serve(served.session, sock, emergency, lambda session: None)
    print(f"{served.session.reason.name} after {served.session.steps.number}", flush=True)


if __name__ == "__main__":
    alone(sys.argv[1])
