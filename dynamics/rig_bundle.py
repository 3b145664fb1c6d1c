"""The rig bundle: the periodic finite element model of a line in files that a hardware loop loads as they are.

``pfem.nc`` (netCDF4) and ``pfem.mat`` (MATLAB v5) hold the same arrays; ``design.yaml`` is the line, a complete input;
``manifest.json`` says what each array is, in which units, signs and index order, and carries every file's sha256.
Nothing of this program is needed to read them.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import xarray as xr
import yaml
from numpy.typing import NDArray

from catenary.dataset import origin
from catenary.files import whole_file, write_json_atomic, write_text_atomic
from dynamics.influence import InfluenceMatrices
from dynamics.spec import CaseSpec

__all__ = ["CONVENTIONS", "VARIABLES", "write_bundle"]

SCHEMA_VERSION = 1

# name -> dimensions, unit, meaning
VARIABLES: dict[str, tuple[tuple[str, ...], str, str]] = {
    "z0": (("step",), "m", "static contact-wire height at x_n, relative to the support"),
    "I_cc": (("step", "force_step"), "m N-1", "contact height at step n per contact force at step m"),
    "I_cd": (
        ("step", "dropper", "dropper_step"),
        "m N-1",
        "contact height at n per squeezing force of a dropper",
    ),
    "I_dc": (("dropper", "dropper_step", "force_step"), "m N-1", "dropper elongation per contact force at m"),
    "K_dd": (
        ("dropper", "dropper_cause", "lag"),
        "m N-1",
        "elongation of a dropper per squeezing force of dropper_cause, lag - (M - 1) steps earlier",
    ),
    "dropper_force": (("dropper",), "N", "static tension, positive when pulling"),
    "dropper_elongation": (("dropper",), "m", "static elongation, static tension over stiffness"),
    "dropper_position": (("dropper",), "m", "station from the support at x_0"),
    "dropper_stiffness": ((), "N m-1", "axial stiffness in tension, none in compression"),
    "speed": ((), "m s-1", "train speed"),
    "dt": ((), "s", "time step of the loop"),
    "span": ((), "m", "span length"),
    "N": ((), "1", "time steps a span"),
    "M": ((), "1", "time steps in a dropper's local record"),
    "dropper_offset": ((), "1", "local step of the first dropper sample"),
}

CONVENTIONS = {
    "height": "z upwards, relative to the contact wire's static height at the support",
    "contact_force": "positive when the pantograph presses the wire upwards",
    "dropper_correction": "f_d >= 0 squeezes the ends together; it stands for the missing tension of a slack dropper",
    "steps": "x_n = n v dt, n = 0..N-1, x_0 at the support; entries with m > n come from earlier passes",
    "dropper_time": "sample k of a dropper is step dropper_offset + k of the span it stands in; "
    "span s does the same sN later",
    "model": "z = z0 + I_cc f + sum_d I_cd[:, d, :] f_d[d, :]; e = I_dc f + convolution of K_dd with f_d; "
    "f_d = max(0, -(dropper_force + dropper_stiffness e))",
    "discretisation": "finite elements in space, Newmark 1/4-1/2 (bilinear) in time; loads and answers at the samples",
    "matlab_order": "arrays keep their index order: I_cd(n, d, k), first index fastest as MATLAB stores it",
}


def write_bundle(folder: Path, matrices: InfluenceMatrices, case: CaseSpec) -> Path:
    """Write all files of a bundle into ``folder``, each whole or not at all; the manifest comes last."""
    folder = Path(folder)
    arrays = _arrays(matrices)
    facts = _facts(matrices, case)
    _write_netcdf(folder / "pfem.nc", arrays, facts)
    with whole_file(folder / "pfem.mat") as path:
        scipy.io.savemat(path, {**arrays, "conventions": CONVENTIONS, **_short(facts)}, format="5", oned_as="column")
    design = case.catenary.model_dump(mode="json")
    write_text_atomic(folder / "design.yaml", yaml.safe_dump(design, sort_keys=False, allow_unicode=True))
    files = ("pfem.nc", "pfem.mat", "design.yaml")
    write_json_atomic(
        folder / "manifest.json",
        {
            "schema_version": SCHEMA_VERSION,
            **facts,
            "conventions": CONVENTIONS,
            "variables": {
                name: {
                    "dimensions": list(dims),
                    "units": unit,
                    "long_name": text,
                    "shape": list(arrays[name].shape),
                }
                for name, (dims, unit, text) in VARIABLES.items()
            },
            "case": case.model_dump(mode="json"),
            "files": {name: {"sha256": _sha256(folder / name)} for name in files},
        },
    )
    return folder


def _arrays(matrices: InfluenceMatrices) -> dict[str, NDArray[Any]]:
    """All arrays of the bundle by name."""
    case = matrices.case
    scalars = {
        "dropper_stiffness": matrices.dropper_stiffness,
        "speed": case.speed,
        "dt": case.time_step,
        "span": case.catenary.span_length,
        "N": float(len(matrices.z0)),
        "M": float(matrices.I_cd.shape[2]),
        "dropper_offset": float(matrices.dropper_offset),
    }
    return {
        "z0": matrices.z0,
        "I_cc": matrices.I_cc,
        "I_cd": matrices.I_cd,
        "I_dc": matrices.I_dc,
        "K_dd": matrices.K_dd,
        "dropper_force": matrices.dropper_force,
        "dropper_elongation": matrices.dropper_elongation,
        "dropper_position": np.array(case.catenary.droppers.positions),
        **{name: np.array(value) for name, value in scalars.items()},
    }


def _facts(matrices: InfluenceMatrices, case: CaseSpec) -> dict[str, Any]:
    """Provenance of a bundle: line, hash, versions and the quadrature's error."""
    return {
        "catenary": case.catenary.name,
        "speed_kmh": case.speed_kmh,
        "quadrature_nodes": matrices.quadrature_nodes,
        "truncation_error": matrices.truncation_error,
        **{name: text for name, text in origin(case).items() if name not in ("Conventions", "schema_version")},
    }


def _short(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts that MATLAB can hold under names of 31 characters."""
    return {name: value for name, value in facts.items() if isinstance(value, str | int | float)}


def _write_netcdf(path: Path, arrays: dict[str, NDArray[Any]], facts: dict[str, Any]) -> None:
    """Write the arrays with units and long names on every variable."""
    variables = {
        name: (dims, arrays[name], {"units": unit, "long_name": text}) for name, (dims, unit, text) in VARIABLES.items()
    }
    attributes = {"Conventions": "CF-1.11", "schema_version": SCHEMA_VERSION, **_short(facts)}
    dataset = xr.Dataset(variables, attrs={**attributes, **{f"convention_{k}": v for k, v in CONVENTIONS.items()}})
    with whole_file(path) as temporary:
        dataset.to_netcdf(temporary, engine="netcdf4")


def _sha256(path: Path) -> str:
    """Digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
