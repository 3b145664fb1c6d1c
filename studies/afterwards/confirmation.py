"""Run both lines again after a search, and by the long transient.

Writes into the campaign's folder: nominal/, best/, nominal_transient/ and best_transient/ with summary.json
and result.nc each, and confirmation.json.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catenary.storage.files import read_json, write_json_atomic
from catenary.storage.provenance import config_sha256
from dynamics.charts.numbers import with_error
from dynamics.spec.case import CaseSpec
from studies.writing.report_head import HeadRecord, read_head
from studies.writing.summary import assessment_summary, slack_summary, summarise

if TYPE_CHECKING:
    from optimise.afterwards.confirm import Confirmation
    from optimise.afterwards.confirmed_objectives import ObjectiveChange
    from optimise.afterwards.solved_cases import SolvedCase
    from optimise.search.result import CampaignResult

__all__ = [
    "SOLVED",
    "confirm_campaign",
    "confirmation_content",
    "confirmation_lines",
    "confirmation_of",
    "confirmed_change",
    "on_record",
    "write_solved",
]

Doing = Callable[[str], AbstractContextManager[None]]
# a case to solve, and whether its numerical error is wanted
Wanted = tuple[CaseSpec, bool]
# folders with a solution each; where the nominal line is the best one, its transient is the only one
SOLVED = ("nominal", "best", "nominal_transient", "best_transient")


def confirm_campaign(
    result: CampaignResult, doing: Doing = lambda _: nullcontext(), *, error_estimate: bool = False
) -> dict[str, Any] | None:
    """Solve nominal and best line once more and by the long transient; content of confirmation.json.

    With ``error_estimate`` the summaries of nominal and best line say how large the numerical error of their standard
    deviation is, and the transients are run once more, refined, so that the change between the lines has one. What an
    earlier run has confirmed, or solved until it was interrupted, is not run again; a solution whose files are missing
    is. The campaign's workers solve. None when no design is feasible.

    Parameters
    ----------
    result : CampaignResult
    doing : callable
        Takes in words what is solved, and gives the context in which it runs.
    error_estimate : bool
    """
    from optimise.afterwards.confirm import confirm
    from optimise.afterwards.confirming_runs import transients

    best = result.best
    if best is None:
        return None
    target, case_hash = result.folder / "confirmation.json", config_sha256(result.case)
    held = on_record(target, lambda c: _belongs(c, best.number, case_hash))
    # what is missing of a confirmation on record is solved as it was then
    errors = error_estimate if held is None else bool(held.get("refined"))
    lines = {"nominal": result.nominal, "best": best}
    searched = {name: result.case_of(line) for name, line in lines.items()}
    apart = lines if best.number else {"nominal": result.nominal}  # the nominal line may be the best one
    missing = [] if held is None else _missing(result.folder, searched, [*apart])
    if held is not None and not missing:
        return held
    marched = {name: transients(result, line, errors) for name, line in apart.items()}
    wanted = {name: (case, errors) for name, case in searched.items()}
    wanted |= {f"{name}_transient": (each[-1], False) for name, each in marched.items()}
    if held is not None:
        again = {name: wanted[name] for name in missing}
        with doing(f"solutions that are not on record, once more: {', '.join(again)}"):
            _solve(result, _each_once(again.values()), again)
        return held
    # the longest first, the finest marches of both lines
    cases = [(case, False) for finest in reversed(list(zip(*marched.values(), strict=True))) for case in finest]
    cases += [wanted[name] for name in apart]
    with doing(_in_words(cases, errors)):
        solved = _solve(result, cases, wanted)
        confirmation = confirm(result, lambda case: _run_of(case, solved).solution, refine=errors)
    assert confirmation is not None
    slack = {name: _run_of(case, solved).slack for name, case in searched.items()}
    warnings = {name: found.warning for name, found in slack.items() if found is not None and found.warning}
    content = {**confirmation_content(confirmation, result), "refined": errors, "slack_damping": warnings}
    write_json_atomic(target, content)
    return content


def _belongs(content: dict[str, Any], best: int, case_hash: str) -> bool:
    """Whether a confirmation on record is of that design and case, and has everything that is said of one."""
    own = (content["best"]["trial"], content["case_sha256"]) == (best, case_hash) and "verdict" in content
    return own and bool(confirmation_lines(content))


def _missing(folder: Path, searched: dict[str, CaseSpec], marched: Sequence[str]) -> list[str]:
    """Folders of a confirmation on record in which a file is missing, or is of another case than the line's."""
    from dynamics.results.dataset import read_result

    found = []
    for name in (*searched, *(f"{line}_transient" for line in marched)):
        try:
            hashes = {read_json(folder / name / "summary.json")["config_sha256"]}
            hashes.add(read_result(folder / name / "result.nc").attributes["config_sha256"])
        except (OSError, ValueError, KeyError, TypeError):  # a file that is not there, or not of a run
            found.append(name)
            continue
        if name in searched and hashes != {config_sha256(searched[name])}:
            found.append(name)
    return found


def _each_once(cases: Iterable[Wanted]) -> list[Wanted]:
    kept: list[Wanted] = []
    for wanted in cases:
        if wanted not in kept:
            kept.append(wanted)
    return kept


def _in_words(cases: Sequence[Wanted], errors: bool) -> str:
    """What a confirmation solves."""
    whole = any(case.on_open_line for case, _ in cases)
    again = ("finer" if errors else "the same again") if whole else "by the long transient"
    with_errors = " with its numerical error," if errors else ""
    return f"confirmation, {len(cases)} runs: each line as in the search,{with_errors} and {again}"


def _solve(result: CampaignResult, cases: Sequence[Wanted], folders: dict[str, Wanted]) -> list[SolvedCase]:
    """Solve cases on the campaign's workers, and write those that have a folder into it."""
    from optimise.afterwards.finished_runs import finished_runs
    from optimise.afterwards.solved_cases import solve_cases

    solved = solve_cases(cases, result.campaign.cluster, finished_runs(result.folder))
    limits = read_head(result.folder)
    for name, (case, _) in folders.items():
        write_solved(result.folder / name, _run_of(case, solved), limits)
    return solved


def _run_of(case: CaseSpec, solved: list[SolvedCase]) -> SolvedCase:
    return next(run for run in solved if run.case == case)


def on_record(file: Path, same: Callable[[dict[str, Any]], bool]) -> dict[str, Any] | None:
    """Content of a file that an earlier run wrote, if it belongs to the same designs, case and wishes."""
    try:
        content = read_json(file)
        return content if same(content) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def write_solved(folder: Path, run: SolvedCase, limits: HeadRecord) -> None:
    """Keep histories and summary of a solved case in a folder, judged by the limits that the report's head names."""
    from dynamics.results.dataset import write_result

    summary = summarise(run.case, run.solution, run.seconds, config_sha256(run.case), error=run.error)
    summary["slack_damping"] = slack_summary(run.slack)
    summary["assessment"] = assessment_summary(run.case, run.solution, summary["numerical_error"], limits)
    write_result(folder / "result.nc", run.solution, run.case)
    write_json_atomic(folder / "summary.json", summary)


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
        "searched_for": _other_objectives(result.campaign.objectives),
        **lines,
        "objectives": [_objective_content(each) for each in confirmation.objectives],
        "whole_line": confirmation.whole_line,
        "by": confirmation.by,
        "change_percent": confirmation.change_percent,
        "change_transient_percent": confirmation.change_transient_percent,
        "change_error_percent": confirmation.change_error_percent,
        "verdict": confirmation.verdict,
        "spans": result.case.transient.spans,
        "spans_evaluated": result.case.transient.spans_evaluated,
    }


def _objective_content(change: ObjectiveChange) -> dict[str, Any]:
    """Content of an objective that is not the standard deviation; each design has its own figures of it."""
    o = change.objective
    return {
        "objective": o.name,
        "long_name": o.long_name,
        "unit": o.unit,
        "change_searched": change.searched,
        "change": change.finer,
        "change_error": change.error,
        "verdict": change.verdict,
    }


def _other_objectives(names: Sequence[str]) -> str:
    """What a search was for, in words, where none of it is made of the standard deviation; else nothing."""
    from optimise.evaluation.objectives import OBJECTIVES
    from optimise.spec.objective_names import name_parts

    of_sigma = any(name_parts(name).base == "sigma" for name in names)
    return "" if of_sigma else "; ".join(OBJECTIVES[name].long_name for name in names)


def confirmation_of(content: Mapping[str, Any]) -> Confirmation:
    """Confirmation whose content is on record.

    Raises
    ------
    KeyError, TypeError, AttributeError
        If it is not what was written.
    """
    from optimise.afterwards.confirm import Confirmation, DesignConfirmation
    from optimise.afterwards.confirmed_objectives import ConfirmedObjective

    names = DesignConfirmation.__dataclass_fields__
    nominal, best = (
        DesignConfirmation(
            **{k: v for k, v in content[which].items() if k in names and k != "objectives"},
            objectives=tuple(ConfirmedObjective(**each) for each in content[which].get("objectives", ())),
        )
        for which in ("nominal", "best")
    )
    return Confirmation(nominal, best, bool(content.get("whole_line")))


def confirmed_change(folder: Path) -> str:
    """Summarise how the confirmation of a campaign changes its gain over the nominal line."""
    content = read_json(folder / "confirmation.json")
    change, error = content["change_transient_percent"], content["change_error_percent"]
    if change is None:
        return f"not confirmed: {content['verdict']}"
    return f"by the {_by(content)} {with_error(change, error, 1, signed=True)} %: {content['verdict']}"


def _by(content: dict[str, Any]) -> str:
    """What confirmed a campaign; records of lines that repeat need not say."""
    return str(content.get("by", "long transient"))


def confirmation_lines(content: dict[str, Any]) -> list[str]:
    """Confirmation in words, one sentence a line; it is of the case's own condition, which is said with scenarios."""
    alone = content.get("own_condition")
    lines = [f"In the case's own condition alone ({alone}), no figure of the search:"] if alone else []
    if content.get("searched_for"):
        lines.append(
            f"The search was for: {content['searched_for']}; that is confirmed last. What follows first is of the "
            "standard deviation:"
        )
    names = ("nominal", "best") if content["best"]["trial"] else ("nominal",)
    for name in names:
        design = content[name]
        text = f"{name}: standard deviation {design['sigma_N']:.2f} N"
        if design["sigma_transient_N"] is None:
            text += f"; the {_by(content)} failed: {design['message']}"
        else:
            text += f", {_by(content)} {with_error(design['sigma_transient_N'], design['error_N'], 2)} N"
            text += f" ({with_error(design['difference_percent'], None, 2, signed=True)} %)"
        lines.append(text)
    warnings = [f"{name}: {text}" for name, text in content.get("slack_damping", {}).items() if name in names]
    if len(names) < 2:  # the nominal line has no change against itself
        return [*lines, *warnings]
    text = f"change of the standard deviation {with_error(content['change_percent'], None, 2, signed=True)} %"
    if content["change_transient_percent"] is None:
        text += f" by the search's own figures; whether it is a gain: {content['verdict']}"
    else:
        change, error = content["change_transient_percent"], content["change_error_percent"]
        text += f", by the {_by(content)} {with_error(change, error, 2, signed=True)} %: {content['verdict']}"
    lines += [text, *(_objective_line(each, _by(content)) for each in content.get("objectives", ()))]
    return [*lines, *warnings]


def _objective_line(change: dict[str, Any], by: str) -> str:
    """Change of an objective in words, by the search and by the runs that confirm it."""
    searched = with_error(change["change_searched"], None, 2, signed=True)
    finer = with_error(change["change"], change["change_error"], 2, signed=True)
    return (
        f"change of the {change['long_name']} {searched} {change['unit']} by the search, {finer} {change['unit']} by "
        f"the {by}: {change['verdict']}"
    )
