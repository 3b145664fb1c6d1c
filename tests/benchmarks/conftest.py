"""What the benchmarks share: cases as a user composes them, and one printed line a figure."""

import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from dynamics.spec.case import CaseSpec
from dynamics.spec.case import case_of as case_of_job
from studies.commands.simulate import compose

# benchmarks import what they share by name, each when it is run alone, too
sys.path.insert(0, str(Path(__file__).resolve().parent))

REPEATS = 3


@dataclass(frozen=True)
class Timing:
    """Wall times of one call repeated, the first call (compilation, caches) apart."""

    first_s: float
    repeats_s: tuple[float, ...]

    @property
    def best_s(self):
        return min(self.repeats_s)

    @property
    def median_s(self):
        return statistics.median(self.repeats_s)

    def __str__(self):
        repeated = f"best {self.best_s:.3f} s, median {self.median_s:.3f} s of {len(self.repeats_s)}"
        return f"{repeated}; first call {self.first_s:.1f} s"


@pytest.fixture
def case_of():
    """Function from the overrides of a command line to a case."""

    def case(*overrides, **settings) -> CaseSpec:
        found = case_of_job(compose(list(overrides)).job)
        return CaseSpec.model_validate({**found.model_dump(), **settings}) if settings else found

    return case


@pytest.fixture
def bruni(case_of):
    """Function from a speed and more overrides to the line of the 2015 benchmark with its pantograph."""

    def case(speed_kmh, *overrides, **settings):
        base = ("catenary=bruni_2015", "pantograph=bruni_2015", f"speed_kmh={speed_kmh}")
        return case_of(*base, *overrides, **settings)

    return case


@pytest.fixture
def figure(capsys, keep_figure):
    """Function that prints and keeps one figure: what, value with its unit, and what it should reach."""

    def line(what, value, reach=""):
        keep_figure(str(what), str(value), str(reach))
        with capsys.disabled():
            print(f"\n{what:<74} {value}" + (f"   [to reach: {reach}]" if reach else ""), end="", flush=True)

    return line


@pytest.fixture
def timed():
    """Function that calls once to warm up, then several times; the last answer and its timing."""

    def run(call, repeats=REPEATS):
        begin = time.perf_counter()
        call()
        first, spent, answer = time.perf_counter() - begin, [], None
        for _ in range(repeats):
            begin = time.perf_counter()
            answer = call()
            spent.append(time.perf_counter() - begin)
        return answer, Timing(first, tuple(spent))

    return run
