"""Searches against each other: sigma of the best design so far against processor seconds, by several seeds.

The environment chooses how much: BENCH_SEEDS (1,2,...), BENCH_SECONDS (processor seconds of a search), BENCH_CASES
and BENCH_METHODS (names of `searches`, separated by commas), BENCH_OVERRIDES (of every case, separated by spaces). 120
seconds of a processor are a minute of two cores. Four cases, four methods and three seeds take an hour and a half of
one idle core. Every steady state is that of the operator, unless overrides say otherwise. What is compiled does not
count. Ends are held against the best known designs (`best_known.py`).
"""

import os

import numpy as np
import pytest
from best_known import known
from searches import BY_OPERATOR, CASES, METHODS, SharedStart, searched

PARTS = 4


def chosen(name, standard):
    return [text for text in os.environ.get(name, standard).split(",") if text]


@pytest.mark.benchmark
@pytest.mark.parametrize("name", chosen("BENCH_CASES", ",".join(CASES)))
def test_searches(figure, name):
    seeds, seconds = chosen("BENCH_SEEDS", "1,2,3"), float(os.environ.get("BENCH_SECONDS", "120"))
    own = os.environ.get("BENCH_OVERRIDES", "").split()
    overrides = [*CASES[name], *BY_OPERATOR, *own]
    start = SharedStart(overrides)
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
    kept = None if own else known().get(name)
    if kept:
        seconds_of = sum(one["processor_s"] for some in kept["searches"].values() for one in some)
        figure(f"  best known, {len(kept['searches'])} methods, {seconds_of / 3600:.1f} h", f"{kept['sigma_N']:.2f} N")
        least = min(least, kept["sigma_N"])
    for method, values in ends.items():
        above = [100.0 * (value / least - 1.0) for value in (np.median(values), max(values))]
        figure(f"  {method}: median; worst above the best known", f"{above[0]:.1f}; {above[1]:.1f} %", "worst 2 %")
