"""Workers that have what one campaign needs: got, greeted, given tasks, and closed."""

from __future__ import annotations

import contextlib
import itertools
import uuid
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from optimise.executors.calls import Calls, News
from optimise.executors.deployments.dask_settings import within
from optimise.executors.deployments.deploy import deploy
from optimise.executors.in_flight import Sent
from optimise.executors.protocol import Evaluate
from optimise.executors.worker import campaign_plugin, evaluate_on_worker, greet_on_worker
from optimise.spec.cluster import ClusterSpec

__all__ = ["Session"]

SECONDS_TO_LEAVE = 5.0
# takes what workers say while they compile, with its time
Hear = Callable[[tuple[float, str]], None]


class Session:
    """Workers of a campaign from a start to their end; after a fault, another session takes the place of this one.

    Raises
    ------
    NoWorkersError
        If workers cannot be had as they are described.
    """

    def __init__(self, cluster: ClusterSpec, folder: Path | None, campaign: tuple[Evaluate, Any], hear: Hear) -> None:
        self.name = f"campaign-{uuid.uuid4().hex[:12]}"  # a scheduler of others may serve several
        self._spec = cluster
        self._number = itertools.count()
        self.deployment = deploy(cluster, folder)
        try:
            self.deployment.client.subscribe_topic(self.name, hear)
            self.deployment.client.register_plugin(campaign_plugin(self.name, *campaign))
            self._calls = Calls(self.deployment.client)
        except BaseException:
            self.close()
            raise

    @property
    def connected(self) -> bool:
        """Whether the scheduler is heard."""
        return self.deployment.client.status == "running"

    def workers(self) -> Collection[str]:
        """Addresses of the workers that are there."""
        with contextlib.suppress(Exception):  # a scheduler that does not answer is one without workers
            if self.connected:
                return list(self.deployment.client.nthreads())
        return ()

    def greet(self, worker: str) -> tuple[str, Any]:
        """Call a worker that has connected; return the key of its answer, and the future to keep until then."""
        key = f"{self.name}-greeting-{next(self._number)}"
        return key, self._calls.call(key, worker, greet_on_worker, self.name)

    def send(self, sent: Sent) -> None:
        """Send a task to its worker."""
        given = (self.name, sent.work, self._spec.time_limit_s)
        sent.future = self._calls.call(sent.key, sent.worker, evaluate_on_worker, *given)

    def news(self, timeout: float) -> News | None:
        """Next report; None when none arrives within a time [s]."""
        return self._calls.next(timeout)

    def close(self) -> None:
        """End the workers without waiting for what they evaluate; those of others forget the campaign."""
        if self._spec.kind == "address":
            within(SECONDS_TO_LEAVE, lambda: self.deployment.client.unregister_worker_plugin(self.name))
        self.deployment.close()
