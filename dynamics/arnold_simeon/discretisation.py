"""The benchmark semi-discretised on an equal grid by finite elements or differences (Arnold & Simeon, section 4).

Both yield M q'' + D q' + K q = b + G^T lambda with 0 = G q + g0 on the unknowns q: the carrier's heights over its ends,
the contact wire's heights (finite elements: heights and slopes), the head's and the body's heights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_diag, coo_array, csr_array

from catenary.elements.hermite import hermite
from dynamics.arnold_simeon.problem import BenchmarkSpec
from dynamics.linear_algebra.skyline import negative_pivots

__all__ = [
    "Method",
    "SemiDiscrete",
    "WireMatrices",
    "assemble",
    "chain",
    "discretise",
    "frequencies",
    "hermite_loads",
    "hermite_row",
]

Array = NDArray[np.float64]
Method = Literal["finite_elements", "finite_differences"]
# integrals over one interval: of shapes, of first and of second derivatives; scaled by powers of its length
_HERMITE_POWER = np.array([0, 1, 0, 1])
_HERMITE = {
    0: np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]]) / 420.0,
    1: np.array([[36, 3, -36, 3], [3, 4, -3, -1], [-36, -3, 36, -3], [3, -1, -3, 4]]) / 30.0,
    2: np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]]).astype(float),
}


@dataclass(frozen=True)
class SemiDiscrete:
    """The benchmark on a grid.

    Attributes
    ----------
    spec : BenchmarkSpec
        Its data.
    method : str
        'finite_elements' or 'finite_differences'.
    intervals : int
        N + 1, on each wire.
    mass, damping, stiffness : sparse array (dof, dof)
        [kg, N s/m, N/m] and their moments for slopes.
    load : float array (dof,)
        Weights of wires, clamps and droppers, and the force on the body [N].
    droppers : sparse array (dropper, dof)
        Rows of G: height of the wire over the carrier's, less what ``offset`` holds.
    offset : float array (dropper,)
        g0 of the droppers: their length less the encumbrance [m].
    wire_start : int
        Dof number that the contact wire's node 0 would have (it is held, as is the last one).
    """

    spec: BenchmarkSpec
    method: Method
    intervals: int
    mass: csr_array
    damping: csr_array
    stiffness: csr_array
    load: Array
    droppers: csr_array
    offset: Array
    wire_start: int

    @property
    def interval(self) -> float:
        """Length of an interval [m]."""
        return self.spec.length / self.intervals

    @property
    def hermite(self) -> bool:
        """Whether every node of the wire has a slope as well as a height."""
        return self.method == "finite_elements"

    @property
    def wires(self) -> tuple[slice, slice]:
        """Dofs of the carrier and of the contact wire."""
        n = self.wire_start + 1
        return slice(0, n), slice(n, self.mass.shape[0] - 2)


@dataclass(frozen=True)
class WireMatrices:
    """One wire on the grid: mass [kg] and stiffness [N/m] (sparse), and the mass that each height carries [kg]."""

    mass: csr_array
    stiffness: csr_array
    carried: Array


def discretise(spec: BenchmarkSpec, method: Method, intervals: int = 500) -> SemiDiscrete:
    """Discretise both wires on ``intervals`` equal intervals (Arnold & Simeon, sections 4.2 and 4.3).

    Droppers off the grid (500 intervals put them in the middle of one) act through the shapes in finite elements, and
    on the node in whose cell they stand in finite differences, half an interval further on, as printed.

    Raises
    ------
    ValueError
        If the grid is too coarse for the contact area.
    """
    if intervals * spec.contact_half_width < spec.length * (1.0 - 1e-12):
        raise ValueError(
            f"the contact area of {2.0 * spec.contact_half_width:g} m must cover two intervals at least: got "
            f"{intervals} intervals of {spec.length / intervals:g} m, take "
            f"{int(np.ceil(spec.length / spec.contact_half_width))} or more"
        )
    dx, n = spec.length / intervals, intervals - 1
    slope = _three_point(n, -1.0 / dx, 2.0 / dx)
    if method == "finite_elements":
        unit = _three_point(n, dx / 6.0, 4.0 * dx / 6.0)
        beam = [hermite_integrals(intervals, dx, order) for order in (0, 1, 2)]
        carried, rows = hermite_loads(intervals, dx), _dropper_shapes(spec, intervals)
    else:
        unit = _three_point(n, 0.0, dx)
        beam = [unit, slope, csr_array(slope @ slope / dx)]
        carried, rows = np.full(n, dx), _dropper_cells(spec, intervals)
    carrier = WireMatrices(spec.carrier_mass * unit, spec.carrier_tension * slope, np.full(n, spec.carrier_mass * dx))
    stiffness = csr_array(spec.wire_tension * beam[1] + spec.wire_bending * beam[2])
    wire = WireMatrices(csr_array(spec.wire_mass * beam[0]), stiffness, spec.wire_mass * carried)
    return assemble(spec, method, intervals, (carrier, wire), rows)


def assemble(
    spec: BenchmarkSpec, method: Method, intervals: int, wires: tuple[WireMatrices, WireMatrices], droppers: Array
) -> SemiDiscrete:
    """Join carrier, contact wire and pantograph; ``droppers`` (dropper, dof) are their rows of G.

    Viscous damping is per length, as mass is, so that a wire's damping matrix is beta / (rho A) of its mass matrix.
    """
    carrier, wire = wires
    load = np.concatenate([-spec.gravity * carrier.carried, -spec.gravity * wire.carried, [0.0, spec.applied_force]])
    # clamps and droppers load both wires alike (eq. 4)
    load -= np.abs(droppers).T @ np.array(spec.clamp_weight)
    masses = np.diag([spec.head_mass, spec.body_mass])
    damping = (
        spec.carrier_damping / spec.carrier_mass * carrier.mass,
        spec.wire_damping / spec.wire_mass * wire.mass,
        _pantograph(spec.head_damping, spec.body_damping),
    )
    return SemiDiscrete(
        spec=spec,
        method=method,
        intervals=intervals,
        mass=_stack(carrier.mass, wire.mass, masses),
        damping=_stack(*damping),
        stiffness=_stack(carrier.stiffness, wire.stiffness, _pantograph(spec.head_stiffness, spec.body_stiffness)),
        load=load,
        droppers=csr_array(droppers),
        offset=np.array(spec.dropper_length) - spec.encumbrance,
        wire_start=len(carrier.carried) - 1,
    )


def frequencies(system: SemiDiscrete) -> Array:
    """Lowest and highest natural frequency of carrier and contact wire, float array (wire, 2) [Hz] (table 1).

    By bisection on Sylvester's law: K - s M has as many negative pivots as there are eigenvalues below s.
    """
    found = []
    for wire in system.wires:
        M, K = (csr_array(x[wire][:, wire]) for x in (system.mass, system.stiffness))
        top = 1.0
        while _below(K, M, top) < M.shape[0]:
            top *= 2.0
        found.append([_bisect(K, M, count, top) for count in (1, M.shape[0])])
    return np.sqrt(np.array(found)) / (2.0 * np.pi)


def _below(K: csr_array, M: csr_array, s: float) -> int:
    """Number of eigenvalues below s."""
    return negative_pivots(csr_array(K - s * M))


def _bisect(K: csr_array, M: csr_array, count: int, top: float) -> float:
    """The ``count``-th eigenvalue."""
    low, high = 0.0, top
    while high - low > 1e-13 * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if _below(K, M, middle) >= count else (middle, high)
    return 0.5 * (low + high)


def _three_point(n: int, beside: float, middle: float) -> csr_array:
    """Tridiagonal matrix of equal rows."""
    full = np.full(n, middle)
    rows = np.arange(n)
    i = np.concatenate([rows, rows[1:], rows[:-1]])
    j = np.concatenate([rows, rows[:-1], rows[1:]])
    return csr_array(coo_array((np.concatenate([full, np.full(2 * n - 2, beside)]), (i, j)), shape=(n, n)))


def held_ends(intervals: int) -> NDArray[np.int64]:
    """Hermite dofs (height and slope of every node) that are kept when both ends are held in height."""
    return np.setdiff1d(np.arange(2 * intervals + 2), [0, 2 * intervals])


def hermite_integrals(intervals: int, dx: float, order: int) -> csr_array:
    """Integrals of products of the ``order``-th derivatives of cubic Hermite shapes, ends held."""
    block = _HERMITE[order] * dx ** (_HERMITE_POWER[:, None] + _HERMITE_POWER + 1 - 2 * order)
    return chain(np.broadcast_to(block, (intervals, 4, 4)))


def chain(blocks: Array) -> csr_array:
    """Assemble blocks (interval, 4, 4) of heights and slopes along a wire whose ends are held in height."""
    intervals = len(blocks)
    dof = 2 * np.arange(intervals)[:, None] + np.arange(4)
    rows, cols = np.repeat(dof, 4, axis=1).ravel(), np.tile(dof, (1, 4)).ravel()
    n = 2 * intervals + 2
    keep = held_ends(intervals)
    return csr_array(csr_array(coo_array((blocks.ravel(), (rows, cols)), shape=(n, n)))[keep][:, keep])


def hermite_loads(intervals: int, dx: float) -> Array:
    """Integrals of the Hermite shapes, ends held."""
    loads = np.zeros(2 * intervals + 2)
    loads[0::2] = dx
    loads[[0, -2]] = 0.5 * dx
    loads[[1, -1]] = dx**2 / 12.0, -(dx**2) / 12.0
    return loads[held_ends(intervals)]


def _pantograph(upper: float, lower: float) -> Array:
    """Matrix of the link between head and body, and of the one between body and ground (eq. 12)."""
    return np.array([[upper, -upper], [-upper, upper + lower]])


def hermite_row(x: float, intervals: int, dx: float) -> Array:
    """Weights of a wire's kept Hermite dofs in its height at ``x`` [m]."""
    e = min(int(x / dx + 1e-9), intervals - 1)
    row = np.zeros(2 * intervals + 2)
    row[2 * e : 2 * e + 4] = hermite(np.array(x / dx - e), dx)
    return row[held_ends(intervals)]


def _dropper_shapes(spec: BenchmarkSpec, intervals: int) -> Array:
    """Wire's height less the carrier's at each dropper, by the elements' shapes (section 4.2)."""
    dx, nodes = spec.length / intervals, np.linspace(0.0, spec.length, intervals + 1)
    rows = []
    for x in spec.dropper_x:
        hats = np.maximum(0.0, 1.0 - np.abs(x - nodes[1:-1]) / dx)
        rows.append(np.concatenate([-hats, hermite_row(x, intervals, dx), [0.0, 0.0]]))
    return np.array(rows)


def _dropper_cells(spec: BenchmarkSpec, intervals: int) -> Array:
    """Wire's height less the carrier's at the node in whose cell each dropper stands (section 4.3)."""
    n = intervals - 1
    node = np.floor(np.array(spec.dropper_x) / spec.length * intervals + 0.5 + 1e-9).astype(np.int64)
    rows = np.zeros((2, 2 * n + 2))
    rows[[0, 1], node - 1] = -1.0
    rows[[0, 1], n + node - 1] = 1.0
    return rows


def _stack(*parts: csr_array | Array) -> csr_array:
    return csr_array(block_diag(parts, format="csr"))
