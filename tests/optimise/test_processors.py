"""Processors of different types are detected, named once and kept on record; kernels are compiled once on each node."""

import subprocess
import sys
from itertools import pairwise

import cheap_evaluation
from cheap_evaluation import campaign_of, prepare_nothing

from optimise.executors.processors import Processors, processor_type, read_processors
from optimise.search.campaign import run_campaign

ZEN, LAKE = "AMD EPYC 7763 (znver3-1a2b3c)", "Intel Xeon 8360Y (icelake-server-4d5e6f)"


def test_types_are_said_once_and_kept_from_run_to_run(tmp_path):
    said = []
    first = Processors(tmp_path, said.append)
    for processor in (ZEN, "AMD EPYC 7713 (znver3-1a2b3c)", ZEN):
        first.took_part(processor)
    assert said == [], "models that compile to the same kernels give the same bits"
    again = Processors(tmp_path, said.append)
    for processor in (LAKE, ZEN, LAKE):
        again.took_part(processor)
    assert len(said) == 1 and ZEN in said[0] and LAKE in said[0]
    assert read_processors(tmp_path)[-1] == LAKE and len(read_processors(tmp_path)) == 3
    assert read_processors(tmp_path / "elsewhere") == []


def test_the_type_of_this_processor_is_the_same_in_another_process():
    code = "from optimise.executors.processors import processor_type\nprint(processor_type())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == processor_type() != ""


def test_the_first_evaluation_on_a_node_is_alone_while_kernels_may_be_compiled(tmp_path, case, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "node"))
    monkeypatch.setenv("CHEAP_EVALUATION_FLAG", str(tmp_path / "times"))
    cluster = {"kind": "local", "workers": 2}
    campaign = campaign_of(trials=9, sampler={"kind": "qmc"}, cluster=cluster)
    evaluate = cheap_evaluation.bowl_that_writes_when
    result = run_campaign(campaign, case, tmp_path / "c", evaluate=evaluate, prepare=prepare_nothing)
    assert len(result.records) == 9
    lines = (tmp_path / "times").read_text(encoding="utf-8").splitlines()
    # the nominal line in the driver, then on the node one that is dropped and eight that count
    times = sorted(tuple(map(float, line.split())) for line in lines)[1:]
    assert len(times) == 9
    assert times[1][0] >= times[0][1], "others begin when the first is done"
    # a busy machine may wake one worker late, so that the first pair alone would say little
    assert any(later[0] < earlier[1] for earlier, later in pairwise(times[1:])), "and then side by side"
