"""The server's side of the emergency stop: it begins the process that listens, hears it, and says where the test is."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
from time import monotonic_ns
from types import TracebackType
from typing import Self

from catenary.errors import InputError
from dynamics.rig.service.emergency.state import Course, SharedCourse, shared_file
from dynamics.rig.service.session import RigSession
from dynamics.rig.service.spec import EmergencyStopSpec, ServiceSpec
from dynamics.rig.service.udp import open_socket

__all__ = ["EmergencyStop", "ask_for_stop"]

# time that the process has to begin, and to end [s]
BEGIN, END = 60.0, 5.0
ASK_EVERY = 0.02
READY = b"ready\n"


class EmergencyStop:
    """A process that listens at an address of its own, as long as this context lasts.

    Parameters
    ----------
    service : ServiceSpec
        Its address and key; limits, and the way to the safe height.
    exchange : socket
        Of the server with its device.
    step_ns : int
        Step of the loop [ns].

    Raises
    ------
    InputError
        If the program cannot open the address.
    """

    def __init__(self, service: ServiceSpec, exchange: socket.socket, step_ns: int) -> None:
        own = service.emergency_stop
        with open_socket(own.host, own.port, "service.emergency_stop") as stop:
            file = shared_file()
            self._line, other = socket.socketpair()
            self.shared, self._left = SharedCourse(file), b""
            setting = {
                "service": service.model_dump(mode="json"),
                "step_ns": step_ns,
                "stop": stop.fileno(),
                "exchange": exchange.fileno(),
                "shared": file,
            }
            # a session of its own: Ctrl-C at the server's terminal is not for it
            self._process = subprocess.Popen(
                [sys.executable, "-m", "dynamics.rig.service.emergency.process", str(other.fileno())],
                pass_fds=(other.fileno(), stop.fileno(), exchange.fileno(), file),
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(p or os.getcwd() for p in sys.path)},
            )
        other.close()
        os.close(file)
        self._begin(setting)

    def _begin(self, setting: dict[str, object]) -> None:
        """Send the process its setting and wait until it listens."""
        self._line.settimeout(BEGIN)
        try:
            self._line.sendall(json.dumps(setting).encode("utf-8") + b"\n")
            # no more than this line: a stop that came meanwhile stands behind it
            began = self._line.recv(len(READY), socket.MSG_WAITALL) == READY
        except OSError:
            began = False
        if not began:
            self._process.kill()
            self._process.wait()
            self._line.close()
            self.shared.close()
            raise InputError(
                [
                    "service.emergency_stop must be able to start a process of its own: that process ended or was not "
                    f"ready within {BEGIN:g} s; read what it printed above this line, and start the server again"
                ]
            )
        self._line.settimeout(None)

    def __enter__(self) -> Self:
        """Have it listen already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process; while it leads to the safe height itself, wait for that."""
        self._line.shutdown(socket.SHUT_WR)
        try:
            self._process.wait(END + 60.0 * self.shared.taken_over)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._line.close()
        self.shared.close()

    def fileno(self) -> int:
        """Descriptor on which the process is heard."""
        return self._line.fileno()

    def heard(self) -> list[str]:
        """Lines of the process: ``stop ADDRESS``, ``refused COUNT ADDRESS``, ``over STEP``; ``ended`` at its end."""
        data = b""
        while select.select([self._line], [], [], 0.0)[0]:
            part = self._line.recv(4096)
            if not part:
                return ["ended"]
            data += part
        *lines, self._left = (self._left + data).split(b"\n")
        return [line.decode("ascii", "replace") for line in lines]

    def say_where(self, session: RigSession) -> None:
        """Write down where the test is, before anything is sent."""
        steps = session.steps
        self.shared.write(
            Course(session.state, session.number, steps.number, steps.guard.last, session.client, monotonic_ns())
        )


def ask_for_stop(address: EmergencyStopSpec, patience: float) -> bool:
    """Request an emergency stop repeatedly until it answers; whether it did within ``patience`` seconds."""
    text = b"STOP" if address.key is None else b"STOP " + address.key.encode("ascii")
    until = monotonic_ns() + round(1e9 * patience)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        while monotonic_ns() < until:
            try:
                sock.sendto(text, (address.host, address.port))
                if select.select([sock], [], [], ASK_EVERY)[0] and sock.recv(64).startswith(b"STOPPING"):
                    return True
            except OSError:  # nobody listens there now
                select.select([], [], [], ASK_EVERY)
    return False
