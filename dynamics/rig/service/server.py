"""The server's clock and sockets around a session: what is read when, so that no flood keeps it from a step."""

from __future__ import annotations

import select
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic_ns

from dynamics.rig.service.emergency.listener import EmergencyStop
from dynamics.rig.service.frames import Reason
from dynamics.rig.service.promptness import NOT_GRANTED, undisturbed
from dynamics.rig.service.session import RigSession
from dynamics.rig.service.udp import RECEIVE_BYTES, Exchange, Replies

__all__ = ["serve"]

LONGEST_WAIT = 0.05
SHOW_EVERY_NS = 250_000_000
# datagrams of the device that are read between two looks at the clock, and of anybody else within one step of a test
DEVICE_BUDGET, OTHERS_BUDGET = 64, 16


def serve(
    session: RigSession, sock: socket.socket, emergency: EmergencyStop, show: Callable[[RigSession], None]
) -> None:
    """Serve one test until it has ended; Ctrl-C and SIGTERM lead to the safe height first.

    Parameters
    ----------
    session : RigSession
        The test.
    sock : socket
        Bound, not blocking.
    emergency : EmergencyStop
        Listens at its own address.
    show : callable
        Called four times a second while a test runs.
    """
    server = _Server(session, Exchange(sock), emergency)
    shown = 0
    with _signals_that_stop(server), undisturbed() as first:
        if not first:
            session.say(NOT_GRANTED)
        try:
            while session.state != "ended":
                server.turn()
                now = monotonic_ns()
                if now - shown > SHOW_EVERY_NS and session.state != "waiting":
                    shown = now
                    show(session)
        finally:
            server.exchange.close()


class _Server:
    """One test's turns: the emergency stop first, then the device, then the clock, then others within their budget."""

    def __init__(self, session: RigSession, exchange: Exchange, emergency: EmergencyStop) -> None:
        self.session, self.exchange, self.emergency = session, exchange, emergency
        self._others_left, self._others_again_ns = OTHERS_BUDGET, 0
        self._listens = True
        self.interrupted = False

    def turn(self) -> None:
        """Wait for whatever comes first, and do what it asks for."""
        session, now = self.session, monotonic_ns()
        if now >= self._others_again_ns or session.state == "waiting":
            self._others_left, self._others_again_ns = OTHERS_BUDGET, now + session.step_ns
        until = now + round(1e9 * LONGEST_WAIT)
        if session.state != "waiting":
            until = min(until, session.deadline_ns)
        sockets: list[socket.socket | EmergencyStop] = [self.emergency] if self._listens else []
        sockets += [self.exchange.device] if self.exchange.device is not None else []
        if self._others_left:
            sockets.append(self.exchange.anybody)
        else:
            until = min(until, self._others_again_ns)
        ready, _, _ = select.select(sockets, [], [], max(0.0, 1e-9 * (until - now)))
        self._now()
        if self.interrupted:
            session.stop(Reason.INTERRUPTED)
        if self.emergency in ready:
            self._heed()
        if self.exchange.device in ready and self.exchange.device is not None:
            self._receive(self.exchange.device, DEVICE_BUDGET)
        if self.exchange.anybody in ready:
            self._others_left -= self._receive(self.exchange.anybody, self._others_left)
        self._send(session.tick(self._now()))

    def _now(self) -> int:
        """Read the clock [ns] for what comes next, which must not be taken as news where this process was held up.

        It may be held up between any two lines, so no time reaches the session that this has not looked at.
        """
        now = monotonic_ns()
        self.session.woke(now)
        return now

    def _receive(self, sock: socket.socket, budget: int) -> int:
        """Receive the waiting datagrams, at most so many; return their number.

        Takes all waiting datagrams before it reads the clock, which distinguishes a late one from a lost one.
        """
        for taken in range(budget):
            if self.session.state == "ended" or sock.fileno() < 0:
                return taken
            try:
                data, address = sock.recvfrom(RECEIVE_BYTES)
            except BlockingIOError:
                return taken
            except ConnectionError:  # an answer found nobody; the watchdog decides
                continue
            replies = self.session.handle(data, address, self._now())
            self._send(replies)
        return budget

    def _send(self, replies: Replies) -> None:
        """Send what the session answers, unless the emergency stop has taken that over."""
        self.exchange.follow(self.session.client if self.session.state != "ended" else None)
        self.emergency.say_where(self.session)
        if self.emergency.shared.taken_over:
            self._heed()
            self.session.give_up(Reason.EMERGENCY)
        elif replies:
            self.exchange.send(replies)

    def _heed(self) -> None:
        """Do what the emergency stop says."""
        session = self.session
        for line in self.emergency.heard():
            what, _, more = line.partition(" ")
            if what == "stop":
                session.say(f"an emergency stop came from {more}")
                session.stop(Reason.EMERGENCY)
            elif what == "refused":
                count, _, where = more.partition(" ")
                session.say(f"the emergency stop has refused {count} datagrams without its text, the last from {where}")
            elif what == "over":
                session.say(
                    f"the emergency stop led the actuator down itself from step {more} on, since this process did not; "
                    "those heights are not on record"
                )
                session.give_up(Reason.EMERGENCY)
            else:
                self._listens = False
                session.say("the process of the emergency stop has ended: no test continues without it")
                session.stop(Reason.EMERGENCY_LOST)


@contextmanager
def _signals_that_stop(server: _Server) -> Iterator[None]:
    """Make Ctrl-C and SIGTERM begin the way to the safe height instead of ending the process, between two steps."""

    def stop(*_: object) -> None:
        server.interrupted = True

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
