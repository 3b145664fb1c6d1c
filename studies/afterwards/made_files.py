"""Files of a campaign's folder that its record does not hold: which are damaged, and how they are made again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from catenary.errors import InputError, sentences_of
from catenary.library.line_file import read_line_workbook
from catenary.library.line_workbook import origin_of
from catenary.spec.line import CatenarySpec
from catenary.storage.files import read_json
from catenary.storage.yaml_file import read_yaml_mapping
from dynamics.results.dataset import read_result
from optimise.afterwards.gain_left import ComparedRun
from optimise.record.campaign_folder import CampaignFolder, files_beside
from optimise.record.growing_record import kept_aside, say
from studies.afterwards.confirmation import SOLVED, confirmation_of
from studies.afterwards.design_workbook import named_line
from studies.afterwards.length_tolerance import NAME as TOLERANCES
from studies.afterwards.objective_errors import NAME as ERRORS
from studies.input.compose import typed_command

__all__ = ["refuse_damaged", "refuse_damaged_plan", "set_damaged_aside"]

# what taking a file apart raises where it holds something else than what was written
NO_RECORD = (ValueError, KeyError, TypeError, AttributeError, IndexError)
Check = Callable[[Path], object]


def refuse_damaged(folder: Path) -> None:
    """Refuse a campaign's folder in which a file that is made of its record cannot be used; a missing one may be.

    Raises
    ------
    InputError
        With a sentence for each of them, and the command that makes it again.
    """
    cure = f"restore it, or make it again with: {typed_command('optimise', (f'resume={folder}',))}"
    place = CampaignFolder(folder)
    found = {**_damaged(_made_after(folder)), **_damaged(_designs(place)), **_damaged(_of_search(place))}
    if found:
        raise InputError([f"{said}; {cure}" for said in found.values()])


def refuse_damaged_plan(folder: Path, nominal: CatenarySpec, typed: Sequence[str]) -> None:
    """Refuse, before a search begins, a damaged workbook of its line, of which best_design.xlsx is made at its end.

    Parameters
    ----------
    folder : Path
        The campaign's, which may not be there yet.
    nominal : CatenarySpec
        Its line; one that repeats has no workbook.
    typed : sequence of str
        Words of the command; a line that they name is kept as the campaign's workbook where there is none.

    Raises
    ------
    InputError
        With the command that keeps it again.
    """
    place, named = CampaignFolder(folder), named_line(typed)
    path = place.plan_xlsx if place.plan_xlsx.exists() or named else place.best_design_xlsx
    if not nominal.ends:
        return
    again = typed_command("optimise", (f"resume={folder}", f"catenary={named or 'FILE'}"))
    cure = f"restore it, or delete it and name the line's file, of which it is made again: {again}"
    found = _damaged(iter([(path, lambda path: origin_of(read_line_workbook(path).sound()))]))
    if found:
        raise InputError([f"{said}; {cure}" for said in found.values()])


def set_damaged_aside(folder: Path) -> None:
    """Keep damaged files of what follows a search under another name, and say so: they are then made again."""
    for path, said in _damaged(_made_after(folder)).items():
        say(f"{said}; it is kept as {kept_aside(path, b'').name} and made again")


def _damaged(checks: Iterator[tuple[Path, Check]]) -> dict[Path, str]:
    """What is wrong with each file that is there and cannot be used, by its path."""
    found: dict[Path, str] = {}
    for path, check in checks:
        if not path.exists():
            continue
        try:
            check(path)
        except ValidationError as error:
            found[path] = f"{path} must be as it was written: {sentences_of(error)[0]}"
        except InputError as error:
            found[path] = f"{path} must be as it was written: {error.problems[0]}"
        except (OSError, *NO_RECORD) as error:
            said = f"{error.args[0]} is missing" if isinstance(error, KeyError) else " ".join(str(error).split())[:200]
            found[path] = f"{path} must be as it was written: {said}"
    return found


def _made_after(folder: Path) -> Iterator[tuple[Path, Check]]:
    """Files of what follows a search, each with what it must pass."""
    for name in SOLVED:
        yield folder / name / "result.nc", read_result
        yield folder / name / "summary.json", _json_with(lambda c: (c["config_sha256"], *map(dict, _each(c))))
    yield folder / "confirmation.json", _json_with(confirmation_of)
    yield folder / "trust.json", _json_with(lambda c: (c["best_trial"], *map(ComparedRun.of_row, c["rows"])))
    yield folder / "fitter_schedule.json", _json_with(lambda c: (c["best_trial"], list(c["length_m"])))
    yield folder / ERRORS, _json_with(lambda c: [(int(d["trial"]), dict(d["objectives"])) for d in c["designs"]])
    yield folder / TOLERANCES, _json_with(lambda c: (c["best_trial"], *map(dict, c["droppers"])))


def _each(summary: Mapping[str, Any]) -> list[Any]:
    return list(summary.get("pantographs") or ())


def _designs(place: CampaignFolder) -> Iterator[tuple[Path, Check]]:
    """Designs that the search found, which it writes again whenever it ends."""
    for line in (place.best_design_yaml, *sorted(place.pareto.glob("[0-9]*.yaml"))):
        if "." in line.stem:
            continue
        yield line, lambda path: CatenarySpec.model_validate(read_yaml_mapping(path, "catenary"))
        yield from ((path, lambda path: read_yaml_mapping(path, "design")) for path in files_beside(line).values())


def _of_search(place: CampaignFolder) -> Iterator[tuple[Path, Check]]:
    """What else the search writes again whenever it ends."""
    yield place.importances_json, _json_with(lambda c: (int(c["trials"]), dict(c["objectives"]), c["reason"]))
    yield (
        place.basins_json,
        _json_with(lambda c: (int(c["trials"]), [(p["basin"], p["message"], *p["active"]) for p in c["polished"]])),
    )


def _json_with(take: Callable[[Mapping[str, Any]], object]) -> Check:
    """Make a check: a JSON file with names and values, of which what its readers need can be taken."""

    def check(path: Path) -> None:
        content = read_json(path)
        if not isinstance(content, dict):
            raise ValueError("it does not hold names with values")
        take(content)

    return check
