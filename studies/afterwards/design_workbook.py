"""Write, after a search on a line by stations, its best design into the line's workbook, with figures and lengths."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from catenary.library.design_workbook import PLAN_STATION, Cell, write_design_workbook
from catenary.library.line_workbook import write_line_workbook
from catenary.spec.line import CatenarySpec
from catenary.storage.files import read_json_again, write_bytes_atomic
from optimise.entry.as_built import line_file
from optimise.evaluation.figures import how_combined
from optimise.evaluation.objectives import raw_values
from optimise.record.campaign_folder import CampaignFolder
from optimise.record.labelled import long_name_and_unit
from optimise.spec.design import LINE_QUANTITIES
from studies.afterwards.objective_errors import errors_by_trial

if TYPE_CHECKING:
    from optimise.search.result import CampaignResult

__all__ = ["keep_plan", "named_line", "show_design_workbook"]


def keep_plan(place: CampaignFolder, nominal: CatenarySpec, typed: Sequence[str]) -> None:
    """Keep the workbook of a line by stations in its campaign's folder, for commands that do not name it.

    A YAML file becomes one. Nothing of a line that repeats, or where it is kept already.
    """
    kept, named = place.plan_xlsx, named_line(typed)
    if named is None or not nominal.ends or kept.is_file():
        return
    if Path(named).suffix.lower() == ".xlsx":
        write_bytes_atomic(kept, Path(named).read_bytes())
    elif (file := line_file(named)) is not None:
        write_line_workbook(kept, file.type, file, nominal)


def named_line(typed: Sequence[str]) -> str | None:
    """Line that a command names; None where it names none."""
    named = [text.partition("=")[2].strip().strip("'\"") for text in typed if text.startswith("catenary=")]
    return named[-1] if named else None


def show_design_workbook(result: CampaignResult, typed: Sequence[str]) -> Path | None:
    """Write best_design.xlsx into the campaign's folder: the line's workbook with the best design in its rows.

    A YAML file becomes one. Sheets ``result`` and ``fitter`` hold the figures of nominal line and
    best design, and the lengths to cut. None of a line that repeats, or without a design.

    Parameters
    ----------
    result : CampaignResult
    typed : sequence of str
        Words of the command, of which one may name the line's file; else it is that which the campaign keeps.
    """
    best, nominal = result.best, result.case.catenary
    if best is None or not nominal.ends:
        return None
    place, named = CampaignFolder(result.folder), named_line(typed) or ""
    path = place.best_design_xlsx
    keep_plan(place, nominal, typed)
    own = (Path(named),) if Path(named).suffix.lower() == ".xlsx" else ()
    template = next((file for file in (*own, place.plan_xlsx, path) if file.is_file()), None)
    if template is None:
        return None
    sheets = {"result": list(_figures(result)), "fitter": list(_cutting_list(result))}
    write_design_workbook(template, path, result.line_of(best), _changes(result), sheets)
    return path


def _changes(result: CampaignResult) -> dict[str, Cell]:
    """Keys of the line as a whole that the design sets."""
    best, space = result.best, result.space
    assert best is not None
    whole = {v.name: value for v, value in zip(space.variables, best.values, strict=True) if v.name in LINE_QUANTITIES}
    changes: dict[str, Cell] = {".".join(LINE_QUANTITIES[key][0]): value for key, value in whole.items()}
    line = result.catenary_of(best)
    return {"description": line.description, "dimension": line.dimension, **changes}


def _figures(result: CampaignResult) -> Iterator[Sequence[Cell]]:
    """Objectives and figures of nominal line and best design; over scenarios each says how it is combined."""
    best, found = result.best, result.scenarios
    assert best is not None and best.outcome is not None and result.nominal.outcome is not None
    one, other = result.nominal.outcome.statistics, best.outcome.statistics
    yield ("quantity", "unit", "nominal line", f"best design, trial {best.number}")
    yield ("campaign", "", result.campaign.name, result.campaign.name)
    if found is not None:
        yield ("scenarios", "", found.in_words, found.in_words)
    yield from _objectives(result)
    whose = "" if found is None else " of the case itself"
    yield (f"speed{whose}", "km/h", result.case.speed_kmh, result.case.speed_kmh)
    for name in sorted(other):
        long_name, unit = long_name_and_unit(name)
        how = "" if found is None else f" ({how_combined(name)} of the scenarios)"
        yield (f"{long_name}{how}", unit, one.get(name), other[name])
    for variable, value in zip(result.space.variables, best.values, strict=True):
        yield (variable.description, variable.unit, variable.nominal, value)


def _objectives(result: CampaignResult) -> Iterator[Sequence[Cell]]:
    """Objectives of nominal line and best design, and below each its numerical error where that is on record."""
    assert result.best is not None
    names, shown = result.campaign.objectives, (result.nominal, result.best)
    values = [raw_values(names, record.outcome) or (None,) * len(names) for record in shown]
    known = errors_by_trial(result.folder, result)
    for k, (name, objective) in enumerate(zip(names, result.objectives, strict=True)):
        yield (objective.long_name, objective.unit, *(own[k] for own in values))
        sizes = [known.get(record.number, {}).get("objectives", {}).get(name) for record in shown]
        if any(size is not None for size in sizes):
            yield (f"numerical error of the {objective.long_name}", objective.unit, *sizes)


def _cutting_list(result: CampaignResult) -> Iterator[Sequence[Cell]]:
    """Lengths to cut, dropper by dropper, as in fitter_schedule.csv, with their sections."""
    best = result.best
    assert best is not None
    file = result.folder / "fitter_schedule.csv"
    if read_json_again(result.folder / "fitter_schedule.json").get("best_trial") != best.number or not file.is_file():
        yield ("no lengths: form-finding found no equilibrium of the best design, so fitter_schedule.csv has none",)
        return
    with file.open(encoding="utf-8", newline="") as text:
        head, *rows = csv.reader(text)
    section = head.index("section") if "section" in head else None
    own = ("section", PLAN_STATION)  # columns that the workbook has in places of their own
    numbers = [k for k, name in enumerate(head) if k and name not in own]
    yield ("section", head[0], *(head[k] for k in numbers))
    for row in rows:
        label = int(row[0]) if row[0].isdigit() else row[0]  # main droppers are named
        name = "" if section is None else row[section]
        yield (name, label, *(float(row[k]) if row[k] else None for k in numbers))
