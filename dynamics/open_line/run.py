"""March a train's pantographs along a whole line and keep what was asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium, open_line_equilibrium
from catenary.linearised.contact_wire import contact_table, place_on_head
from dynamics.open_line.build import WholeLine, build_pantographs, build_system, build_whole_line
from dynamics.open_line.devices.asked_controls import AskedControls
from dynamics.open_line.devices.driven_heads import DrivenHeads
from dynamics.open_line.integrators import INTEGRATORS, Matrices, Request, StepFailure, make_work, start_accelerations
from dynamics.open_line.integrators.runge_kutta import RungeKuttaScheme
from dynamics.open_line.march import march
from dynamics.open_line.run_record import RunRecord
from dynamics.open_line.static_start import static_start
from dynamics.open_line.system import Pantographs, System
from dynamics.results.histories import Histories
from dynamics.spec.case import CaseSpec

__all__ = ["LineRun", "build_matrices", "march_along", "prepare_line", "refuse_long_substep", "run_whole_line"]

SHORT = 3  # spans
POINTS = 40  # of half a span, where the softness of the contact wire is looked for


@dataclass(frozen=True)
class LineRun:
    """A run along a whole line.

    Attributes
    ----------
    histories : Histories
        Up to the last step that converged.
    head : float array (time, 3, pantograph)
        Roll of every head [rad], the wire's place on it and its side motion there [m].
    strip_forces : float array (time, pantograph, strip)
        Filtered force on suspended strips [N]; without strips where heads have none.
    pitch : float array (time, pantograph)
        Of heads that have suspended strips [rad]; without pantographs of others.
    applied_forces_N : tuple of float
        Of every pantograph [N].
    iterations_mean : float
        Corrections a step took [-].
    failure : StepFailure or None
        Of the step that ended the run early.
    """

    histories: Histories
    head: NDArray[np.float64]
    strip_forces: NDArray[np.float64]
    pitch: NDArray[np.float64]
    applied_forces_N: tuple[float, ...]
    iterations_mean: float
    failure: StepFailure | None


def prepare_line(case: CaseSpec, equilibrium: Equilibrium) -> WholeLine:
    """Linearise an open line once for all runs of a case."""
    return build_whole_line(equilibrium, absorbing=case.open_line.ends == "absorbing")


def run_whole_line(case: CaseSpec, line: WholeLine, first_span: float, spans: float) -> LineRun:
    """March ``spans`` spans, the first pantograph starting ``first_span`` spans beyond the line's first support.

    The applied force must be given.

    Raises
    ------
    InputError
        If an explicit step is longer than the mesh allows.
    DeviceError
        If code from outside, the pantograph's or its controller's, fails.
    """
    if case.applied_force_N is None:
        raise ValueError("the march of a whole line needs applied_force_N: it holds no mean force")
    pantographs = build_pantographs(case, case.catenary.station(first_span))
    way = first_span, first_span + spans
    control = case.pantograph.control
    asked = control is not None and control.asked is not None
    if case.pantograph.stepped is None and not asked:
        return march_along(case, line, pantographs, way)
    with (AskedControls if asked else DrivenHeads)(case, line, pantographs) as devices:
        return march_along(case, line, devices.pantographs, way, devices)


def march_along(
    case: CaseSpec,
    line: WholeLine,
    pantographs: Pantographs,
    way: tuple[float, float],
    devices: DrivenHeads | AskedControls | None = None,
) -> LineRun:
    """March pantographs as far as from one place to another [spans], whichever way their speed takes them.

    Parameters
    ----------
    case : CaseSpec
    line : WholeLine
    pantographs : Pantographs
        Where they start.
    way : (float, float)
        Begin and end as spans from the first support: the run is that long.
    devices : DrivenHeads or AskedControls, optional
        Stepped or asked from outside.
    """
    settings, dt = case.open_line, case.time_step
    system = build_system(case, line, pantographs)
    request = Request(dt, settings.hht_alpha, settings.rk4_step, settings.tolerance)
    scheme = INTEGRATORS[settings.integrator].init(build_matrices(case, line, system), request)
    steps, chunk = case.steps_between(*way), case.steps_per_period
    kept = RunRecord(case, line, steps, pantographs)
    state = static_start(case, line, pantographs) if devices is None else devices.start()
    contacts = len(line.equilibrium.mesh.contact_runs) * len(pantographs.strips.rides)
    work = make_work(line.mass.shape[0], len(pantographs.start), len(pantographs.mass), contacts)
    start_accelerations(system, state, line.mass, work)
    failure, done = None, 0
    while done < steps and failure is None:
        rows = min(chunk, steps - done)
        run = march if devices is None else devices.march
        count, residual, iterations = run(system, state, scheme, work, kept.record(done, rows), done)
        done += count
        if count < rows:
            failure = StepFailure((done + 1) * dt, float(residual), abs(int(iterations)))
    histories = kept.histories(done, system, state)
    iterations = float(kept.iterations[:done].mean()) if done else 0.0
    head = kept.on_head(done, histories.position)
    return LineRun(histories, head, *kept.of_strips(done), tuple(pantographs.applied.tolist()), iterations, failure)


def refuse_long_substep(case: CaseSpec) -> int:
    """Refuse a step of Runge-Kutta above the mesh's stability limit, which a short line with the same mesh shows.

    Returns how many steps of its own the method takes within dt, 0 for one that takes dt itself.

    Raises
    ------
    InputError
        With the limit [s] and the step given [s].
    """
    settings = case.open_line
    spans = SHORT if case.catenary.section is None else case.open_line.spans
    line = prepare_line(case, open_line_equilibrium(case.catenary, spans))
    system = build_system(case, line, build_pantographs(case, 0.0))
    request = Request(case.time_step, substep=settings.rk4_step)
    scheme = INTEGRATORS[settings.integrator].init(build_matrices(case, line, system), request)
    return scheme.substeps if isinstance(scheme, RungeKuttaScheme) else 0


def build_matrices(case: CaseSpec, line: WholeLine, system: System) -> Matrices:
    """Matrices that the integrators are prepared with; the contact's stiffness is its tangent at the applied force."""
    panto, law = system.pantographs, case.contact
    force = float(panto.applied.max())
    tangent = law.stiffness
    if law.exponent != 1.0:
        tangent = law.exponent * law.stiffness * (force / law.stiffness) ** (1.0 - 1.0 / law.exponent)
    masses = np.asarray(panto.mass)
    eq = line.equilibrium
    line_spec, mesh = case.catenary, eq.mesh
    axes = [axis + turned for turned in (0, 3) for axis in mesh.axes]
    x = line_spec.station(1) + 0.5 * line_spec.spans[1 % len(line_spec.spans)] * np.linspace(0.0, 1.0, POINTS)
    _, dof, weight = contact_table(eq, x)
    return Matrices(
        line.mass,
        line.damping,
        line.stiffness,
        masses,
        panto.damping,
        panto.stiffness,
        tangent,
        line.kept(dof),
        weight,
        lever=float(np.abs(place_on_head(eq, x)).max()) if panto.rolls else 0.0,
        strips=panto.strips,
        nodes=(line.kept(mesh.dof[:, axes]), mesh.elem_nodes),
    )
