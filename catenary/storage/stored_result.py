"""A result file read back into plain arrays, whoever wrote it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from catenary.errors import InputError
from catenary.storage.end_request import held_back
from catenary.storage.user_file import refuse_irregular

__all__ = ["StoredResult", "read_result"]

# of the file, and of its arrays in memory
MOST_BYTES = 4_000_000_000


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
    variable_attributes : dict of str to dict
        What it says about each variable.
    """

    values: dict[str, NDArray[Any]]
    units: dict[str, str]
    attributes: dict[str, str]
    variable_attributes: dict[str, dict[str, str]] = field(default_factory=dict)


def read_result(path: Path, what: str = "result file") -> StoredResult:
    """Read a result file into plain arrays.

    Raises
    ------
    InputError
        In one sentence that begins with ``what``: no regular file, none that the netCDF library reads whole, or one
        whose arrays take more memory than those of any result.
    """
    refuse_irregular(Path(path), what, MOST_BYTES)
    try:
        with held_back(), xr.open_dataset(path, engine="netcdf4") as found:
            _refuse_vast(found.nbytes)
            found.load()
    except MemoryError:
        raise
    except Exception as error:  # what a harmed file makes the libraries raise is of many kinds
        said = " ".join(str(error).split())[:160] or type(error).__name__
        raise InputError([f"{what} {path} is not a netCDF file that can be read: {said}"]) from None
    values = {str(name): np.asarray(found[name].values) for name in found.variables}
    units = {str(name): str(found[name].attrs.get("units", "")) for name in found.variables}
    about = {str(name): {str(k): str(v) for k, v in found[name].attrs.items()} for name in found.variables}
    return StoredResult(values, units, {str(k): str(v) for k, v in found.attrs.items()}, about)


def _refuse_vast(size: int) -> None:
    """Refuse arrays that no result has: a few bytes of a compressed file can stand for as many zeros as one likes."""
    if size > MOST_BYTES:
        raise ValueError(f"its arrays take {1e-9 * size:.3g} GB, and at most {1e-9 * MOST_BYTES:g} GB are read")
