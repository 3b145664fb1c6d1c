"""The documented commands for a machine without a network, run as they stand there."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NO_NETWORK = {
    "PIP_INDEX_URL": "http://127.0.0.1:9/",
    "PIP_EXTRA_INDEX_URL": "",
    "PIP_FIND_LINKS": "",
    "PIP_CONFIG_FILE": os.devnull,
}


def commands():
    """The two lines: with a network, and without one."""
    (block,) = [
        b for b in BLOCK.findall((ROOT / "docs/how-to/cluster.md").read_text(encoding="utf-8")) if "wheelhouse" in b
    ]
    return [line.split("#")[0].strip() for line in block.splitlines()]


@pytest.mark.validate
@pytest.mark.timeout(3600)
def test_an_environment_is_made_from_a_wheelhouse_without_a_network(tmp_path):
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tmp_path / name)
    fetch, install = commands()
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "PYTHONPATH"))}
    alone = {k: v for k, v in environment.items() if not k.startswith("PIP_")} | NO_NETWORK
    subprocess.run(fetch, shell=True, cwd=tmp_path, env=environment, check=True)
    shutil.rmtree(tmp_path / ".venv")
    apart = "unshare --net " if os.geteuid() == 0 and shutil.which("unshare") else ""
    subprocess.run(f"{apart}{install}", shell=True, cwd=tmp_path, env=alone, check=True)
    said = subprocess.run(
        [tmp_path / ".venv" / "bin" / "catenary", "--version"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert said.stdout.startswith("catenary ")
