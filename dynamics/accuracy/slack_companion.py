"""Measure how far the damping of a slack dropper moves a result: the same case with the other choice."""

from __future__ import annotations

from dataclasses import dataclass

from catenary.errors import InputError
from dynamics.results.solution import Solution
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec, SlackDamping

__all__ = ["LARGE_CHANGE", "SlackDampingChange", "compare_slack_damping"]

# a choice that moves the standard deviation by more than this gets a warning [%]
LARGE_CHANGE = 3.0
# only the difference counts, and it hardly depends on the window
SHORT_WINDOW = {"spans_behind": 10, "spans_ahead": 12}


@dataclass(frozen=True)
class SlackDampingChange:
    """Effect of the other choice of slack damping on a result.

    Attributes
    ----------
    choice, other : str
        Choice of the run, and that of its companion.
    change_percent : float or None
        Change of the contact force's standard deviation by the other choice [%]; None where it could not be computed.
    message : str
        Both figures, or why they are missing.
    """

    choice: SlackDamping
    other: SlackDamping
    change_percent: float | None
    message: str

    @property
    def warning(self) -> str:
        """Sentence for a run whose figures depend on the choice; empty where they do not."""
        if self.change_percent is None or abs(self.change_percent) <= LARGE_CHANGE:
            return ""
        return (
            f"slack_damping={self.choice} is a choice that matters here: slack_damping={self.other} changes the "
            f"standard deviation by {self.change_percent:+.1f} %; state it with the figure"
        )


def compare_slack_damping(case: CaseSpec, solution: Solution) -> SlackDampingChange | None:
    """Solve a case again with the other damping of its slack droppers; None where none is slack, or no figures.

    A dropper that hangs loose at rest is slack before and behind every passage.
    """
    loose = (solution.equilibrium.dropper_gap > 0.0).any()
    if solution.statistics is None or not (loose or (solution.dropper_slack_time > 0.0).any()):
        return None
    other: SlackDamping = "released" if case.slack_damping == "kept" else "kept"
    short, sigma = _short(case), solution.statistics.contact_force_std_N
    try:
        if short != case:
            sigma = _sigma(short, solution)
        found = _sigma(short.model_copy(update={"slack_damping": other}), solution)
    except InputError as error:
        return SlackDampingChange(case.slack_damping, other, None, "; ".join(error.problems))
    if sigma is None or found is None:
        return SlackDampingChange(case.slack_damping, other, None, "the companion ended without figures")
    where = "" if short == case else "; both marched, on a window of 10 + 12 spans"
    message = f"{sigma:.3f} N with {case.slack_damping}, {found:.3f} N with {other}{where}"
    return SlackDampingChange(case.slack_damping, other, 100.0 * (found / sigma - 1.0), message)


def _short(case: CaseSpec) -> CaseSpec:
    """The case on a short window where its solver has one; marched, since the operator has one of the choices alone."""
    if case.on_open_line:
        return case
    settings = getattr(case, case.solver)
    changed: dict[str, int | str] = {name: min(most, getattr(settings, name)) for name, most in SHORT_WINDOW.items()}
    if case.seeks_steady_state and case.periodic.method == "operator":
        changed["method"] = "march"
    return case.model_copy(update={case.solver: settings.model_copy(update=changed)})


def _sigma(case: CaseSpec, solution: Solution) -> float | None:
    """Standard deviation [N] of a companion; None without figures."""
    found = solve(case, equilibrium=solution.equilibrium, applied_force=solution.applied_force_N)
    if not found.status.has_figures or found.statistics is None:
        return None
    return found.statistics.contact_force_std_N
