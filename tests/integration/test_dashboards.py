"""Live pages of a campaign, on the loopback alone: Dask's while it runs, Optuna's on its record, left as it is."""

import os
import re
import shlex
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import cheap_evaluation
import pytest
from cheap_evaluation import campaign_of, prepare_nothing

from optimise.search.campaign import run_campaign

ROOT = Path(__file__).resolve().parents[2]
SH = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def fetched(address, seconds=60.0):
    """What a page answers, as soon as somebody listens."""
    end = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(address, timeout=20) as answer:
                assert answer.status == 200
                return answer.read().decode("utf-8", "replace")
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() > end:
                raise
            time.sleep(0.3)


def program(name):
    found = Path(sys.executable).with_name(name)
    if not found.exists():
        text = f"{name} is not installed next to {sys.executable}; make venv installs it"
        if os.environ.get("CI") == "true":
            pytest.fail(text)
        pytest.skip(text)
    return str(found)


def test_both_pages_answer(tmp_path):
    name = program("optuna-dashboard")
    port, pages = free_port(), []

    def look(progress):
        if not pages:
            pages.append(fetched(f"http://127.0.0.1:{port}/status"))

    cluster = {"kind": "local", "workers": 1, "dashboard_port": port}
    campaign = campaign_of(trials=6, sampler={"kind": "qmc"}, cluster=cluster, name="first")
    folder = tmp_path / "outputs" / "campaigns" / "first"
    case = cheap_evaluation.case_of()
    evaluate = cheap_evaluation.bowl
    run_campaign(campaign, case, folder, progress=look, evaluate=evaluate, prepare=prepare_nothing)
    assert "bokeh" in pages[0].lower()

    record = (folder / "journal.log").read_bytes()
    (line,) = [
        b for b in SH.findall((ROOT / "docs/how-to/cluster.md").read_text(encoding="utf-8")) if "optuna-dashboard" in b
    ]
    port = free_port()
    words = shlex.split(line.replace("8080", str(port)))
    assert words[0] == "optuna-dashboard" and "127.0.0.1" in words, "reached on this machine alone"
    with open(tmp_path / "log", "wb") as log:
        shown = subprocess.Popen([name, *words[1:]], cwd=tmp_path, stdout=log, stderr=subprocess.STDOUT)
    try:
        studies = fetched(f"http://127.0.0.1:{port}/api/studies")
        assert '"first"' in studies
    finally:
        shown.kill()
        shown.wait()
    assert (folder / "journal.log").read_bytes() == record
