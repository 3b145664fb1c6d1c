"""Controllers as one linear law in continuous time: x' = A x + B e + E (sat(c) - c), command c = C x + D e + V e'.

e is the reference less what is measured, e' its rate where that is measured as such (the head's velocity). PID has
the integral and the low-passed error or velocity as states; state feedback has its estimate of pantograph and wire.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_continuous_are

from catenary.errors import InputError
from dynamics.pantograph.linear import LinearPantograph
from dynamics.spec.control.controller import ControlSpec, FeedbackSpec, PidSpec

__all__ = ["ContinuousLaw", "acting_on", "continuous_law", "measured_by"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ContinuousLaw:
    """A controller between error and command, in continuous time.

    Attributes
    ----------
    A : float array (state, state)
    B, rate, excess : float array (state,)
        By the error, by its rate, and by what saturation cuts off the command.
    C : float array (state,)
    D, V : float
        Command by the error and by its rate.
    """

    A: Floats
    B: Floats
    rate: Floats
    excess: Floats
    C: Floats
    D: float
    V: float

    @property
    def at_rest(self) -> float:
        """Command by an error that does not change; 0 of an integral, which nothing holds at rest but no error."""
        if not len(self.A):
            return self.D
        if abs(np.linalg.det(self.A)) == 0.0:
            return 0.0
        return float(self.D - self.C @ np.linalg.solve(self.A, self.B))


def continuous_law(spec: ControlSpec, own: LinearPantograph) -> ContinuousLaw:
    """Law of a controller on a pantograph.

    Raises
    ------
    InputError
        If the pantograph has no place for its actuator, or no gains stabilise it.
    """
    if spec.asked is not None:
        return _held_command()
    if spec.feedback is not None:
        return _state_feedback(spec, spec.feedback, own)
    assert spec.pid is not None
    return _pid(spec.pid, of_height=spec.measures == "height")


def _held_command() -> ContinuousLaw:
    """One state, the command of code that is asked from outside, which nothing else changes."""
    nothing = np.zeros(1)
    return ContinuousLaw(np.zeros((1, 1)), nothing, nothing, nothing, np.ones(1), 0.0, 0.0)


def _pid(pid: PidSpec, *, of_height: bool) -> ContinuousLaw:
    """Integral and filtered rate as states; the height's rate is the head's velocity."""
    Tf, leak = pid.derivative_filter_s, 2.0 * np.pi * pid.leak_hz
    excess = np.array([1.0 / pid.tracking_s if pid.integral else 0.0, 0.0])
    if Tf == 0.0:
        return ContinuousLaw(
            A=np.array([[-leak]]) if leak or pid.integral else -np.eye(1),
            B=np.array([pid.integral]),
            rate=np.zeros(1),
            excess=excess[:1],
            C=np.ones(1),
            D=pid.proportional,
            V=pid.derivative,
        )
    A = np.diag([-leak if leak or pid.integral else -1.0, -1.0 / Tf])
    if of_height:
        C, D = np.array([1.0, pid.derivative]), pid.proportional
        B, rate = np.array([pid.integral, 0.0]), np.array([0.0, 1.0 / Tf])
    else:
        C, D = np.array([1.0, -pid.derivative / Tf]), pid.proportional + pid.derivative / Tf
        B, rate = np.array([pid.integral, 1.0 / Tf]), np.zeros(2)
    return ContinuousLaw(A, B, rate, excess, C, D, 0.0)


def acting_on(spec: ControlSpec, own: LinearPantograph) -> Floats:
    """How the control force acts on each coordinate [-].

    Raises
    ------
    InputError
        If the pantograph has no suspension of which both ends are known.
    """
    head = np.eye(len(own.mass))[0]
    if spec.acts == "base":
        return own.applied.copy()
    if spec.acts == "suspension":
        if len(own.mass) - own.rolls < 2 or not np.array_equal(own.shown[:2, :2], np.eye(2)):
            raise InputError(
                ["pantograph.control.acts must be base or head on a pantograph of one mass or of matrices: "
                 "got suspension"]
            )  # fmt: skip
        head[1] = -1.0
    return head


def measured_by(spec: ControlSpec, stiffness: float, own: LinearPantograph) -> tuple[Floats, Floats, Floats]:
    """A controller's model of pantograph, contact spring and wire at rest: A, and rows of contact force and sensor.

    States are heights, velocities, and the height of the wire, whose own row is left zero.
    """
    m = len(own.mass)
    A, force = np.zeros((2 * m + 1, 2 * m + 1)), np.zeros(2 * m + 1)
    force[0], force[-1] = stiffness, -stiffness
    A[:m, m : 2 * m] = np.eye(m)
    A[m : 2 * m, :m] = -own.stiffness / own.mass[:, None]
    A[m : 2 * m, m : 2 * m] = -own.damping / own.mass[:, None]
    A[m] -= force / own.mass[0]
    seen = {"force": force, "height": np.eye(2 * m + 1)[0], "acceleration": A[m].copy()}[spec.measures]
    return A, force, seen


def _state_feedback(spec: ControlSpec, given: FeedbackSpec, own: LinearPantograph) -> ContinuousLaw:
    """Linear-quadratic regulator on the estimate of a Kalman filter; the actuator's lag is part of its model."""
    A, force, seen = measured_by(spec, given.contact_stiffness, own)
    m, slow = len(own.mass), 2.0 * np.pi * given.wire_hz
    A[-1, -1] = -slow
    push = np.zeros(len(A))
    push[m : 2 * m] = acting_on(spec, own) / own.mass
    direct = push[m] if spec.measures == "acceleration" else 0.0
    noise = np.zeros((len(A), len(A)))
    noise[-1, -1] = 2.0 * slow * given.wire_m**2
    lag = spec.actuator.lag_s
    if lag > 0.0:
        wide = np.zeros((len(A) + 1, len(A) + 1))
        wide[:-1, :-1], wide[:-1, -1], wide[-1, -1] = A, push, -1.0 / lag
        force, seen = np.append(force, 0.0), np.append(seen, direct)
        noise = np.pad(noise, (0, 1))
        A, push, direct = wide, np.eye(len(wide))[-1] / lag, 0.0
    # a drift of the estimate that nothing excites is kept bounded
    noise += 1.0e-12 * np.trace(noise) * np.eye(len(A))
    scale = given.contact_stiffness
    try:
        P = solve_continuous_are(A, push[:, None], np.outer(force, force) + 1e-9 * scale * np.eye(len(A)),
                                 given.effort * np.eye(1))  # fmt: skip
        S = solve_continuous_are(A.T, seen[:, None], noise, given.noise**2 * np.eye(1))
    except np.linalg.LinAlgError as error:
        raise InputError(
            [f"pantograph.control.feedback must have gains that stabilise the pantograph: {error}; use another effort "
             "or noise"]
        ) from error  # fmt: skip
    gain = np.asarray(push @ P, dtype=np.float64) / given.effort
    estimator = np.asarray(S @ seen, dtype=np.float64) / given.noise**2
    # the error is minus what is measured; the sensor may see the command itself
    free = A - np.outer(estimator, seen)
    driven = push - estimator * direct
    return ContinuousLaw(
        A=free - np.outer(driven, gain),
        B=-estimator,
        rate=np.zeros(len(A)),
        excess=driven,
        C=-gain,
        D=0.0,
        V=0.0,
    )
