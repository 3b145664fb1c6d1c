"""Input of a command: conf composed by Hydra, files read as data, overrides laid over, all of it validated.

Hydra composes the job file and its groups and nothing else: no value of a user's file or command line passes
through its interpolation, and it neither makes folders nor runs anything.
"""

from __future__ import annotations

import copy
import difflib
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from catenary.errors import InputError
from catenary.library.lines import read_file, refuse_other_kind
from catenary.linearised.rest_warnings import rest_warnings
from catenary.spec.changes import key_parts, lay_typed
from catenary.spec.checked import checked
from catenary.spec.components import Spec
from catenary.spec.keys import KeyTree, format_value
from catenary.spec.line import CatenarySpec
from catenary.spec.problems import TYPED
from catenary.storage.configuration import (
    FILE_GROUPS,
    chosen_file,
    conf_content,
    group_options,
    unknown_choice,
)
from catenary.storage.yaml_file import read_yaml_mapping
from dynamics.spec.checks.devices import TYPED_ALONE
from dynamics.spec.held_force import fill_mean_force, is_reference_force
from dynamics.spec.open_line_of import fill_open_line
from optimise.spec.named_pantographs import name_pantographs
from studies.input.named_blocks import named_block
from studies.input.tables.base_motion import read_base_motion
from studies.input.typed_text import free_text, typed_value

__all__ = ["SHORT_KEYS", "Composed", "compose_job", "full_key", "groups_of", "typed_command"]

# common overrides that stand deeper in the input
SHORT_KEYS = {
    "dimension": "catenary.dimension",
    "formulation": "catenary.formulation",
    "tension": "catenary.tension_in_motion",
    "track": "catenary.track",
    "wind": "catenary.wind",
    "head": "pantograph.head",
}
# names and dates of people, with commas and whatever else they have
FREE_TEXT = "report."
JobT = TypeVar("JobT", bound=Spec)
JobT_co = TypeVar("JobT_co", bound=Spec, covariant=True)


@dataclass(frozen=True)
class Composed(Generic[JobT_co]):
    """A validated job with the command line that it came from, and what the user should know about it."""

    job: JobT_co
    overrides: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass
class _Request:
    """Overrides of one command line, sorted by what they are."""

    groups: dict[str, str] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def compose_job(
    config: str,
    spec: type[JobT],
    overrides: list[str],
    own: tuple[str, ...] = (),
    recorded: Mapping[str, Any] | None = None,
) -> Composed[JobT]:
    """Compose and validate the input of one command.

    A line that lies in a campaign's folder brings the campaign's conditions (pantograph, speed, forces,
    contact, step), so that the same line gives the same numbers; what is typed goes before.

    Parameters
    ----------
    config : str
        Name of the job file in conf.
    spec : type of Spec
        What the job must be.
    overrides : list of str
        ``key=value`` as typed.
    own : tuple of str
        Keys that the command sets itself whatever a campaign's conditions are.
    recorded : mapping, optional
        Input that is on record, in the place of conf's; what is typed goes before.

    Raises
    ------
    InputError
        With every problem of the command line, the files and the values. Nothing has been written.
    """
    keys = KeyTree(spec)
    request = _sort_overrides(overrides, keys, groups=[*groups_of(config)])
    data = _hydra(config, request.groups)
    given = {k: value for k, value in (recorded or {}).items() if k not in (*request.groups, *TYPED_ALONE)}
    data.update(given)
    reference = copy.deepcopy(data)
    for group, path in request.files.items():
        try:
            data[group] = _read_group_file(keys, group, path)
        except InputError as error:
            request.problems += error.problems
    conditions = _conditions_of(request, own) if "pantograph" in data else {}
    data.update(conditions)
    of_line = conditions if "catenary" in request.files else given if "catenary" not in request.groups else {}
    lay_typed(data, request.values, FILE_GROUPS)
    fill_mean_force(data, request.values)
    fill_open_line(data, {*request.values, *(f"open_line.{key}" for key in of_line.get("open_line") or ())})
    request.problems += name_pantographs(data)

    def where(path: tuple[str | int, ...]) -> str:
        return _origin(path, request)

    job = checked(spec, data, reference, where, request.problems)
    line = getattr(job, "catenary", None)
    hogs = rest_warnings(line) if isinstance(line, CatenarySpec) else ()
    notes = (f"Conditions are those of {_campaign_record(request)}, unless typed here.",) if conditions else ()
    return Composed(job, tuple(overrides), (*notes, *hogs))


def _hydra(config: str, groups: dict[str, str]) -> dict[str, Any]:
    """Job file with its groups as plain data, the caller's own."""
    return copy.deepcopy(_composed_once(config, tuple(groups.items())))


@cache
def _composed_once(config: str, groups: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    """What Hydra composes, kept while the process lives: conf is part of the program and does not change."""
    from hydra import compose, initialize_config_module
    from omegaconf import OmegaConf

    with initialize_config_module(config_module="conf", version_base="1.3"):
        composed = compose(config_name=config, overrides=[f"{group}={name}" for group, name in groups])
    data = OmegaConf.to_container(composed, resolve=False)
    assert isinstance(data, dict)
    return {str(key): value for key, value in data.items()}


def groups_of(config: str) -> dict[str, str]:
    """Groups that a job file chooses from, in the order of its list, and its default choice of each."""
    listed = conf_content(config).get("defaults", [])
    chosen = [next(iter(entry.items())) for entry in listed if isinstance(entry, dict)]
    return {re.sub("^(optional|override) ", "", group).strip("/"): str(name or "") for group, name in chosen}


def full_key(typed: str) -> str:
    """Key as the input has it: short ones, and keys inside a short one, are written out."""
    first, dot, rest = typed.lstrip("+").strip().partition(".")
    return f"{SHORT_KEYS.get(first, first)}{dot}{rest}"


def _sort_overrides(overrides: list[str], keys: KeyTree, groups: list[str]) -> _Request:
    request = _Request()
    for text in overrides:
        key, separator, raw = text.partition("=")
        key = full_key(key)
        if not separator or not key or text.startswith("~"):
            request.problems.append(
                f"{format_value(text)} is not key=value: write for example speed_kmh=275 (and key=null to unset a key)"
            )
        elif key == "hydra" or key.startswith(("hydra.", "hydra/")):
            request.problems.append(f"{key} is not a known key on the command line; Hydra only composes here")
        elif "${" in text:
            request.problems.append(f"{key} must be a plain value: interpolation '${{...}}' is not allowed")
        elif key in groups:
            _choose(request, key, raw.strip().strip("'\""))
        elif keys.node(key_parts(key)) is None:
            request.problems.append(_unknown_override(keys, key, groups))
        else:
            _take_value(request, key, raw)
    return request


def _choose(request: _Request, group: str, name: str) -> None:
    if name in group_options(group):
        request.groups[group] = name
    elif (file := chosen_file(group, name)) is not None:
        request.files[group] = file
    else:
        request.problems.append(unknown_choice(group, name, TYPED))


def _take_value(request: _Request, key: str, raw: str) -> None:
    try:
        file = Path(raw.strip().strip("'\""))
        from_file = key == "base_motion" and file.suffix.lower() == ".csv"
        if (block := named_block(key, raw)) is not None:
            request.values[key] = block
        elif key.startswith(FREE_TEXT) and raw.strip() != "null":
            request.values[key] = free_text(raw)
        else:
            request.values[key] = read_base_motion(file) if from_file else typed_value(key, raw)
    except InputError as error:
        request.problems += error.problems


def typed_command(study: str, overrides: tuple[str, ...]) -> str:
    """Command line that says the same as the one that was typed, to be copied; ``study`` may be two words."""
    return shlex.join(["catenary", *study.split(), *overrides])


def _unknown_override(keys: KeyTree, key: str, groups: list[str]) -> str:
    near = difflib.get_close_matches(key, groups, n=1) or [keys.nearest(key)]
    advice = f"did you mean {near[0]}?" if near[0] else "--help lists the keys"
    return f"{key} is not a known key on the command line; {advice}"


def _read_group_file(keys: KeyTree, group: str, path: Path) -> dict[str, Any]:
    """Block from a user's file; a file that describes something else is refused in one sentence."""
    content = read_file(group, path)
    refuse_other_kind(keys.children((group,)), content, group, path)
    return content


def _conditions_of(request: _Request, own: tuple[str, ...]) -> dict[str, Any]:
    """Conditions of the line's campaign, the defaults of what is typed; none of a line that lies in no campaign."""
    from optimise.record.campaign_folder import files_beside

    record = _campaign_record(request)
    if record is None:
        return {}
    try:
        case = read_yaml_mapping(record, "campaign").get("case")
        if not isinstance(case, dict):
            return {}
        # of a search that varied gains or distances
        found = {block: path for block, path in files_beside(request.files["catenary"]).items() if path.is_file()}
        case = {**case, **{block: read_yaml_mapping(path, block) for block, path in found.items()}}
    except InputError as error:
        request.problems += error.problems
        return {}
    case = {**case, "periodic": {"method": "march", **(case.get("periodic") or {})}}  # records leave a march out
    if {"speed_kmh", "supply"} & set(request.values) and is_reference_force(case):
        case = {**case, "mean_force_N": None}  # another speed or supply has a reference mean force of its own
    typed = {*request.groups, *request.files, *own, "catenary", *TYPED_ALONE}
    return {key: value for key, value in case.items() if key not in typed}


def _campaign_record(request: _Request) -> Path | None:
    """Record of the campaign whose best design, or a design of whose front, the line's file is."""
    line = request.files.get("catenary")
    if line is None:
        return None
    places = [line.parent]
    if line.absolute().parent.name == "pareto":
        places.append(line.parent.parent if line.parent.name else Path(".."))
    return next((p / "campaign.yaml" for p in places if (p / "campaign.yaml").is_file()), None)


def _origin(path: tuple[str | int, ...], request: _Request) -> str:
    """Origin of the value at a path, for the end of a sentence."""
    names = [str(part) for part in path if not isinstance(part, int)]
    for length in range(len(names), 0, -1):
        if ".".join(names[:length]) in request.values:
            return TYPED
    if names and names[0] in request.files:
        return f" in {request.files[names[0]]}"
    return ""
