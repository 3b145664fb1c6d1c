"""The server's socket and clock around a session, and the run that it leaves."""

from __future__ import annotations

import select
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic_ns

from catenary.errors import InputError
from dynamics.rig_service.frames import Reason
from dynamics.rig_service.promptness import NOT_GRANTED, undisturbed
from dynamics.rig_service.session import RigSession
from dynamics.rig_service.spec import AddressSpec

__all__ = ["open_socket", "serve"]

LONGEST_WAIT = 0.05
SHOW_EVERY_NS = 250_000_000
RECEIVE_BYTES = 2048


def open_socket(address: AddressSpec) -> socket.socket:
    """UDP socket bound to the server's address.

    Raises
    ------
    InputError
        If the address is not this machine's or another server has it.
    """
    try:
        found = socket.getaddrinfo(address.host, address.port, socket.AF_INET, socket.SOCK_DGRAM)
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            sock.bind(found[0][4])
        except OSError:
            sock.close()
            raise
    except OSError as error:
        raise InputError(
            [
                f"service.address must be an address of this machine with a free UDP port: {address.host}:"
                f"{address.port} cannot be had ({error.strerror or error}); another server may run, take another port"
            ]
        ) from None
    sock.setblocking(False)
    return sock


def serve(session: RigSession, sock: socket.socket, show: Callable[[RigSession], None]) -> None:
    """Serve one test until it has ended; Ctrl-C and SIGTERM lead to the safe height first.

    Parameters
    ----------
    session : RigSession
        The test.
    sock : socket
        Bound, not blocking.
    show : callable
        Called four times a second while a test runs.
    """
    shown = 0
    with _signals_that_stop(session), undisturbed() as first:
        if not first:
            session.say(NOT_GRANTED)
        while session.state != "ended":
            wait = LONGEST_WAIT
            if session.state != "waiting":
                wait = min(LONGEST_WAIT, max(0.0, 1e-9 * (session.deadline_ns - monotonic_ns())))
            ready, _, _ = select.select([sock], [], [], wait)
            if ready:
                _receive(session, sock)
            else:
                _send(sock, session.tick(monotonic_ns()))
            now = monotonic_ns()
            if now - shown > SHOW_EVERY_NS and session.state != "waiting":
                shown = now
                show(session)


def _receive(session: RigSession, sock: socket.socket) -> None:
    """Take every datagram that is there, so that one that is late is told from one that is lost."""
    while session.state != "ended":
        try:
            data, address = sock.recvfrom(RECEIVE_BYTES)
        except BlockingIOError:
            return
        except ConnectionError:  # an answer found nobody; the watchdog decides
            continue
        _send(sock, session.handle(data, address, monotonic_ns()))


def _send(sock: socket.socket, replies: list[tuple[bytes, tuple[str, int]]]) -> None:
    for data, address in replies:
        try:
            sock.sendto(data, address)
        except OSError:  # nobody there, or no room: the client counts it as lost
            continue


@contextmanager
def _signals_that_stop(session: RigSession) -> Iterator[None]:
    """Make Ctrl-C and SIGTERM begin the way to the safe height instead of ending the process."""

    def stop(*_: object) -> None:
        session.stop(Reason.INTERRUPTED)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
