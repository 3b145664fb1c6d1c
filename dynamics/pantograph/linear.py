"""Any linear pantograph as the marches take it: coordinate 0 is the head's height, the mass matrix is diagonal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from catenary.errors import InputError
from dynamics.pantograph.articulated import Mechanism, mechanism_of
from dynamics.pantograph.lumped import chain_matrix
from dynamics.pantograph.matrices_file import GivenMatrices, read_matrices
from dynamics.pantograph.strips import Strips, strips_of_one_contact
from dynamics.spec.mechanics.head import HeadSpec, StripSuspensionSpec
from dynamics.spec.pantograph import PantographSpec

__all__ = ["HEAD_ALONE", "LinearPantograph", "linear_pantograph"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LinearPantograph:
    """M p'' + C p' + K p = applied force + base - contact force, p[0] the height of the head.

    With strips on springs of their own p[0] is that of what carries them, the chain's masses follow, then its pitch and
    the strips, the front one first.

    Attributes
    ----------
    mass : float array (coordinate,)
        Diagonal mass matrix [kg].
    damping, stiffness : float array (coordinate, coordinate)
        [N s/m], [N/m].
    applied : float array (coordinate,)
        Where the applied force acts [-].
    base_stiffness, base_damping : float array (coordinate,)
        Force of a base that rises [N/m], [N s/m].
    lift : float array (coordinate,)
        How a rigid lift of base and pantograph moves each coordinate [-]; zero where the base is not known.
    shown : float array (shown, coordinate)
        What records show of a motion, the head first: heights of the masses, or a supplier's own coordinates.
    mechanism : Mechanism or None
        What an articulated pantograph does beyond that, away from its working height.
    rolls : bool
        Whether the last coordinate is the roll of the head [rad], positive where its left side rises, with an inertia
        [kg m2] in ``mass``. It meets heights in the contact alone: under a wire at y to the left of the head's middle
        the head stands y x roll higher, and a force F turns it by the moment -F y.
    suspended : Strips or None
        Strips on springs of their own; None: the head touches the wire at its middle.
    """

    mass: Floats
    damping: Floats
    stiffness: Floats
    applied: Floats
    base_stiffness: Floats
    base_damping: Floats
    lift: Floats
    shown: Floats
    mechanism: Mechanism | None = None
    rolls: bool = False
    suspended: Strips | None = None

    @property
    def strips(self) -> Strips:
        """Where the head touches the wire."""
        return strips_of_one_contact(len(self.mass)) if self.suspended is None else self.suspended

    @property
    def pressing(self) -> tuple[float, float]:
        """Applied force of a mean motion by the head's height [N/m] and by the contact force [-]."""
        matrix = np.column_stack([self.stiffness[:, 1:], -self.applied])
        loads = -np.column_stack([self.stiffness[:, 0], np.eye(len(matrix))[0]])
        by_head, by_force = np.linalg.solve(matrix, loads)[-1]
        return float(by_head), float(by_force)

    @property
    def base_is_known(self) -> bool:
        """Whether what a moving base does is known."""
        return bool(self.lift.any())


# head of a device whose equations are not known, as its marches hold it; its mass is that which its answer shows
HEAD_ALONE = LinearPantograph(
    np.ones(1), np.zeros((1, 1)), np.zeros((1, 1)), np.ones(1), np.zeros(1), np.zeros(1), np.ones(1), np.eye(1)
)


def linear_pantograph(spec: PantographSpec, force: float = 0.0) -> LinearPantograph:
    """Bring a pantograph into the form of the marches.

    Parameters
    ----------
    spec : PantographSpec
    force : float
        Applied force [N] about which an articulated one is linearised.

    Raises
    ------
    InputError
        If its file cannot be read, is not the one on record, or holds no pantograph; or if it is not linear.
    """
    if spec.kind == "matrices" and spec.matrices is not None:
        return _transformed(read_matrices(spec.matrices))
    if spec.stepped is not None:
        raise InputError(
            [
                "pantograph.kind must be lumped, matrices or articulated where its equations enter, as in a steady "
                f"state (solver=periodic or transient): got {spec.kind}; use solver=open_line"
            ]
        )
    if spec.articulated is not None:
        return _of_arms(mechanism_of(spec.articulated, force))
    n = len(spec.masses)
    last = np.eye(n)[-1]
    chain = LinearPantograph(
        mass=np.array(spec.masses),
        damping=chain_matrix(spec.dampings),
        stiffness=chain_matrix(spec.stiffnesses),
        applied=last,
        base_stiffness=spec.stiffnesses[-1] * last,
        base_damping=spec.dampings[-1] * last,
        lift=np.ones(n),
        shown=np.eye(n),
    )
    if spec.head is None:
        return chain
    own = spec.head.suspension
    return _with_roll(chain if own is None else _with_strips(chain, spec.head, own), spec.head)


def _with_strips(chain: LinearPantograph, head: HeadSpec, own: StripSuspensionSpec) -> LinearPantograph:
    """The same with pitch and strips behind the masses of the chain.

    Strip k stands z + a_k pitch - z_k over its spring, a_k ahead of the shaft. Friction mu F drags it backwards h over
    the shaft: the front rises by the moment mu F h.
    """
    n, count = len(chain.mass), own.count
    ahead = head.strip_spacing * (0.5 * (count - 1) - np.arange(count, dtype=np.float64))
    rides, size = n + 1 + np.arange(count), n + 1 + count
    damping, stiffness = np.zeros((2, size, size))
    damping[:n, :n], damping[n, n] = chain.damping, own.pitch_damping
    stiffness[:n, :n], stiffness[n, n] = chain.stiffness, own.pitch_stiffness
    load = np.zeros((count, size))
    for k in range(count):
        stretch = np.zeros(size)
        stretch[0], stretch[n], stretch[rides[k]] = 1.0, ahead[k], -1.0
        stiffness += own.stiffness * np.outer(stretch, stretch)
        damping += own.damping * np.outer(stretch, stretch)
        load[k, rides[k]], load[k, n] = 1.0, -head.friction * head.shaft_depth
    carrier = chain.mass.copy()
    carrier[0] -= count * own.strip_mass
    none = np.zeros(1 + count)
    return LinearPantograph(
        mass=np.concatenate([carrier, [own.pitch_inertia], np.full(count, own.strip_mass)]),
        damping=damping,
        stiffness=stiffness,
        applied=np.append(chain.applied, none),
        base_stiffness=np.append(chain.base_stiffness, none),
        base_damping=np.append(chain.base_damping, none),
        lift=np.concatenate([chain.lift, [0.0], np.ones(count)]),
        shown=np.eye(n, size),
        suspended=Strips(ahead, rides, load, n),
    )


def _with_roll(chain: LinearPantograph, head: HeadSpec) -> LinearPantograph:
    """The same with the roll of its head behind all other coordinates."""
    n = len(chain.mass)
    damping, stiffness = np.zeros((2, n + 1, n + 1))
    damping[:n, :n], damping[n, n] = chain.damping, head.roll_damping
    stiffness[:n, :n], stiffness[n, n] = chain.stiffness, head.roll_stiffness
    own = chain.suspended
    return LinearPantograph(
        mass=np.append(chain.mass, head.roll_inertia),
        damping=damping,
        stiffness=stiffness,
        applied=np.append(chain.applied, 0.0),
        base_stiffness=np.append(chain.base_stiffness, 0.0),
        base_damping=np.append(chain.base_damping, 0.0),
        lift=np.append(chain.lift, 0.0),
        shown=np.column_stack([chain.shown, np.zeros(len(chain.shown))]),
        rolls=True,
        suspended=own and own._replace(load=np.column_stack([own.load, np.zeros(own.load.shape[0])])),
    )


def _of_arms(arms: Mechanism) -> LinearPantograph:
    """Head and arms about the working height; what does not act between them leads to the base."""
    n = len(arms.masses)
    last = np.eye(n)[-1]
    return LinearPantograph(
        mass=arms.masses,
        damping=arms.damping,
        stiffness=arms.stiffness,
        applied=last,
        base_stiffness=last * arms.stiffness[-1].sum(),
        base_damping=last * arms.damping[-1].sum(),
        lift=np.ones(n),
        shown=np.eye(n),
        mechanism=arms,
    )


def _transformed(given: GivenMatrices) -> LinearPantograph:
    """Coordinates p = P' q with the head first and the others orthogonal to it by the inverse of the mass matrix.

    With M = L L' and h the head operator, the columns of an orthonormal U, the first along L^-1 h, give P = L U D; the
    diagonal D makes p[0] the head's height, and any other coordinate that M already has apart keeps its own scale.
    """
    lower = np.asarray(np.linalg.cholesky(given.mass), dtype=np.float64)
    head = solve_triangular(lower, given.head, lower=True)
    size = float(np.linalg.norm(head))
    n, along = len(head), int(np.abs(head).argmax())
    others = np.delete(np.eye(n), along, axis=1)
    U, R = np.linalg.qr(np.column_stack([head / size, others]))
    U = U * np.where(np.diag(R) < 0.0, -1.0, 1.0)
    scale = np.concatenate([[size], 1.0 / np.delete(np.diag(lower), along)])
    back = solve_triangular(lower, U / scale, lower=True, trans="T")  # q = back p
    shown = back if _is_unit(given.head) else np.vstack([given.head @ back, back])
    order = np.concatenate([[along], np.delete(np.arange(n), along)])
    base = np.zeros(n) if given.base is None else given.base
    mass, damping, stiffness, applied, base_stiffness, base_damping, lift, shown = (
        # in one layout, as those of lumped masses: compiled loops are made for it
        np.ascontiguousarray(array, dtype=np.float64)
        for array in (
            1.0 / scale**2,
            back.T @ given.damping @ back,
            back.T @ given.stiffness @ back,
            back.T @ given.applied,
            back.T @ (given.stiffness @ base),
            back.T @ (given.damping @ base),
            scale * (U.T @ (lower.T @ base)),
            shown[order] if _is_unit(given.head) else shown,
        )
    )
    return LinearPantograph(mass, damping, stiffness, applied, base_stiffness, base_damping, lift, shown)


def _is_unit(head: Floats) -> bool:
    """Whether the head is a coordinate of its own, neither a combination nor scaled."""
    return bool(np.count_nonzero(head) == 1 and head.max() == 1.0)
