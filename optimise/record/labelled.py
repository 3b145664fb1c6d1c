"""Labelled arrays: values with their dimensions, long names and units, and what a file says of its origin."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from catenary.spec.components import Spec
from catenary.storage.provenance import commit, config_json, config_sha256, versions

__all__ = ["labelled", "long_name_and_unit", "origin_attributes"]

# Units stand at the end of a name.
UNITS = {"N": "N", "mm": "mm", "percent": "%", "m": "m", "s": "s"}


def labelled(dims: str | tuple[str, ...], values: Any, long_name: str, unit: str | None) -> xr.DataArray:
    """Values over dimensions, with what they are and, where there is one, their unit."""
    attributes = {"long_name": long_name} if unit is None else {"long_name": long_name, "units": unit}
    return xr.DataArray(np.asarray(values), dims=dims, attrs=attributes)


def long_name_and_unit(name: str) -> tuple[str, str]:
    """Meaning and unit of a statistic, from its name."""
    stem, _, unit = name.replace("_0_5Hz", " 0 to 5 Hz").replace("_5_20Hz", " 5 to 20 Hz").rpartition("_")
    stem = stem.replace("_std", " standard deviation")
    return (stem.replace("_", " "), UNITS[unit]) if unit in UNITS else (name.replace("_", " "), "1")


def origin_attributes(title: str, given: Spec, schema_version: int) -> dict[str, Any]:
    """Attributes that say what a file holds and what it was made from."""
    return {
        "Conventions": "CF-1.11",
        "title": title,
        "schema_version": schema_version,
        "config": config_json(given),
        "config_sha256": config_sha256(given),
        "versions": " ".join(f"{name}={version}" for name, version in versions().items()),
        "commit": commit(),
    }
