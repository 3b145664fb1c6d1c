"""Campaigns of cheap evaluations that clusters are tested with, and what their tables hold."""

import os
from pathlib import Path

import cheap_evaluation
from cheap_evaluation import campaign_of, prepare_nothing

from optimise.search.campaign import run_campaign

ROOT = Path(__file__).resolve().parents[2]
PATHS = os.pathsep.join((str(ROOT), str(ROOT / "tests" / "optimise")))
SOON = {"silence_s": 5.0, "no_workers_s": 2.0}
QMC = {"trials": 16, "sampler": {"kind": "qmc"}}


def run(folder, case, cluster, evaluate="bowl", **content):
    campaign = campaign_of(**{**QMC, "cluster": cluster, **content})
    return run_campaign(campaign, case, folder, evaluate=getattr(cheap_evaluation, evaluate), prepare=prepare_nothing)


def table(result):
    return [(r.number, r.values, r.outcome.sigma_N) for r in result.records]
