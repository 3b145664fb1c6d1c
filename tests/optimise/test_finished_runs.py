"""Runs that follow a search are on record one by one: an interruption loses those in flight, and no figure changes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import drive_table
import numpy as np
import pytest

from dynamics.accuracy.assured import on_long_window
from dynamics.solution import solve
from optimise.afterwards import finished_runs as module
from optimise.afterwards import off_design, solved_cases
from optimise.afterwards.exact_content import plain, rebuilt
from optimise.afterwards.finished_runs import FinishedRuns, RunKind
from optimise.afterwards.length_tolerance import length_tolerances
from optimise.afterwards.solved_cases import SolvedCase, solve_cases
from optimise.evaluation.job import Job
from optimise.evaluation.outcome import Outcome, OutcomeStatus, failed
from optimise.executors import SerialExecutor
from optimise.spec.campaign import ClusterSpec, OffDesignSpec
from optimise.spec.off_design import LengthToleranceSpec

SERIAL, KIND = ClusterSpec(kind="serial"), RunKind("runs", Outcome, "all")
WINDOW = {"spans_behind": 5, "spans_ahead": 6, "spans": 10, "spans_evaluated": 4}


def started(log):
    """How often each run of the table began."""
    return Counter(log.read_text(encoding="utf-8").split()) if log.exists() else Counter()


@pytest.mark.parametrize(
    ("cluster", "in_flight"), [({"kind": "serial"}, 1), ({"kind": "local", "workers": 2}, 4)], ids=["serial", "local"]
)
def test_a_killed_driver_loses_the_runs_in_flight_and_no_other(tmp_path, monkeypatch, cluster, in_flight):
    log, record = tmp_path / "log", tmp_path / "finished_runs.jsonl"
    monkeypatch.setenv(drive_table.LOG, str(log))
    program = [sys.executable, drive_table.__file__, str(record), json.dumps(cluster)]
    with subprocess.Popen(program, env=os.environ) as driver:
        end = time.monotonic() + 60.0
        while started(log).total() < 12 and time.monotonic() < end:
            time.sleep(0.005)
        driver.send_signal(signal.SIGKILL)
    killed = started(log)
    assert 12 <= killed.total() < 26, "it was killed in the middle"
    monkeypatch.setattr(off_design, "evaluate_variation", drive_table.variation)
    resumed = drive_table.table(record, SERIAL)
    twice = [number for number, count in started(log).items() if count > 1]
    assert started(log).keys() == set(map(str, range(26))) and len(twice) <= in_flight
    log.unlink()
    undisturbed = drive_table.table(tmp_path / "other.jsonl", SERIAL)
    assert started(log).total() == 26
    assert resumed == undisturbed and repr(resumed) == repr(undisturbed)


class Stop:
    """A function that is interrupted from a certain call on, and counts its calls."""

    def __init__(self, function, after=10**9):
        self.function, self.after, self.calls = function, after, 0

    def __call__(self, *given, **named):
        if self.calls == self.after:
            raise KeyboardInterrupt
        self.calls += 1
        return self.function(*given, **named)


def counts_of(monkeypatch, place, name, run, after):
    """Result of a step that is interrupted after some runs and resumed, of one that is not, and runs that each made."""
    function, results, calls = getattr(place, name), [], []
    for stopped in (True, False):
        if stopped:
            monkeypatch.setattr(place, name, Stop(function, after))
            with pytest.raises(KeyboardInterrupt):
                run(stopped)
        counted = Stop(function)
        monkeypatch.setattr(place, name, counted)
        results.append(run(stopped))
        calls.append(counted.calls)
    monkeypatch.setattr(place, name, function)
    return results, calls


def test_an_off_design_table_resumes_to_the_same_bits(tmp_path, build_case, monkeypatch):
    case = build_case("bruni_2015", 230.0, mean_force_N=121.3, solver="transient", transient=WINDOW)
    wanted = OffDesignSpec(speeds=1, samples=2, contact_stiffness=(2e5,), damping_factors=(), height_errors_mm=(2.0,),
                           length_errors_mm=(), other_dimension=False)  # fmt: skip

    def table(stopped):
        lines, runs = (Job(0, case.catenary),), FinishedRuns(tmp_path / f"{stopped}.jsonl")
        return off_design.run_conditions(case, lines, wanted, SERIAL, runs, assured=False)

    (resumed, whole), calls = counts_of(monkeypatch, off_design, "evaluate_variation", table, 3)
    assert calls == [1, 4]
    for a, b in zip(resumed, whole, strict=True):
        assert a.condition == b.condition
        timed = [[replace(o, wall_time_s={}) for o in row.outcomes] for row in (a, b)]
        assert timed[0] == timed[1] and timed[0][0].sigma_N is not None


def test_a_row_without_an_error_is_a_steady_state_too(tmp_path, build_case):
    """A march of the whole transient takes longer than a steady state with its error."""
    steady = {"method": "operator"}
    case = build_case("bruni_2015", 275.0, mean_force_N=143.4, solver="transient", transient=WINDOW, periodic=steady)
    wanted = OffDesignSpec(speeds=3, samples=1, contact_stiffness=(), damping_factors=(), height_errors_mm=(),
                           length_errors_mm=(), other_dimension=False)  # fmt: skip
    runs = FinishedRuns(tmp_path / "runs.jsonl")
    rows = off_design.run_conditions(case, (Job(0, case.catenary),), wanted, SERIAL, runs, assured=False)
    found = [row.outcomes[0] for row in rows]
    assert all(o.sigma_N > 0.0 and o.sigma_error_N is None for o in found)
    at_275 = solve(on_long_window(case.model_copy(update={"solver": "periodic"})))
    assert at_275.method == "operator"
    assert found[1].sigma_N == at_275.statistics.contact_force_std_N


def test_solved_cases_resume_to_the_same_bits(tmp_path, build_line, build_case, monkeypatch):
    """Histories, statistics, the line at rest, the error and what the other slack damping does: all is on record."""
    window, line = {"spans_behind": 5, "spans_ahead": 6}, build_line(elements_per_bay=2)
    steady = build_case(line, 275.0, mean_force_N=143.4, periodic=window)
    march = build_case(line, 230.0, mean_force_N=121.3, solver="transient", transient=WINDOW)
    cases = [(steady, True), (march, False)]

    def solved(stopped):
        return solve_cases(cases, SERIAL, FinishedRuns(tmp_path / f"{stopped}.jsonl"))

    (resumed, whole), calls = counts_of(monkeypatch, solved_cases, "solve_case", solved, 1)
    assert calls == [1, 2]
    for found, expected, (case, with_error) in zip(resumed, whole, cases, strict=True):
        assert found.case == case and found.solution.case == case and (found.error is not None) == with_error
        texts = [json.dumps(plain(untimed(run)), sort_keys=True) for run in (found, expected)]
        assert texts[0] == texts[1] and len(texts[0]) > 50_000
    assert resumed[0].slack == whole[0].slack and resumed[0].slack is not None


def untimed(run):
    """A solved case without its wall times."""
    error = None if run.error is None else replace(run.error, wall_time_s=0.0)
    return replace(run, seconds=0.0, error=error, solution=replace(run.solution, wall_time_s={}))


def test_tolerances_of_lengths_resume_to_the_same_bits(tmp_path, build_case, monkeypatch):
    """The steady states that all searches start from are on record, too."""
    case = build_case("bruni_2015", 275.0, mean_force_N=143.4, periodic={"spans_behind": 4, "spans_ahead": 5})
    wish = LengthToleranceSpec(samples=2, largest_mm=2.0, rise_percent=0.5)
    solves = Stop(module_of_tolerances.solve)
    monkeypatch.setattr(module_of_tolerances, "solve", solves)

    def tolerances(stopped):
        runs = FinishedRuns(tmp_path / f"{stopped}.jsonl")
        before = solves.calls
        found = length_tolerances(case, wish, SERIAL, runs, assured=False)
        made.append(solves.calls - before)
        return found

    made = []
    (resumed, whole), calls = counts_of(monkeypatch, module_of_tolerances, "evaluate_tolerance", tolerances, 11)
    assert calls == [2, 13], "nine searches and four lines"
    assert resumed == whole and len(resumed.droppers) == 9 and made[0] == 2 < made[1]


module_of_tolerances = sys.modules[length_tolerances.__module__]


def outcome(job, setting=None):
    return Outcome(job.number, OutcomeStatus.OK, sigma_N=1.0 / (3.0 + job.values[0]))


def run(path, values, evaluate=outcome, kind=KIND):
    """Outcomes by number, and the values that were evaluated."""
    seen = []

    def counted(job, setting):
        seen.append(job.values[0])
        return evaluate(job)

    executor = SerialExecutor(counted, None, None, print)
    jobs = [Job(number, values=(value,)) for number, value in enumerate(values)]
    return FinishedRuns(path).run_all(executor, jobs, kind), seen


def test_a_run_is_known_by_what_decides_it_and_not_by_its_number(tmp_path):
    path = tmp_path / "runs.jsonl"
    first, seen = run(path, [1.0, 2.0, 3.0])
    assert seen == [1.0, 2.0, 3.0]
    found, seen = run(path, [3.0, 5.0, 1.0])
    assert seen == [5.0] and [found[k].number for k in range(3)] == [0, 1, 2]
    assert (found[0].sigma_N, found[2].sigma_N) == (first[2].sigma_N, first[0].sigma_N)
    assert run(path, [1.0], kind=replace(KIND, common="other conditions"))[1] == [1.0]
    assert run(path, [1.0], kind=replace(KIND, name="another step"))[1] == [1.0]
    assert run(path, [1.0, 5.0])[1] == []


def test_a_run_of_other_libraries_is_made_again(tmp_path, monkeypatch):
    run(tmp_path / "runs.jsonl", [1.0])
    monkeypatch.setattr(module, "versions", lambda: {"numpy": "another"})
    assert run(tmp_path / "runs.jsonl", [1.0])[1] == [1.0]


def test_a_failure_is_run_again(tmp_path):
    """It may have been the machine's: a worker that died, a time limit."""
    path = tmp_path / "runs.jsonl"
    found, _ = run(path, [1.0, 2.0], lambda job: failed(job.number, "time limit") if job.number else outcome(job))
    assert found[1].status is OutcomeStatus.FAILED
    found, seen = run(path, [1.0, 2.0])
    assert seen == [2.0] and found[1].sigma_N == 0.2


@pytest.mark.parametrize("damage", ["torn", "changed", "foreign"])
def test_what_is_damaged_is_kept_aside_and_made_again(tmp_path, capfd, damage):
    path = tmp_path / "runs.jsonl"
    run(path, [1.0, 2.0, 3.0])
    lines = path.read_bytes().splitlines(keepends=True)
    if damage == "torn":
        path.write_bytes(b"".join(lines)[:-20])
    elif damage == "changed":
        path.write_bytes(b"".join([lines[0], lines[1].replace(b"0.2", b"0.3"), lines[2]]))
    else:
        path.write_bytes(b"".join([*lines[:2], b'{"another": "program"}\n']))
    bad = path.read_bytes()
    found, seen = run(path, [1.0, 2.0, 3.0])
    assert seen == ([2.0] if damage == "changed" else [3.0]) and found[1].sigma_N == 0.2
    assert "2 runs of it are used" in capfd.readouterr().err
    (kept,) = tmp_path.glob("runs.jsonl.damaged-*")
    assert kept.read_bytes() == bad
    assert run(path, [1.0, 2.0, 3.0])[1] == [] and capfd.readouterr().err == ""


def test_a_line_that_holds_something_else_under_a_right_checksum_is_not_used(tmp_path):
    path = tmp_path / "runs.jsonl"
    run(path, [1.0])
    held = FinishedRuns(path)
    (key,) = held._on_record
    other = tmp_path / "edited.jsonl"
    FinishedRuns(other)._keep(module.FinishedRun(key, 0.0, {"number": 0, "status": "ok", "sigma_N": "a text"}))
    assert run(other, [1.0])[1] == [1.0]


def test_time_spent_is_that_of_all_commands(tmp_path):
    path = tmp_path / "runs.jsonl"
    FinishedRuns(path)._keep(module.FinishedRun(KIND.key(None), 100.0, plain(failed(0, "x"))))
    runs = FinishedRuns(path)
    assert runs.spent_s < 10.0
    runs.once(KIND, lambda: None)
    assert 100.0 <= runs.spent_s < 110.0


@dataclass(frozen=True)
class Parts:
    """One of everything that a result holds."""

    whole: int
    number: float
    array: np.ndarray
    counts: np.ndarray
    place: slice
    status: OutcomeStatus
    names: tuple[str, ...]
    by_name: dict[str, float]
    inner: Outcome | None


def test_content_is_exact_to_the_last_bit_and_of_its_class_alone():
    rng = np.random.default_rng(0)
    parts = Parts(3, float("nan"), rng.standard_normal((3, 2)).T, np.arange(4), slice(2, None), OutcomeStatus.OK,
                  ("a", "b"), {"x": 0.1 + 0.2, "y": float("-inf")}, failed(1, "why"))  # fmt: skip
    content = json.loads(json.dumps(plain(parts), allow_nan=False))
    found = rebuilt(Parts, content)
    assert isinstance(found, Parts) and np.isnan(found.number) and found.place == parts.place
    for name in ("array", "counts"):
        a, b = getattr(found, name), getattr(parts, name)
        assert a.dtype == b.dtype and a.tobytes("A") == b.tobytes("A") and a.flags.f_contiguous == b.flags.f_contiguous
    for name in ("whole", "status", "names", "by_name", "inner"):
        assert getattr(found, name) == getattr(parts, name)
    for wrong in ({"whole": "three"}, {"array": [1.0]}, {"status": "fine"}, {"more": 1}, {"array": {"$array": "AAAA"}}):
        with pytest.raises(ValueError):
            rebuilt(Parts, content | wrong)
    with pytest.raises(TypeError, match="plain results"):
        plain(Path("x"))
    with pytest.raises(ValueError):
        rebuilt(SolvedCase, content)
