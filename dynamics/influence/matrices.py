"""Influence matrices of the infinite periodic line (Gil et al., eqs 1, 11, 12), free of windows and of rings.

The line is the time-stepped one (Newmark 1/4-1/2, loads and answers at the samples: the bilinear rule), one pantograph,
frequency continuous: every matrix is an integral over theta = omega dt of the Bloch solution of one span cell,
taken by adaptive Gauss quadrature whose nodes resolve the narrow peaks of a lightly damped line.

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
from dynamics.influence.cell import BlochCell
from dynamics.influence.sums import THREADS, DropperRecords, integrals
from dynamics.spec.case import CaseSpec

__all__ = ["InfluenceMatrices", "influence_matrices"]

ORDER = 8
MAX_PANELS = 4000
_GAUSS_X, _GAUSS_W = np.polynomial.legendre.leggauss(ORDER)


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
    dropper_offset : int
        Local step of the first dropper sample.
    dropper_force, dropper_elongation : float array (dropper,)
        Static tension [N] and elongation tension / stiffness [m].
    dropper_stiffness : float
        [N/m].
    quadrature_nodes : int
        Frequencies solved.
    truncation_error : float
        Estimated quadrature error of the probed entries, relative to the largest [-].
    wall_time_s : float
    """

    case: CaseSpec
    equilibrium: Equilibrium
    z0: NDArray[np.float64]
    I_cc: NDArray[np.float64]
    I_cd: NDArray[np.float64]
    I_dc: NDArray[np.float64]
    K_dd: NDArray[np.float64]
    dropper_offset: int
    dropper_force: NDArray[np.float64]
    dropper_elongation: NDArray[np.float64]
    dropper_stiffness: float
    quadrature_nodes: int
    truncation_error: float
    wall_time_s: float


def influence_matrices(case: CaseSpec, tolerance: float = 1.0e-5) -> InfluenceMatrices:
    """Compute all influence matrices of a case's line at its speed and step.

    Parameters
    ----------
    case : CaseSpec
        Line, speed and step; the pantograph does not enter.
    tolerance : float
        Quadrature error that one panel may leave in the probed entries, relative to the largest of them [-]; the
        panels' errors add up to at most the ``truncation_error`` of the result.

    Raises
    ------
    InputError
        If a component of the line has damping of its own.
    ValueError
        If the line has no static equilibrium with all droppers in tension.
    """
    refusal = case.catenary.damping.refusal("influence matrices")
    if refusal is not None:
        raise InputError([refusal])
    began = time.perf_counter()
    eq = periodic_equilibrium(case.catenary)
    if eq.status is not EquilibriumStatus.OK or float(eq.dropper_force.min()) <= SLACK_FORCE:
        raise ValueError(
            "influence matrices need a line at rest with every dropper in tension: "
            + (loose_in_words(eq) or f"least dropper force is {eq.dropper_force.min():.1f} N")
        )
    cell = BlochCell(case, vertical_cell(eq))
    theta, weight, error = _nodes(cell, tolerance)
    records = DropperRecords(cell)
    sums = integrals(cell, records, theta, weight / np.pi)
    return InfluenceMatrices(
        case=case,
        equilibrium=eq,
        z0=cell.z0,
        I_cc=sums.contact,
        I_cd=-records.at_contact(sums.height),
        I_dc=records.at_contact(sums.elongation).transpose(1, 2, 0),
        K_dd=-sums.dropper.reshape(records.droppers, records.droppers, -1),
        dropper_offset=records.offset,
        dropper_force=eq.dropper_force,
        dropper_elongation=eq.dropper_force / case.catenary.droppers.stiffness,
        dropper_stiffness=case.catenary.droppers.stiffness,
        quadrature_nodes=len(theta),
        truncation_error=error,
        wall_time_s=time.perf_counter() - began,
    )


def _nodes(cell: BlochCell, tolerance: float) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Adaptive Gauss panels on 0 < theta < pi, halved until a few probed answers are integrated to tolerance."""
    nc, nd = cell.contact.shape[1], cell.dropper.shape[1]
    load = np.hstack([cell.contact[:, [0, (nc // 3) & ~1, (nc // 2) & ~1]], cell.dropper[:, [0, nd // 2]]])
    lags = np.array([0.0, 0.37 * cell.steps, 1.0 * cell.steps, 3.0 * cell.steps])

    def integrate(panels: NDArray[np.float64]) -> NDArray[np.complex128]:
        middle, half = panels.mean(axis=1), 0.5 * (panels[:, 1] - panels[:, 0])
        theta = middle[:, None] + half[:, None] * _GAUSS_X
        X = cell.answers(theta.ravel(), load, threads=THREADS).reshape(*theta.shape, -1)
        turn = np.exp(1j * theta[:, :, None] * lags) * (_GAUSS_W * half[:, None])[:, :, None]
        return np.einsum("pgx,pgl->pxl", X, turn).reshape(len(panels), -1)

    edges = np.concatenate([[0.0], np.geomspace(2e-4, 1.0, 40), np.linspace(1.0, np.pi, 30)[1:]])
    open_panels = np.stack([edges[:-1], edges[1:]], axis=1)
    value = integrate(open_panels)
    scale = float(np.abs(value.sum(axis=0)).max())
    done: list[NDArray[np.float64]] = []
    error = 0.0
    while len(open_panels):
        middle = open_panels.mean(axis=1)
        halves = np.stack(
            [np.stack([open_panels[:, 0], middle], axis=1), np.stack([middle, open_panels[:, 1]], axis=1)],
            axis=1,
        ).reshape(-1, 2)
        finer = integrate(halves)
        change = np.abs(finer.reshape(len(open_panels), 2, -1).sum(axis=1) - value).max(axis=1)
        good = (change < tolerance * scale) | (len(open_panels) + len(done) > MAX_PANELS)
        error += float(change[good].sum())
        done += list(halves.reshape(-1, 2, 2)[good].reshape(-1, 2))
        keep = np.repeat(~good, 2)
        open_panels, value = halves[keep], finer[keep]
    panels = np.array(done)
    half = 0.5 * (panels[:, 1] - panels[:, 0])
    theta = (panels.mean(axis=1)[:, None] + half[:, None] * _GAUSS_X).ravel()
    order = np.argsort(theta)
    return theta[order], (half[:, None] * _GAUSS_W).ravel()[order], error / scale
