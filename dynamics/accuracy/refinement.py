"""Study how the contact force converges: one open line on many meshes and steps, by every formulation and integrator.

A setting is judged by the filtered contact force of the first pantograph over the evaluated spans, against that of one
reference on a finer mesh with a shorter step, under the same applied forces. Its cost is processor time, which other
work on the machine stretches far less than time on the clock.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq

from catenary.form_finding.equilibrium import EquilibriumStatus, open_line_equilibrium
from catenary.layout.sections import most_elements
from catenary.spec.line import Formulation
from catenary.spec.mesh import per_bay
from dynamics.open_line.build import WholeLine
from dynamics.open_line.run import prepare_line, run_whole_line
from dynamics.spec.case import CaseSpec, Kinematics
from dynamics.spec.solver import Integrator

__all__ = [
    "Errors",
    "Passage",
    "Setting",
    "assured_error",
    "errors_of",
    "line_of",
    "observed_order",
    "passage_of",
    "setting_of",
]

ORDERS = (0.1, 6.0)  # between which an observed order is looked for


@dataclass(frozen=True)
class Setting:
    """Numerical setting: model and method, elements a bay [-], step [s]."""

    kinematics: Kinematics
    formulation: Formulation
    integrator: Integrator
    elements_per_bay: int
    dt: float

    @property
    def family(self) -> tuple[str, str, str]:
        """Kinematics, formulation and integrator, which refinement leaves alone."""
        return self.kinematics, self.formulation, self.integrator

    def at_least_as_fine_as(self, other: Setting) -> bool:
        """Whether this is the same model and method on a mesh at least as fine, with a step no longer."""
        return self.family == other.family and self.elements_per_bay >= other.elements_per_bay and self.dt <= other.dt

    def applied_to(self, case: CaseSpec) -> CaseSpec:
        """Put the setting into a case."""
        mesh = per_bay(self.elements_per_bay)
        line = case.catenary.model_copy(update={"formulation": self.formulation, "mesh": mesh})
        open_line = case.open_line.model_copy(update={"integrator": self.integrator})
        return case.model_copy(
            update={"catenary": line, "open_line": open_line, "kinematics": self.kinematics, "dt": self.dt}
        )


@dataclass(frozen=True)
class Passage:
    """The first pantograph's passage of the evaluated spans with one setting.

    Attributes
    ----------
    setting : Setting
        What it was computed with.
    message : str
        Why there is no force; empty where there is one.
    position, force : float array (sample,)
        Station [m] and filtered contact force [N] of the evaluated spans.
    cost : float
        Processor time of a run per simulated second [-], form-finding and linearisation apart.
    """

    setting: Setting
    message: str
    position: NDArray[np.float64]
    force: NDArray[np.float64]
    cost: float

    @property
    def sigma(self) -> float:
        """Standard deviation of the filtered force [N]."""
        return float(self.force.std()) if self.force.size else float("nan")

    def force_at(self, position: NDArray[np.float64]) -> NDArray[np.float64]:
        """Filtered force at other stations [m] of the same spans [N]."""
        return np.asarray(CubicSpline(self.position, self.force)(position), dtype=np.float64)


@dataclass(frozen=True)
class Errors:
    """Errors of a passage: standard deviation, largest and smallest force (signed), curve (rms) [N]."""

    sigma_N: float
    max_N: float
    min_N: float
    rms_N: float


def setting_of(case: CaseSpec) -> Setting:
    """Setting that a case is computed with as it stands; every bay counts as the one with most elements."""
    return Setting(
        case.kinematics,
        case.catenary.formulation,
        case.open_line.integrator,
        most_elements(case.catenary),
        case.dt,
    )


def line_of(case: CaseSpec) -> WholeLine | None:
    """Open line of a case, linearised; None where form-finding fails on its mesh."""
    found = open_line_equilibrium(case.catenary, case.open_line.spans)
    return prepare_line(case, found) if found.status is EquilibriumStatus.OK else None


def passage_of(case: CaseSpec, line: WholeLine | None, repeats: int = 1) -> Passage:
    """Run a case with given applied forces along its line; the cheapest of ``repeats`` equal runs sets the cost."""
    setting, settings, none = setting_of(case), case.open_line, np.zeros(0)
    if line is None:
        return Passage(setting, "form-finding failed on this mesh", none, none, float("nan"))
    spans = settings.last_evaluated + settings.spans_after - settings.start
    spent: list[float] = []
    run = None
    while run is None or len(spent) < repeats:
        began = time.process_time()
        run = run_whole_line(case, line, settings.start, spans)
        spent.append(time.process_time() - began)
    kept = run.histories
    force, position = kept.contact_force_filtered[:, 0], kept.position[:, 0]
    if run.failure is not None or not np.isfinite(force).all():
        why = "the force grew beyond all bounds"
        if run.failure is not None:
            why = f"a step did not converge at {run.failure.time:.3f} s"
        return Passage(setting, why, none, none, float("nan"))
    first = case.catenary.station(settings.first_evaluated - 1)
    begin = int(np.searchsorted(position, first * (1.0 + 1e-12) + 1e-9))
    count = case.steps_between(settings.first_evaluated - 1, settings.last_evaluated)
    cut = slice(begin, begin + count)
    simulated = case.steps_between(settings.start, settings.start + spans) * case.time_step
    return Passage(setting, "", position[cut], force[cut], min(spent) / simulated)


def errors_of(passage: Passage, reference: Passage) -> Errors:
    """Compare a passage with a reference: figures of its own samples, the curve at the reference's stations."""
    if not passage.force.size:
        return Errors(*4 * (float("nan"),))
    inside = (reference.position >= passage.position[0]) & (reference.position <= passage.position[-1])
    apart = passage.force_at(reference.position[inside]) - reference.force[inside]
    return Errors(
        sigma_N=passage.sigma - reference.sigma,
        max_N=float(passage.force.max() - reference.force.max()),
        min_N=float(passage.force.min() - reference.force.min()),
        rms_N=float(np.sqrt(np.mean(apart**2))),
    )


def assured_error(passage: Passage, passages: list[Passage], reference: Passage) -> float:
    """Largest error of sigma [N] of a setting and of every finer one: a lucky crossing of zero assures nothing."""
    finer = [p for p in passages if p.setting.at_least_as_fine_as(passage.setting)]
    # not-a-number, of a finer run that failed, stays
    return float(np.max(np.abs([p.sigma - reference.sigma for p in finer])))


def observed_order(sizes: list[float], passages: list[Passage]) -> float | None:
    """Order with which the force curve tends to a limit as elements or steps shrink.

    The distance between the curves of size h_i and of the smallest, h_1, is C (h_i^p - h_1^p) where the error is C h^p;
    the three smallest sizes give p. No reference enters.

    Parameters
    ----------
    sizes : list of float
        Sizes of elements or steps, in any unit, all else being equal.
    passages : list of Passage
        One each.

    Returns
    -------
    float or None
        None for fewer than three sizes, a run without force, or distances that no order between 0.1 and 6 gives.
    """
    rank = np.argsort(sizes)[:3]
    if len(rank) < 3 or any(not passages[k].force.size for k in rank):
        return None
    h = np.array(sizes, dtype=np.float64)[rank]
    finest, *coarser = (passages[k] for k in rank)
    near, far = (errors_of(p, finest).rms_N for p in coarser)
    if near <= 0.0 or far <= near:
        return None

    def missing(p: float) -> float:
        return float(np.log(far / near) - np.log((h[2] ** p - h[0] ** p) / (h[1] ** p - h[0] ** p)))

    low, high = ORDERS
    if missing(low) * missing(high) >= 0.0:
        return None
    return float(cast("float", brentq(missing, low, high)))
