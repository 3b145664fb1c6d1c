"""Matrices of a pantograph as a supplier hands them over: read from .mat, .nc or .npz, checked, refused by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from dynamics.spec.control.given_file import sha256_of_file
from dynamics.spec.pantograph import MatricesSpec

__all__ = ["GivenMatrices", "read_matrices", "refuse_other_content"]

Floats = NDArray[np.float64]
MATRICES = ("mass", "damping", "stiffness")
OPERATORS = ("head", "applied", "base")
LEAST = ("mass", "damping", "stiffness", "head", "applied")
# a matrix is symmetric, or has no negative eigenvalue, to this share of its largest entry
ROUNDING = 1.0e-9


class GivenMatrices(NamedTuple):
    """Matrices (coordinate, coordinate) and operators (coordinate,) in a supplier's own coordinates q.

    ``head`` @ q is the head's height, ``applied`` the load of a unit applied force, ``base`` what a unit lift of the
    whole pantograph makes of q; None where the file does not say.
    """

    mass: Floats
    damping: Floats
    stiffness: Floats
    head: Floats
    applied: Floats
    base: Floats | None


def refuse_other_content(path: str, sha256: str, key: str) -> None:
    """Refuse a file that cannot be read or does not hold what is on record.

    Raises
    ------
    InputError
        With both hashes.
    """
    try:
        found = sha256_of_file(path)
    except OSError as error:
        raise InputError([f"{key}.file must be a file that can be read: got '{path}', {error.strerror}"]) from error
    if found != sha256:
        raise InputError(
            [
                f"{key}.sha256 must be that of the file's content: on record {sha256[:16]}..., but '{path}' has "
                f"{found[:16]}...; the file is not the one that was meant, or give the new hash"
            ]
        )


def read_matrices(spec: MatricesSpec) -> GivenMatrices:
    """Read and check the matrices of a pantograph.

    Raises
    ------
    InputError
        With a sentence for every fault: no such file, another content than that on record, names that are not there,
        shapes, matrices that are not symmetric or that would feed the motion.
    """
    return _read(spec.file, spec.sha256)


@lru_cache(maxsize=16)
def _read(path: str, sha256: str) -> GivenMatrices:
    refuse_other_content(path, sha256, "pantograph.matrices")
    content = _content(Path(path))
    absent = [name for name in LEAST if name not in content]
    if absent:
        known = ", ".join(sorted(content)) or "nothing"
        raise _refused(path, [f"holds no {name}" for name in absent], f"it holds {known}")
    found = {name: _numbers(content[name]) for name in (*MATRICES, *OPERATORS) if name in content}
    found |= {name: found[name].ravel() for name in OPERATORS if name in found and 1 in found[name].shape}
    n = len(found["mass"])
    faults = [
        f"has {name} of shape {found[name].shape}, not {shape}"
        for names, shape in ((MATRICES, (n, n)), (OPERATORS, (n,)))
        for name in names
        if name in found and found[name].shape != shape
    ]
    faults += [f"has {name} with values that are not finite" for name in found if not np.isfinite(found[name]).all()]
    if not faults:
        faults = _physical_faults(found)
    if faults:
        raise _refused(path, faults)
    mass, damping, stiffness, head, applied = (found[name] for name in LEAST)
    return GivenMatrices(mass, damping, stiffness, head, applied, found.get("base"))


def _refused(path: str, faults: list[str], more: str = "") -> InputError:
    tail = f"; {more}" if more else ""
    return InputError([f"pantograph.matrices.file '{path}' {fault}{tail}" for fault in faults])


def _content(path: Path) -> Mapping[str, Any]:
    """Arrays of a file by name."""
    try:
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as file:
                return {name: file[name] for name in file.files}
        if path.suffix == ".mat":
            from scipy.io import loadmat

            return {k: v for k, v in loadmat(path).items() if not k.startswith("__")}
        if path.suffix == ".nc":
            from catenary.storage.stored_result import read_result

            return read_result(path, "pantograph.matrices.file").values
    except (InputError, MemoryError):
        raise
    except Exception as error:  # what a harmed file makes the libraries raise is of many kinds
        said = " ".join(str(error).split())[:160] or type(error).__name__
        raise _refused(str(path), [f"cannot be read: {said}"]) from error
    raise _refused(str(path), ["must end in .mat (up to version 7), .nc or .npz"])


def _numbers(value: object) -> Floats:
    """Full array of float, not a number throughout where it holds anything else."""
    full = np.asarray(getattr(value, "toarray", lambda: value)())
    if full.dtype.kind not in "fiu":
        return np.full(full.shape or (1,), np.nan)
    return np.atleast_1d(full.astype(np.float64))


def _physical_faults(found: Mapping[str, Floats]) -> list[str]:
    """Say which matrices are not those of a pantograph that could stand."""
    mass, damping, stiffness = (found[name] for name in MATRICES)
    faults = [
        f"has a {name} matrix that is not symmetric"
        for name, matrix in (("mass", mass), ("stiffness", stiffness))
        if np.abs(matrix - matrix.T).max() > ROUNDING * np.abs(matrix).max()
    ]
    if faults:
        return faults
    masses = np.linalg.eigvalsh(mass)
    if masses[0] <= ROUNDING * masses[-1]:
        faults.append(
            f"has a mass matrix that is not positive definite: its smallest eigenvalue is {masses[0]:.3g} kg; condense "
            f"coordinates without mass"
        )
    for name, matrix in (("stiffness", stiffness), ("damping", 0.5 * (damping + damping.T))):
        lowest = float(np.linalg.eigvalsh(matrix)[0])
        if lowest < -ROUNDING * np.abs(matrix).max():
            faults.append(f"has a {name} matrix with a negative eigenvalue, {lowest:.3g}: it would feed the motion")
    if not found["head"].any():
        faults.append("has a head operator of zeros: nothing moves the head")
        return faults
    head = found["head"] / np.linalg.norm(found["head"])
    beyond = stiffness + np.abs(stiffness).max() * np.outer(head, head)
    if np.linalg.eigvalsh(beyond)[0] <= ROUNDING * np.abs(beyond).max():
        faults.append("has coordinates that nothing holds once the head rests on the wire: its place at rest is open")
    return faults
