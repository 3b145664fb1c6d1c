"""Compare a measured log with its prediction: the same filter, the same spans, figures and curves.

catenary rig compare prediction=outputs/rig_serve/dry measured=outputs/rig_serve/2026-05-04_10-00-00_re330
catenary rig compare prediction=outputs/simulate/run measured=log.csv record.speed_kmh=300 record.align=true

A prediction is an emulated test, a dry run or any other served test, a simulation, or a file; so is a measurement.
Files are CSV (columns time_s or position_m, and force_N), netCDF, or TDMS (channels named likewise, their units in
unit_string or in the name; a force that is a waveform needs no times). Both forces are brought to even steps, filtered
alike, cut to whole spans and laid over one span.
"""

from __future__ import annotations

from studies.input.compose import Composed, compose_job
from studies.jobs.service import CompareJob

__all__ = ["CONFIG", "JOB", "compose", "run"]

JOB = CompareJob
CONFIG = "rig_compare"


def compose(overrides: list[str]) -> Composed[CompareJob]:
    """Resolve and validate the input."""
    return compose_job(CONFIG, JOB, overrides)


def run(composed: Composed[CompareJob]) -> int:
    """Compare, draw, and write the figures."""
    from studies.rig.comparison import compare_forces

    compare_forces(composed)
    return 0
