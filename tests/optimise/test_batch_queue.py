"""What the commands of batch systems print about jobs, read as it is printed; a job's last words."""

import os

import pytest

from optimise.executors.deployments.batch_queue import end_of_log, named, states_of, words

SQUEUE = """\
11|RUNNING|None|node7
12|CANCELLED|None|
13|PENDING|Resources|
14|FAILED|NonZeroExitCode|node7
15|PENDING|launch failed requeued held|
"""
QSTAT = """\
Job id            Name             User              Time Use S Queue
----------------  ---------------- ----------------  -------- - -----
21.pbs-server     catenary         somebody          00:00:01 R workq
22.pbs-server     catenary         somebody          00:00:00 Q workq
23.pbs-server     catenary         somebody          00:00:00 H workq
24.pbs-server     catenary         somebody          00:00:00 C workq
"""


@pytest.fixture
def answers(tmp_path, monkeypatch):
    """Function that makes a command of a batch system print a text."""
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    def answer(name, text, code=0):
        (tmp_path / f"{name}.txt").write_text(text)
        (tmp_path / name).write_text(f"#!/bin/sh\ncat {tmp_path / name}.txt\nexit {code}\n")
        (tmp_path / name).chmod(0o755)

    return answer


def over(states):
    return [job for job, state in states.items() if state.over]


def test_jobs_of_slurm(answers):
    answers("squeue", SQUEUE)
    states = states_of("slurm", ["11", "12", "13", "14", "15", "16"])
    assert over(states) == ["12", "14", "16"]
    assert [job for job, state in states.items() if state.held] == ["15"]
    assert states["14"].word == "FAILED on node7, NonZeroExitCode" and states["16"].word == "no longer known"
    assert words({job: states[job] for job in ("12", "16")}) == "CANCELLED; no longer known"


def test_jobs_of_pbs_by_the_number_that_a_list_does_not_cut_short(answers):
    answers("qstat", QSTAT)
    states = states_of("pbs", [f"{number}.pbs-server.example.org" for number in range(21, 26)])
    assert [job[:2] for job in over(states)] == ["24", "25"]
    assert [job[:2] for job, state in states.items() if state.held] == ["23"]


@pytest.mark.parametrize("kind", ["slurm", "pbs"])
def test_a_batch_system_that_does_not_answer_has_said_nothing(answers, kind):
    answers({"slurm": "squeue", "pbs": "qstat"}[kind], "", code=1)
    assert states_of(kind, ["11"]) is None


def test_the_last_lines_of_a_job_and_the_names_of_jobs(tmp_path):
    (tmp_path / "catenary-11.out").write_text("started\n")
    (tmp_path / "catenary-11.err").write_text("one\n\ntwo\nthree\nthe module is unknown\n")
    (tmp_path / "catenary-12.err").write_text("")
    assert (
        end_of_log(tmp_path, "11") == f"{tmp_path / 'catenary-11.err'} ends with: two / three / the module is unknown"
    )
    assert end_of_log(tmp_path, "12") == "" and end_of_log(tmp_path / "none", "11") == ""
    assert named(["11"]) == "job 11" and named(["11", "12"]) == "each of the jobs 11, 12"
