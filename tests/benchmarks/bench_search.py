"""Searches against each other: sigma of the best design so far against processor seconds, by several seeds.

The environment chooses how much: BENCH_SEEDS (1,2,...), BENCH_SECONDS (processor seconds of a search), BENCH_CASES
and BENCH_METHODS (names below, separated by commas), BENCH_OVERRIDES (of every case, separated by spaces). 120 seconds
of a processor are a minute of two cores. Four cases, four methods and three seeds take an hour and a half of one idle
core. Every steady state is that of the operator, unless overrides say otherwise.
"""

import os
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

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
# each one is a list of samplers that share the time, a later one with the best designs of the one before
METHODS = {
    "cma_es": ["cma_es"],
    "tpe": ["tpe"],
    "gaussian_process": ["gaussian_process"],
    "gaussian_process_after_cma_es": ["cma_es", "gaussian_process"],
}
PARTS = 4


def chosen(name, standard):
    return [text for text in os.environ.get(name, standard).split(",") if text]


class Stopwatch:
    """Evaluation that stops its search when the processor time is used up; keeps the best feasible value."""

    def __init__(self):
        self.begin, self.end, self.trace, self.designs = time.process_time(), np.inf, [], 0

    @property
    def spent(self):
        return time.process_time() - self.begin

    def __call__(self, job, setting):
        if self.spent > self.end:
            raise KeyboardInterrupt
        found = evaluate(job, setting)
        self.designs += 1
        if found.feasible and found.sigma_N < min((v for _, v in self.trace), default=np.inf):
            self.trace.append((self.spent, found.sigma_N))
        return found

    def best_at(self, seconds):
        return min((value for when, value in self.trace if when <= seconds), default=np.nan)


def searched(overrides, method, seed, seconds, start):
    """Stopwatch of one search, whose common start is given."""
    with tempfile.TemporaryDirectory() as folder:
        watch = Stopwatch()
        for part, sampler in enumerate(METHODS[method]):
            before = [f"warm_start={folder}/{part - 1}"] if part else []
            typed = [
                *overrides,
                f"seed={seed}",
                "cluster=serial",
                "trials=2000",
                *before,
                *f"sampler={sampler}".split(),
            ]
            job = compose(typed).job
            watch.end = seconds * (part + 1) / len(METHODS[method])
            with pytest.raises(Interrupted):
                run_campaign(
                    campaign_of(job), case_of_job(job), Path(folder) / str(part), evaluate=watch, prepare=start
                )
    return watch


@pytest.mark.benchmark
@pytest.mark.parametrize("name", chosen("BENCH_CASES", ",".join(CASES)))
def test_searches(figure, name):
    seeds, seconds = chosen("BENCH_SEEDS", "1,2,3"), float(os.environ.get("BENCH_SECONDS", "120"))
    starts = {}

    def start(case, directions=True):
        key = case.model_dump_json()
        if key not in starts:
            starts[key] = prepare(case, directions)
        return starts[key]

    more = os.environ.get("BENCH_OVERRIDES", "periodic.method=operator").split()
    overrides = [*CASES[name], "learned_directions=false", *more]
    searched(overrides, "gaussian_process", 1, 0.0, start)  # the start, and what is compiled
    figure(f"{name}: sigma of the best design", f"processor seconds beyond the common start; {len(seeds)} seeds")
    ends = {}
    for method in chosen("BENCH_METHODS", ",".join(METHODS)):
        found = [searched(overrides, method, int(seed), seconds, start) for seed in seeds]
        for part in range(1, PARTS + 1):
            at = seconds * part / PARTS
            values = ", ".join(f"{watch.best_at(at):.2f}" for watch in found)
            figure(f"  {method}, {at:.0f} s", f"{values} N")
        figure(f"  {method}: designs", ", ".join(str(watch.designs) for watch in found))
        assert all(watch.trace for watch in found)
        ends[method] = [watch.best_at(seconds) for watch in found]
    least = min(min(values) for values in ends.values())
    for method, values in ends.items():
        above = [100.0 * (value / least - 1.0) for value in (np.median(values), max(values))]
        figure(
            f"  {method}: median; worst above the best of this run", f"{above[0]:.1f}; {above[1]:.1f} %", "worst 2 %"
        )
