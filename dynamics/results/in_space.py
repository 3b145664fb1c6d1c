"""What a result file keeps of bodies: the line's shape in space, heads under the wire, arms and their joints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equations import element_coordinates
from catenary.linearised.attachments import steady_arm_direction
from dynamics.pantograph.bodies import BODIES, JOINTS
from dynamics.results.histories import WIRES

if TYPE_CHECKING:
    from catenary.form_finding.equilibrium import Equilibrium
    from dynamics.results.solution import Solution

__all__ = ["Labelled", "arms_over_time", "heads_in_space", "shape_in_space"]


class Labelled(NamedTuple):
    """An array with its name in the file, dimensions, unit and meaning."""

    name: str
    dims: tuple[str, ...]
    values: NDArray[Any]
    units: str
    text: str


def shape_in_space(eq: Equilibrium) -> tuple[Labelled, ...]:
    """Wires, droppers and steady arms of a line at rest, every one by its ends; none of a planar line."""
    mesh, bar = eq.mesh, eq.spec.support.steady_arm
    if not mesh.spatial:
        return ()
    wires = element_coordinates(mesh, eq.q)[:, :, :3]
    droppers = eq.q[np.stack([mesh.dropper_bottom, mesh.dropper_top], axis=1), :3]
    wire = eq.q[mesh.support_contact, :3]
    arms = np.stack([wire, wire + (0.0 if bar is None else bar.length) * steady_arm_direction(eq)], axis=1)
    ends = " [along the track, to the left of its axis, up]"
    return (
        Labelled("space_wire", ("space_elem",), mesh.elem_wire, "1", WIRES),
        Labelled("space_wire_end", ("space_elem", "end", "axis"), wires, "m", "ends of wire elements at rest" + ends),
        Labelled("space_dropper_end", ("space_dropper", "end", "axis"), droppers, "m", "ends of droppers" + ends),
        Labelled("space_arm_end", ("space_arm", "end", "axis"), arms, "m", "wire and far joint of steady arms" + ends),
    )


def heads_in_space(solution: Solution) -> tuple[Labelled, ...]:
    """Place of the wire on every head, roll, force of both strips, and wear over the strip; none in the plane."""
    figures, each, head = solution.on_head, solution.pantographs, solution.case.pantograph.head
    if not figures:
        return ()
    over_time = ("time", "pantograph")
    place = np.stack([one.place for one in each], axis=1)
    edges = np.stack([one.wear_edges_m for one in figures], axis=1)
    share = np.stack([one.wear_share for one in figures], axis=1)
    found = [
        Labelled("head_place", over_time, place, "m", "place of the wire to the left of the middle of the head"),
        Labelled("wear_edge", ("wear_edge", "pantograph"), edges, "m", "edges of the places that wear is counted in"),
        Labelled(
            "wear_share",
            ("wear_bin", "pantograph"),
            share,
            "1",
            "share of force times way that strips and wire rub with at a place on the head, over the evaluated spans",
        ),
    ]
    if head is not None:
        roll = np.stack([one.roll for one in each], axis=1)
        strips = np.stack([one.of_strips(head).T for one in each], axis=1)
        text = "filtered force of the strips, the front one first"
        found += [
            Labelled("head_roll", over_time, roll, "rad", "roll of the head, positive where its left side rises"),
            Labelled("strip_force", (*over_time, "strip"), strips, "N", text),
        ]
        if head.suspension is not None:
            pitch = np.stack([one.pitch for one in each], axis=1)
            text = "pitch of the head, positive where its front rises"
            found.append(Labelled("head_pitch", over_time, pitch, "rad", text))
    return tuple(found)


def arms_over_time(solution: Solution) -> tuple[Labelled, ...]:
    """Places, turns and velocities of the bodies of articulated pantographs, and forces in their joints."""
    each = solution.arms
    if not each:
        return ()
    time, plane = ("time", "pantograph"), " [forwards, up]"
    bodies = f"of the centre of mass of {', '.join(BODIES)}, over the lower arm's joint on the base{plane}"
    lines = f"of the line from lower to upper joint of {', '.join(BODIES)}, from forwards to up"
    joints = f"force in the joints ({', '.join(JOINTS)}) on the body beyond them{plane}"
    columns = (
        ("body_position", "position", (*time, "body", "plane_axis"), "m", f"place {bodies}"),
        ("body_velocity", "velocity", (*time, "body", "plane_axis"), "m s-1", f"velocity {bodies}"),
        ("body_acceleration", "acceleration", (*time, "body", "plane_axis"), "m s-2", f"acceleration {bodies}"),
        ("body_angle", "angle", (*time, "body"), "rad", f"angle {lines}"),
        ("body_angular_velocity", "rate", (*time, "body"), "rad s-1", f"angular velocity {lines}"),
        ("apex_forwards", "apex_forwards", time, "m", "place of the apex forwards of the lower arm's joint"),
        ("joint_reaction", "reaction", (*time, "joint", "plane_axis"), "N", joints),
        ("lifting_torque", "torque", time, "N m", "torque of bellows, spring and damper that raises the lower arm"),
    )
    return tuple(
        Labelled(name, dims, np.stack([getattr(one, key) for one in each], axis=1), units, text)
        for name, key, dims, units, text in columns
    )
