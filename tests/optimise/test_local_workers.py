"""Worker processes on this machine: closed to its other accounts, replaced when they end, heard when they fail."""

import asyncio
import os
import time
import urllib.error
import urllib.request
from pathlib import Path

import psutil
import pytest
from distributed import Client, Security
from distributed.core import CommClosedError

from optimise.executors.deployments.deploy import deploy
from optimise.spec.cluster import ClusterSpec


@pytest.fixture
def workers():
    """A scheduler with two workers."""
    found = deploy(ClusterSpec(kind="local", workers=2), None)
    yield found
    found.close()


def until(true, seconds=60.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def family():
    me = psutil.Process()
    return [me, *(p for p in me.children(recursive=True) if "spawn_main" in " ".join(p.cmdline()))]


def listening():
    """Addresses on which this process and its workers listen."""
    return {tuple(c.laddr) for p in family() for c in p.net_connections("tcp") if c.status == psutil.CONN_LISTEN}


def refused(address, security):
    with pytest.raises(OSError):
        Client(address, security=security, timeout=1, set_as_default=False)


def test_nobody_without_the_certificate_of_the_run_is_spoken_to(workers):
    before = dict(os.environ)
    workers.hold()
    until(lambda: len(workers.client.nthreads()) == 2)
    assert dict(os.environ) == before
    addresses = [workers.client.scheduler_info()["address"], *workers.client.nthreads()]
    assert all(address.startswith("tls://127.0.0.1:") for address in addresses)
    assert {host for host, _ in listening()} == {"127.0.0.1"}
    for address in addresses:
        refused(address.replace("tls", "tcp"), None)
        refused(address, Security.temporary())
    # what else listens serves pages, and none of them is there
    others = {port for _, port in listening()} - {int(address.rpartition(":")[2]) for address in addresses}
    for port in others:
        for page in ("", "info/main/workers.html", "json/identity.json", "metrics"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/{page}", timeout=10)
    for process in family()[1:]:
        for part in ("cmdline", "environ"):
            assert b"PRIVATE" not in Path(f"/proc/{process.pid}/{part}").read_bytes()


def test_a_process_that_ends_is_replaced_and_all_end_with_the_scheduler(workers):
    workers.hold()
    until(lambda: len(workers.client.nthreads()) == 2)
    first = family()[1:]
    first[0].kill()
    until(lambda: first[0].status() == psutil.STATUS_ZOMBIE)
    until(lambda: len(workers.client.nthreads()) == 1)
    workers.hold()
    until(lambda: len(workers.client.nthreads()) == 2)
    now = family()[1:]
    assert len(now) == 2 and first[1] in now and first[0] not in now
    workers.close()
    assert family()[1:] == []


def test_a_connection_that_ends_slowly_does_not_keep_the_scheduler_alive(workers):
    workers.hold()
    scheduler, address = workers._cluster.scheduler, "tls://127.0.0.1:9"

    async def connection(*_, **__):
        try:
            await asyncio.sleep(60.0)
        except asyncio.CancelledError:
            await asyncio.sleep(0.3)
            raise

    async def leave_one_half_cancelled():
        scheduler.rpc._connect = connection
        opening = asyncio.ensure_future(scheduler.rpc.connect(address))
        await asyncio.sleep(0.1)
        scheduler.rpc.remove(address)  # as when a worker leaves
        await asyncio.sleep(0.0)
        return opening

    opening = workers._cluster.sync(leave_one_half_cancelled)
    workers.close()
    assert opening.done() and isinstance(opening.exception(), CommClosedError)
    assert str(scheduler.status) == str(workers._cluster.status) == "Status.closed"
    assert listening() == set()


def test_a_process_that_cannot_work_says_why(workers, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("DASK_TEMPORARY_DIRECTORY", str(tmp_path / "file"))  # no worker can have a folder below it

    def complained():
        workers.hold()
        return bool(workers.complaint)

    until(complained)
    assert "Error: " in workers.complaint
