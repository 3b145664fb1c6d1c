"""Figures of a steady state and what changes them: deviation and extremes of the contact force, uplift at supports.

The extremes are smooth: tau ln(sum exp(f / tau)) over the steps of a period in place of the largest f, the filtered
force, and the same of -f in place of the smallest. Peaks within some tau of each other then share the derivative.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from catenary.form_finding.equilibrium import Equilibrium
from catenary.linearised.cell import VerticalCell
from dynamics.adjoint.lagrangian import Lagrangian
from dynamics.adjoint.layout import Lifted
from dynamics.adjoint.steady import Figure, steady_multipliers
from dynamics.adjoint.window import AdjointWindow
from dynamics.contact_force.filters import periodic_gain
from dynamics.results.warm_start import WarmStart
from dynamics.spec.case import CaseSpec
from dynamics.spec.checks.operator_scope import outside_the_operator
from dynamics.steady_state.span_map import SpanMap

__all__ = ["SteadyMotion", "filtered_deviation", "refusal_of_derivatives", "soft_extreme"]

# of the tolerance of the state, with which multipliers leave derivatives within some per cent
TOLERANCE = 1.0
# tau of the smooth extremes [N]
SOFT = 0.1


def refusal_of_derivatives(case: CaseSpec, marched: bool = False) -> str | None:
    """Why a case has no exact derivatives; None where it has. ``marched``: its steady state came from a march."""
    if not case.seeks_steady_state:
        return f"exact derivatives are those of a steady state: solver must be periodic, got {case.solver}"
    if case.as_a_difference:
        return "exact derivatives need a period marched as a whole: periodic.method must be march, got difference"
    behind = len(case.trailing.distances_m)
    if behind and (marched or case.periodic.method != "operator" or outside_the_operator(case)):
        return (
            "exact derivatives of a state that is marched to are those of one pantograph: trailing.distances_m must be "
            f"empty, got {behind} behind the first"
        )
    if case.pantograph.head is not None:
        return "exact derivatives are those of a head that does not roll: leave pantograph.head out"
    if case.pantograph.control is not None:
        return "exact derivatives are those of a passive pantograph: leave pantograph.control out"
    if case.slack_damping != "kept":
        return (
            "exact derivatives need a law of slack that moves without a jump: slack_damping must be kept, got "
            f"{case.slack_damping}"
        )
    return None


class SteadyMotion:
    """One period of a steady state with all that moves in it, from which derivatives of its figures are formed.

    Parameters
    ----------
    case : CaseSpec
    equilibrium, cell : Equilibrium, VerticalCell
        The line at rest, and its span cell.
    found : WarmStart
        The steady state that was found.

    Raises
    ------
    InputError
        If the case has no exact derivatives.
    """

    def __init__(self, case: CaseSpec, equilibrium: Equilibrium, cell: VerticalCell, found: WarmStart) -> None:
        refusal = refusal_of_derivatives(case)
        if refusal is not None:
            raise InputError([refusal])
        self.case, self._found = case, found
        span_map = SpanMap(case, equilibrium, cell)
        span_map.unpack(found.state)
        self._window, self._start = span_map.window, span_map.state.copy()
        self._record = span_map.window.march(span_map.state, whole=True)

    def sigma(self) -> Lagrangian:
        """Standard deviation of the filtered contact force [N], to first order."""
        force = self._record.force
        _, cause = filtered_deviation(force, self.case)
        return self._lagrangian(Figure(cause, of_case=lambda case: filtered_deviation(force, case)[0]))

    def force_max(self) -> Lagrangian:
        """Smooth largest filtered contact force [N], to first order."""
        return self._extreme(1.0)

    def force_min(self) -> Lagrangian:
        """Smooth smallest filtered contact force [N], to first order."""
        return self._extreme(-1.0)

    def _extreme(self, sign: float) -> Lagrangian:
        force = self._record.force
        _, cause = soft_extreme(force, self.case, sign)
        return self._lagrangian(Figure(cause, of_case=lambda case: soft_extreme(force, case, sign)[0]))

    def uplift(self) -> Lagrangian:
        """Largest uplift at the supports [m], to first order, at the support and the moment of the largest."""
        uplift = self._record.uplift
        step, support, column = np.unravel_index(int(uplift.argmax()), uplift.shape)
        shift = self._window.ahead - self._window.behind  # from the march's columns to the multipliers'
        row = int(self._window.cell.support_contact_dof[support])
        column = int(np.clip(column + shift, 0, self._window.spans))
        return self._lagrangian(Figure(np.zeros(len(uplift)), Lifted(row, column, int(step) + 1)))

    def _lagrangian(self, figure: Figure) -> Lagrangian:
        window = AdjointWindow(self._window, self._record)
        gain = self._found.gain if self.case.applied_force_N is None else None
        tolerance = TOLERANCE * self.case.periodic.tolerance
        multipliers = steady_multipliers(window, figure, gain, tolerance, self.case.periodic.max_spans)
        march = self._window, self._start, self._record
        return Lagrangian(self.case, march, window, (figure, multipliers))


def filtered_deviation(force: NDArray[np.float64], case: CaseSpec) -> tuple[float, NDArray[np.float64]]:
    """Standard deviation of a period's filtered force [N], and its derivative by the force of every step [-]."""
    kept = _kept(force, case)
    kept -= kept.mean()
    sigma = float(kept.std())
    return sigma, _kept(kept, case) / (len(force) * sigma)


def soft_extreme(force: NDArray[np.float64], case: CaseSpec, sign: float) -> tuple[float, NDArray[np.float64]]:
    """Smooth largest (sign 1) or smallest (-1) filtered force of a period [N]; its derivative by every step's force."""
    height = sign * _kept(force, case)
    top = float(height.max())
    weight = np.exp((height - top) / SOFT)
    total = float(weight.sum())
    return sign * (top + SOFT * float(np.log(total))), _kept(weight / total, case)


def _kept(signal: NDArray[np.float64], case: CaseSpec) -> NDArray[np.float64]:
    """What the filter leaves of a period; it turns no phase, so it is its own transpose."""
    steps = len(signal)
    dt = case.line.period / (case.speed * steps)
    frequency = np.asarray(np.fft.rfftfreq(steps, dt), dtype=np.float64)
    gain = periodic_gain(frequency, dt, case.signal.cutoff_hz, case.signal.kind)
    return np.fft.irfft(np.fft.rfft(signal) * gain, steps)
