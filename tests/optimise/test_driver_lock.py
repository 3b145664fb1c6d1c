"""One driver in a folder: here by the system's own lock, on machines that share a file system by signs of life."""

import errno
import json
import os
import socket
import subprocess
import sys
import time

import pytest

from catenary.errors import InputError
from optimise.record.driver_lock import driver_lives, driver_lock, read_holder


def held_elsewhere(lock, seconds_ago):
    """A lock as a driver on another machine leaves it, whose system here knows nothing of it."""
    lock.write_text(json.dumps({"host": "node17", "process": 4711, "mark": "other"}), encoding="utf-8")
    os.utime(lock, (time.time() - seconds_ago,) * 2)


def test_a_driver_on_another_machine_is_refused_until_it_has_been_silent(tmp_path):
    lock = tmp_path / ".driver.lock"
    held_elsewhere(lock, 20.0)
    assert driver_lives(lock, 60.0) and not driver_lives(lock, 10.0)
    with (
        pytest.raises(InputError, match=r"process 4711 on node17 .* last sign of life (19|2\d) s ago.*after 60 s"),
        driver_lock(lock, "campaign 'c'", 60.0),
    ):
        pass
    assert read_holder(lock).host == "node17", "a refusal changes nothing"
    with driver_lock(lock, "campaign 'c'", 10.0):
        assert read_holder(lock).process == os.getpid()
        assert driver_lives(lock)
    assert read_holder(lock) is None and not driver_lives(lock)
    assert [f.name for f in tmp_path.iterdir()] == [".driver.lock"]


def test_a_lock_that_the_file_server_keeps_for_a_dead_machine_is_replaced(tmp_path):
    lock = tmp_path / ".driver.lock"
    hold = "import fcntl, sys, time\nf = open(sys.argv[1], 'ab')\nfcntl.flock(f, fcntl.LOCK_EX)\n"
    hold += "print(1, flush=True)\ntime.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", hold, str(lock)], stdout=subprocess.PIPE) as server:
        try:
            server.stdout.readline()
            held_elsewhere(lock, 5.0)
            with pytest.raises(InputError, match="node17"), driver_lock(lock, "sweep 's'", 60.0):
                pass
            with driver_lock(lock, "sweep 's'", 2.0):
                # and now it is held as any other
                with pytest.raises(InputError, match="another process is running"), driver_lock(lock, "sweep 's'", 2.0):
                    pass
                assert read_holder(lock).host == socket.gethostname()
        finally:
            server.kill()


def test_signs_of_life_are_given_and_a_driver_that_was_taken_for_dead_ends(tmp_path):
    lock = tmp_path / ".driver.lock"
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom optimise.record.driver_lock import driver_lock\n"
        "with driver_lock(Path(sys.argv[1]), 'campaign', 1.0):\n    print(1, flush=True)\n    time.sleep(60)\n"
        "print('continued')"
    )
    command = [sys.executable, "-c", code, str(lock)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as driver:
        try:
            driver.stdout.readline()
            before = lock.stat().st_mtime
            end = time.monotonic() + 20.0
            while lock.stat().st_mtime == before and time.monotonic() < end:
                time.sleep(0.05)
            assert lock.stat().st_mtime > before
            held_elsewhere(lock, 0.0)
            out, err = driver.communicate(timeout=20)
        finally:
            driver.kill()
    assert driver.returncode == 75 and "Another driver now owns" in err and "continued" not in out
    assert read_holder(lock).host == "node17", "the other driver's lock stays as it is"


def test_a_lock_that_cannot_be_read_for_a_moment_ends_no_driver(tmp_path, monkeypatch):
    lock, read, looks = tmp_path / ".driver.lock", os.open, []

    def too_many(path, *rest):
        if path != lock:
            return read(path, *rest)
        looks.append(path)
        if len(looks) <= 3:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return read(path, *rest)

    ended = []
    monkeypatch.setattr(os, "_exit", ended.append)
    monkeypatch.setattr(os, "open", too_many)
    with driver_lock(lock, "campaign 'c'", 0.2):
        end = time.monotonic() + 20.0
        while len(looks) < 5 and time.monotonic() < end:
            time.sleep(0.01)
    assert len(looks) >= 5 and ended == []
