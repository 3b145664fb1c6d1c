"""`catenary validate only=random_runs`: what is drawn, and that a wrong figure or a wrong error misses its gate."""

import dataclasses

import pytest

from dynamics.accuracy.numerical_error import estimate_error
from dynamics.solution import solve
from studies.validation.gates.gates import load_gates
from studies.validation.random_runs import comparison
from studies.validation.random_runs.comparison import compare, drawn


@pytest.fixture(scope="module")
def gates():
    """One run, of one line and pantograph, at its library's mesh and 2 ms."""
    narrow = {"speed_kmh": (270.0, 280.0), "alpha": (0.1, 0.2), "beta": (1e-4, 2e-4), "dt_s": 2.0e-3, "runs": 1}
    content = load_gates().random_runs.model_dump() | narrow
    content |= {"catenaries": ("bruni_2015",), "pantographs": ("bruni_2015",), "known": ()}
    return load_gates().model_copy(update={"random_runs": type(load_gates().random_runs).model_validate(content)})


@pytest.fixture(scope="module")
def solved():
    """Solutions and errors by what is asked for, each found once."""
    solutions, errors = {}, {}

    def find(case):
        key = case.model_dump_json()
        solutions[key] = solutions.get(key) or solve(case)
        return solutions[key]

    def estimated(case, solution):
        key = case.model_dump_json()
        errors[key] = errors.get(key) or estimate_error(case, solution)
        return errors[key]

    return find, estimated


@pytest.fixture
def run(gates, solved, monkeypatch):
    """The comparison's rows, what the solver and the estimate give changed by functions of the method."""

    def of(shift=lambda method: 0.0, factor=lambda method: 1.0):
        find, estimated = solved

        def shifted(case):
            solution = find(case)
            sigma = solution.statistics.contact_force_std_N + shift(case.periodic.method)
            statistics = dataclasses.replace(solution.statistics, contact_force_std_N=sigma)
            leading = dataclasses.replace(solution.leading, statistics=statistics)
            return dataclasses.replace(solution, pantographs=(leading,))

        def scaled(case, solution):
            error = estimated(case, find(case))
            parts = [dataclasses.replace(p, error_N=factor(case.periodic.method) * p.error_N) for p in error.parts]
            return dataclasses.replace(error, parts=tuple(parts))

        monkeypatch.setattr(comparison, "solve", shifted)
        monkeypatch.setattr(comparison, "estimate_error", scaled)
        return compare(gates, lambda text: None).rows

    return of


def test_a_seed_draws_the_same_runs_and_another_one_others():
    gate = load_gates().random_runs
    runs = list(drawn(gate))
    assert len(runs) == gate.runs and runs == list(drawn(gate))
    assert len(set(runs)) == gate.runs
    assert next(drawn(gate.model_copy(update={"seed": gate.seed + 1}))) != runs[0]
    longer = list(drawn(gate.model_copy(update={"runs": gate.runs + 3})))
    assert longer[: gate.runs] == runs, "runs keep their number when more are drawn"


def test_both_methods_agree_within_their_errors(run):
    by_methods, by_itself = run()
    assert by_methods.verdict == by_itself.verdict == "met"
    assert "march" in by_methods.references_text and "±" in by_methods.references_text


def test_what_the_errors_do_not_explain_misses(run):
    by_methods, by_itself = run(shift=lambda method: 1.5 if method == "march" else 0.0)
    assert (by_methods.verdict, by_itself.verdict) == ("MISSED", "met")


def test_an_error_of_the_operator_that_is_too_small_misses(run):
    _, by_itself = run(factor=lambda method: 1e-6 if method == "operator" else 1.0)
    assert by_itself.verdict == "MISSED"


def test_a_run_that_the_operator_leaves_to_the_march_is_printed(gates, solved, monkeypatch):
    find, _ = solved
    left = {"method": "march", "message": "why"}
    monkeypatch.setattr(comparison, "solve", lambda case: dataclasses.replace(find(case), **left))
    (row,) = compare(gates, lambda text: None).rows
    assert row.verdict == "printed" and row.reading == "why" and "march" in row.quantity
