"""The folder of an emulated test read back, and its report drawn from what the folder holds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from catenary.errors import InputError
from dynamics.contact_force.filters import filter_periodic
from studies.report.drawing.page import write_page
from studies.report.readers.stored import command_of, read_json, read_stored
from studies.rig.emulation.charts import TestCurves
from studies.rig.emulation.page import EmulatedContent, emulated_page

__all__ = ["read_emulated", "write_emulated_report"]

NEEDED = ("signal", "loop", "compared", "contact_force", "dt_s", "span_m", "spectral_radius", "criterion_met_after_s")


def write_emulated_report(folder: Path) -> Path:
    """Write report.html and figures/ of an emulated test from what its folder holds; return the page's path.

    Raises
    ------
    InputError
        If the folder does not hold such a test.
    """
    folder = Path(folder)
    return write_page(emulated_page(read_emulated(folder)), folder)


def read_emulated(folder: Path) -> EmulatedContent:
    """Read an emulated test.

    Raises
    ------
    InputError
        If a file is missing or does not hold what the page shows.
    """
    summary = read_json(folder / "summary.json")
    missing = [key for key in NEEDED if key not in summary]
    if missing:
        raise InputError([f"{folder / 'summary.json'} must hold {', '.join(missing)}: run the test again"])
    period, droppers, spans = (read_stored(folder / name).values for name in ("period.nc", "droppers.nc", "spans.nc"))
    if "position" not in period or "error" not in spans or "time" not in droppers:
        raise InputError([f"{folder} must hold an emulated test: its files lack position, error or time"])
    cut, kind = summary["signal"]["cutoff_hz"], summary["signal"]["kind"]
    raw = {name: period[f"contact_force_{name}"] for name in _forces(period)}
    return EmulatedContent(
        summary=summary,
        curves=TestCurves(
            position=period["position"],
            forces={name: filter_periodic(force, summary["dt_s"], 0.0, cut, kind) for name, force in raw.items()},
            spans=_transient(period),
            corrections={name: _corrections(droppers, name) for name in ("emulated", "periodic") if name in raw},
            local=droppers["time"] * summary["speed_kmh"] / 3.6,
            droppers=np.array(summary["dropper_position_m"]),
            span=float(summary["span_m"]),
            filter=str(summary["filter"]),
        ),
        span_end=spans["time"],
        error=spans["error"],
        command=command_of(folder, "rig emulate"),
    )


def _forces(period: dict[str, Any]) -> list[str]:
    return [name for name in ("emulated", "periodic", "untruncated") if f"contact_force_{name}" in period]


def _transient(period: dict[str, Any]) -> np.ndarray:
    """Last spans of the long transient, (span, step)."""
    found = sorted(name for name in period if name.startswith("contact_force_filtered_transient_"))
    return np.array([period[name] for name in found]).reshape(len(found), len(period["position"]))


def _corrections(droppers: dict[str, Any], name: str) -> np.ndarray:
    """Correction forces of all droppers, (dropper, dropper step)."""
    pattern = re.compile(rf"correction_force_(\d+)_{name}")
    found = sorted((int(m[1]), key) for key in droppers if (m := pattern.fullmatch(key)))
    return np.array([droppers[key] for _, key in found])
