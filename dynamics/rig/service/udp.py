"""Sockets of a test: one on which anybody may greet, and from the greeting on one that the device alone reaches."""

from __future__ import annotations

import socket

from catenary.errors import InputError

__all__ = ["RECEIVE_BYTES", "Exchange", "open_socket"]

RECEIVE_BYTES = 2048
BUFFER_BYTES = 4 * 2**20  # the system may give less
Replies = list[tuple[bytes, tuple[str, int]]]


def open_socket(host: str, port: int, key: str = "service.address") -> socket.socket:
    """UDP socket bound to an address, not blocking; ``key`` is where the address stands in the input.

    Raises
    ------
    InputError
        If the address is not this machine's or another server has it.
    """
    try:
        found = socket.getaddrinfo(host, port, socket.AF_INET, socket.SOCK_DGRAM)
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
            sock.bind(found[0][4])
        except OSError:
            sock.close()
            raise
    except OSError as error:
        raise InputError(
            [
                f"{key} must be an address of this machine with a free UDP port: the program cannot open "
                f"{host}:{port} ({error.strerror or error}); if another server has this port, choose another port"
            ]
        ) from None
    sock.setblocking(False)
    return sock


class Exchange:
    """A server's socket, and one on the same port into which the system lets only the device's datagrams.

    So nobody else's datagrams stand in the queue before the device's, or fill it.

    Parameters
    ----------
    sock : socket
        Bound, not blocking.
    """

    def __init__(self, sock: socket.socket) -> None:
        self.anybody = sock
        self.device: socket.socket | None = None
        self._client: tuple[str, int] | None = None

    def follow(self, client: tuple[str, int] | None) -> None:
        """Have a socket for this device alone, or for none any more."""
        if client == self._client:
            return
        self.close()
        self._client = client
        if client is not None:
            self.device = self._connected(client)

    def _connected(self, client: tuple[str, int]) -> socket.socket | None:
        own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        pair = (self.anybody, own)
        try:
            own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
            for sock in pair:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            own.bind(self.anybody.getsockname())
            own.connect(client)
            own.setblocking(False)
        except OSError:  # a system that does not grant it: the device's datagrams come with all others
            own.close()
            return None
        finally:
            for sock in pair:
                if sock.fileno() >= 0:  # another server shall still be refused
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
        return own

    def send(self, replies: Replies) -> None:
        """Send datagrams; one that finds nobody, or no room, the other side counts as lost."""
        for data, address in replies:
            try:
                self.anybody.sendto(data, address)
            except OSError:
                continue

    def close(self) -> None:
        """Close the device's own socket."""
        if self.device is not None:
            self.device.close()
        self.device = None
