"""Histories over the position along the track, where a position that lies between samples finds the nearest one."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from xarray.indexes import PandasIndex

from catenary.storage.dataset import variable
from dynamics.results.dataset import HISTORIES, histories_of
from dynamics.results.solution import Solution

__all__ = ["around_places", "over_position"]


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


def around_places(
    position: NDArray[np.float64], history: NDArray[np.float64], at: NDArray[np.float64], past: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Means (place, column) of histories (time, place) while the pantograph is ``past`` each place; NaN elsewhere.

    Each is the mean over one column's width: what oscillates faster would be drawn as noise.
    """
    half = 0.5 * (past[1] - past[0])
    distance = np.diff(position, prepend=2.0 * position[0] - position[1])
    total = np.cumsum(history * distance[:, None], axis=0)
    ends = np.stack([past - half, past + half])
    rows = [
        np.diff(np.interp(x + ends, position, total[:, k], left=np.nan, right=np.nan), axis=0)[0] / (2.0 * half)
        for k, x in enumerate(at)
    ]
    return np.array(rows).reshape(len(at), past.size)
