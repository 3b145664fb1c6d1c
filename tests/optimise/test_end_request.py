"""A request to end: held back where something would be half done, remembered where a library swallows it."""

import contextlib
import logging
import os
import signal
import sys
import threading
from types import SimpleNamespace

import pytest
import xarray as xr

from catenary.storage import end_request
from catenary.storage.dataset import write_dataset
from catenary.storage.end_request import asked_to_end, end_request_interrupts, held_back, obey
from catenary.storage.stored_result import read_result
from optimise.executors import dask_executor, open_executor
from optimise.executors.serial import SerialExecutor
from optimise.record.growing_record import GrowingRecord
from optimise.spec.cluster import ClusterSpec

BOTH = pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])


def ask(sent=signal.SIGTERM):
    os.kill(os.getpid(), sent)


@pytest.fixture(autouse=True)
def as_before():
    """Whatever a test does, everything is afterwards as it was before."""
    wanted = [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)], sys.unraisablehook, threading.excepthook
    yield
    assert wanted == (
        [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)], sys.unraisablehook, threading.excepthook
    )  # fmt: skip
    assert not asked_to_end() and not any(logging.getLogger(name).disabled for name in end_request.TALKATIVE)


@BOTH
def test_a_request_interrupts(sent):
    with pytest.raises(KeyboardInterrupt), end_request_interrupts(), end_request_interrupts():
        ask(sent)
        raise AssertionError("continued")


@BOTH
def test_what_must_not_be_half_done_is_done_first(sent):
    done = []
    with pytest.raises(KeyboardInterrupt), end_request_interrupts():
        with held_back():
            with held_back():
                ask(sent)
            done.append(1)
        done.append(2)
    assert done == [1]


@BOTH
def test_a_data_set_is_written_whole_before_a_request_is_obeyed(sent, tmp_path, monkeypatch):
    """In the middle of a write a lock of the library may stay taken: closing the file would wait for ever."""
    data, write = xr.Dataset({"force": ("time", [1.0, 2.0])}), xr.Dataset.to_netcdf

    def asked_meanwhile(dataset, *given, **how):
        ask(sent)
        return write(dataset, *given, **how)

    monkeypatch.setattr(xr.Dataset, "to_netcdf", asked_meanwhile)
    with pytest.raises(KeyboardInterrupt), end_request_interrupts():
        write_dataset(tmp_path / "result.nc", data)
        raise AssertionError("continued")
    assert [file.name for file in tmp_path.iterdir()] == ["result.nc"]
    assert read_result(tmp_path / "result.nc").values["force"].tolist() == [1.0, 2.0]
    loaded, load = [], xr.Dataset.load

    def asked_while_read(dataset, **how):
        ask(sent)
        loaded.append(load(dataset, **how))

    monkeypatch.setattr(xr.Dataset, "load", asked_while_read)
    with pytest.raises(KeyboardInterrupt), end_request_interrupts():
        read_result(tmp_path / "result.nc")
    assert len(loaded) == 1, "a file is read to its end, too"


def test_an_error_in_such_a_block_stays_what_it_is():
    with pytest.raises(ZeroDivisionError), end_request_interrupts(), held_back():
        ask()
        raise ZeroDivisionError


def test_a_second_request_a_moment_later_is_the_same_one_and_one_much_later_another(monkeypatch):
    with pytest.raises(KeyboardInterrupt), end_request_interrupts():
        with pytest.raises(KeyboardInterrupt):
            ask()
        ask(signal.SIGINT)  # is not raised
        monkeypatch.setattr(end_request, "ONE_REQUEST_S", 0.0)
        ask()
        raise AssertionError("continued")


def test_a_request_that_was_swallowed_is_obeyed_where_evaluations_are_waited_for():
    with pytest.raises(KeyboardInterrupt), end_request_interrupts():
        with contextlib.suppress(KeyboardInterrupt):
            ask()
        assert asked_to_end()
        obey()


def test_a_design_whose_evaluation_was_cut_off_has_not_failed(tmp_path):
    def cut_off(task, setting):
        try:
            ask()
        except KeyboardInterrupt:
            return "failed"

    executor = SerialExecutor(cut_off, None, tmp_path, print)
    with end_request_interrupts():
        executor.submit(signal)
        with pytest.raises(KeyboardInterrupt):
            executor.next_completed(1.0)


def test_a_line_of_a_record_is_written_whole(tmp_path, monkeypatch):
    record, fsync = GrowingRecord(tmp_path / "record"), os.fsync

    def asked_meanwhile(handle):
        ask()
        fsync(handle)

    monkeypatch.setattr(os, "fsync", asked_meanwhile)
    with pytest.raises(KeyboardInterrupt), end_request_interrupts():
        record.append(b"a line\n")
    monkeypatch.undo()
    record.append(b"another\n")  # it is known what stands there
    assert (tmp_path / "record").read_bytes() == b"a line\nanother\n"


def test_workers_are_closed_to_the_end(tmp_path, monkeypatch):
    closed = []

    class Asked:
        """A session in whose closing the request comes."""

        name, connected, deployment = "session", True, SimpleNamespace(hold=lambda: None, complaint="")

        def __init__(self, *_):
            pass

        def workers(self):
            return ()

        def close(self):
            ask()
            closed.append(1)

    monkeypatch.setattr(dask_executor, "Session", Asked)
    with pytest.raises(KeyboardInterrupt), end_request_interrupts():
        with open_executor(ClusterSpec(kind="local", workers=1), print, None, folder=tmp_path, say=print):
            pass
        raise AssertionError("continued")
    assert closed == [1]


def test_what_other_threads_say_of_being_cut_off_is_not_said(capfd, monkeypatch):
    logger = logging.getLogger("asyncio")
    with end_request_interrupts():
        with pytest.raises(KeyboardInterrupt):
            ask()
        logger.error("Exception in callback")
        thread = threading.Thread(target=lambda: 1 / 0)
        thread.start()
        thread.join()
    assert capfd.readouterr() == ("", "")


def test_where_ctrl_c_is_ignored_it_stays_so():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with end_request_interrupts():
            ask(signal.SIGINT)
            assert not asked_to_end()
    finally:
        signal.signal(signal.SIGINT, before)
