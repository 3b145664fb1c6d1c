"""What is run after a search: both lines once more, the long transient, other speeds, height errors.

Written into the campaign's folder: nominal/, best/, nominal_transient/ and best_transient/ with summary.json
and result.nc each, confirmation.json and robustness.json.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catenary.files import write_json_atomic
from catenary.record import config_sha256
from dynamics.spec import CaseSpec
from studies.simulate import simulate_case, summarise
from studies.spec import RobustnessSpec

if TYPE_CHECKING:
    from dynamics.periodic import PeriodicSolution
    from dynamics.transient import Trajectory
    from optimise.confirm import Confirmation
    from optimise.result import CampaignResult

__all__ = ["confirm_campaign", "confirmation_lines", "show_robustness"]

Say = Callable[[str], None]


def confirm_campaign(result: CampaignResult, say: Say) -> dict[str, Any] | None:
    """Solve nominal and best line once more and by the long transient; content of confirmation.json.

    What an earlier run has confirmed is not run again. None when no design is feasible.
    """
    from optimise.confirm import confirm

    best = result.best
    if best is None:
        return None
    target = result.folder / "confirmation.json"
    held = _held(target, best.number, config_sha256(result.case))
    if held is not None:
        return held
    for name, record in (("nominal", result.nominal), ("best", best)):
        _solve_into(result.folder / name, _case_with(result, result.catenary_of(record).model_dump()))
    say("Confirming nominal and best line by the long transient.")
    names = iter(("nominal_transient", "best_transient"))
    confirmation = confirm(result, lambda case: _solve_into(result.folder / next(names), case))
    assert confirmation is not None
    content = _content(confirmation, result)
    write_json_atomic(target, content)
    return content


def _held(file: Path, trial: int, case_hash: str) -> dict[str, Any] | None:
    """Confirmation on record, if it is of this design and case."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        same = content["best"]["trial"] == trial and content["case_sha256"] == case_hash
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return content if same else None


def _case_with(result: CampaignResult, line: dict[str, Any], **changes: Any) -> CaseSpec:
    return CaseSpec.model_validate({**result.case.model_dump(), "catenary": line, **changes})


def _solve_into(folder: Path, case: CaseSpec) -> Any:
    """Solve a case and keep its summary and histories."""
    from dynamics.dataset import write_result

    begin = time.perf_counter()
    solution = simulate_case(case)
    summary = summarise(case, solution, time.perf_counter() - begin, config_sha256(case))
    write_result(folder / "result.nc", solution, case)
    write_json_atomic(folder / "summary.json", summary)
    return solution


def _content(confirmation: Confirmation, result: CampaignResult) -> dict[str, Any]:
    lines = {
        name: {**asdict(design), "difference_percent": design.difference_percent}
        for name, design in (("nominal", confirmation.nominal), ("best", confirmation.best))
    }
    return {
        "schema_version": 1,
        "case_sha256": config_sha256(result.case),
        **lines,
        "change_percent": confirmation.change_percent,
        "change_transient_percent": confirmation.change_transient_percent,
        "spans": result.case.transient.spans,
        "spans_evaluated": result.case.transient.spans_evaluated,
    }


def confirmation_lines(content: dict[str, Any]) -> list[str]:
    """Confirmation in words, one sentence a line."""
    lines = []
    for name in ("nominal", "best"):
        design = content[name]
        text = f"{name}: standard deviation {design['sigma_N']:.2f} N"
        if design["sigma_transient_N"] is None:
            text += f"; the long transient failed: {design['message']}"
        else:
            text += f", long transient {design['sigma_transient_N']:.2f} N"
            text += f" ({design['difference_percent']:+.2f} %)"
        lines.append(text)
    text = f"change of the standard deviation {content['change_percent']:+.2f} %"
    if content["change_transient_percent"] is not None:
        text += f", by the long transient {content['change_transient_percent']:+.2f} %"
    return [*lines, text]


def show_robustness(result: CampaignResult, wanted: RobustnessSpec) -> dict[str, Any] | None:
    """Nominal and best line over a band of speeds and with height errors; content of robustness.json."""
    import numpy as np

    best = result.best
    if best is None:
        return None
    lines = {
        "nominal": result.case.catenary.model_dump(),
        "best": result.catenary_of(best).model_dump(),
    }
    steps = int(wanted.speed_range_kmh / wanted.speed_step_kmh)
    speeds = [result.case.speed_kmh + k * wanted.speed_step_kmh for k in range(-steps, steps + 1)]
    count = len(result.case.catenary.droppers.positions)
    errors = 1e-3 * wanted.height_error_mm * np.random.default_rng(wanted.seed).standard_normal((wanted.samples, count))
    content = {
        "schema_version": 1,
        "speed": {
            "speed_kmh": speeds,
            **{f"{name}_std_N": [_sigma_at(result, line, v) for v in speeds] for name, line in lines.items()},
        },
        "height_error": {
            "sd_mm": wanted.height_error_mm,
            "samples": wanted.samples,
            **{f"{name}_std_N": [_sigma_with(result, line, e) for e in errors] for name, line in lines.items()},
        },
    }
    write_json_atomic(result.folder / "robustness.json", content)
    return content


def _sigma_at(result: CampaignResult, line: dict[str, Any], speed_kmh: float) -> float | None:
    """Standard deviation [N] at another speed, with the mean force that is held there."""
    from dynamics.mean_force import reference_mean_force

    case = result.case
    changes: dict[str, Any] = {"speed_kmh": speed_kmh}
    here = reference_mean_force(case.speed_kmh, case.supply)
    if case.mean_force_N is not None and abs(case.mean_force_N - here) < 1e-3:
        changes["mean_force_N"] = reference_mean_force(speed_kmh, case.supply)
    return _sigma(result, line, changes)


def _sigma_with(result: CampaignResult, line: dict[str, Any], errors: Any) -> float | None:
    """Standard deviation [N] with height errors [m] at the droppers."""
    droppers = line["droppers"]
    heights = [float(h + e) for h, e in zip(droppers["contact_wire_heights"], errors, strict=True)]
    return _sigma(result, {**line, "droppers": {**droppers, "contact_wire_heights": heights}}, {})


def _sigma(result: CampaignResult, line: dict[str, Any], changes: dict[str, Any]) -> float | None:
    """Standard deviation [N], or None where the case is not possible or its solver failed."""
    try:
        case = _case_with(result, line, **changes)
    except ValueError:
        return None
    solution: PeriodicSolution | Trajectory = simulate_case(case)
    return float(solution.statistics.contact_force_std_N) if solution.statistics is not None else None
