"""What is on record of a campaign: history, best designs and front of its search, and what was made afterwards."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dynamics.spec.case import CaseSpec
from optimise.afterwards.confirm import Confirmation
from optimise.afterwards.gain_left import ComparedRun
from optimise.design.space import Variable
from optimise.evaluation.objectives import raw_values
from optimise.record.campaign_folder import CampaignFolder, TrialRecord
from optimise.search.result import CampaignResult
from studies.afterwards.confirmation import confirmation_of
from studies.report.content.pieces import Array, DesignTable, Front, OffDesign
from studies.report.readers.stored import read_json
from studies.report.sections.tables import signed
from studies.writing.report_head import HeadRecord, read_head

__all__ = [
    "first_errors",
    "front_of_designs",
    "newest_record",
    "ranked_trials",
    "read_confirmation",
    "read_droppers",
    "read_off_design",
    "signed_head",
    "variables_of_designs",
]

MM = 1.0e3


def ranked_trials(result: CampaignResult) -> list[TrialRecord]:
    """Feasible trials, the best in the first objective first; of equals the better in the next, then the earlier.

    Of a polish its best design stands, its way and the neighbours for its derivatives do not.
    """
    names, objectives = result.campaign.objectives, result.objectives
    feasible = [r for r in result.records if r.outcome is not None and r.outcome.feasible]

    def rank(record: TrialRecord) -> tuple[tuple[float, ...], int]:
        values = raw_values(names, record.outcome) or ()
        return tuple(o.cost(v) for o, v in zip(objectives, values, strict=True)), record.number

    found: list[TrialRecord] = []
    polished: set[int] = set()
    for record in sorted(feasible, key=rank):
        if record.polished and record.origin is not None:
            if record.origin.trial in polished:
                continue
            polished.add(record.origin.trial)
        found.append(record)
    return found


def front_of_designs(result: CampaignResult, known: Mapping[int, Mapping[str, Any]]) -> Front | None:
    """Non-dominated designs with their files and errors, and the other feasible ones; None with one objective."""
    names = result.campaign.objectives
    if len(names) < 2:
        return None
    place = CampaignFolder(result.folder)
    numbers = {r.number for r in result.front}
    others = [r for r in ranked_trials(result) if r.number not in numbers]
    return Front(
        objectives=result.objectives,
        trials=tuple(r.number for r in result.front),
        files=tuple(str(place.pareto_yaml(r.number).relative_to(result.folder)) for r in result.front),
        values=_objectives(result.front, names),
        others=_objectives(others, names),
        nominal=_objectives([result.nominal], names)[0],
        errors=_errors(result.front, names, known) if known else None,
        nominal_errors=_errors([result.nominal], names, known)[0] if known else None,
    )


def _errors(records: list[TrialRecord], names: tuple[str, ...], known: Mapping[int, Mapping[str, Any]]) -> Array:
    """Numerical errors of objectives (design, objective), not a number where not known."""
    each = (known.get(record.number, {}).get("objectives", {}) for record in records)
    return np.array([[held.get(name) for name in names] for held in each], dtype=float).reshape(-1, len(names))


def first_errors(
    result: CampaignResult, best: TrialRecord | None, known: Mapping[int, Mapping[str, Any]]
) -> tuple[float, float]:
    """Numerical errors of the first objective of nominal line and best design, not a number where not known."""
    name = result.campaign.objectives[:1]
    before, after = _errors([result.nominal, result.nominal if best is None else best], name, known)[:, 0].tolist()
    return before, after


def _objectives(records: list[TrialRecord], names: tuple[str, ...]) -> Array:
    return np.array([raw_values(names, r.outcome) for r in records], dtype=float).reshape(-1, len(names))


def variables_of_designs(result: CampaignResult, best: list[TrialRecord]) -> DesignTable:
    """What some designs change against the nominal line, with the bounds of the search.

    Variables of droppers are coordinates of the search: shown is what they come to at every dropper, where all have
    the nominal line's number of droppers.
    """
    variables = result.space.variables
    droppers = _dropper_changes(result, best)
    kept = [k for k, v in enumerate(variables) if droppers is None or not _of_droppers(v)]
    in_mm = np.array([variables[k].name.startswith("lift") for k in kept], dtype=bool)
    scale = np.where(in_mm, MM, 1.0)
    values = np.array([[r.values[k] for k in kept] for r in best]).reshape(len(best), len(kept)).T
    names, units, changes = ((), (), np.zeros((0, len(best)))) if droppers is None else droppers
    # what is rounded as it is built, or follows the profile to where its dropper moves, has no bound of its own
    design, open_end = result.campaign.design, math.nan
    height = open_end if result.space.moves or design.as_built else MM * design.height_change
    shift = open_end if design.as_built else design.dropper_move
    reach = np.array([height if unit == "mm" else shift for unit in units])

    def column(pick: Callable[[Variable], float], of_droppers: Array) -> Array:
        return np.concatenate([of_droppers, scale * [pick(variables[k]) for k in kept]])

    return DesignTable(
        names=(*names, *(variables[k].label for k in kept)),
        units=(*units, *("mm" if lift else _unit(variables[k]) for k, lift in zip(kept, in_mm, strict=True))),
        lower=column(lambda v: v.low, -reach),
        upper=column(lambda v: v.high, reach),
        nominal=column(lambda v: v.nominal, np.zeros(len(names))),
        designs=np.vstack([changes, scale[:, None] * values]),
        trials=tuple(r.number for r in best),
        objectives=result.objectives,
        values=_objectives(best, result.campaign.objectives).T,
        nominal_values=_objectives([result.nominal], result.campaign.objectives)[0],
        caption=_meaning(result, droppers is not None, bool(kept) or bool(np.isfinite(reach).any())),
    )


def _of_droppers(variable: Variable) -> bool:
    return variable.name.startswith(("lift", "move"))


def _unit(variable: Variable) -> str:
    return "–" if variable.unit == "1" else variable.unit


def _dropper_changes(
    result: CampaignResult, best: list[TrialRecord]
) -> tuple[tuple[str, ...], tuple[str, ...], Array] | None:
    """Names, units and changes (row, design) of heights [mm] and stations [m], from the support to mid-span.

    None where no dropper varies, or where designs have other droppers than the nominal line.
    """
    records = [result.nominal, *best]
    lines = [result.line_of(r) for r in records]
    count = len(lines[0].droppers.positions)
    alike = all(len(line.droppers.positions) == count and not line.further_spans for line in lines)
    if not alike or not any(_of_droppers(v) for v in result.space.variables):
        return None
    half = (count + 1) // 2
    rows: list[tuple[str, str, list[float]]] = []
    heights = [result.heights_of(r) for r in records]
    for wanted, (own, *found), name, unit, scale in (
        (result.space.lifts, heights, "height change", "mm", MM),
        (result.space.moves, [line.droppers.positions for line in lines], "shift towards mid-span", "m", 1.0),
    ):
        for k in range(half if wanted else 0):
            changes = [scale * (values[k] - own[k]) for values in found]
            rows.append((f"dropper {k + 1}, {name}", unit, changes))
    if wanted and count % 2:
        rows.pop()  # a dropper at mid-span stays there
    table = np.array([changes for _, _, changes in rows]).reshape(len(rows), len(best))
    return tuple(name for name, _, _ in rows), tuple(unit for _, unit, _ in rows), table


def _meaning(result: CampaignResult, by_dropper: bool, bounded: bool) -> str:
    """Explain the kinds of variables that a campaign has, and its bounds where the table has any."""
    variables, design = result.space.variables, result.campaign.design
    first = f"Best feasible design first{'; lower and upper are the bounds of the search' if bounded else ''}."
    droppers = [v for v in variables if _of_droppers(v)]
    if not droppers:
        return first
    if by_dropper:
        bounds = f"the search keeps heights within {MM * design.height_change:g} mm of the nominal profile"
        if result.space.moves:
            bounds += f" and shifts within {design.dropper_move:g} m"
        return (
            f"{first} Droppers are counted from the support to mid-span and are the same on both sides of it; changes "
            f"are those against the same dropper of the nominal line, and {bounds}.{_own_loads(droppers)}"
        )
    kinds = {v.label.partition(" ")[0]: v.description.rpartition(": ")[2] for v in droppers}
    meant = "; ".join(f"{kind}, {text}" for kind, text in kinds.items())
    names = "Variables" if len(droppers) == len(variables) else "Heights and stations of droppers"
    return (
        f"{first} {names} are changes against the nominal line, counted from the support to mid-span and the same on "
        f"both sides of it ({meant}). What they come to stands in the table of droppers."
    )


def _own_loads(droppers: list[Variable]) -> str:
    """Ranges of the variables behind the heights: what each dropper's own load alone may change its height by."""
    lifts = [v for v in droppers if v.name.startswith("lift")]
    ends = ", ".join(f"{signed(MM * v.low, 1)} to {signed(MM * v.high, 1)}" for v in lifts)
    return f" Of each dropper its own load is varied, which alone changes its height by {ends} mm." if lifts else ""


def signed_head(folder: Path, best: TrialRecord | None) -> tuple[HeadRecord, tuple[str, ...]]:
    """Head on record, without the names of those who checked and approved another design than the best one."""
    held = read_head(folder)
    head = held.signed_for(None if best is None else best.number)
    if (held.checked, held.approved) == (head.checked, head.approved):
        return head, ()
    return head, (f"Trial {held.design} was checked and approved, not the design that is the best now: sign again.",)


def newest_record(folder: Path) -> Path:
    """Record that was written last of those that the page's figures come from."""
    files = [folder / name for name in ("trust.json", "confirmation.json", "trials.jsonl")]
    return next((path for path in files if path.exists()), folder / "campaign.yaml")


def read_confirmation(folder: Path, best: TrialRecord | None) -> tuple[Confirmation | None, tuple[str, ...]]:
    """Confirmation on record, unless it is of a design that is no longer the best."""
    path = folder / "confirmation.json"
    if best is None or not path.exists():
        return None, ()
    found = confirmation_of(read_json(path))
    if found.best.trial != best.number:
        return None, (f"The long transient on record is that of trial {found.best.trial}, not of the best design.",)
    return found, ()


def read_off_design(path: Path, case: CaseSpec, best_trial: int) -> OffDesign | None:
    """Off-design table on record, if it is of that design."""
    content = read_json(path) if path.exists() else {}
    if content.get("best_trial") != best_trial:
        return None
    return OffDesign(case.speed_kmh, case.contact.stiffness, tuple(map(ComparedRun.of_row, content["rows"])))


def read_droppers(path: Path, best_trial: int | None = None) -> dict[str, Any] | None:
    """Schedule or tolerances of dropper lengths on record, if they are of that design and there are any."""
    content = read_json(path) if path.exists() else {}
    found = content.get("droppers") or content.get("length_m")
    return content if found and content.get("best_trial") == best_trial else None
