"""Campaigns on clusters: a scheduler that runs already, and the job script of PBS."""

import contextlib
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import cheap_evaluation
import psutil
import pytest
from cheap_evaluation import campaign_of, prepare_nothing
from cluster_campaigns import PATHS, QMC, ROOT, SOON, run, table

from catenary.errors import InputError
from optimise.executors.deployments.batch import job_script
from optimise.search.campaign import Interrupted, load_result, run_campaign
from optimise.spec.cluster import ClusterSpec

SH = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def case():
    return cheap_evaluation.case_of()


def readme_commands(port):
    """Documented commands for a cluster without a batch system, with a port that is free."""
    (block,) = [
        b for b in SH.findall((ROOT / "docs/how-to/cluster.md").read_text(encoding="utf-8")) if "certificates" in b
    ]
    return [line.replace("8786", str(port)) for line in block.splitlines()]


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Commands:
    """Commands of a shell in a folder, with the project's own programs on the path."""

    def __init__(self, folder):
        self.folder, self.started = folder, []
        programs = folder / "bin"
        programs.mkdir()
        for name, module in (("catenary", "studies.cli"), ("dask", "dask")):
            (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {module} "$@"\n')
            (programs / name).chmod(0o755)
        self.environment = {**os.environ, "PYTHONPATH": PATHS, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}

    def run(self, line):
        return subprocess.run(
            line, shell=True, cwd=self.folder, env=self.environment, check=False, text=True, capture_output=True
        )

    def start(self, line):
        with open(self.folder / f"{len(self.started)}.log", "wb") as log:
            process = subprocess.Popen(
                f"exec env {line}", shell=True, cwd=self.folder, env=self.environment, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        self.started.append(process)
        return process

    def until(self, number, text):
        """Wait until a command has printed a text."""
        end = time.monotonic() + 90.0
        log = self.folder / f"{number}.log"
        while text not in log.read_text(errors="replace"):
            assert time.monotonic() < end and self.started[number].poll() is None, log.read_text(errors="replace")
            time.sleep(0.2)

    def stop(self):
        for process in self.started:
            with contextlib.suppress(psutil.Error):
                for child in psutil.Process(process.pid).children(recursive=True):
                    with contextlib.suppress(psutil.Error):
                        child.kill()
            process.kill()
            process.wait()


@pytest.fixture
def commands(tmp_path):
    found = Commands(tmp_path)
    yield found
    found.stop()


@pytest.fixture
def on_address(commands, tmp_path):
    """Cluster of a scheduler and two workers, started as the documentation says."""
    pytest.importorskip("bokeh")
    port, pages = free_port(), free_port()
    made, scheduler, worker, campaign = (line.replace("8787", str(pages)) for line in readme_commands(port))
    assert commands.run(made).returncode == 0
    commands.start(scheduler)
    commands.until(0, "Scheduler at:")
    commands.start(worker)
    commands.until(1, "Registered to:")
    shown = commands.run(f"{campaign} --cfg job")
    assert shown.returncode == 0 and f"tls://localhost:{port}" in shown.stdout, shown.stderr
    cluster = {"kind": "address", "address": f"tls://localhost:{port}", "watchdog": SOON}
    return {**cluster, "certificates": str(tmp_path / "certificates")}, f"http://127.0.0.1:{pages}/status"


def test_a_scheduler_started_as_the_readme_says_speaks_tls_alone(on_address, commands, tmp_path, case):
    from distributed import Client

    cluster, pages = on_address
    result = run(tmp_path / "c", case, cluster)
    assert table(result) == table(run(tmp_path / "here", case, {"kind": "serial"}))
    with urllib.request.urlopen(pages, timeout=30) as answer:
        assert answer.status == 200 and b"bokeh" in answer.read().lower()
    log = "".join(f.read_text(errors="replace") for f in tmp_path.glob("*.log"))
    assert "tcp://" not in log
    # somebody with a certificate of his own, and somebody with none
    foreign = {**cluster, "certificates": str(tmp_path / "foreign")}
    assert commands.run("catenary certificates run_dir=foreign").returncode == 0
    with pytest.raises(Interrupted, match=r"does not answer as a Dask.*; with cluster\.address and cluster\.cert"):
        run(tmp_path / "foreign_campaign", case, foreign)
    with pytest.raises(OSError):
        Client(cluster["address"].replace("tls", "tcp"), timeout=3, set_as_default=False)


def test_a_scheduler_that_is_killed_ends_the_campaign_and_another_continues(on_address, commands, tmp_path, case):
    cluster, _ = on_address

    def kill(progress):
        if progress.done >= 4:
            commands.started[0].send_signal(signal.SIGKILL)

    campaign = campaign_of(**{**QMC, "trials": 60, "cluster": cluster})
    begin = time.monotonic()
    with pytest.raises(Interrupted, match="the same command resumes") as ended:
        run_campaign(
            campaign, case, tmp_path / "c", progress=kill, evaluate=cheap_evaluation.slow_bowl, prepare=prepare_nothing
        )
    assert ended.value.exit_code == 75 and time.monotonic() - begin < 60.0
    kept = [r for r in load_result(tmp_path / "c").records if r.outcome is not None]
    assert 4 <= len(kept) < 60
    result = run(tmp_path / "c", case, {"kind": "serial"}, trials=60)
    assert {r.number: r for r in kept}.items() <= {r.number: r for r in result.records}.items()


def test_plain_tcp_is_refused_unless_asked_for(tmp_path, case):
    for address in ("tcp://node17:8786", "tcp://192.0.2.1:8786"):
        with pytest.raises(ValueError, match="must begin with tls:// beyond this machine"):
            ClusterSpec(kind="address", address=address)
        assert not ClusterSpec(kind="address", address=address, transport="plain").encrypted
    assert not ClusterSpec(kind="address", address="tcp://127.0.0.1:8786").encrypted
    batch = {"kind": "slurm", "batch": {}, "certificates": str(tmp_path / "c")}
    assert "--protocol tls://" in job_script(ClusterSpec.model_validate(batch))
    plain = job_script(ClusterSpec.model_validate({**batch, "transport": "plain"}))
    assert "tls" not in plain and "tcp://" in plain
    nobody = {"kind": "address", "address": f"tcp://127.0.0.1:{free_port()}"}
    with pytest.raises(InputError, match="does not answer"):
        run(tmp_path / "nobody", case, nobody)
    assert not (tmp_path / "nobody").exists()


def test_the_job_script_of_pbs(tmp_path):
    batch = {
        "jobs": 3, "cores": 8, "memory_GB": 16.0, "wall_time_h": 36.5, "worker_life_h": 30.0, "life_stagger_h": 0.5,
        "queue": "long", "account": "rail", "directives": ["-l place=excl"], "commands": ["module load python"],
        "interface": "lo", "local_directory": "/scratch", "orphan_s": 90.0,
    }  # fmt: skip
    spec = ClusterSpec.model_validate({"kind": "pbs", "certificates": str(tmp_path / "c"), "batch": batch})
    assert spec.wanted_workers == 24
    script = job_script(spec, tmp_path / "campaign")
    lines = script.splitlines()
    assert lines[0].startswith("#!/")
    for directive in ("-q long", "-A rail", "-l select=1:ncpus=8:mem=15GB", "-l walltime=36:30:00", "-l place=excl"):
        assert f"#PBS {directive}" in lines, script
    command = shlex.split(next(line for line in lines if "dask_worker" in line))
    given = dict(zip(command, [*command[1:], ""], strict=True))
    wanted = {
        "--nworkers": "8", "--nthreads": "1", "--lifetime": "108000s", "--lifetime-stagger": "1800s",
        "--interface": "lo", "--local-directory": "/scratch", "--death-timeout": "90.0",
        "--tls-ca-file": str(tmp_path / "c" / "certificate.pem"), "--tls-key": str(tmp_path / "c" / "key.pem"),
        "--dashboard-address": "127.0.0.1:0",
    }  # fmt: skip
    assert {name: given.get(name) for name in wanted} == wanted
    # what stands before the workers is run here: threads and the folder for kernels, once for all workers of a node
    before = [line for line in lines if not line.startswith("#") and "dask_worker" not in line and "module" not in line]
    shell = "\n".join(before).replace("/scratch", str(tmp_path)) + "\nenv\nstat -c %a $NUMBA_CACHE_DIR"
    out = subprocess.run(["bash", "-eu", "-c", shell], capture_output=True, text=True, check=True).stdout
    for name in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
        assert f"{name}_NUM_THREADS=1" in out.splitlines()
    assert re.search(rf"^NUMBA_CACHE_DIR={tmp_path}/catenary-kernels-\d+-[0-9a-f]{{12}}$", out, re.MULTILINE)
    assert out.splitlines()[-1] == "700"
