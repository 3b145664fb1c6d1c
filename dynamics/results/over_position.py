"""Histories over the position along the track, where a position that lies between samples finds the nearest one."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from xarray.indexes import PandasIndex

from catenary.storage.dataset import variable
from dynamics.results.dataset import HISTORIES, histories_of
from dynamics.results.solution import Solution

__all__ = ["over_position"]


class _NearestSample(PandasIndex):
    """Index of stations [m]: a station is that of the nearest sample, at most one step away; a slice is a slice."""

    def sel(self, labels: dict[Any, Any], method: Any = None, tolerance: Any = None) -> Any:
        asked = next(iter(labels.values()))
        if isinstance(asked, slice) or method is not None:
            return super().sel(labels, method, tolerance)
        stations = np.asarray(self.index, dtype=float)
        step = 1.001 * float(np.diff(stations).max()) if stations.size > 1 else 0.0
        try:
            return super().sel(labels, "nearest", step)
        except KeyError:
            raise KeyError(
                f"position must lie between {stations[0]:g} and {stations[-1]:g} m, where the run has samples: got "
                f"{np.asarray(asked)} m"
            ) from None


def over_position(solution: Solution, name: str) -> xr.DataArray:
    """History of the leading pantograph over its position, with the time of each sample.

    Parameters
    ----------
    solution : Solution
        With figures.
    name : str
        'contact_force', 'contact_force_filtered' or 'contact_height'.
    """
    units, text = HISTORIES[name]
    found = xr.DataArray(
        variable(("position",), histories_of(solution)[name], units, text),
        coords={
            "position": variable(("position",), solution.position, *HISTORIES["position"]),
            "time": variable(("position",), solution.time, "s", "end of the time step"),
        },
        name=name,
    )
    return found.drop_indexes("position").set_xindex("position", _NearestSample)
