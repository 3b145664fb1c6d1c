"""A controller of your own as a Python function: PID on the contact force, as `pantograph.control.pid` has it built in.

`control` is asked once a control step of an open-line run. What it gives, in N and positive upwards, is added to the
applied force after the actuator's limit, delay and lag.
"""

from __future__ import annotations

import math

GAIN, INTEGRAL, RATE = 0.5, 2.0, 0.01  # N per N, N per N s, N s per N
FILTER_S, LEAK_HZ = 0.02, 0.5  # of the rate, and below which the integral forgets


def control(t, measured, memory):
    """Force [N] by what is measured at time t [s]; errors run along straight lines from one step to the next."""
    error = memory["reference"] - measured["contact_force"]  # N
    half, leak = 0.5 * memory["step"], 2.0 * math.pi * LEAK_HZ
    before = memory.get("error", error)
    integral, smooth = memory.get("integral", 0.0), memory.get("smooth", error)
    if t > 0.0:
        integral = ((1.0 - half * leak) * integral + half * INTEGRAL * (before + error)) / (1.0 + half * leak)
        smooth = ((FILTER_S - half) * smooth + half * (before + error)) / (FILTER_S + half)
    memory.update(error=error, integral=integral, smooth=smooth)
    return GAIN * error + integral + RATE * (error - smooth) / FILTER_S
