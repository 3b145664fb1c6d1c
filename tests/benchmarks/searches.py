"""Searches on processor time: the cases and methods that are compared, and one search with its best design so far."""

import contextlib
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dynamics.solution import solve
from dynamics.spec.case import case_of as case_of_job
from optimise.evaluation.evaluate import evaluate, prepare
from optimise.search.campaign import Interrupted, run_campaign
from optimise.spec.jobs import campaign_of
from studies.commands.optimise import compose

FIVE = "scenarios.speeds_kmh=[270,285,300,315,330]"
CASES = {
    "re330_both": ["experiment=demo_single"],
    "bruni_heights": ["experiment=bruni_heights"],
    "re330_both_five_speeds": ["experiment=demo_single", FIVE],
    "bruni_heights_five_speeds": ["experiment=bruni_heights", "scenarios.speeds_kmh=[290,305,320,335,350]"],
}
# five speeds, at each the line as eight fitters leave it: forty runs a design
ROBUST = {"re330_both_robust": ["experiment=demo_single", "scenarios=robust", FIVE]}


class Stage(NamedTuple):
    """A campaign up to a share of the time; a later stage has the best designs of the one before."""

    end: float
    overrides: tuple[str, ...]


METHODS = {
    "cma_es": [Stage(1.0, ("sampler=cma_es",))],
    "tpe": [Stage(1.0, ("sampler=tpe",))],
    "gaussian_process": [Stage(1.0, ("sampler=gaussian_process",))],
    "gaussian_process_after_cma_es": [Stage(0.5, ("sampler=cma_es",)), Stage(1.0, ("sampler=gaussian_process",))],
}
# of lines with errors: all speeds on the line without any, then a polish of its best designs as fitters leave them
PERFECT = "scenarios.errors.length_sd_mm=0"
FITTED = ("trials=6", "polish.best=3")
ROBUST_METHODS = {
    **METHODS,
    "speeds_then_fitted": [
        Stage(0.2, ("sampler=gaussian_process", PERFECT)),
        Stage(1.0, ("sampler=gaussian_process", *FITTED)),
    ],
}
BY_OPERATOR = ["learned_directions=false", "periodic.method=operator"]


class Stopwatch:
    """Evaluation that stops its search when the processor time is used up; keeps the best feasible design."""

    def __init__(self):
        self.begin, self.end, self.designs = time.process_time(), np.inf, 0
        self.trace, self.line = [], None

    @property
    def spent(self):
        return time.process_time() - self.begin

    def __call__(self, job, setting):
        if self.designs and self.spent > self.end:  # the nominal line is always among them
            raise KeyboardInterrupt
        found = evaluate(job, setting)
        self.designs += 1
        if found.feasible and found.sigma_N < min((v for _, v in self.trace), default=np.inf):
            self.trace.append((self.spent, found.sigma_N))
            self.line = job.catenary
        return found

    def best_at(self, seconds):
        return min((value for when, value in self.trace if when <= seconds), default=np.nan)


class SharedStart:
    """What searches of one case begin with, prepared once, and all compiled that a search may need."""

    def __init__(self, overrides):
        self._known = {}
        searched(overrides, "gaussian_process", 1, 0.0, self)
        case = case_of_job(compose(overrides).job)
        solve(case.model_copy(update={"periodic": case.periodic.model_copy(update={"method": "march"})}))

    def __call__(self, case, directions=True):
        key = case.model_dump_json()
        if key not in self._known:
            self._known[key] = prepare(case, directions)
        return self._known[key]


def searched(overrides, method, seed, seconds, start):
    """Stopwatch of one search, whose common start is given."""
    with tempfile.TemporaryDirectory() as folder:
        watch = Stopwatch()
        for part, stage in enumerate(ROBUST_METHODS[method]):
            before = [f"warm_start={folder}/{part - 1}"] if part else []
            trials = 2000 if "sampler=gaussian_process" in stage.overrides else 20000
            own = [f"seed={seed}", "cluster=serial", f"trials={trials}", *stage.overrides]
            job = compose([*overrides, *own, *before]).job
            watch.end = seconds * stage.end
            with contextlib.suppress(Interrupted):
                run_campaign(
                    campaign_of(job), case_of_job(job), Path(folder) / str(part), evaluate=watch, prepare=start
                )
            if PERFECT in stage.overrides:  # what it found is of another line
                watch.trace.clear()
    return watch
