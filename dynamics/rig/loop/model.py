"""The periodic model of a line as a loop uses it: the arrays of a rig bundle, read back and checked."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from catenary.storage.files import read_json_object
from catenary.storage.user_file import read_user_bytes
from dynamics.influence.matrices import InfluenceMatrices
from dynamics.results.dataset import read_result
from dynamics.rig.bundle.recommendation import RECOMMENDATION

__all__ = ["PeriodicModel", "model_of", "read_model"]

SCHEMA_VERSIONS = (1, 2, 3)
# of a bundle's file: what a MATLAB file can hold, twice
MOST_BYTES = 2**32
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")  # as every line's; folders are called after it
ARRAYS = ("z0", "I_cc", "I_cd", "I_dc", "K_dd", "dropper_force", "dropper_position")
SCALARS = ("dropper_stiffness", "speed", "dt", "span", "N", "M")
OFFSET = "dropper_offset"  # one for all droppers before version 3


@dataclass(frozen=True)
class PeriodicModel:
    """Influence matrices of one line at one speed and step, as ``dynamics.influence.matrices`` defines them.

    Attributes
    ----------
    name : str
        Name of the line.
    speed, dt, span : float
        Train speed [m/s], step of the loop [s], span [m].
    z0 : float array (step,)
        Static height at x_n [m].
    I_cc : float array (step, step)
        Height per contact force [m/N].
    I_cd : float array (step, dropper, dropper step)
        Height per squeezing force [m/N].
    I_dc : float array (dropper, dropper step, step)
        Elongation per contact force [m/N].
    K_dd : float array (dropper, dropper, lag)
        Elongation per squeezing force of the second dropper, lag = index - (dropper steps - 1) [m/N].
    dropper_force : float array (dropper,)
        Static tension [N].
    dropper_position : float array (dropper,)
        Station from the support [m].
    dropper_stiffness : float
        [N/m].
    dropper_offset : int array (dropper,)
        Step of the first sample of each dropper's record.
    """

    name: str
    speed: float
    dt: float
    span: float
    z0: NDArray[np.float64]
    I_cc: NDArray[np.float64]
    I_cd: NDArray[np.float64]
    I_dc: NDArray[np.float64]
    K_dd: NDArray[np.float64]
    dropper_force: NDArray[np.float64]
    dropper_position: NDArray[np.float64]
    dropper_stiffness: float
    dropper_offset: NDArray[np.int64]

    @property
    def steps(self) -> int:
        """Steps a span, N."""
        return len(self.z0)

    @property
    def dropper_steps(self) -> int:
        """Steps of a dropper's local record, M."""
        return self.I_cd.shape[2]

    @property
    def droppers(self) -> int:
        """Droppers a span."""
        return len(self.dropper_force)

    @property
    def position(self) -> NDArray[np.float64]:
        """Stations x_n from the support [m], (step,)."""
        return np.arange(self.steps, dtype=np.float64) * (self.span / self.steps)

    def on_common_steps(self, records: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Steps from the first of all droppers' records to the last, and records (dropper, dropper step) on them.

        Steps count from the period's first support; a record is zero where it holds nothing.
        """
        begin = self.dropper_offset - self.dropper_offset.min()
        steps = self.dropper_offset.min() + np.arange(begin.max() + self.dropper_steps)
        common = np.zeros((self.droppers, len(steps)))
        for d, first in enumerate(begin):
            common[d, first : first + self.dropper_steps] = records[d]
        return steps, common


def model_of(matrices: InfluenceMatrices) -> PeriodicModel:
    """Loop's model from matrices that were just computed, without a bundle in between."""
    case = matrices.case
    return PeriodicModel(
        name=case.catenary.name,
        speed=case.speed,
        dt=case.time_step,
        span=case.line.period,
        z0=matrices.z0,
        I_cc=matrices.I_cc,
        I_cd=matrices.I_cd,
        I_dc=np.ascontiguousarray(matrices.I_dc),
        K_dd=matrices.K_dd,
        dropper_force=matrices.dropper_force,
        dropper_position=np.array(matrices.equilibrium.spec.dropper_positions),
        dropper_stiffness=matrices.dropper_stiffness,
        dropper_offset=matrices.dropper_offset,
    )


def read_model(folder: Path, to_rewrite: str = "") -> tuple[PeriodicModel, dict[str, Any]]:
    """Read a bundle's matrices and its manifest, checked against each other.

    ``to_rewrite`` is a file that is about to be written again, whatever its state.

    Raises
    ------
    InputError
        In one sentence: a folder that is not a bundle, a schema version that is not known, a file that is missing or
        differs from its sha256, arrays whose shapes, finiteness or step do not fit.
    """
    manifest = _manifest(Path(folder))
    for name, facts in sorted(manifest["files"].items()):
        if name != to_rewrite:
            _check_file(Path(folder) / name, facts["sha256"])
    values = read_result(Path(folder) / "pfem.nc").values
    missing = [name for name in (*ARRAYS, *SCALARS, OFFSET) if name not in values]
    if missing:
        raise InputError([f"pfem.nc of the bundle {folder} must hold {', '.join(missing)}: export the line again"])
    arrays = {name: np.ascontiguousarray(values[name], dtype=np.float64) for name in ARRAYS}
    odd = [name for name in SCALARS if values[name].shape != () or not np.isfinite(values[name])]
    if odd:
        raise InputError([f"{', '.join(odd)} of the bundle {folder} must be a finite number: export the line again"])
    scalars = {name: float(values[name]) for name in SCALARS}
    name = manifest.get("catenary")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise InputError([f"catenary in the manifest of the bundle {folder} must be a line's short name: got {name!r}"])
    _check_arrays(Path(folder), arrays, scalars)
    offset = _offset(Path(folder), values[OFFSET], arrays["dropper_force"].size, scalars)
    model = PeriodicModel(
        name=name,
        speed=scalars["speed"],
        dt=scalars["dt"],
        span=scalars["span"],
        dropper_stiffness=scalars["dropper_stiffness"],
        dropper_offset=offset,
        **arrays,
    )
    return model, manifest


def _offset(folder: Path, given: NDArray[np.float64], droppers: int, scalars: dict[str, float]) -> NDArray[np.int64]:
    """First steps of the droppers' records (dropper,), of which earlier versions have one for all."""
    found = np.full(droppers, given) if given.shape == () else given
    if found.shape != (droppers,) or not (np.abs(found) <= scalars["N"]).all() or (found != np.round(found)).any():
        raise InputError(
            [
                f"{OFFSET} of the bundle {folder} must be {droppers} whole numbers within {scalars['N']:g} steps of "
                f"the support: got an array of the shape {given.shape} with others; export the line again"
            ]
        )
    return found.astype(np.int64)


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / "manifest.json"
    if not path.exists():
        raise InputError([f"bundle must be the folder of a rig bundle: {folder} has no manifest.json"])
    manifest = read_json_object(path, "the bundle's manifest", "export it again")
    files = manifest.get("files")
    if not isinstance(files, dict) or "pfem.nc" not in files or not all(map(_is_listed, files.items())):
        raise InputError(
            [f"manifest.json of the bundle {folder} must list the bundle's files: it is another program's"]
        )
    version = manifest.get("schema_version")
    if version not in SCHEMA_VERSIONS:
        known = ", ".join(map(str, SCHEMA_VERSIONS))
        raise InputError([f"schema_version of the bundle {folder} must be {known}: got {version}; update this program"])
    return manifest


def _is_listed(file: tuple[str, Any]) -> bool:
    """Whether a manifest lists a file as one of the bundle's own folder, with a digest."""
    name, facts = file
    return bool(name) and Path(name).name == name and isinstance(facts, dict) and isinstance(facts.get("sha256"), str)


def _check_file(path: Path, digest: str) -> None:
    cure = "export it again"
    if path.name == RECOMMENDATION:
        cure = f"`catenary rig map bundle={path.parent} over=none` makes it again"
    if not path.exists():
        raise InputError([f"the bundle lacks {path.name}, which its manifest lists: {path} is missing; {cure}"])
    found = hashlib.sha256(read_user_bytes(path, "the bundle's file", MOST_BYTES)).hexdigest()
    if found != digest:
        raise InputError(
            [
                f"{path} must have the sha256 that the manifest lists ({digest[:12]}...): got {found[:12]}...; "
                f"the file was altered or cut short, {cure}"
            ]
        )


def _check_arrays(folder: Path, arrays: dict[str, NDArray[np.float64]], scalars: dict[str, float]) -> None:
    N, M, nd = round(scalars["N"]), round(scalars["M"]), arrays["dropper_force"].size
    shapes = {
        "z0": (N,),
        "I_cc": (N, N),
        "I_cd": (N, nd, M),
        "I_dc": (nd, M, N),
        "K_dd": (nd, nd, 2 * M - 1),
        "dropper_force": (nd,),
        "dropper_position": (nd,),
    }
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise InputError([f"{name} of the bundle {folder} must have the shape {shape}: got {arrays[name].shape}"])
        if not np.isfinite(arrays[name]).all():
            raise InputError([f"{name} of the bundle {folder} must hold finite numbers: it does not; export it again"])
    passage = scalars["span"] / scalars["speed"]
    if abs(N * scalars["dt"] - passage) > 1e-9 * passage:
        raise InputError(
            [
                f"N of the bundle {folder} must fit its step and speed: got {N} steps of {1e3 * scalars['dt']:g} "
                f"ms for a span that takes {passage:.6f} s"
            ]
        )
