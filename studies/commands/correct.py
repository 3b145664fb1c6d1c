"""Find how a line by stations is built from measured heights, and the fewest droppers to cut again.

catenary correct catenary=km12.yaml measured=heights.csv survey.nominal_height_m=5.3
catenary correct catenary=built.yaml speed_kmh=300 limits.sigma_N=25 limits.uplift_mm=80

heights.csv has the columns station and height, along the wire or at the droppers. as_built.yaml is then the design with
the droppers that are cut wrong as its defects; every command runs it. corrections.csv names the droppers to cut again,
by how many millimetres and in which order: with the shortest list that meets the limits, which is run.
"""

from __future__ import annotations

from catenary.errors import InputError
from studies.input.compose import Composed, compose_job
from studies.jobs.correction import CorrectJob

__all__ = ["JOB", "compose", "run"]

JOB = CorrectJob
ASKED = ("catenary",)  # no line of the library is one by stations


def compose(overrides: list[str]) -> Composed[CorrectJob]:
    """Resolve and validate the input; refuse a line that repeats."""
    composed = compose_job("correct", JOB, overrides)
    if not composed.job.catenary.ends:
        raise InputError([f"catenary must be a line by stations, of kind line: '{composed.job.catenary.name}' repeats"])
    return composed


def run(composed: Composed[CorrectJob]) -> int:
    """Find, write and draw; 1 when a line that must be run has no figures, or no list meets the limits."""
    from studies.correction.run import correct

    return correct(composed)
