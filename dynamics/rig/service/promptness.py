"""Keep steps prompt: no garbage collection, and real-time priority where the system grants it."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["NOT_GRANTED", "PRIORITY", "undisturbed"]

# above ordinary work, below what the kernel does for its own devices; a step sleeps most of its time
PRIORITY = 10
NOT_GRANTED = (
    "the system grants no real-time priority (it does to root, and to a user with `rtprio` in "
    "/etc/security/limits.conf): other work on this machine may make steps late"
)


@contextmanager
def undisturbed(priority: int = PRIORITY) -> Iterator[bool]:
    """Keep the collector of cycles and, where it can be had, ordinary processes from running in the middle of a step.

    Yields whether real-time priority was granted.
    """
    gc.collect()
    gc.freeze()
    gc.disable()
    before = _ahead_of_others(priority)
    try:
        yield before is not None
    finally:
        if before is not None:
            os.sched_setscheduler(0, *before)
        gc.enable()
        gc.unfreeze()


def _ahead_of_others(priority: int) -> tuple[int, os.sched_param] | None:
    """Set first-in-first-out scheduling; return the former one, None where the system refuses."""
    if not hasattr(os, "sched_setscheduler"):
        return None
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except OSError:
        return None
    return before
