"""The same two-dropper line from the main code's elements, stiff springs in the place of constraints: the bridge.

Both wires are cables of ``catenary.elements.ancf_cable``, straight and tensioned, of which heights and slopes are kept;
linear about rest, they are moved by Newmark's rule as the window's are, with droppers and a contact of stiffness k.
As k grows the forces tend to the constraint forces on the same matrices.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import splu

from catenary.elements.ancf_cable import cable_mass, cable_tangent
from dynamics.arnold_simeon.contact_area import contact_rows, row_width
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
from dynamics.arnold_simeon.spring_march import march_line
from dynamics.arnold_simeon.start import contact_weights, pantograph_start, static_state
from dynamics.envelope import envelope_ldl
from dynamics.pantograph.lumped import pantograph_matrices
from dynamics.spec import PantographSpec

__all__ = ["cable_line", "march_with_springs", "spring_differences"]

Array = NDArray[np.float64]
# so stiff along itself [N] that a cable's stretch under its tension is lost in rounding
AXIAL_STIFFNESS = 1.0e12
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
    force, elongation = _march(line, (K, stretch, tension), (rest, u, z, z_dot), stiffness, (h, steps))
    start = np.array([*(tension + stiffness * (stretch @ u)), spec.start_force])
    pulled = np.maximum(0.0, tension + stiffness * elongation)
    return h * np.arange(steps + 1, dtype=np.float64), np.vstack([start, np.column_stack([pulled, force])])


def spring_differences(line: SemiDiscrete, record: Record, stiffnesses: tuple[float, ...], step: float) -> Array:
    """How far forces of springs [N/m] are from the constraint forces of a run of the same line.

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
    """Hand the line to the march with springs; contact forces [N] and elongations (time, dropper) [m]."""
    spec, n = line.spec, line.mass.shape[0] - 2
    K, stretch, tension = springs
    rest, u, z, z_dot = start
    h, count = steps
    # ordered along the track, so that droppers join neighbours
    order = np.argsort(np.tile(np.arange(n // 2), 2), kind="stable")
    number = np.argsort(order)
    M, C, K = (csr_array(x[:n][:, :n][order][:, order]) for x in (line.mass, line.damping, K))
    A = csr_array(2.0 / h * M + C + 0.5 * h * K)
    ends = [np.flatnonzero(stretch[[d]].toarray()[0]) for d in range(2)]
    dof = np.array([number[e] for e in ends])
    weight = np.array([stretch[[d]].toarray()[0, e] for d, e in enumerate(ends)])
    columns = splu(A.tocsc()).solve(stretch.toarray()[:, order].T).T
    stations = spec.start + spec.speed * h * np.arange(count + 1, dtype=np.float64)
    width = row_width(line.interval, spec.contact_half_width, 2)
    first, rows = contact_rows(stations, (spec.speed, spec.contact_half_width, line.interval), width)
    at = np.minimum(line.wire_start + 2 * first[:, None] + np.arange(width), n - 1)
    contact = number[at], rows, (rows * rest[at]).sum(axis=1)
    masses, dampings, springs_ = pantograph_matrices(_pantograph(spec))
    panto = np.linalg.inv(np.diag(2.0 / h * masses) + dampings + 0.5 * h * springs_), masses, springs_
    force, _, watched = march_line(
        (u[order], np.zeros(n), z, z_dot),
        envelope_ldl(A),
        (_rows(M), _rows(K), h, stiffness, dof.ravel()),
        contact,
        (*panto, spec.applied_force),
        (dof, weight, tension, np.ascontiguousarray(columns), stiffness),
    )
    return force, (watched.reshape(count, 2, -1) * weight).sum(axis=2)


def _pantograph(spec: BenchmarkSpec) -> PantographSpec:
    """The benchmark's pantograph as the main code's, head first."""
    return PantographSpec(
        name="arnold_simeon",
        masses=(spec.head_mass, spec.body_mass),
        stiffnesses=(spec.head_stiffness, spec.body_stiffness),
        dampings=(spec.head_damping, spec.body_damping),
    )


def _rows(A: csr_array) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """Compressed rows for the kernel."""
    return A.indptr.astype(np.int64), A.indices.astype(np.int64), A.data
