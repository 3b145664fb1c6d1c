"""Steady states by the line's operator and by the march, of lines, trains and inputs that nobody chose.

Directed tests look where somebody expects a fault. A pole that was missing under slow trains on lines of little
damping, and errors that were said too small, were found by runs drawn at random.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from dynamics.accuracy.numerical_error import estimate_error
from dynamics.results.solution import Solution
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from studies.validation.cases import case_from, failure_of
from studies.validation.gates.gates import GatesSpec
from studies.validation.gates.random_runs import Between, RandomRunsGate
from studies.validation.rows import Comparison, Reference, Row

__all__ = ["compare", "drawn"]

BY_METHODS = "standard deviation σ, by the operator"
BY_MARCH = "standard deviation σ, by the march alone"
BY_ITSELF = "the same with more harmonics, samples and poles"


def compare(gates: GatesSpec, say: Callable[[str], None]) -> Comparison:
    """Solve every run by both methods; a difference that their errors do not explain misses its gate."""
    gate, rows = gates.random_runs, list[Row]()
    causes = {known.run: known.cause for known in gate.known}
    for number, typed in enumerate(drawn(gate), start=1):
        found = _rows(gate, f"{number}: {' '.join(typed)}", typed, causes.get(number))
        rows += found
        say(f"{found[0].case}: {found[0].references_text}, here {found[0].here_text} N")
    return Comparison(
        key="random_runs",
        title="Runs at random: the line's operator, the march, and their errors",
        source=gate.source,
        reading=gate.reading,
        rows=tuple(rows),
    )


def drawn(gate: RandomRunsGate) -> Iterator[tuple[str, ...]]:
    """Input of every run, as typed after ``catenary simulate``; the same for the same seed."""
    rng = np.random.default_rng(gate.seed)
    for _ in range(gate.runs):
        yield (
            f"catenary={rng.choice(gate.catenaries)}",
            f"pantograph={rng.choice(gate.pantographs)}",
            f"speed_kmh={rng.uniform(*gate.speed_kmh):.0f}",
            f"contact.stiffness={_by_logarithm(rng, gate.contact_stiffness)}",
            f"catenary.damping.alpha={_by_logarithm(rng, gate.alpha)}",
            f"catenary.damping.beta={_by_logarithm(rng, gate.beta)}",
        )


def _by_logarithm(rng: np.random.Generator, between: Between) -> str:
    low, high = np.log(between)
    return f"{math.exp(rng.uniform(low, high)):.3g}"


def _rows(gate: RandomRunsGate, name: str, typed: tuple[str, ...], known: str | None) -> list[Row]:
    """Row of the operator against the march, and of the operator against itself."""
    solved, marched = (case_from((*typed, f"dt={gate.dt_s}", f"periodic.method={m}")) for m in ("operator", "march"))
    found, other = solve(solved), solve(marched)
    if found.statistics is None or other.statistics is None:
        why = failure_of(other if other.statistics is None else found)
        return [Row(BY_METHODS, name, "N", here=None, failure=why, known_miss=known, ends_known=True)]
    sigma, expected = found.statistics.contact_force_std_N, other.statistics.contact_force_std_N
    if found.method != "operator":
        return [Row(BY_MARCH, name, "N", here=expected, reading=found.message, digits=3)]
    error, others = _error(solved, found), _error(marched, other)
    far = gate.explained * math.hypot(error, others)
    finer = solved.model_copy(update={"periodic": solved.periodic.model_copy(update={"resolution": gate.resolution})})
    fine = solve(finer)
    fine_sigma = None if fine.statistics is None or fine.method != "operator" else fine.statistics.contact_force_std_N
    return [
        Row(
            BY_METHODS,
            name,
            "N",
            here=sigma,
            references=(Reference("march", f"{expected:.3f} ± {others:.3f}"),),
            allowed=(expected - far, expected + far),
            known_miss=known,
            digits=3,
        ),
        Row(
            BY_ITSELF,
            name,
            "N",
            here=fine_sigma,
            references=(Reference("operator", f"{sigma:.3f} ± {error:.3f}"),),
            allowed=(sigma - error, sigma + error),
            failure="" if fine_sigma is not None else failure_of(fine),
            digits=3,
        ),
    ]


def _error(case: CaseSpec, solution: Solution) -> float:
    """Numerical error of sigma [N]; not a number, which meets no gate, where there is none."""
    error = estimate_error(case, solution)
    return math.nan if error is None or error.total is None else error.total
