"""A run on an open line made of smooth functions, with everything kept: no solver is needed."""

import numpy as np

from catenary.form_finding.equilibrium import open_line_equilibrium, periodic_equilibrium
from dynamics.contact_force.statistics import FilteredForce, contact_statistics
from dynamics.results.histories import Frames, Histories
from dynamics.results.solution import PantographResult, Solution
from dynamics.results.span_cut import span_cut
from dynamics.spec.status import Status

GAP = 45.0  # m between the pantographs
LINE = {"spans": 6, "start": 0.5, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}


def bump(x):
    """Rise [m] of the wire at a distance x [m] from a pantograph."""
    return 0.06 * np.exp(-((x / 12.0) ** 2))


def line_run(case, pantographs=2):
    """Solution whose wire rises under every pantograph and nowhere else, and whose droppers slacken there."""
    span, dt = case.catenary.span_length, case.time_step
    steps = round(case.steps_per_period * (LINE["last_evaluated"] + LINE["spans_after"] - LINE["start"]))
    time = dt * np.arange(1, steps + 1)
    behind = GAP * np.arange(pantographs)
    position = LINE["start"] * span + behind.max() + case.speed * time[:, None] - behind
    force = 150.0 + 40.0 * np.sin(2 * np.pi * position / 11.0) + 8.0 * np.sin(2 * np.pi * position / 1.7)
    for begin, end in ((2.2, 2.23), (3.5, 3.51)):  # contact of the first one is lost twice
        force[(position[:, 0] > begin * span) & (position[:, 0] < end * span), 0] = 0.0
    filtered = 150.0 + 40.0 * np.sin(2 * np.pi * position / 11.0)

    def rise(x, at=position):
        return bump(x[None, :] - at[:, :1]) + (bump(x[None, :] - at[:, 1:]) if pantographs > 1 else 0.0)

    def under(at):
        return np.stack([rise(np.array([0.0]), at - at[:, p : p + 1])[:, 0] for p in range(pantographs)], axis=1)

    height = under(position)
    mesh_line = open_line_equilibrium(case.catenary, LINE["spans"])
    mesh, rest = mesh_line.mesh, mesh_line.q[:, :3].copy()
    rest[mesh.node_wire == 0, 2] = 0.0  # so that what the wire carries can be said in closed form
    dropper_x = np.array(mesh.layout.dropper_x)
    support_x = span * np.arange(1, LINE["spans"])
    point_x = np.array([2.5 * span, 3.0 * span, 3.0 * span])
    shown = np.arange(0, steps, 10)
    lift = np.zeros((shown.size, len(rest), 3))
    lift[:, :, 2] = rise(mesh.node_x, position[shown])
    masses = np.stack([height - 0.01 * k for k in range(3)], axis=-1)
    moved = np.zeros((steps, 3, 3))
    moved[:, :, 2] = rise(point_x)
    ends = np.stack([mesh.dropper_bottom, mesh.dropper_top], axis=1)
    frames = Frames(time[shown], mesh.node_wire, mesh.node_x, rest, rest + lift, ends, masses[shown], position[shown])
    histories = Histories(
        time=time,
        position=position,
        contact_force=force,
        contact_force_filtered=filtered,
        contact_height=height,
        wire_force=force[:, :, None],
        mass_height=masses,
        mass_velocity=np.gradient(masses, dt, axis=0),
        mass_acceleration=np.gradient(np.gradient(masses, dt, axis=0), dt, axis=0),
        dropper_force=np.maximum(0.0, 80.0 - 1600.0 * rise(dropper_x)),
        dropper_x=dropper_x,
        support_uplift=rise(support_x),
        support_x=support_x,
        point_x=point_x,
        point_wire=np.array([0, 0, 1]),
        point_displacement=moved,
        point_velocity=np.gradient(moved, dt, axis=0),
        point_acceleration=np.gradient(np.gradient(moved, dt, axis=0), dt, axis=0),
        control_force=np.zeros((steps, 0)),
        frames=frames if case.histories.animation else None,
    )
    cut = (position[:, 0] > 2 * span + 1e-6) & (position[:, 0] <= 4 * span + 1e-6)
    bands = FilteredForce(*(filtered[cut, 0],) * 3)
    statistics = contact_statistics(force[cut, 0], bands, height[cut, 0], 0.06)
    results = tuple(
        PantographResult(
            160.0,
            x,
            force[:, p],
            filtered[:, p],
            height[:, p],
            span_cut(case, x, 3, 4),
            statistics,
            halves=(statistics, statistics),
        )
        for p, x in enumerate(position.T)
    )
    return Solution(
        case, periodic_equilibrium(case.catenary), Status.OK, "", {"equilibrium": 0.1, "dynamics": 0.2}, time, results,
        spans_evaluated=2, support_uplift=np.full(5, 0.06),
        dropper_slack_time=np.full(len(case.catenary.dropper_positions), 0.04), histories=histories,
    )  # fmt: skip
