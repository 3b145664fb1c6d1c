"""A controller at one time step, and its memory at rest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

from dynamics.pantograph.control.kernel import ACCELERATION, FORCE, HEIGHT, UNCONTROLLED, Control
from dynamics.pantograph.control.law import ContinuousLaw, acting_on, continuous_law
from dynamics.pantograph.linear import LinearPantograph
from dynamics.spec.control.controller import ControlSpec

__all__ = ["StaticControl", "control_of", "memory_at_rest", "memory_size"]

Floats = NDArray[np.float64]
MEASURES = {"force": FORCE, "height": HEIGHT, "acceleration": ACCELERATION}
NO_LIMIT = 1.0e300


class StaticControl:
    """What a controller does at rest, where the contact force and the head's height do not change.

    Parameters
    ----------
    spec : ControlSpec or None
        None: nothing.
    own : LinearPantograph
    wanted : float
        Contact force that it has as reference by default [N].

    Attributes
    ----------
    load, answer : float array (coordinate,)
        Forces of its reference, upwards [N], and downwards by the contact force [-].
    """

    def __init__(self, spec: ControlSpec | None, own: LinearPantograph, wanted: float) -> None:
        self._spec, self._own, self._gain, self._reference = spec, own, 0.0, 0.0
        self.direction: Floats = np.zeros(len(own.mass))
        self._measures = "" if spec is None else spec.measures
        if spec is not None:
            self._gain, self._reference = continuous_law(spec, own).at_rest, _reference(spec, wanted)
            self.direction = acting_on(spec, own)
        self.load = self._gain * self._reference * self.direction
        self.answer = (self._gain if self._measures == "force" else 0.0) * self.direction

    def stiffened(self, stiffness: Floats) -> Floats:
        """Stiffness of the first coordinates with what the controller does by the head's height [N/m]."""
        found = stiffness.copy()
        if self._measures == "height":
            found[:, 0] += self._gain * self.direction[: len(found)]
        return found

    def memories(self, control: Control, force: Floats, height: Floats) -> Floats:
        """Memories (pantograph, memory) at rest under contact forces [N], the heads at heights [m]."""
        seen = {"force": force, "height": height}.get(self._measures, np.zeros(len(force)))
        rows = [memory_at_rest(self._spec, self._own, control, float(self._reference - x)) for x in seen]
        return np.array(rows)


def _reference(spec: ControlSpec, wanted: float) -> float:
    if spec.reference is not None:
        return spec.reference
    return wanted if spec.measures == "force" else 0.0


def control_of(spec: ControlSpec | None, own: LinearPantograph, dt: float, wanted: float) -> Control:
    """A controller for steps of dt [s]; ``wanted`` [N] as in `StaticControl`."""
    if spec is None:
        return UNCONTROLLED
    law, actuator = continuous_law(spec, own), spec.actuator
    advance, driven = _over_a_step(law, dt)
    whole = int(np.floor(actuator.delay_s / dt + 1.0e-9))
    kept = float(np.exp(-dt / actuator.lag_s)) if actuator.lag_s > 0.0 else 0.0
    mean = (1.0 - kept) * actuator.lag_s / dt
    return Control(
        present=True,
        measures=MEASURES[spec.measures],
        reference=float(_reference(spec, wanted)),
        direction=acting_on(spec, own),
        advance=advance,
        driven=driven,
        output=law.C,
        through=float(law.D),
        through_rate=float(law.V),
        limit=NO_LIMIT if actuator.limit_N is None else actuator.limit_N,
        delay=whole,
        part=max(0.0, actuator.delay_s / dt - whole),
        lag=np.array([kept, mean - kept, 1.0 - mean]),
        damping=np.ascontiguousarray(own.damping[0]),
        stiffness=np.ascontiguousarray(own.stiffness[0]),
    )


def _over_a_step(law: ContinuousLaw, dt: float) -> tuple[Floats, Floats]:
    """What a step makes of the states, and of inputs that run along straight lines (before, after; state)."""
    n, inputs = len(law.A), np.column_stack([law.B, law.rate, law.excess])
    block = np.zeros((n + 6, n + 6))
    block[:n, :n], block[:n, n : n + 3], block[n : n + 3, n + 3 :] = dt * law.A, dt * inputs, np.eye(3)
    found = np.asarray(expm(block), dtype=np.float64)
    held, ramp = found[:n, n : n + 3], found[:n, n + 3 :]
    driven = np.empty((6, n))
    driven[0::2], driven[1::2] = (held - ramp).T, ramp.T
    return np.ascontiguousarray(found[:n, :n]), driven


def memory_size(law: Control) -> int:
    """Numbers that a controller remembers; 0 where there is none."""
    return len(law.output) + 5 + law.delay + 1 if law.present else 0


def memory_at_rest(spec: ControlSpec | None, own: LinearPantograph, control: Control, error: float) -> Floats:
    """Memory of a controller that has had an error that does not change for long."""
    memory = np.zeros(memory_size(control))
    if spec is None:
        return memory
    law, n = continuous_law(spec, own), len(control.output)
    force = float(np.clip(law.at_rest * error, -control.limit, control.limit))
    if law.at_rest != 0.0 and np.linalg.det(law.A) != 0.0:
        memory[:n] = -np.linalg.solve(law.A, law.B * error)
    memory[n], memory[n + 3 : n + 5], memory[n + 5 :] = error, force, force
    return memory
