"""Send the emergency stop to a served test from anywhere, again and again until it is answered.

catenary rig stop
catenary rig stop address.host=192.168.0.2 address.port=47801 address.key=red

The server of the test (`catenary rig serve`, service.emergency_stop) listens for it in a process of its own. Exit
code 1 when nothing answered within patience_s.
"""

from __future__ import annotations

import sys

from studies.input.compose import Composed, compose_job
from studies.jobs.service import StopJob

__all__ = ["CONFIG", "JOB", "compose", "run"]

JOB = StopJob
CONFIG = "rig_stop"


def compose(overrides: list[str]) -> Composed[StopJob]:
    """Resolve and validate the input."""
    return compose_job(CONFIG, JOB, overrides)


def run(composed: Composed[StopJob]) -> int:
    """Request the stop; 1 when nothing answered."""
    from dynamics.rig.service.emergency.listener import ask_for_stop

    job = composed.job
    where = f"{job.address.host}:{job.address.port}"
    if ask_for_stop(job.address, job.patience_s):
        print(f"The emergency stop at {where} answered: the actuator is led to its safe height.")
        return 0
    print(
        f"NOTHING ANSWERED at {where} within {job.patience_s:g} s: no server listens there, or its key is another one; "
        "stop the rig by other means",
        file=sys.stderr,
    )
    return 1
