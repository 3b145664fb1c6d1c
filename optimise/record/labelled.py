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
# Meaning of statistics; forces are filtered, the loss is that of the force as computed.
MEANINGS = {
    "contact_force_mean_N": "mean of the contact force",
    "contact_force_std_N": "standard deviation of the contact force",
    "contact_force_std_0_5Hz_N": "standard deviation of the contact force from 0 to 5 Hz",
    "contact_force_std_5_20Hz_N": "standard deviation of the contact force from 5 to 20 Hz",
    "contact_force_max_N": "largest contact force",
    "contact_force_min_N": "smallest contact force",
    "contact_force_statistical_max_N": "mean of the contact force plus three standard deviations",
    "contact_force_statistical_min_N": "mean of the contact force less three standard deviations",
    "contact_loss_percent": "share of time without contact",
    "max_uplift_at_supports_mm": "largest uplift of the contact wire at the supports",
    "contact_point_range_mm": "range of the contact point's height",
}


def labelled(dims: str | tuple[str, ...], values: Any, long_name: str, unit: str | None) -> xr.DataArray:
    """Values over dimensions, with what they are and, where there is one, their unit."""
    attributes = {"long_name": long_name} if unit is None else {"long_name": long_name, "units": unit}
    return xr.DataArray(np.asarray(values), dims=dims, attrs=attributes)


def long_name_and_unit(name: str) -> tuple[str, str]:
    """Meaning and unit of a statistic, from its name."""
    stem, _, unit = name.rpartition("_")
    if unit not in UNITS:
        return name.replace("_", " "), "1"
    return MEANINGS.get(name, stem.replace("_", " ")), UNITS[unit]


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
