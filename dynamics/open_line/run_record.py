"""Record of every step of a run along a whole line, and its labelled histories."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.layout.geometry import CONTACT, MESSENGER
from catenary.layout.mesh import Mesh
from catenary.linearised.contact_wire import contact_table, place_on_head
from dynamics.contact_force.filters import filter_record
from dynamics.open_line.build import WholeLine
from dynamics.open_line.march import Record
from dynamics.open_line.static_start import vehicle_side
from dynamics.open_line.system import Pantographs, State, System
from dynamics.results.histories import Frames, Histories
from dynamics.spec.case import CaseSpec

__all__ = ["RunRecord"]

# longer histories lie in a file during the run [bytes]
IN_MEMORY = 256 * 2**20
SHORTEST = 30  # steps, of a record that is filtered


class RunRecord:
    """Record of a run along a whole line: arrays by step, large ones in a file.

    Parameters
    ----------
    case : CaseSpec
        Says which points of the wires are watched and whether frames are kept.
    line : WholeLine
    steps : int
        Most steps that the run takes.
    pantographs : Pantographs
    """

    def __init__(self, case: CaseSpec, line: WholeLine, steps: int, pantographs: Pantographs) -> None:
        self.case, self.line = case, line
        mesh, wanted = line.equilibrium.mesh, case.histories
        self.points = np.array(
            [_nearest(line, CONTACT, x) for x in wanted.contact_wire_m]
            + [_nearest(line, MESSENGER, x) for x in wanted.messenger_wire_m],
            dtype=np.int64,
        )
        self.held, self.first_wire = _over_supports(mesh)
        watched = np.concatenate([mesh.dof[self.held, 2], mesh.dof[self.points, :3].ravel()])
        self.watched, self.n_held = line.kept(watched), len(self.held)
        n = line.mass.shape[0]
        per_second = wanted.frames_per_second
        self.every = max(1, round(1.0 / (per_second * case.time_step))) if wanted.animation else 0
        frames = steps // self.every if self.every else 0
        count = len(pantographs.start)
        self.shown = np.asarray(pantographs.shown)
        self.sways = case.base_motion is not None and case.base_motion.moves_sideways
        self.moved_to = partial(vehicle_side, line, pantographs)
        self.force = np.zeros((steps, count))
        self.height = np.zeros((steps, count))
        self.strips = pantographs.strips
        self.each_force = np.zeros((steps, count, len(self.strips.rides), len(mesh.contact_runs)))
        self.masses = np.zeros((steps, 3, count, len(pantographs.mass)))
        self.head = np.zeros((steps, 2, count))
        self.dropper = _array((steps, len(mesh.dropper_bottom)))
        self.point = _array((steps, 3, len(self.watched)))
        self.shape = _array((frames, n))
        self.iterations = np.zeros(steps, dtype=np.int64)
        self.control = np.zeros((steps, count if pantographs.control.present else 0))

    def record(self, first: int, rows: int) -> Record:
        """Views for ``rows`` steps from step ``first`` on."""
        cut = slice(first, first + rows)
        shapes = slice(first // self.every, (first + rows) // self.every) if self.every else slice(0, 0)
        return Record(
            self.force[cut],
            self.height[cut],
            self.each_force[cut].reshape(rows, -1),
            self.masses[cut],
            self.head[cut],
            self.dropper[cut],
            self.point[cut],
            self.watched,
            self.shape[shapes],
            self.every,
            self.iterations[cut],
            self.line.equilibrium.mesh.spatial,
            self.control[cut],
        )

    def on_head(self, done: int, position: NDArray[np.float64]) -> NDArray[np.float64]:
        """Roll of every head [rad], place of the wire on it and its side motion there [m] (time, 3, pantograph).

        The place is the one at rest, with the motion from there, or as was sought, without any.
        """
        head, eq = np.zeros((done, 3, self.head.shape[2])), self.line.equilibrium
        head[:, :2] = self.head[:done]
        if self.case.contact.space is None:
            for p, x in enumerate(position.T):
                rest = place_on_head(eq, x) - (self.moved_to(x) if self.sways else 0.0)
                head[:, 1, p], head[:, 2, p] = rest, head[:, 1, p] - rest if eq.mesh.spatial else 0.0
        return head

    def of_strips(self, done: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Filtered force on suspended strips (time, pantograph, strip) [N], and pitch (time, pantograph) [rad].

        Heads without suspended strips have none of both.
        """
        count = self.force.shape[1]
        if not self.strips.suspended:
            return np.zeros((done, count, 0)), np.zeros((done, 0))
        forces = self.each_force[:done].sum(axis=3)
        for p, k in np.ndindex(forces.shape[1:]):
            forces[:, p, k] = self._filtered(forces[:, p, k])
        return forces, self.masses[:done, 0, :, self.strips.pitch]

    def _filtered(self, force: NDArray[np.float64]) -> NDArray[np.float64]:
        """A force over the time of the run, low-pass filtered where that is long enough [N]."""
        signal = self.case.signal
        if len(force) <= SHORTEST:
            return force
        return filter_record(force, self.case.time_step, 0.0, signal.cutoff_hz, signal.kind)

    def histories(self, done: int, system: System, state: State) -> Histories:
        """Label what was kept of the first ``done`` steps."""
        case, mesh, panto = self.case, self.line.equilibrium.mesh, system.pantographs
        time = np.arange(1, done + 1, dtype=np.float64) * case.time_step
        position = panto.start + panto.speed * time[:, None]
        force = self.force[:done]
        filtered = np.stack([self._filtered(own) for own in force.T], axis=1)
        points = self.point[:done, :, self.n_held :].reshape(done, 3, len(self.points), 3)
        # where two wires pass a support, its uplift is that of the one which rises more
        uplift = self.point[:done, 0, : self.n_held]
        uplift = uplift if len(self.first_wire) == self.n_held else np.maximum.reduceat(uplift, self.first_wire, axis=1)
        return Histories(
            time=time,
            position=position,
            contact_force=force,
            contact_force_filtered=filtered,
            contact_height=self.height[:done],
            mass_height=self._shown(self.masses[:done, 0]),
            mass_velocity=self._shown(self.masses[:done, 1]),
            mass_acceleration=self._shown(self.masses[:done, 2]),
            dropper_force=self.dropper[:done],
            dropper_x=mesh.node_x[mesh.dropper_bottom],
            support_uplift=uplift,
            support_x=mesh.node_x[self.held[self.first_wire]],
            wire_force=self.each_force[:done].sum(axis=2),
            point_x=mesh.node_x[self.points],
            point_wire=mesh.node_wire[self.points],
            point_displacement=points[:, 0],
            point_velocity=points[:, 1],
            point_acceleration=points[:, 2],
            control_force=self.control[:done],
            frames=self._frames(done, position) if self.every else None,
        )

    def _shown(self, moved: NDArray[np.float64]) -> NDArray[np.float64]:
        """What is shown of the masses' motion (time, pantograph, shown)."""
        same = np.array_equal(self.shown, np.eye(moved.shape[-1]))
        return moved if same else moved @ self.shown.T

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
            mass_height=self._shown(self.masses[rows, 0]),
            pantograph_x=position[rows],
        )


def _over_supports(mesh: Mesh) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Contact-wire nodes at supports where no wire of theirs ends, and the first of them at every support."""
    number, ends = np.array(mesh.layout.wire_supports), mesh.wire_ends.ravel()
    passing = np.flatnonzero(~np.isin(mesh.support_contact, ends))
    passing = passing[np.argsort(number[passing], kind="stable")]
    return mesh.support_contact[passing], np.unique(number[passing], return_index=True)[1]


def _nearest(line: WholeLine, wire: int, x: float) -> int:
    """Node of a wire nearest to a station; of several contact wires that which hangs lowest."""
    mesh = line.equilibrium.mesh
    nodes = np.flatnonzero(mesh.node_wire == wire)
    if wire == CONTACT and len(mesh.contact_runs) > 1:
        nodes = mesh.elem_nodes[contact_table(line.equilibrium, np.array([x]))[0][0]]
    return int(nodes[np.argmin(np.abs(mesh.node_x[nodes] - x))])


def _array(shape: tuple[int, ...]) -> Any:
    """Zeros, in a file without a name where they are large."""
    size = 8 * int(np.prod(shape))
    if size <= IN_MEMORY:
        return np.zeros(shape)
    with tempfile.TemporaryFile(dir=Path(tempfile.gettempdir())) as file:
        return np.memmap(file, dtype=np.float64, mode="w+", shape=shape)
