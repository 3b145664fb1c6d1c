"""A case, or a job that holds one, as Python gives it: a line, a pantograph and values by key."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar

from catenary.library.lines import load_line, load_named
from catenary.linearised.rest_warnings import rest_warnings
from catenary.spec.changes import lay_typed, plain, refuse_unknown, typed_keys
from catenary.spec.checked import checked
from catenary.spec.keys import KeyTree
from catenary.spec.line import CatenarySpec
from catenary.storage.configuration import FILE_GROUPS, group_options
from dynamics.spec.case import CaseSpec, Kinematics, SlackDamping
from dynamics.spec.held_force import fill_mean_force
from dynamics.spec.mean_force import Supply
from dynamics.spec.open_line_of import fill_open_line
from dynamics.spec.pantograph import PantographSpec

__all__ = ["Block", "CaseChanges", "Line", "Pantograph", "job_input", "load_pantograph", "pantograph_names"]

Line: TypeAlias = CatenarySpec | str | os.PathLike[str]
Pantograph: TypeAlias = PantographSpec | str | os.PathLike[str]
Block: TypeAlias = Mapping[str, Any]
CaseT = TypeVar("CaseT", bound=CaseSpec)
# a speed that every line takes, for the reference that stands in while other values are checked [km/h]
SLOW = 80.0


class CaseChanges(TypedDict, total=False):
    """Keys of a case other than line, pantograph and speed, as on the command line; a block is a mapping."""

    contact: Block
    supply: Supply
    mean_force_N: float | None
    applied_force_N: float | None
    dt: float
    strict_dt: bool
    slack_damping: SlackDamping
    solver: Literal["periodic", "transient", "open_line"]
    kinematics: Kinematics
    run_fmu: bool
    run_python: bool
    trailing: Block
    base_motion: Block | None
    periodic: Block
    transient: Block
    open_line: Block
    signal: Block
    histories: Block


def pantograph_names() -> list[str]:
    """Names of the pantographs that `load_pantograph` knows in addition to files."""
    return group_options("pantograph")


def load_pantograph(name: str | os.PathLike[str]) -> PantographSpec:
    """Read a pantograph.

    Parameters
    ----------
    name : str or path
        One of `pantograph_names`, or a YAML file.

    Raises
    ------
    InputError
        If there is no such pantograph, or its file cannot be used.
    """
    return load_named(PantographSpec, "pantograph", name)


def job_input(spec: type[CaseT], line: Line, pantograph: Pantograph, given: Mapping[str, Any]) -> CaseT:
    """Validated input of a job: what is given, over the defaults that the command line has too.

    Parameters
    ----------
    spec : type of CaseSpec
        What the job is.
    line, pantograph : spec, name or path
    given : mapping
        Values by key; that of a block is a mapping.

    Raises
    ------
    InputError
        If a key is not known, with the nearest one that is, or values cannot be or do not go together.
    """
    wire = line if isinstance(line, CatenarySpec) else load_line(line)
    head = pantograph if isinstance(pantograph, PantographSpec) else load_pantograph(pantograph)
    keys = KeyTree(spec)
    typed = dict(typed_keys(keys, plain(given)))
    refuse_unknown(keys, typed)
    data = {"catenary": wire.model_dump(), "pantograph": head.model_dump(), "mean_force_N": None}
    data |= {"applied_force_N": None}
    reference = {**data, "speed_kmh": SLOW, "applied_force_N": 100.0}
    lay_typed(data, typed, FILE_GROUPS)
    fill_mean_force(data, typed)
    if wire.ends:
        data.setdefault("open_line", {})
    fill_open_line(data, typed)
    job = checked(spec, data, reference)
    for sentence in rest_warnings(job.catenary):
        warnings.warn(sentence.removeprefix("Warning: "), stacklevel=3)
    return job
