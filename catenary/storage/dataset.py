"""Static state of a line as a labelled data set (CF units, a long name on every variable)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
import yaml
from numpy.typing import NDArray
from pydantic import BaseModel

from catenary.form_finding.equilibrium import Equilibrium
from catenary.linearised.contact_wire import static_height
from catenary.linearised.elasticity import static_elasticity
from catenary.linearised.open_elasticity import open_line_elasticity
from catenary.storage.end_request import held_back
from catenary.storage.files import whole_file
from catenary.storage.provenance import commit, config_sha256, versions

__all__ = [
    "ELASTICITY_FORCE",
    "STATIONS",
    "origin",
    "static_dataset",
    "static_table",
    "table_dataset",
    "variable",
    "write_dataset",
]

STATIONS = 131
# of one span of a line that ends, which has many
FEWER = 14
ELASTICITY_FORCE = 100.0


def variable(dims: tuple[str, ...], values: Any, units: str, long_name: str) -> xr.Variable:
    """Variable with its CF unit and long name."""
    return xr.Variable(dims, np.asarray(values), {"units": units, "long_name": long_name})


def static_table(equilibrium: Equilibrium, force_N: float = ELASTICITY_FORCE) -> dict[str, NDArray[np.float64]]:
    """Height [m] and elasticity under a force [m/N] of the contact wire at stations [m] along one period."""
    spec = equilibrium.spec
    if not spec.ends:
        x = np.linspace(0.0, spec.period, len(spec.spans) * (STATIONS - 1) + 1)
        elasticity = static_elasticity(equilibrium, x, force_N)
    else:
        x = np.interp(np.linspace(0.0, len(spec.spans), len(spec.spans) * (FEWER - 1) + 1), *_by_support(spec.supports))
        elasticity = open_line_elasticity(equilibrium, x, force_N)
    return {
        "station": x,
        "contact_wire_static_height": np.asarray(static_height(equilibrium, x)),
        "elasticity": np.asarray(elasticity),
    }


def _by_support(supports: Sequence[float]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Number of every support and its station [m]."""
    return np.arange(len(supports)), np.array(supports)


def static_dataset(equilibrium: Equilibrium, loads_N: Sequence[float] = (ELASTICITY_FORCE,)) -> xr.Dataset:
    """Static state of one span: droppers, contact wire, and the wires' shape for a drawing.

    ``elasticity`` is that at the first load; ``elasticity_by_load`` has every one.
    """
    tables = [static_table(equilibrium, load) for load in loads_N]
    table = tables[0]
    found = xr.Dataset(
        {
            "contact_wire_static_height": variable(
                ("station",),
                table["contact_wire_static_height"],
                "m",
                "contact-wire height at rest, relative to the support",
            ),
            "elasticity": variable(
                ("station",),
                table["elasticity"],
                "m N-1",
                f"uplift of the contact wire per newton, at {loads_N[0]:g} N",
            ),
            "elasticity_by_load": variable(
                ("load", "station"),
                [t["elasticity"] for t in tables],
                "m N-1",
                "uplift of the contact wire per newton, slack droppers included",
            ),
            **_dropper_variables(equilibrium),
            **_wire_variables(equilibrium),
        },
        coords={
            "station": variable(("station",), table["station"], "m", "distance from the support"),
            "load": variable(("load",), loads_N, "N", "static force that lifts the contact wire"),
        },
    )
    found.attrs["form_finding_status"] = equilibrium.status.value
    found.attrs["form_finding_residual_N"] = float(equilibrium.residual)
    return found


def _dropper_variables(equilibrium: Equilibrium) -> dict[str, xr.Variable]:
    stations = equilibrium.spec.dropper_positions
    n = len(stations)
    columns = [
        ("dropper_position", stations, "m", "station of the dropper from the support"),
        (
            "contact_wire_height",
            equilibrium.q[equilibrium.mesh.dropper_bottom[:n], 2],
            "m",
            "contact-wire height at the dropper, relative to the support",
        ),
        (
            "dropper_static_force",
            equilibrium.dropper_force[:n],
            "N",
            "dropper force at rest, tension positive",
        ),
        (
            "dropper_gap",
            equilibrium.dropper_gap[:n],
            "m",
            "how much longer than the distance between its clamps a dropper is that hangs loose at rest",
        ),
        ("dropper_length", equilibrium.dropper_length[:n], "m", "distance between the dropper's clamps at rest"),
        (
            "dropper_unstretched_length",
            equilibrium.dropper_unstretched_length[:n],
            "m",
            "length to cut the dropper to",
        ),
    ]
    return {name: variable(("dropper",), values, units, text) for name, values, units, text in columns}


def _wire_variables(equilibrium: Equilibrium) -> dict[str, xr.Variable]:
    """Both ends of every wire element and of every dropper, in the plane of the track."""
    mesh, q = equilibrium.mesh, equilibrium.q
    x = q[mesh.elem_nodes, 0] + mesh.elem_shift
    ends = np.stack([mesh.dropper_bottom, mesh.dropper_top], axis=1)
    return {
        "elem_end_position": variable(("elem", "end"), x, "m", "station of the element's ends"),
        "elem_end_height": variable(("elem", "end"), q[mesh.elem_nodes, 2], "m", "height of the element's ends"),
        "elem_wire": variable(("elem",), mesh.elem_wire, "1", "wire: 0 contact, 1 messenger, 2 stitch, 3 auxiliary"),
        "dropper_end_position": variable(
            ("dropper", "end"), q[ends, 0], "m", "station of the dropper's ends, lower one first"
        ),
        "dropper_end_height": variable(
            ("dropper", "end"), q[ends, 2], "m", "height of the dropper's ends, lower one first"
        ),
    }


def table_dataset(
    coordinates: Mapping[str, tuple[Any, str, str]],
    variables: Mapping[str, tuple[tuple[str, ...], Any, str, str]],
    config: BaseModel,
) -> xr.Dataset:
    """Variables (dimensions, values, unit, long name) over coordinates (values, unit, long name), with their origin."""
    return xr.Dataset(
        {name: variable(*given) for name, given in variables.items()},
        {name: variable((name,), *given) for name, given in coordinates.items()},
        origin(config),
    )


def origin(config: BaseModel) -> dict[str, str]:
    """Attributes that say what a file was made from: resolved input, its hash, versions and commit."""
    return {
        "Conventions": "CF-1.11",
        "schema_version": "1",
        "config": yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True),
        "config_sha256": config_sha256(config),
        "versions": json.dumps(versions()),
        "commit": commit(),
    }


def write_dataset(path: Path, dataset: xr.Dataset, *, compressed: bool = True) -> None:
    """Write netCDF4, whole or not at all.

    A request to end waits until the file is written: in the middle it could leave a lock of the library taken, for
    which closing the file would wait for ever.
    """
    encoding = {name: {"zlib": True, "complevel": 4} for name in dataset.data_vars} if compressed else None
    with held_back(), whole_file(path) as temporary:
        dataset.to_netcdf(temporary, engine="netcdf4", format="NETCDF4", encoding=encoding)
