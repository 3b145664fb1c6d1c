"""March a train's pantographs along a whole line and keep what was asked for."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium, open_line_equilibrium
from catenary.layout.geometry import CONTACT, MESSENGER
from catenary.linearised.contact_wire import contact_table
from dynamics.contact_force.filters import filter_record
from dynamics.open_line.build import WholeLine, build_pantographs, build_system, build_whole_line, static_start
from dynamics.open_line.integrators import INTEGRATORS, Matrices, Request, StepFailure, make_work, start_accelerations
from dynamics.open_line.integrators.runge_kutta import RungeKuttaScheme
from dynamics.open_line.march import Record, march
from dynamics.open_line.system import State, System
from dynamics.results.histories import Frames, Histories
from dynamics.spec.case import CaseSpec

__all__ = ["LineRun", "prepare_line", "refuse_long_substep", "run_whole_line"]

# histories beyond this lie in a file while the run goes on [bytes]
IN_MEMORY = 256 * 2**20
SHORT = 3  # spans
POINTS = 40  # of half a span, where the softness of the contact wire is looked for


@dataclass(frozen=True)
class LineRun:
    """A run along a whole line.

    Attributes
    ----------
    histories : Histories
        Up to the last step that converged.
    applied_forces_N : tuple of float
        Of every pantograph [N].
    iterations_mean : float
        Corrections a step took [-].
    failure : StepFailure or None
        Of the step that ended the run early.
    """

    histories: Histories
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
    """
    if case.applied_force_N is None:
        raise ValueError("the march of a whole line needs applied_force_N: it holds no mean force")
    settings, dt = case.open_line, case.time_step
    pantographs = build_pantographs(case, case.catenary.station(first_span))
    system = build_system(case, line, pantographs)
    request = Request(dt, settings.hht_alpha, settings.rk4_step, settings.tolerance)
    scheme = INTEGRATORS[settings.integrator].init(_matrices(case, line, system), request)
    steps, chunk = case.steps_between(first_span, first_span + spans), case.steps_per_period
    keeper = _Keeper(case, line, steps, len(pantographs.start))
    state = static_start(case, line, pantographs)
    work = make_work(line.mass.shape[0], len(pantographs.start), len(pantographs.mass))
    start_accelerations(system, state, line.mass, work)
    failure, done = None, 0
    while done < steps and failure is None:
        rows = min(chunk, steps - done)
        count, residual, iterations = march(system, state, scheme, work, keeper.record(done, rows), done)
        done += count
        if count < rows:
            failure = StepFailure((done + 1) * dt, float(residual), abs(int(iterations)))
    histories = keeper.histories(done, system, state)
    iterations = float(keeper.iterations[:done].mean()) if done else 0.0
    return LineRun(histories, tuple(pantographs.applied.tolist()), iterations, failure)


def refuse_long_substep(case: CaseSpec) -> int:
    """Refuse a step of Runge-Kutta above the mesh's stability limit, which a short line with the same mesh shows.

    Returns how many steps of its own the method takes within dt, 0 for one that takes dt itself.

    Raises
    ------
    InputError
        With the limit [s] and the step given [s].
    """
    settings = case.open_line
    line = prepare_line(case, open_line_equilibrium(case.catenary, SHORT))
    system = build_system(case, line, build_pantographs(case, 0.0))
    request = Request(case.time_step, substep=settings.rk4_step)
    scheme = INTEGRATORS[settings.integrator].init(_matrices(case, line, system), request)
    return scheme.substeps if isinstance(scheme, RungeKuttaScheme) else 0


def _matrices(case: CaseSpec, line: WholeLine, system: System) -> Matrices:
    """What the integrators need; the contact's stiffness is its tangent at the applied force."""
    panto, law = system.pantographs, case.contact
    force = float(panto.applied.max())
    tangent = law.stiffness
    if law.exponent != 1.0:
        tangent = law.exponent * law.stiffness * (force / law.stiffness) ** (1.0 - 1.0 / law.exponent)
    masses = np.asarray(panto.mass)
    eq = line.equilibrium
    line_spec = case.catenary
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
    )


class _Keeper:
    """Memory of a run: arrays by step, large ones in a file, and views of them for a number of steps."""

    def __init__(self, case: CaseSpec, line: WholeLine, steps: int, pantographs: int) -> None:
        self.case, self.line = case, line
        mesh, wanted = line.equilibrium.mesh, case.histories
        self.points = np.array(
            [_nearest(line, CONTACT, x) for x in wanted.contact_wire_m]
            + [_nearest(line, MESSENGER, x) for x in wanted.messenger_wire_m],
            dtype=np.int64,
        )
        supports = mesh.dof[mesh.support_contact[1:-1], 2]
        watched = np.concatenate([supports, mesh.dof[self.points, :3].ravel()])
        self.watched, self.n_supports = line.kept(watched), len(supports)
        masses, n = len(case.pantograph.masses), line.mass.shape[0]
        per_second = wanted.frames_per_second
        self.every = max(1, round(1.0 / (per_second * case.time_step))) if wanted.animation else 0
        frames = steps // self.every if self.every else 0
        self.force = np.zeros((steps, pantographs))
        self.height = np.zeros((steps, pantographs))
        self.masses = np.zeros((steps, 3, pantographs, masses))
        self.dropper = _array((steps, len(mesh.dropper_bottom)))
        self.point = _array((steps, 3, len(self.watched)))
        self.shape = _array((frames, n))
        self.iterations = np.zeros(steps, dtype=np.int64)

    def record(self, first: int, rows: int) -> Record:
        """Views for ``rows`` steps from step ``first`` on."""
        cut = slice(first, first + rows)
        shapes = slice(first // self.every, (first + rows) // self.every) if self.every else slice(0, 0)
        return Record(
            self.force[cut],
            self.height[cut],
            self.masses[cut],
            self.dropper[cut],
            self.point[cut],
            self.watched,
            self.shape[shapes],
            self.every,
            self.iterations[cut],
        )

    def histories(self, done: int, system: System, state: State) -> Histories:
        """Label what was kept of the first ``done`` steps."""
        case, mesh, panto = self.case, self.line.equilibrium.mesh, system.pantographs
        time = np.arange(1, done + 1, dtype=np.float64) * case.time_step
        position = panto.start + panto.speed * time[:, None]
        force, dt, signal = self.force[:done], case.time_step, case.signal
        filtered = force.copy()
        if done > 30:
            for p in range(force.shape[1]):
                filtered[:, p] = filter_record(force[:, p], dt, 0.0, signal.cutoff_hz, signal.kind)
        points = self.point[:done, :, self.n_supports :].reshape(done, 3, len(self.points), 3)
        return Histories(
            time=time,
            position=position,
            contact_force=force,
            contact_force_filtered=filtered,
            contact_height=self.height[:done],
            mass_height=self.masses[:done, 0],
            mass_velocity=self.masses[:done, 1],
            mass_acceleration=self.masses[:done, 2],
            dropper_force=self.dropper[:done],
            dropper_x=mesh.node_x[mesh.dropper_bottom],
            support_uplift=self.point[:done, 0, : self.n_supports],
            support_x=mesh.node_x[mesh.support_contact[1:-1]],
            point_x=mesh.node_x[self.points],
            point_wire=mesh.node_wire[self.points],
            point_displacement=points[:, 0],
            point_velocity=points[:, 1],
            point_acceleration=points[:, 2],
            frames=self._frames(done, position) if self.every else None,
        )

    def _frames(self, done: int, position: NDArray[np.float64]) -> Frames:
        mesh, count = self.line.equilibrium.mesh, done // self.every
        rest, rows = self.line.equilibrium.q[:, :3], np.arange(1, count + 1) * self.every - 1
        dof = self.line.kept(mesh.dof[:, :3])
        moved = np.where(dof >= 0, self.shape[:count, np.maximum(dof, 0)], 0.0)
        return Frames(
            time=np.asarray((rows + 1) * self.case.time_step, dtype=np.float64),
            node_wire=mesh.node_wire,
            node_x=mesh.node_x,
            rest=rest,
            position=rest + moved,
            dropper_ends=np.stack([mesh.dropper_bottom, mesh.dropper_top], axis=1),
            mass_height=self.masses[rows, 0],
            pantograph_x=position[rows],
        )


def _nearest(line: WholeLine, wire: int, x: float) -> int:
    """Node of a wire nearest to a station."""
    mesh = line.equilibrium.mesh
    nodes = np.flatnonzero(mesh.node_wire == wire)
    return int(nodes[np.argmin(np.abs(mesh.node_x[nodes] - x))])


def _array(shape: tuple[int, ...]) -> Any:
    """Zeros, in a file without a name where they are large."""
    size = 8 * int(np.prod(shape))
    if size <= IN_MEMORY:
        return np.zeros(shape)
    with tempfile.TemporaryFile(dir=Path(tempfile.gettempdir())) as file:
        return np.memmap(file, dtype=np.float64, mode="w+", shape=shape)
