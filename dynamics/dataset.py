"""A solution as a labelled file, and back: histories with CF units, and what they were made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from pydantic import BaseModel

from catenary.dataset import ELASTICITY_FORCE, origin, static_dataset, variable, write_dataset
from catenary.equilibrium import EquilibriumStatus

if TYPE_CHECKING:
    from dynamics.periodic import PeriodicSolution
    from dynamics.transient import Trajectory

__all__ = ["StoredResult", "read_result", "solution_dataset", "write_result"]

HISTORIES = {
    "position": ("m", "position of the pantograph along the track"),
    "contact_force": ("N", "contact force, compressive positive, not filtered"),
    "contact_force_filtered": ("N", "contact force, compressive positive, low-pass filtered with zero phase"),
    "contact_height": ("m", "height of the contact point, relative to the contact wire at the support"),
}


@dataclass(frozen=True)
class StoredResult:
    """Content of a result file as plain arrays.

    Attributes
    ----------
    values : dict of str to array
        Every variable by name.
    units : dict of str to str
        CF unit of each.
    attributes : dict of str to str
        What the file says about itself.
    """

    values: dict[str, NDArray[Any]]
    units: dict[str, str]
    attributes: dict[str, str]


def solution_dataset(
    solution: PeriodicSolution | Trajectory, elasticity_force_N: Sequence[float] = (ELASTICITY_FORCE,)
) -> xr.Dataset:
    """Histories of a solution over time, with the static state of its line where there is one."""
    found = xr.Dataset()
    if solution.equilibrium is not None and solution.equilibrium.status is EquilibriumStatus.OK:
        found = static_dataset(solution.equilibrium, elasticity_force_N)
    time = np.asarray(solution.time)
    if time.size:
        found = found.assign_coords(time=variable(("time",), time, "s", "time"))
        for name, (units, text) in HISTORIES.items():
            found[name] = variable(("time",), getattr(solution, name), units, text)
        found["support_uplift"] = _uplift(solution)
        force = getattr(solution, "dropper_force", None)
        if force is not None and np.size(force):
            text = "dropper force along the period, static share included, tension positive"
            found["dropper_force"] = variable(("time", "dropper"), force, "N", text)
    found.attrs["status"] = solution.status.value
    found.attrs["message"] = solution.message
    found.attrs["applied_force_N"] = float(solution.applied_force_N)
    return found


def _uplift(solution: PeriodicSolution | Trajectory) -> xr.Variable:
    """Uplift at the supports: the history of one support, or the largest while each span was passed."""
    if solution.case.solver != "periodic":
        text = "largest uplift at any support while the span was passed, relative to the static height"
        return variable(("span",), solution.support_uplift, "m", text)
    text = "uplift of one support from far ahead of the pantograph to far behind it, one value a time step"
    return variable(("uplift_time",), solution.support_uplift, "m", text)


def write_result(
    path: Path,
    solution: PeriodicSolution | Trajectory,
    config: BaseModel,
    elasticity_force_N: Sequence[float] = (ELASTICITY_FORCE,),
) -> None:
    """Write a solution with the resolved input that it came from.

    Parameters
    ----------
    path : Path
        File to write, whole or not at all.
    solution : PeriodicSolution or Trajectory
        What a solver gave.
    config : BaseModel
        Resolved input of the run.
    elasticity_force_N : sequence of float
        Loads of the static elasticity [N].
    """
    found = solution_dataset(solution, elasticity_force_N)
    case = solution.case
    found.attrs.update(origin(config))
    found.attrs["title"] = f"{case.catenary.name} with {case.pantograph.name} at {case.speed_kmh:g} km/h"
    found.attrs["solver"] = case.solver
    found.attrs["dt_s"] = case.time_step
    found.attrs["contact_stiffness_N_per_m"] = case.contact.stiffness
    found.attrs["filter"] = f"{case.signal.kind} {case.signal.cutoff_hz:g} Hz, zero phase"
    write_dataset(path, found)


def read_result(path: Path) -> StoredResult:
    """Read a result file into plain arrays."""
    with xr.open_dataset(path, engine="netcdf4") as found:
        found.load()
    values = {str(name): np.asarray(found[name].values) for name in found.variables}
    units = {str(name): str(found[name].attrs.get("units", "")) for name in found.variables}
    return StoredResult(values, units, {str(k): str(v) for k, v in found.attrs.items()})
