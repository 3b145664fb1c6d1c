"""Influence matrices of the infinite periodic line (Gil et al., eqs 1, 11, 12), free of windows.

The line is the time-stepped one (Newmark 1/4-1/2, loads and answers at the samples: the bilinear rule), one pantograph,
frequency continuous: every matrix is an integral over theta = omega dt of the Bloch solution of one span cell. The
integral is taken below the real axis, where regularly spaced angles do, as many as a ring of a few spans has; the poles
that lie between are added in closed form. Where they cannot all be found, it is taken on the real axis by adaptive
Gauss quadrature.

Index convention: x_n = n v dt, n = 0..N-1, x_0 at the support. Dropper time is local: sample k of a dropper of the span
in which the pantograph stands at n = 0..N-1 is the step n = offset + k; the same dropper one span on does the same
N steps later.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from catenary.form_finding.equilibrium import Equilibrium, EquilibriumStatus, periodic_equilibrium
from catenary.linearised.cell import vertical_cell
from catenary.linearised.static_checks import SLACK_FORCE, loose_in_words
from dynamics.influence.condensed import CondensedCell
from dynamics.influence.contact_sums import Angles
from dynamics.influence.poles import DEPTH, depth_of, lower_poles
from dynamics.influence.quadrature import panel_nodes
from dynamics.influence.sums import Integrals, Records, Ring, Sums
from dynamics.spec.case import CaseSpec

__all__ = ["InfluenceMatrices", "influence_matrices"]

RINGS = (3, 4, 5, 8, 12)  # periods tried; half as many where the contour lies twice as deep, for several spans
BLOCK = 128  # angles at a time
PANEL_SHARE = 0.01  # of the error accepted, left by one panel
LARGEST_ERROR = 1.0e-2  # beyond it matrices are refused


@dataclass(frozen=True)
class InfluenceMatrices:
    """Matrices of the infinite line at one speed and step.

    Attributes
    ----------
    z0 : float array (step,)
        Static contact-wire height at x_n [m].
    I_cc : float array (step, step)
        Contact height at n per contact force at m [m/N]; entries with m > n come from earlier passes.
    I_cd : float array (step, dropper, dropper step)
        Contact height at n per squeezing force of dropper d at its local step [m/N].
    I_dc : float array (dropper, dropper step, step)
        Elongation of dropper d at its local step per contact force at m [m/N].
    K_dd : float array (dropper, dropper, lag)
        Elongation of the first dropper per squeezing force of the second, ``lag`` steps earlier, summed over the
        spans; lag = index - (dropper steps - 1) [m/N].
    dropper_offset : int array (dropper,)
        Step of the first sample of each dropper's record.
    dropper_force, dropper_elongation : float array (dropper,)
        Static tension [N] and elongation tension / stiffness [m].
    dropper_stiffness : float
        [N/m].
    quadrature_nodes : int
        Frequencies of the sum.
    truncation_error : float
        Of the sum over frequencies, relative to the largest entry [-]; at most that.
    wall_time_s : float
    """

    case: CaseSpec
    equilibrium: Equilibrium
    z0: NDArray[np.float64]
    I_cc: NDArray[np.float64]
    I_cd: NDArray[np.float64]
    I_dc: NDArray[np.float64]
    K_dd: NDArray[np.float64]
    dropper_offset: NDArray[np.int64]
    dropper_force: NDArray[np.float64]
    dropper_elongation: NDArray[np.float64]
    dropper_stiffness: float
    quadrature_nodes: int
    truncation_error: float
    wall_time_s: float


@dataclass(frozen=True)
class _Found:
    """Sums, the number of angles solved, and their error relative to the largest entry."""

    sums: Integrals
    angles: int
    error: float


def influence_matrices(case: CaseSpec, tolerance: float = 1.0e-3) -> InfluenceMatrices:
    """Compute all influence matrices of a case's line at its speed and step.

    Parameters
    ----------
    case : CaseSpec
        Line, speed and step; the pantograph does not enter.
    tolerance : float
        Error of the sums over frequencies to stay below, relative to the largest entry [-]. Where poles are missed and
        the sum is that over real frequencies, one panel may leave a hundredth of it, and the ``truncation_error`` of
        the result is more.

    Raises
    ------
    InputError
        If the pantograph's head rolls.
    ValueError
        If the line has no static equilibrium with all droppers in tension, or so little damping that no sum over
        frequencies is within a hundredth.
    """
    if case.pantograph.head is not None:
        raise InputError(["pantograph.head must be left out of influence matrices: their head does not roll"])
    began = time.perf_counter()
    eq = periodic_equilibrium(case.catenary)
    if eq.status is not EquilibriumStatus.OK or float(eq.dropper_force.min()) <= SLACK_FORCE:
        raise ValueError(
            "influence matrices need a line at rest with every dropper in tension: "
            + (loose_in_words(case.catenary, eq) or f"least dropper force is {eq.dropper_force.min():.1f} N")
        )
    if np.ptp(eq.dropper_stiffness) > 0.0:
        raise ValueError("influence matrices need droppers of one stiffness: give no dropper one of its own")
    cell = CondensedCell(case, vertical_cell(eq))
    records = Records(case.line.spans, eq.spec.dropper_positions, cell.steps)
    found = _by_ring(cell, records, tolerance) or _by_quadrature(cell, records, tolerance)
    sums = found.sums
    for squeezed in (sums.height, sums.dropper):  # a squeeze is the opposite of a stretch; they may be of gigabytes
        np.negative(squeezed, out=squeezed)
    return InfluenceMatrices(
        case=case,
        equilibrium=eq,
        z0=cell.z0,
        I_cc=sums.contact,
        I_cd=sums.height,
        I_dc=sums.elongation,
        K_dd=sums.dropper,
        dropper_offset=records.first,
        dropper_force=eq.dropper_force,
        dropper_elongation=eq.dropper_force / case.catenary.droppers.stiffness,
        dropper_stiffness=case.catenary.droppers.stiffness,
        quadrature_nodes=found.angles,
        truncation_error=found.error,
        wall_time_s=time.perf_counter() - began,
    )


def _by_ring(cell: CondensedCell, records: Records, tolerance: float) -> _Found | None:
    """Sums over a ring below the axis, with the poles between; None where poles are missed or images stay."""
    poles = lower_poles(cell)
    if poles is None:
        return None
    decay = depth_of(cell)
    for count in (round(periods * cell.steps * DEPTH / decay) for periods in RINGS):
        ring, sums = Ring(cell.steps, count, decay), Sums(cell, records)
        _add_ring(cell, ring, sums)
        # a pole's own images are a geometric series of this ratio: j times round the ring, minus j times once turned
        ratio = -1j * np.exp(1j * count * poles.theta - ring.decay * ring.periods)
        share = np.where(poles.theta.real == 0.0, 1.0, 2.0) * -1j / (1.0 - ratio**2)
        sums.add_poles(poles, share, -1j * share * ratio)
        # what is left are the second images, smaller than the first ones by what a ring forgets, or more
        error = ring.forgotten * float((sums.images.largest() / sums.total.largest()).max())
        if error < tolerance:
            return _Found(sums.total, len(ring.theta), error)
    return None


def _add_ring(cell: CondensedCell, ring: Ring, sums: Sums) -> None:
    """Solve the cell at all angles of a ring and add them."""
    theta, split = ring.theta, slice(-cell.droppers, None)
    contact = slice(0, -cell.droppers)
    loads, droppers = cell.loads.shape[1] - cell.droppers, cell.droppers
    shapes = ((loads, droppers), (droppers, loads), (droppers, droppers))
    height, stretch, dropper = (np.empty((len(theta), *shape), np.complex128) for shape in shapes)
    for begin in range(0, len(theta), BLOCK):
        block = slice(begin, begin + BLOCK)
        X = cell.answers(theta[block])
        weight = np.full(len(X), 1.0 / len(theta), np.complex128)
        sums.contact.add(Angles(theta[block], weight, X, -1j * weight))
        height[block], stretch[block], dropper[block] = X[:, contact, split], X[:, split, contact], X[:, split, split]
    sums.add_ring(ring, height, stretch, dropper)


def _by_quadrature(cell: CondensedCell, records: Records, tolerance: float) -> _Found:
    """Sums over real angles, panels halved until a few probed answers are integrated to tolerance."""
    theta, weight, error = panel_nodes(cell, PANEL_SHARE * tolerance)
    if not error < LARGEST_ERROR:
        raise ValueError(
            f"influence matrices need a line whose waves die away: the sum over frequencies is uncertain by "
            f"{error:.1g} of its largest entry, at most {LARGEST_ERROR:g} is allowed; give the line more damping "
            "(catenary.damping), or the train a higher speed"
        )
    sums = Sums(cell, records)
    for part in np.array_split(np.arange(len(theta)), max(1, len(theta) // BLOCK)):
        sums.add(Angles(theta[part] + 0.0j, weight[part] / np.pi + 0.0j, cell.answers(theta[part] + 0.0j)))
    return _Found(sums.total, len(theta), error)
