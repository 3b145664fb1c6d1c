"""A real SLURM of one node on this machine: munged, slurmctld and slurmd of the test's own, next to any other."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

DAEMONS = ("munged", "slurmctld", "slurmd")
APT = "apt-get install slurm-wlm munge"
CONFIGURATION = """\
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:{share}
"""
SECONDS_TO_START = 90.0
# jobs on one core at a time, so that tests of several jobs run on a machine of two
SHARE = 4


def missing() -> list[str]:
    """Programs that are not there."""
    places = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
    return [name for name in (*DAEMONS, "sbatch", "squeue") if shutil.which(name, path=places) is None]


class OneNodeSlurm:
    """The three daemons; ``environment`` is what its commands need."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes: list[subprocess.Popen] = []
        self.environment = {"SLURM_CONF": str(folder / "slurm.conf")}

    def start(self) -> None:
        """Start the daemons and wait until the node takes jobs."""
        for name in ("state", "spool"):
            (self._folder / name).mkdir(mode=0o755)
        self._configure()
        key = self._folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(128))
        files = {"socket": "munge.socket", "key-file": key.name, "pid-file": "munge.pid", "seed-file": "munge.seed"}
        munge = [f"--{name}={self._folder / file}" for name, file in files.items()]
        munge.append(f"--log-file={self._folder / 'munge.log'}")
        self._run("munged", "--foreground", "--force", *munge)
        self._until("munged", lambda: (self._folder / "munge.socket").exists())
        self._run("slurmctld", "-D")
        self._run("slurmd", "-D", "-N", socket.gethostname().partition(".")[0])
        self._until("the node", lambda: self.ask("sinfo", "--noheader", "--format=%T") == "idle")

    def ask(self, *command: str) -> str:
        """What a command of SLURM prints."""
        environment = {**os.environ, **self.environment}
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=60
        ).stdout.strip()

    def stop(self) -> None:
        """Cancel every job and end the daemons."""
        with contextlib.suppress(subprocess.SubprocessError, OSError):
            self.ask("scancel", "--state=RUNNING")
            self.ask("scancel", "--state=PENDING")
        for process in reversed(self._processes):
            process.send_signal(signal.SIGTERM)
        for process in self._processes:
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _configure(self) -> None:
        with contextlib.ExitStack() as stack:
            ports = []
            for _ in range(2):
                taken = stack.enter_context(socket.socket())
                taken.bind(("127.0.0.1", 0))
                ports.append(taken.getsockname()[1])
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
        text = CONFIGURATION.format(
            folder=self._folder, host=socket.gethostname().partition(".")[0], user=_user(), cpus=os.cpu_count(),
            memory=int(0.9 * memory), controller_port=ports[0], node_port=ports[1], share=SHARE,
        )  # fmt: skip
        (self._folder / "slurm.conf").write_text(text, encoding="utf-8")

    def _run(self, name: str, *arguments: str) -> None:
        places = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
        command = [shutil.which(name, path=places) or name, *arguments]
        environment = {**os.environ, **self.environment}
        with open(self._folder / f"{name}.out", "wb") as out:
            process = subprocess.Popen(
                command, env=environment, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                start_new_session=True, cwd=self._folder,
            )  # fmt: skip
        self._processes.append(process)

    def _until(self, what: str, ready) -> None:
        end = time.monotonic() + SECONDS_TO_START
        while time.monotonic() < end:
            if ready():
                return
            ended = [p.args for p in self._processes if p.poll() is not None]
            if ended:
                break
            time.sleep(0.2)
        files = [f for f in self._folder.iterdir() if f.suffix in (".log", ".out")]
        logs = "\n".join(f"{f.name}: {f.read_text(errors='replace')[-1500:]}" for f in files)
        raise RuntimeError(f"{what} is not ready:\n{logs}")


def _user() -> str:
    import pwd

    return pwd.getpwuid(os.getuid()).pw_name
