"""Priority of the rig's service: taken where it is granted, given back, done without where it is not."""

import gc
import os

import pytest

from dynamics.rig_service.promptness import undisturbed


def test_priority_and_collector_are_as_before_afterwards():
    before = os.sched_getscheduler(0), os.sched_getparam(0).sched_priority
    with undisturbed() as granted:
        assert not gc.isenabled()
        assert (os.sched_getscheduler(0) == os.SCHED_FIFO) is granted
    assert gc.isenabled() and (os.sched_getscheduler(0), os.sched_getparam(0).sched_priority) == before


@pytest.mark.parametrize("error", [PermissionError, OSError])
def test_a_system_that_grants_no_priority_is_done_without(monkeypatch, error):
    def refuse(*_):
        raise error

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    with undisturbed() as granted:
        assert not granted and not gc.isenabled()
    assert gc.isenabled()
