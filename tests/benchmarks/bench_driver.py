"""Driver's CPU time per trial: CMA-ES, first 1,000 trials, evaluations that cost nothing."""

import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "optimise"))

import cheap_evaluation

from optimise.search.campaign import run_campaign

TRIALS = 1000
REACH_MS = 8.0


@pytest.mark.benchmark
@pytest.mark.parametrize("kind", ["heights", "spacing", "both"])
def test_driver_time_per_trial(tmp_path, kind, figure):
    campaign = cheap_evaluation.campaign_of(trials=TRIALS, design={"kind": kind})
    case = cheap_evaluation.case_of()
    begin, wall = time.process_time(), time.perf_counter()
    run_campaign(campaign, case, tmp_path, evaluate=cheap_evaluation.bowl, prepare=cheap_evaluation.prepare_nothing)
    cpu, wall = time.process_time() - begin, time.perf_counter() - wall
    figure(
        f"driver, CMA-ES, {TRIALS} trials, {kind}",
        f"{1e3 * cpu / TRIALS:.2f} ms of processor time a trial (wall {1e3 * wall / TRIALS:.2f} ms, files included)",
        f"<= {REACH_MS:g} ms",
    )
