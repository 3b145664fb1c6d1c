"""The emergency stop as a process of its own: it listens, tells the server, and stands in for it where that is stuck.

A stop is a datagram with the text ``STOP``, or ``STOP key``, and is answered with ``STOPPING``. The server hears of it
at once and leads to the safe height; where it does not take its next steps, this process takes the sending of heights
from it and leads there itself, from the height that was sent last, on the same way and within the same limits.
"""

from __future__ import annotations

import hmac
import json
import select
import socket
import sys
from time import monotonic_ns, sleep

from dynamics.rig.service.emergency.state import Course, SharedCourse
from dynamics.rig.service.frames import Frame, Kind, Mark, Reason, pack
from dynamics.rig.service.guard import OutputGuard
from dynamics.rig.service.promptness import PRIORITY, undisturbed
from dynamics.rig.service.spec import ServiceSpec

__all__ = ["ANSWER", "Listener", "main"]

ANSWER = b"STOPPING\n"
# steps without an answer of the server after which this process stands in, and the least time [ns]
PATIENCE_STEPS, PATIENCE_NS = 10, 20_000_000
BUDGET, RECEIVE_BYTES = 64, 256
TELL_EVERY_NS = 1_000_000_000


class Listener:
    """Hears emergency stops, and acts on them.

    Parameters
    ----------
    stop, exchange : socket
        Of the emergency stop, and of the server's exchange with its device.
    line : socket
        To the server: reports what is heard, line by line; closes when the server ends.
    shared : SharedCourse
        Where the test is.
    service : ServiceSpec
        Key, limits, and the way to the safe height.
    step_ns : int
        Step of the loop [ns].
    """

    def __init__(
        self,
        sockets: tuple[socket.socket, socket.socket, socket.socket],
        shared: SharedCourse,
        service: ServiceSpec,
        step_ns: int,
    ) -> None:
        self._stop, self._exchange, self._line = sockets
        self._shared, self._service, self._step_ns = shared, service, step_ns
        key = service.emergency_stop.key
        self._text = b"STOP" if key is None else b"STOP " + key.encode("ascii")
        self._asked_ns: int | None = None
        self._refused, self._last_ns = 0, 0

    def listen(self) -> None:
        """Listen until the server has ended."""
        while True:
            ready, _, _ = select.select([self._stop, self._line], [], [], 1e-9 * self._step_ns)
            if self._line in ready and not self._line.recv(64):
                return
            for _ in range(BUDGET if self._stop in ready else 0):
                if not self._hear():
                    break
            if self._asked_ns is not None and not self._shared.taken_over and self._is_stuck(self._asked_ns):
                self._lead_down()

    def _hear(self) -> bool:
        """Receive one datagram; whether there was one."""
        try:
            data, address = self._stop.recvfrom(RECEIVE_BYTES)
        except BlockingIOError:
            return False
        except OSError:  # an answer found nobody
            return True
        where, now = f"{address[0]}:{address[1]}", monotonic_ns()
        if hmac.compare_digest(data.rstrip(b"\r\n \0"), self._text):
            if self._asked_ns is None:
                self._asked_ns = now
                self._tell(f"stop {where}")
            try:
                self._stop.sendto(ANSWER, address)
            except OSError:  # who asked is not there any more
                return True
            return True
        self._refused += 1
        if now - self._last_ns >= TELL_EVERY_NS:
            self._last_ns = now
            self._tell(f"refused {self._refused} {where}")
        return True

    def _tell(self, line: str) -> None:
        try:
            self._line.send(line.encode("ascii") + b"\n")
        except OSError:  # the server is gone, or is stuck and reads nothing
            return

    def _is_stuck(self, asked_ns: int) -> bool:
        """Whether a device waits for heights and the server does not lead it down."""
        course, now = self._shared.read(), monotonic_ns()
        if course is None or course.client is None or course.state not in ("running", "stopping"):
            return False
        since = asked_ns if course.state == "running" else max(asked_ns, course.beat_ns)
        return now - since > max(PATIENCE_NS, PATIENCE_STEPS * self._step_ns)

    def _lead_down(self) -> None:
        """Send the way to the safe height in the server's place."""
        self._shared.take_over()
        course = self._shared.read()
        assert course is not None and course.client is not None
        self._tell(f"over {course.step}")
        guard = OutputGuard(self._service.limits, self._service.stop, 1e-9 * self._step_ns)
        guard.last = course.height
        guard.begin_stop()
        step, due = course.step, monotonic_ns()
        while not guard.stopped:
            guard.pass_time(monotonic_ns())
            height = guard.stopping_height()
            self._send(course, Frame(Kind.HEIGHT, course.session, step, 0, height, status=Mark.STOPPING))
            step, due = step + 1, max(due + self._step_ns, monotonic_ns())
            sleep(1e-9 * max(0, due - monotonic_ns()))
        for _ in range(3):  # nobody answers it
            self._send(course, Frame(Kind.FAREWELL, course.session, step, status=Reason.EMERGENCY))

    def _send(self, course: Course, frame: Frame) -> None:
        assert course.client is not None
        try:
            self._exchange.sendto(pack(frame), course.client)
        except OSError:  # nobody there, or no room: the next one follows
            return


def main(line: socket.socket) -> None:
    """Receive the setting from the server, report readiness, and listen."""
    setting = json.loads(line.makefile("r", encoding="utf-8", newline="\n").readline())
    stop, exchange = (socket.socket(fileno=setting[name]) for name in ("stop", "exchange"))
    stop.setblocking(False)
    service = ServiceSpec.model_validate(setting["service"])
    listener = Listener((stop, exchange, line), SharedCourse(setting["shared"]), service, setting["step_ns"])
    with undisturbed(PRIORITY + 1):
        line.send(b"ready\n")
        listener.listen()


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
