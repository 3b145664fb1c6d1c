"""Whether an equilibrium is one to run on, and the sentence where it is not."""

from __future__ import annotations

import numpy as np

from catenary.form_finding.equilibrium import Equilibrium, EquilibriumStatus
from catenary.linearised.static_checks import FaultKind, faults_at_rest
from dynamics.spec.case import CaseSpec
from dynamics.spec.status import Status
from dynamics.spec.wave_limit import slow_waves

__all__ = ["static_message", "static_status"]


_OF_FAULT = {
    FaultKind.SHORT: Status.NO_ROOM,
    FaultKind.SLACK: Status.STATIC_SLACK,
    FaultKind.MAIN: Status.STATIC_SLACK,
    FaultKind.STEEP: Status.STEEP_ARM,
    FaultKind.PUSHED: Status.PUSHED_ARM,
    FaultKind.BLOWN: Status.BLOWN_OFF,
}


def static_status(eq: Equilibrium, case: CaseSpec | None = None) -> Status:
    """Say whether an equilibrium is one to run on: converged, every dropper in tension and long enough.

    With a case, whether its train is also slow enough for the waves on the contact wire as it pulls at rest.
    """
    if eq.status is not EquilibriumStatus.OK:
        return Status.EQUILIBRIUM_FAILED
    faults = faults_at_rest(eq)
    if faults:
        return _OF_FAULT[faults[0].kind]
    return Status.SLOW_WAVES if case is not None and slow_waves(case, eq) else Status.OK


def static_message(eq: Equilibrium, status: Status, case: CaseSpec | None = None) -> str:
    """One sentence on an outcome; a statically slack dropper is named."""
    if status is Status.STATIC_SLACK:
        k = int(np.argmin(eq.dropper_force))
        return f"dropper {k + 1} would carry {eq.dropper_force[k]:.1f} N at rest: it must be in tension"
    if status is Status.SLOW_WAVES and case is not None:
        return "; ".join(slow_waves(case, eq))
    if status in _OF_FAULT.values():
        fault = faults_at_rest(eq)[0]
        return f"{fault.key} {fault.sentence}"
    return "" if status is Status.OK else status.value
