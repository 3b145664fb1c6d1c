"""A client of Dask, and its deployment, with one worker: it takes tasks, and a test says how they end."""

import asyncio
import threading
from collections import deque
from types import SimpleNamespace

from distributed import KilledWorker

from optimise.executors.worker import Answer, greet_on_worker


class FakeFuture:
    """What Dask gives for a call: pending until it is ended."""

    def __init__(self, key):
        self.key, self.status, self.value, self._told = key, "pending", None, []

    def add_done_callback(self, tell):
        self._told.append(tell)
        if self.status != "pending":
            tell(self)

    def end(self, status, value):
        self.status, self.value = status, value
        for tell in self._told:
            tell(self)

    def exception(self):
        return self.value

    def release(self):
        pass


class OneWorker:
    """One worker that answers greetings at once."""

    status, complaint = "running", ""

    def __init__(self):
        self.client = self
        self.under_way, self.taken, self.errors = {}, [], deque()
        self.loop = SimpleNamespace(asyncio_loop=asyncio.new_event_loop())
        self.thread = threading.Thread(target=self.loop.asyncio_loop.run_forever, daemon=True)
        self.thread.start()

    def stop(self):
        self.loop.asyncio_loop.call_soon_threadsafe(self.loop.asyncio_loop.stop)
        self.thread.join()
        self.loop.asyncio_loop.close()

    def nthreads(self):
        return {"tcp://worker": 1}

    def register_plugin(self, plugin):
        pass

    def subscribe_topic(self, topic, handler):
        self.speak = lambda sentence: handler((0.0, sentence))

    def submit(self, function, campaign, *given, key, **options):
        future = FakeFuture(key)
        if function is greet_on_worker:
            future.end("finished", None)
        else:
            self.taken.append(given[0].number)
            self.under_way[given[0].number] = future
        return future

    async def gather(self, future, asynchronous):
        if self.errors and "greeting" not in future.key:
            raise self.errors.popleft()
        return future.value

    def hold(self):
        pass

    def ask_again(self):
        pass

    def close(self):
        self.under_way.clear()

    def answer(self, number):
        self.under_way.pop(number).end("finished", Answer(f"result of {number}", 0.001, "a processor"))

    def die(self):
        for number in list(self.under_way):
            error = KilledWorker(str(number), SimpleNamespace(address=""), 0)
            self.under_way.pop(number).end("error", error)
