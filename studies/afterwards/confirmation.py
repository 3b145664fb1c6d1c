"""Run both lines again after a search, and by the long transient.

Writes into the campaign's folder: nominal/, best/, nominal_transient/ and best_transient/ with summary.json
and result.nc each, and confirmation.json.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catenary.storage.files import read_json, write_json_atomic
from catenary.storage.provenance import config_sha256
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from studies.writing.summary import slack_summary, summarise

if TYPE_CHECKING:
    from optimise.afterwards.confirm import Confirmation
    from optimise.search.result import CampaignResult

__all__ = [
    "confirm_campaign",
    "confirmation_content",
    "confirmation_lines",
    "confirmed_change",
    "on_record",
    "solve_into",
]

Doing = Callable[[str], AbstractContextManager[None]]


def confirm_campaign(
    result: CampaignResult, doing: Doing = lambda _: nullcontext(), *, error_estimate: bool = False
) -> dict[str, Any] | None:
    """Solve nominal and best line once more and by the long transient; content of confirmation.json.

    With ``error_estimate`` the summaries of nominal and best line say how large the numerical error of their standard
    deviation is, and the transients are run once more, refined, so that the change between the lines has one. What an
    earlier run has confirmed is not run again. None when no design is feasible.

    Parameters
    ----------
    result : CampaignResult
    doing : callable
        Takes in words which line is solved next and how, and gives the context in which it runs.
    error_estimate : bool
    """
    from optimise.afterwards.confirm import confirm

    best = result.best
    if best is None:
        return None
    target = result.folder / "confirmation.json"
    case_hash = config_sha256(result.case)
    held = on_record(
        target, lambda c: (c["best"]["trial"], c["case_sha256"]) == (best.number, case_hash) and "verdict" in c
    )
    if held is not None:
        return held
    lines = {"nominal": result.nominal, "best": best}
    runs = _runs(lines if best.number else {"nominal": result.nominal}, error_estimate)
    total, waiting = len(lines) + len(runs), iter(runs)
    how = "as in the search" + (", with its numerical error" if error_estimate else "")
    for k, (name, record) in enumerate(lines.items()):
        with doing(f"confirmation, run {k + 1} of {total}: {name} line {how}"):
            solve_into(result.folder / name, result.case_with(result.catenary_of(record)), error_estimate)

    def solved(case: CaseSpec) -> Any:
        k, words, folder = next(waiting)
        with doing(f"confirmation, run {len(lines) + k} of {total}: {words}"):
            return solve_into(result.folder / folder, case) if folder else solve(case)

    confirmation = confirm(result, solved, refine=error_estimate)
    assert confirmation is not None
    content = {**confirmation_content(confirmation, result), "refined": error_estimate}
    write_json_atomic(target, content)
    return content


def _runs(lines: Iterable[str], refine: bool) -> list[tuple[int, str, str]]:
    """Transients in the order in which `confirm` asks for them: number, what it is, folder of those that are kept."""
    found: list[tuple[str, str]] = []
    for name in lines:
        text = f"{name} line by the long transient"
        found += (
            [(text, ""), (f"{text} on finer numerics", f"{name}_transient")]
            if refine
            else [(text, f"{name}_transient")]
        )
    return [(k + 1, *run) for k, run in enumerate(found)]


def on_record(file: Path, same: Callable[[dict[str, Any]], bool]) -> dict[str, Any] | None:
    """Content of a file that an earlier run wrote, if it belongs to the same designs, case and wishes."""
    try:
        content = read_json(file)
        return content if same(content) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def solve_into(folder: Path, case: CaseSpec, error_estimate: bool = False) -> Any:
    """Solve a case; keep histories and summary in a folder, with the error and the reading of slack if wanted."""
    from dynamics.accuracy.assured import estimated
    from dynamics.results.dataset import write_result

    begin = time.perf_counter()
    solution = solve(case)
    spent = time.perf_counter() - begin
    solution, error = estimated(case, solution) if error_estimate else (solution, None)
    summary = summarise(case, solution, spent, config_sha256(case), error=error)
    summary["slack_damping"] = slack_summary(case, solution) if error_estimate else None
    write_result(folder / "result.nc", solution, case)
    write_json_atomic(folder / "summary.json", summary)
    return solution


def confirmation_content(confirmation: Confirmation, result: CampaignResult) -> dict[str, Any]:
    """Content of confirmation.json, but for whether the transients were refined."""
    from optimise.evaluation.scenarios import own_condition

    lines = {
        name: {**asdict(design), "difference_percent": design.difference_percent, "error_N": design.error}
        for name, design in (("nominal", confirmation.nominal), ("best", confirmation.best))
    }
    return {
        "schema_version": 1,
        "case_sha256": config_sha256(result.case),
        "own_condition": own_condition(result.campaign.scenarios, result.case),
        **lines,
        "change_percent": confirmation.change_percent,
        "change_transient_percent": confirmation.change_transient_percent,
        "change_error_percent": confirmation.change_error_percent,
        "verdict": confirmation.verdict,
        "spans": result.case.transient.spans,
        "spans_evaluated": result.case.transient.spans_evaluated,
    }


def confirmed_change(folder: Path) -> str:
    """Summarise how the confirmation of a campaign changes its gain over the nominal line."""
    content = read_json(folder / "confirmation.json")
    change, error = content["change_transient_percent"], content["change_error_percent"]
    if change is None:
        return f"not confirmed: {content['verdict']}"
    size = "" if error is None else f" ± {max(error, 0.1):.1f}"  # no error is written as nothing
    return f"by the long transient {change:+.1f}{size} %: {content['verdict']}"


def confirmation_lines(content: dict[str, Any]) -> list[str]:
    """Confirmation in words, one sentence a line; it is of the case's own condition, which is said with scenarios."""
    alone = content.get("own_condition")
    lines = [f"In the case's own condition alone ({alone}), no figure of the search:"] if alone else []
    for name in ("nominal", "best"):
        design = content[name]
        text = f"{name}: standard deviation {design['sigma_N']:.2f} N"
        if design["sigma_transient_N"] is None:
            text += f"; the long transient failed: {design['message']}"
        else:
            error = "" if design["error_N"] is None else f" ± {design['error_N']:.2f}"
            text += f", long transient {design['sigma_transient_N']:.2f}{error} N"
            text += f" ({design['difference_percent']:+.2f} %)"
        lines.append(text)
    text = f"change of the standard deviation {content['change_percent']:+.2f} %"
    if content["change_transient_percent"] is None:
        text += f" by the search's own figures; whether it is a gain: {content['verdict']}"
    else:
        error = "" if content["change_error_percent"] is None else f" ± {content['change_error_percent']:.2f}"
        text += f", by the long transient {content['change_transient_percent']:+.2f}{error} %: {content['verdict']}"
    return [*lines, text]
