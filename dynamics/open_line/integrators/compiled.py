"""An integrator's `begin` and `step` as a compiled loop calls them: its scheme's type says which, on compiling."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import overload

from catenary.kernels.compiled import PartCompiler
from dynamics.open_line.integrators.registry import INTEGRATORS, Integrator, Scheme
from dynamics.open_line.integrators.scheme import Work
from dynamics.open_line.system import State, System

__all__ = ["begin", "step"]

# a loop is compiled once for each of these; integrators of one scheme share their compiled functions
BY_SCHEME: dict[type, Integrator] = {integrator.scheme: integrator for integrator in INTEGRATORS.values()}
_OPTIONS: Any = {"error_model": "numpy", "pipeline_class": PartCompiler}


def begin(system: System, state: State, scheme: Scheme, work: Work) -> None:
    """Make ready for steps from this state on, as the scheme's integrator does."""
    BY_SCHEME[type(scheme)].begin(system, state, scheme, work)


def step(system: System, state: State, scheme: Scheme, work: Work, t: float) -> tuple[int, float]:
    """Advance the state from t to t + dt as the scheme's integrator does; iterations (negative: failed), residual."""
    return BY_SCHEME[type(scheme)].step(system, state, scheme, work, t)


def _integrator(scheme):
    """Integrator of a scheme as numba types it; None of anything else, which numba then refuses."""
    return BY_SCHEME.get(scheme.instance_class) if isinstance(scheme, types.NamedTuple) else None


@overload(begin, jit_options=_OPTIONS)
def _begin(system, state, scheme, work):
    integrator = _integrator(scheme)
    if integrator is None:
        return None
    own = integrator.begin

    def compiled(system, state, scheme, work):
        own(system, state, scheme, work)

    return compiled


@overload(step, jit_options=_OPTIONS)
def _step(system, state, scheme, work, t):
    integrator = _integrator(scheme)
    if integrator is None:
        return None
    own = integrator.step

    def compiled(system, state, scheme, work, t):
        return own(system, state, scheme, work, t)

    return compiled
