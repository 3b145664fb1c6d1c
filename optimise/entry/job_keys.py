"""Keys of campaigns, sweeps and sensitivity studies as Python takes them, and the jobs that they make."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from catenary.errors import InputError
from catenary.spec.changes import plain, typed_keys
from catenary.spec.given import given_block
from catenary.spec.keys import KeyTree
from catenary.storage.configuration import chosen_block
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import Block, CaseChanges, Line, Pantograph, job_input
from optimise.entry.varied_inputs import refuse_bad_axes, refuse_bad_inputs
from optimise.spec.jobs import OptimiseJob, SensitivityJob, SweepJob
from optimise.spec.named_pantographs import name_pantographs

__all__ = [
    "CampaignChanges",
    "ParameterStudyChanges",
    "Speeds",
    "campaign_job",
    "sensitivity_job",
    "sweep_job",
]

Speeds: TypeAlias = float | Iterable[float]
Choice: TypeAlias = str | Block
JobT = TypeVar("JobT", bound=CaseSpec)
# blocks that conf has choices of
GROUPS = ("design", "sampler", "scenarios", "cluster")


class ParameterStudyChanges(CaseChanges, total=False):
    """Keys of a study of many points: those of its case, and where points are evaluated (a name in conf or a block)."""

    cluster: Choice


class CampaignChanges(CaseChanges, total=False):
    """Keys of a campaign other than line, pantograph and speed; a group is a name in conf or a block of keys."""

    campaign: str
    trials: int
    seed: int
    synchronous: bool
    learned_directions: bool
    objectives: Sequence[str]
    scenarios: Choice
    sampler: Choice
    design: Choice
    limits: Block
    polish: Block
    warm_start: str | None
    warm_start_designs: int
    cluster: Choice


def campaign_job(line: Line, pantograph: Pantograph, given: Mapping[str, Any]) -> OptimiseJob:
    """Job of a campaign, as the command line resolves it.

    Raises
    ------
    InputError
        If a key is not known, or values cannot be or do not go together.
    """
    return _job(OptimiseJob, line, pantograph, _listed(given, {*CampaignChanges.__annotations__, "speed_kmh"}))


def sweep_job(line: Line, pantograph: Pantograph, given: Mapping[str, Any], axes: Mapping[str, Any]) -> SweepJob:
    """Job of a sweep, as the command line resolves it: lists of numbers in the place of one are axes, too.

    The case has the first value of every axis that it names.

    Raises
    ------
    InputError
        If a key is not known, or values cannot be or do not go together.
    """
    given = _listed(given, {*ParameterStudyChanges.__annotations__, "speed_kmh"})
    keys, case, found = KeyTree(CaseSpec), {}, {}
    groups = {key: value for key, value in given.items() if key in GROUPS}
    for path, value in typed_keys(keys, plain({k: v for k, v in given.items() if k not in groups})):
        if isinstance(value, list) and (keys.node(path.split(".")) or {}).get("type") in ("number", "integer"):
            found[path] = value
            value = value[0] if value else None  # refused below
        case[path] = value
    every = {**found, **given_block("axes", axes)}
    empty = [f"{path} must list at least one value: got none" for path, values in found.items() if not values]
    if empty:
        raise InputError(empty)
    if not every:
        job_input(CaseSpec, line, pantograph, _nested(case))  # what is wrong with the case comes first
        raise InputError(["a sweep must have an axis: got one value each; give speed_kmh a list, or axes={...}"])
    sweep = {"axes": every}
    return _checked_axes(_job(SweepJob, line, pantograph, {**_nested(case), **groups, "sweep": sweep}))


def sensitivity_job(
    line: Line,
    pantograph: Pantograph,
    inputs: str | Mapping[str, Any],
    given: Mapping[str, Any],
    how: Mapping[str, Any],
) -> SensitivityJob:
    """Job of a sensitivity study, as the command line resolves it.

    Parameters
    ----------
    line, pantograph : spec, name or path
    inputs : str or mapping
        A set of inputs of conf, or ranges by the dotted path of the input.
    given : mapping
        Keys of the case.
    how : mapping
        Keys of the study: methods, seed, sobol, morris, local.

    Raises
    ------
    InputError
        If a key is not known, or values cannot be or do not go together.
    """
    study: dict[str, Any] = {"name": "sensitivity", "inputs": plain(inputs)}
    if isinstance(inputs, str):
        study = chosen_block("inputs", inputs)["sensitivity"]
    given = _listed(given, {*ParameterStudyChanges.__annotations__, "speed_kmh"})
    job = _job(SensitivityJob, line, pantograph, {**given, "sensitivity": {**study, **given_block("study", how)}})
    refuse_bad_inputs(job)
    return job


def _checked_axes(job: SweepJob) -> SweepJob:
    refuse_bad_axes(job)
    return job


def _job(spec: type[JobT], line: Line, pantograph: Pantograph, given: Mapping[str, Any]) -> JobT:
    """Job with the groups that are named filled in."""
    content = dict(given)
    for group in GROUPS:
        if isinstance(content.get(group), str):
            content[group] = chosen_block(group, content[group])
    content = plain(content)
    problems = name_pantographs(content)
    if problems:
        raise InputError(problems)
    return job_input(spec, line, pantograph, content)


def _listed(given: Mapping[str, Any], known: set[str]) -> dict[str, Any]:
    """What is given, refused where no key is known."""
    problems = []
    for key in sorted(set(given) - known):
        near = difflib.get_close_matches(key, known, n=1, cutoff=0.6)
        advice = f"did you mean {near[0]}?" if near else f"known: {', '.join(sorted(known))}"
        problems.append(f"{key} is not a known key; {advice}")
    if problems:
        raise InputError(problems)
    return dict(given)


def _nested(paths: Mapping[str, Any]) -> dict[str, Any]:
    """Blocks of values that are named by their dotted paths."""
    found: dict[str, Any] = {}
    for path, value in paths.items():
        *blocks, last = path.split(".")
        place = found
        for block in blocks:
            place = place.setdefault(block, {})
        place[last] = value
    return found
