"""Priority of the rig's service: taken where it is granted, given back, done without where it is not."""

import gc
import os

import pytest

from catenary.errors import InputError
from dynamics.rig.service.promptness import undisturbed
from studies.commands.rig_device import compose, run


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


def test_what_takes_long_is_done_before_the_device_greets(monkeypatch, tmp_path):
    """The server counts on forces from its welcome on; a collection took 62 ms of its 50."""
    seen = []

    def greet(*_):
        seen.append((gc.isenabled(), gc.get_freeze_count() > 0))
        raise InputError(["no server"])

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dynamics.rig.service.device.greet", greet)
    with pytest.raises(InputError, match="no server"):
        run(compose(["pantograph=dsa380"]))
    assert seen == [(False, True)] and gc.isenabled()
