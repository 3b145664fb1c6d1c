"""Call functions on workers through Dask and report each call's end, then its value or its error."""

from __future__ import annotations

import asyncio
import concurrent.futures
import queue
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Calls", "News"]


@dataclass(frozen=True)
class News:
    """Report on a call: first that it has ended, then its value or its error."""

    key: str
    over: bool
    value: Any = None
    error: BaseException | None = None


class Calls:
    """Calls through one client of Dask.

    Nothing here waits for a value with a time-out: Dask's client may fetch nothing more once such a wait was cancelled
    before its request had left (dask/distributed issue 8514), as when the driver was stopped for a moment.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._news: queue.SimpleQueue[News] = queue.SimpleQueue()

    def call(self, key: str, worker: str, function: Callable[..., Any], *arguments: object) -> Any:
        """Call a function on one worker; its result is reported under its key.

        Returns
        -------
        distributed.Future
            While it is held, Dask keeps the value.
        """
        future = self._client.submit(function, *arguments, key=key, workers=[worker], pure=False)
        future.add_done_callback(lambda ended: self._ended(key, ended))
        return future

    def next(self, timeout: float) -> News | None:
        """Next report; None when none arrives within a time [s]."""
        try:
            return self._news.get(timeout=max(0.0, timeout))
        except queue.Empty:
            return None

    def _ended(self, key: str, future: Any) -> None:
        """Report the end of a call and fetch its value; runs in a thread of Dask."""
        try:
            if future.status == "error":
                self._news.put(News(key, True, error=future.exception()))
            elif future.status == "cancelled":
                self._news.put(News(key, True, error=concurrent.futures.CancelledError(key)))
            else:
                self._news.put(News(key, False))
                self._fetch(key, future)
        except Exception as error:  # the client was closed in between
            self._news.put(News(key, True, error=error))

    def _fetch(self, key: str, future: Any) -> None:
        async def value() -> Any:
            return await self._client.gather(future, asynchronous=True)

        def come(fetched: concurrent.futures.Future[Any]) -> None:
            if fetched.cancelled():
                self._news.put(News(key, True, error=concurrent.futures.CancelledError(key)))
            elif (error := fetched.exception()) is not None:
                self._news.put(News(key, True, error=error))
            else:
                self._news.put(News(key, True, value=fetched.result()))

        coming = value()
        try:
            asyncio.run_coroutine_threadsafe(coming, self._client.loop.asyncio_loop).add_done_callback(come)
        except RuntimeError:
            coming.close()  # the loop has ended, and the call with it
            raise
