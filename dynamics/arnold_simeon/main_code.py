"""The same two-dropper line from the main code's elements, stiff springs in the place of constraints: the bridge.

Both wires are cables of ``catenary.elements.ancf_cable``, straight and tensioned, of which heights and slopes are kept;
linear about rest, they are moved by the march of whole lines, with droppers and a contact of stiffness k.
As k grows the forces tend to the constraint forces on the same matrices.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import splu

from catenary.elements.ancf_cable import cable_mass, cable_tangent
from dynamics.arnold_simeon.contact_area import kernel_values
from dynamics.arnold_simeon.discretisation import (
    SemiDiscrete,
    WireMatrices,
    assemble,
    chain,
    hermite_loads,
    hermite_row,
)
from dynamics.arnold_simeon.problem import BenchmarkSpec
from dynamics.arnold_simeon.run import Record
from dynamics.arnold_simeon.start import contact_weights, pantograph_start, static_state
from dynamics.linear_algebra.sparse_rows import fixed_rows, sparse_rows
from dynamics.open_line.integrators import INTEGRATORS, Matrices, Request, make_work, start_accelerations
from dynamics.open_line.march import Record as MarchRecord
from dynamics.open_line.march import march
from dynamics.open_line.system import (
    ANCF,
    STILL,
    UPRIGHT,
    Arms,
    ContactLaw,
    ContactWire,
    Droppers,
    Pantographs,
    Springs,
    State,
    System,
    Wires,
)
from dynamics.pantograph.linear import linear_pantograph
from dynamics.spec.case import PantographSpec

__all__ = ["cable_line", "march_with_springs", "spring_differences"]

Array = NDArray[np.float64]
# so stiff along itself [N] that a cable's stretch under its tension is lost in rounding
AXIAL_STIFFNESS = 1.0e12
AREA_POINTS = 16  # on either half of the contact area
TOLERANCE = 1.0e-12  # left to correct in a step [m]
VERTICAL = np.array([2, 5, 8, 11])


def cable_line(spec: BenchmarkSpec, intervals: int) -> SemiDiscrete:
    """The benchmark with both wires made of the main code's cable elements."""
    dx = spec.length / intervals
    carrier = _cable(spec, intervals, (spec.carrier_mass, spec.carrier_tension, 0.0))
    wire = _cable(spec, intervals, (spec.wire_mass, spec.wire_tension, spec.wire_bending))
    rows = []
    for x in spec.dropper_x:
        row = hermite_row(x, intervals, dx)
        rows.append(np.concatenate([-row, row, [0.0, 0.0]]))
    return assemble(spec, "finite_elements", intervals, (carrier, wire), np.array(rows))


def _cable(spec: BenchmarkSpec, intervals: int, wire: tuple[float, float, float]) -> WireMatrices:
    """Heights and slopes of a straight cable of mass per length, tension and bending stiffness ``wire``."""
    rho, tension, EI = wire
    dx = spec.length / intervals
    stretch = np.sqrt(1.0 + 2.0 * tension / AXIAL_STIFFNESS)
    q = np.zeros((intervals, 2, 6))
    q[:, 1, 0], q[:, :, 3] = dx * stretch, stretch
    lengths, stiff = np.full(intervals, dx), np.full(intervals, AXIAL_STIFFNESS)
    axial, transverse = cable_tangent(q, lengths, stiff, np.full(intervals, EI))
    pick = np.ix_(np.arange(intervals), VERTICAL, VERTICAL)
    mass = cable_mass(lengths, np.full(intervals, rho))
    return WireMatrices(chain(mass[pick]), chain((axial + transverse)[pick]), rho * hermite_loads(intervals, dx))


def march_with_springs(line: SemiDiscrete, stiffness: float, step: float) -> tuple[Array, Array]:
    """Run the line with droppers and contact as springs [N/m]; times [s] and forces (time, constraint) [N].

    At rest without the pantograph the droppers have the lengths of the benchmark, whatever their stiffness.
    """
    spec = line.spec
    n = line.mass.shape[0] - 2
    steps = int(np.ceil((spec.end - spec.start) / spec.speed / step - 1e-9))
    h = (spec.end - spec.start) / spec.speed / steps
    rest, tension = static_state(line, np.zeros(n))
    stretch = csr_array(-line.droppers[:, :n])
    K = csr_array(line.stiffness[:n][:, :n] + stiffness * (stretch.T @ stretch))
    u = splu(K.tocsc()).solve(contact_weights(line, spec.start)[0, :n] * spec.start_force)
    z, z_dot = pantograph_start(line, rest + u)
    # the springs of pantograph and contact as they are pressed at the start
    z[0] += spec.start_force / stiffness
    force, pulled = _march(line, (K, stretch, tension), (rest, u, z, z_dot), stiffness, (h, steps))
    start = np.array([*(tension + stiffness * (stretch @ u)), spec.start_force])
    return h * np.arange(steps + 1, dtype=np.float64), np.vstack([start, np.column_stack([pulled, force])])


def spring_differences(line: SemiDiscrete, record: Record, stiffnesses: tuple[float, ...], step: float) -> Array:
    """Distance of spring forces (springs in N/m) from the constraint forces of a run of the same line.

    Returns
    -------
    float array (stiffness, constraint)
        Root mean square of the difference over that of the constraint force, dropper 1, dropper 2 and contact [-].
    """
    found = []
    for stiffness in stiffnesses:
        time, force = march_with_springs(line, stiffness, step)
        exact = np.column_stack([np.interp(time, record.time, record.force[:, i]) for i in range(3)])
        found.append(np.sqrt(np.mean((force - exact) ** 2, axis=0) / np.mean(exact**2, axis=0)))
    return np.array(found)


def _march(
    line: SemiDiscrete,
    springs: tuple[csr_array, csr_array, Array],
    start: tuple[Array, Array, Array, Array],
    stiffness: float,
    steps: tuple[float, int],
) -> tuple[Array, Array]:
    """Hand the line to the march of whole lines; contact forces [N] and tensions (time, dropper) [N]."""
    n = line.mass.shape[0] - 2
    K, stretch, tension = springs
    rest, u, z, z_dot = start
    # ordered along the track, so that droppers join neighbours
    order = np.argsort(np.tile(np.arange(n // 2), 2), kind="stable")
    number = np.append(np.argsort(order), -1)
    M, C, K = (csr_array(x[:n][:, :n][order][:, order]) for x in (line.mass, line.damping, K))
    damping, none = sparse_rows(C), np.zeros((0, 12))
    system = System(
        nonlinear=False,
        element=ANCF,
        mass=fixed_rows(M),
        alpha=0.0,
        beta=0.0,
        damping=damping,
        damping_rows=np.arange(n),
        stiffness=sparse_rows(K),
        wires=Wires(none.astype(np.int64), none, np.zeros(0), np.zeros(0), np.zeros(0), none, none[:, :8]),
        contact_wire=_wire(line, rest, number),
        droppers=_droppers(stretch, tension, number, stiffness),
        arms=Arms(none[:, :3].astype(np.int64), none[:, :3], np.zeros(0), 0.0),
        springs=Springs(np.zeros(0, dtype=np.int64), np.zeros(0)),
        law=ContactLaw(stiffness, 1.0, 0.0, *_contact_area(line.spec.contact_half_width), UPRIGHT),
        pantographs=_train(line.spec),
        gusts=STILL,
    )
    (h, count), panto = steps, system.pantographs
    points = system.contact_wire.dof[:, [2, 5, 8, 11]], np.tile([0.5, 0.0, 0.5, 0.0], (line.intervals, 1))
    matrices = Matrices(M, C, K, np.asarray(panto.mass), panto.damping, panto.stiffness, stiffness, *points)
    scheme = INTEGRATORS["newmark"].init(matrices, Request(h, tolerance=TOLERANCE))
    zero = np.zeros((1, 2))
    state = State(u[order], np.zeros(n), np.zeros(n), z[None], z_dot[None], zero, np.zeros(1), np.zeros(1))
    work = make_work(n, 1, 2)
    start_accelerations(system, state, M, work)
    record = MarchRecord(
        *np.zeros((3, count, 1)),
        masses=np.zeros((count, 3, 1, 2)),
        head=np.zeros((count, 2, 1)),
        dropper=np.zeros((count, 2)),
        points=np.zeros((count, 3, 0)),
        watched=np.zeros(0, dtype=np.int64),
        shape=np.zeros((0, n)),
        every=0,
        iterations=np.zeros(count, dtype=np.int64),
        in_space=False,
    )
    done, residual, _ = march(system, state, scheme, work, record, 0)
    if done < count:
        raise ArithmeticError(
            f"the line with springs of {stiffness:g} N/m did not converge at {done * h:.4f} s: {residual:g} N"
        )
    return record.force[:, 0], record.dropper


def _wire(line: SemiDiscrete, rest: Array, number: NDArray[np.int64]) -> ContactWire:
    """Elements of the contact wire; its ends are held, their slopes are not."""
    count, dx, first = line.intervals, line.interval, line.wire_start
    node = np.arange(count + 1)
    begin = np.asarray(dx * node[:-1], dtype=np.float64)
    height, slope = first + 2 * node, first + 2 * node + 1
    height[[0, -1]], slope[-1] = -1, first + 2 * count
    dof, at_rest = np.full((count, 12), -1), np.zeros((count, 12))
    values = np.append(rest, 0.0)
    for end, nodes in ((0, node[:-1]), (6, node[1:])):
        dof[:, end + 2], dof[:, end + 5] = number[height[nodes]], number[slope[nodes]]
        at_rest[:, end], at_rest[:, end + 3] = dx * nodes, 1.0
        at_rest[:, end + 2], at_rest[:, end + 5] = values[height[nodes]], values[slope[nodes]]
    ends = np.array([line.spec.length])
    smooth = np.zeros(0), np.zeros(2, dtype=np.int64)
    return ContactWire(dof, at_rest, np.full(count, dx), begin, ends, np.array([0, count]), *smooth)


def _droppers(stretch: csr_array, tension: Array, number: NDArray[np.int64], stiffness: float) -> Droppers:
    """Droppers between a node of the wire and one of the carrier."""
    rows = stretch.toarray()
    low, high = rows.argmin(axis=1), rows.argmax(axis=1)
    rows[np.arange(2), low] = rows[np.arange(2), high] = 0.0
    if np.abs(rows).max() > 1e-9:
        raise ValueError("droppers must hang at nodes: choose intervals that divide their stations")
    dof, weight = np.full((2, 6), -1), np.zeros((2, 6))
    dof[:, 2], dof[:, 5], weight[:, 2], weight[:, 5] = number[low], number[high], -1.0, 1.0
    own, none, taut = np.full(2, stiffness), np.zeros(2), np.zeros(2, dtype=np.bool_)
    return Droppers(dof, np.zeros((2, 3)), weight, tension, none, own, 1.0, none, taut)


def _contact_area(half_width: float) -> tuple[Array, Array]:
    """Points of the contact area and how the kernel weighs them (Gauss points on either half)."""
    xi, gauss = np.polynomial.legendre.leggauss(AREA_POINTS)
    offset = 0.5 * half_width * np.concatenate([xi - 1.0, xi + 1.0])
    value = np.array([kernel_values(x, half_width)[1] for x in offset])
    weight = 0.5 * half_width * np.tile(gauss, 2) * value
    return offset, weight / weight.sum()


def _train(spec: BenchmarkSpec) -> Pantographs:
    """The benchmark's pantograph as the main code's train."""
    own = linear_pantograph(_pantograph(spec))
    return Pantographs(
        mass=own.mass,
        damping=own.damping,
        stiffness=own.stiffness,
        applied=np.array([spec.applied_force]),
        acted=own.applied,
        lift=own.lift,
        shown=own.shown,
        start=np.array([spec.start]),
        entering=np.zeros(1, np.bool_),
        entry_length=1.0,
        entry_drop=0.0,
        speed=spec.speed,
        base_time=np.zeros(0),
        base_height=np.zeros(0),
        base_stiffness=own.base_stiffness,
        base_damping=own.base_damping,
        held=np.zeros(0),
        mechanism=np.zeros((0, 6)),
        row=np.ones(3),
        rolls=False,
        head_x=np.zeros(1),
        head_y=np.zeros(1),
        head_turned=np.zeros(1),
        strips=own.strips,
    )


def _pantograph(spec: BenchmarkSpec) -> PantographSpec:
    """The benchmark's pantograph as the main code's, head first."""
    return PantographSpec(
        name="arnold_simeon",
        masses=(spec.head_mass, spec.body_mass),
        stiffnesses=(spec.head_stiffness, spec.body_stiffness),
        dampings=(spec.head_damping, spec.body_damping),
    )
