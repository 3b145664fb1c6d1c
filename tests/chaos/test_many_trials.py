"""Ten thousand designs on record: what one more costs the driver, how long resuming and the state of it take."""

import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cheap_evaluation import bowl, campaign_of, prepare_nothing
from record_of import full

from optimise.search.campaign import run_campaign

REACH_MS, RESUME_S, STATUS_S = 8.0, 5.0, 1.0
ROOT = Path(__file__).resolve().parents[2]
SAMPLERS = {
    "qmc": {"sampler": {"kind": "qmc"}},
    "nsga2": {"sampler": {"kind": "nsga2"}, "objectives": ["sigma", "uplift"]},
    "cma_es": {"sampler": {"kind": "cma_es"}},
    "tpe": {"sampler": {"kind": "tpe"}},
}
HELD = ("qmc", "nsga2")  # the others are printed


def seconds_of(program, *arguments):
    """Wall time of a Python program from its start to its end, and what it printed."""
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return time.perf_counter() - begin, done.stdout


STATUS = "import sys; from studies.cli import main; sys.exit(main(['status', 'run_dir=' + sys.argv[1]]))"
RESUME = """
import os, sys
sys.path[:0] = ['tests/optimise']
from pathlib import Path
from cheap_evaluation import bowl, prepare_nothing
from optimise.record.campaign_folder import CampaignFolder
from optimise.search.campaign import run_campaign
folder = CampaignFolder(Path(sys.argv[1]))
campaign, case, _ = folder.read_input()
def first_one_more(task, setting):
    print(task.number, flush=True)
    os._exit(0)  # killed while the first further design is in flight
run_campaign(campaign.model_copy(update={'trials': campaign.trials + 50}), case, folder.path, evaluate=first_one_more,
             prepare=prepare_nothing)
"""


@pytest.mark.parametrize(
    ("kind", "trials"),
    [
        pytest.param("qmc", 300, id="qmc-short"),
        pytest.param("nsga2", 300, id="nsga2-short"),
        *(full(kind, 10_000 if kind != "tpe" else 2_000, minutes=60, name=f"{kind}-full") for kind in SAMPLERS),
    ],
)
def test_one_more_design_resuming_and_status(tmp_path, case, figures, kind, trials):
    campaign = campaign_of(trials=trials, **SAMPLERS[kind])
    last, spent = max(1, trials // 10), {}

    def note(progress):
        spent.setdefault(progress.done, time.process_time())

    run_campaign(campaign, case, tmp_path, progress=note, evaluate=bowl, prepare=prepare_nothing)
    mean = 1e3 * (spent[trials] - spent[2]) / (trials - 2)
    late = 1e3 * (spent[trials] - spent[trials - last]) / last
    resume, number = seconds_of(RESUME, tmp_path)
    assert int(number) == trials
    status, line = seconds_of(STATUS, tmp_path)
    assert f"{trials}/{trials + 50} designs" in line
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures(
        f"{trials} designs: {mean:.1f} ms of the driver's processor a design, {late:.1f} ms in the last tenth; resume "
        f"{resume:.1f} s, status {status:.2f} s (both from the command to the end); {memory:.0f} MiB"
    )
    if kind in HELD and trials >= 10_000:
        assert late <= REACH_MS
        assert resume <= RESUME_S
        assert status <= STATUS_S
