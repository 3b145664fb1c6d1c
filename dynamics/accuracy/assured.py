"""A solution whose numerical error is known and small: what has a large share of it grows, and all is run again.

A window that is long enough at one speed may lose a tenth of sigma near a resonance, where waves that travel with the
pantograph hardly leave it. No setting is right everywhere: each figure that a verdict rests on is refined for itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress

from catenary.form_finding.equilibrium import mesh_of
from catenary.layout.geometry import periodic_layout
from catenary.spec.line import CatenarySpec
from catenary.spec.mesh import MOST_PER_BAY, MeshSpec
from dynamics.accuracy.companions import NoCompanionError, long_window, window_of, with_window
from dynamics.accuracy.estimated_run import SHORT_WINDOW
from dynamics.accuracy.infinite_line import on_infinite_line
from dynamics.accuracy.numerical_error import NumericalError, estimate_error, with_finer_droppers
from dynamics.results.solution import Solution
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec

__all__ = [
    "estimated",
    "finer_case",
    "finer_settings",
    "longest_element",
    "on_long_window",
    "on_short_window",
    "refined",
    "solve_assured",
    "with_elements",
]

# a part of the error above this share of sigma makes what it belongs to grow
LARGE_SHARE = 0.012
# what a short window may move sigma by for its runs to be used [-]
SMALL_SHARE = 0.006
ROUNDS = 3
# limits of growth: spans either way, step [s], element [m]
MOST_SPANS, SHORTEST_STEP, SHORTEST_ELEMENT = 120, 2.5e-4, 0.1
MORE_SPANS, FINER_MESH, TIGHTER = 2.0, 2.0 / 3.0, 0.2
MORE_HARMONICS, FINEST = 1.5, 3.0
# end of a search for a steady state whose error is to be known [-]
TOLERANCE = 2.0e-4


def solve_assured(case: CaseSpec, known_window_share: float | None = None) -> tuple[Solution, NumericalError | None]:
    """Solve a case and estimate its numerical error, on finer numerics as long as a part of the error is large.

    The solution's case says on which numerics it stands. Without figures there is no error. Where only the ends of a
    window that is long elsewhere still count, the contact force is that of the infinite line, as far as its matrices
    cover the case. ``known_window_share`` is what the case's window moves sigma by, relative to it, where a line whose
    waves travel alike has shown it: nothing is spent on windows then.
    """
    rounds = ROUNDS
    while True:
        solution = solve(case)
        grows = rounds > 0 and refined(case, spans=MORE_SPANS) != case
        error = estimate_error(
            case,
            solution,
            largest_window_share=LARGE_SHARE if grows else math.inf,
            known_window_share=known_window_share,
        )
        if error is not None and _ends_count(case, error):
            with suppress(NoCompanionError):  # then windows grow as far as they may
                return on_infinite_line(case, solution, error)
        finer = None if error is None or not rounds else finer_case(case, error)
        if finer is None:
            return with_finer_droppers(solution, error), error
        case, rounds = finer, rounds - 1


def _ends_count(case: CaseSpec, error: NumericalError) -> bool:
    """Whether the usual window is too short, and nothing else has a large share of the error."""
    usual = all(spans >= long_window()[name] for name, spans in window_of(case).items())
    return case.seeks_steady_state and usual and _large(error) == {"window"}


def _large(error: NumericalError) -> set[str]:
    """Names of the parts that have a large share of an error."""
    limit = LARGE_SHARE * error.sigma_N
    return {part.name for part in error.parts if part.error_N is not None and part.error_N > limit}


def estimated(
    case: CaseSpec, solution: Solution, tell: Callable[[str], None] | None = None
) -> tuple[Solution, NumericalError | None]:
    """Estimate the numerical error of a solved case on its own numerics, whose window alone gives way.

    Where only the ends of a window that is long elsewhere count, the contact force is that of the infinite line; since
    that takes minutes, ``tell`` is called with a sentence before.
    """
    error = estimate_error(case, solution)
    if error is not None and _ends_count(case, error):
        if tell is not None:
            tell("No window is long enough near this resonance: solving for the infinite line, which takes minutes.")
        with suppress(NoCompanionError):  # the window's error stands as it is
            return on_infinite_line(case, solution, error)
    return with_finer_droppers(solution, error), error


def finer_settings(case: CaseSpec, error: NumericalError) -> tuple[str, ...]:
    """Settings, as a command takes them, that make smaller what has a large share of a case's error; most often none.

    Parameters
    ----------
    case : CaseSpec
    error : NumericalError
        Of its solution.
    """
    finer = finer_case(case, error)
    if finer is None:
        return ()
    which = "periodic" if case.seeks_steady_state else "transient"
    now, then = (
        {
            **{f"{which}.{name}": value for name, value in getattr(each, which)},
            "dt": each.dt,
            **{f"catenary.mesh.{name}": value for name, value in each.catenary.mesh},
        }
        for each in (case, finer)
    )
    changed = ((name, value) for name, value in then.items() if value != now[name])
    return tuple(f"{name}={value if isinstance(value, str) else format(value, '.4g')}" for name, value in changed)


def on_long_window(case: CaseSpec) -> CaseSpec:
    """Case on at least the usual window, its steady state found exactly enough to say what its error is."""
    which = "periodic" if case.seeks_steady_state else "transient"
    own = getattr(case, which)
    found: dict[str, object] = {name: max(spans, getattr(own, name)) for name, spans in long_window().items()}
    if case.seeks_steady_state:
        found |= {"tolerance": min(case.periodic.tolerance, TOLERANCE), "precision": "double"}
    return case.model_copy(update={which: own.model_copy(update=found)})


def on_short_window(case: CaseSpec, share: float | None) -> CaseSpec | None:
    """Case on the short window, if a line alike has shown that this moves sigma by a small share; None if not."""
    if share is None or share > SMALL_SHARE or not case.seeks_steady_state:
        return None
    behind, ahead = SHORT_WINDOW
    settings = case.periodic
    found = {
        "spans_behind": min(behind, settings.spans_behind),
        "spans_ahead": min(ahead, settings.spans_ahead),
        "tolerance": min(settings.tolerance, TOLERANCE),
    }
    return with_window(case.model_copy(update={"periodic": settings.model_copy(update=found)}), {})


def refined(
    case: CaseSpec, *, spans: float = 1.0, step: float = 1.0, element: float = 1.0, resolution: float = 1.0
) -> CaseSpec:
    """Case with its window, step, elements and the operator's resolution times a factor each, within what they may be.

    A window that grows is at least the usual one.
    """
    which = "periodic" if case.seeks_steady_state else "transient"
    settings, usual, found = getattr(case, which), long_window(), {}
    if spans != 1.0:
        window = {name: max(least, round(spans * getattr(settings, name))) for name, least in usual.items()}
        if any(getattr(settings, name) < least for name, least in usual.items()):
            window = {name: max(least, getattr(settings, name)) for name, least in usual.items()}
        window = {name: min(MOST_SPANS, count) for name, count in window.items()}
        found[which] = settings.model_copy(update=window)
    if step != 1.0:
        found |= {"dt": min(case.dt, max(SHORTEST_STEP, step * case.dt)), "strict_dt": False}
    if resolution != 1.0 and case.seeks_steady_state and case.periodic.method == "operator":
        finer = min(FINEST, resolution * case.periodic.resolution)
        found["periodic"] = found.get("periodic", settings).model_copy(update={"resolution": finer})
    if element != 1.0:
        found["catenary"] = with_elements(case.catenary, longest_element(case.catenary), element)
    return case.model_copy(update=found)


def longest_element(line: CatenarySpec) -> float:
    """Length of the longest element of a line [m]."""
    return float(mesh_of(line, periodic_layout(line)).elem_length.max())


def with_elements(line: CatenarySpec, longest: float, factor: float) -> CatenarySpec:
    """Line with no element longer than a length [m] times a factor, with as many more elements in each bay."""
    least = min(MOST_PER_BAY, math.ceil(line.mesh.elements_per_bay / factor))
    length = min(longest, max(SHORTEST_ELEMENT, factor * longest))
    return line.model_copy(update={"mesh": MeshSpec(elements_per_bay=least, largest_element_length=length)})


def finer_case(case: CaseSpec, error: NumericalError) -> CaseSpec | None:
    """Case with finer numerics where they have a large share of the error; None where nothing is large or can grow."""
    large = _large(error)
    finer = refined(
        case,
        spans=MORE_SPANS if "window" in large else 1.0,
        step=0.5 if "time_step" in large else 1.0,
        element=FINER_MESH if "mesh" in large else 1.0,
        resolution=MORE_HARMONICS if "resolution" in large else 1.0,
    )
    changes: dict[str, object] = {}
    if "iteration" in large:
        changes["tolerance"] = TIGHTER * case.periodic.tolerance
    if "differences" in large:
        changes["method"] = "march"  # of the whole period, in its own window
    if changes:
        finer = finer.model_copy(update={"periodic": finer.periodic.model_copy(update=changes)})
    return None if finer == case else finer
