"""A case as a rig bundle: on the controller's clock, checked, its matrices computed and written."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catenary.errors import InputError
from catenary.spec.given import given_path
from catenary.storage.files import other_files
from dynamics.refusals import refuse_slack_line
from dynamics.rig.whole_steps import whole_step_case
from dynamics.spec.case import RIG_STEP, CaseSpec
from dynamics.spec.case_input import Line, Pantograph, job_input
from dynamics.spec.held_force import is_reference_force
from dynamics.spec.mean_force import reference_mean_force

__all__ = ["OWN_KEYS", "ExportedBundle", "bundle_case", "export_bundle", "refuse_unfit_bundle", "write_case"]

# what a bundle has of its own, whatever the case that it is made for was solved with
OWN_KEYS = ("dt", "strict_dt", "solver", "periodic", "transient")


@dataclass(frozen=True)
class ExportedBundle:
    """A bundle that was written.

    Attributes
    ----------
    folder : Path
    case : CaseSpec
        What it was made for: the speed has given way so that a span takes a whole number of steps.
    frequencies : int
        Frequencies that the matrices are sums over.
    truncation_error : float
        Of the influence matrices, relative [-].
    computed_s : float
        Time that the matrices took [s].
    parts : tuple of (str, float)
        Files with the time that each took [s].
    """

    folder: Path
    case: CaseSpec
    frequencies: int
    truncation_error: float
    computed_s: float
    parts: tuple[tuple[str, float], ...]

    def __repr__(self) -> str:
        """Name its folder and what it was made for."""
        return f"<rig bundle {self.folder}: {self.case.in_words}, {self.frequencies} frequencies>"


def export_bundle(
    line: Line, pantograph: Pantograph, speed_kmh: float, folder: str | Path, **changes: Any
) -> ExportedBundle:
    """Write the periodic finite element model of a line as a rig bundle, as ``catenary export`` does.

    Parameters
    ----------
    line, pantograph : spec, name or path
    speed_kmh : float
        Train speed [km/h]; it gives way by at most 0.3 % so that a span takes a whole number of steps.
    folder : str or Path
        New, empty, or that of an earlier bundle.
    changes
        Other keys of the case.

    Raises
    ------
    InputError
        If a key is not known, values cannot be, or the folder holds other files.
    """
    given = {"dt": RIG_STEP, "speed_kmh": speed_kmh, **changes}
    typed = changes.get("mean_force_N") is not None
    case = bundle_case(job_input(CaseSpec, line, pantograph, given), force_typed=typed)
    place = given_path("folder", folder)
    refuse_unfit_bundle(case, place)
    return write_case(case, place)


def bundle_case(case: CaseSpec, own: Mapping[str, Any] | None = None, *, force_typed: bool = False) -> CaseSpec:
    """Case of a bundle: a span takes a whole number of its own steps, for which the speed gives way.

    A mean force that is the reference one of its speed goes with the speed.

    Parameters
    ----------
    case : CaseSpec
    own : mapping, optional
        What a bundle has in the place of the case's `OWN_KEYS`; those that are not named have their defaults. Not
        given: the case's own stay.
    force_typed : bool
        Whether the mean force was asked for as a number, which then stays.
    """
    if own is not None:
        content = {k: v for k, v in case.model_dump().items() if k not in OWN_KEYS}
        case = CaseSpec.model_validate({**content, **own})
    found = whole_step_case(case)
    if force_typed or not is_reference_force(case.model_dump(include={"mean_force_N", "speed_kmh", "supply"})):
        return found
    held = round(reference_mean_force(found.speed_kmh, found.supply), 6)
    return found.model_copy(update={"mean_force_N": held})


def refuse_unfit_bundle(case: CaseSpec, folder: Path) -> None:
    """Refuse what a bundle cannot have, a line that hangs slack, and a folder that holds other files.

    Raises
    ------
    InputError
        In a sentence.
    """
    if case.pantograph.runs_code:
        raise InputError(
            [f"pantograph must be without code from outside where a bundle is made for it: got {case.pantograph.name}"]
        )
    problems = []
    if case.slack_damping != "kept":
        problems.append(
            f"slack_damping must be kept in a bundle, whose slack droppers are so: got {case.slack_damping}"
        )
    if case.kinematics != "linearised":
        problems.append(f"kinematics must be linearised in a bundle, which has matrices: got {case.kinematics}")
    if case.base_motion is not None:
        problems.append(
            "base_motion must be left out of a bundle, which is that of the line: the rig moves its own base"
        )
    if problems:
        raise InputError(problems)
    refuse_slack_line(case.catenary)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())) and not (folder / "pfem.nc").is_file():
        raise InputError([other_files(folder, "bundle")])


def write_case(case: CaseSpec, folder: Path) -> ExportedBundle:
    """Compute the influence matrices of a case and write its bundle.

    Raises
    ------
    ValueError
        If form-finding fails.
    """
    from dynamics.influence.matrices import influence_matrices
    from dynamics.rig.bundle import write_bundle

    begin, parts = time.perf_counter(), []
    matrices = influence_matrices(case)
    computed = time.perf_counter() - begin
    write_bundle(folder, matrices, case, lambda part, spent: parts.append((part, spent)))
    return ExportedBundle(folder, case, matrices.quadrature_nodes, matrices.truncation_error, computed, tuple(parts))
