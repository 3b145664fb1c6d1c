"""Truncation of a bundle, and its error in height."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from dynamics.influence.matrices import InfluenceMatrices
from dynamics.rig.bundle.self_check import SelfTest
from dynamics.spec.case import CaseSpec

__all__ = ["HARMONICS", "truncation_table"]

HARMONICS = (10, 15, 20, 22, 25, 27, 31, 40, 60, 90, 120)
EDGE_SHARE = 0.05


def truncation_table(matrices: InfluenceMatrices, case: CaseSpec, test: SelfTest) -> dict[str, Any]:
    """Truncation and its error, at the mean force of the case and for 1 N of force at any frequency.

    Harmonics are not cut in the bundle but by whoever loads it: the height that is lost is listed for several numbers
    of them. A dropper's record begins half a span before the span in which it hangs and ends half a span after it: what
    is cut is slack that would lie outside, so the slack found near both ends under the self-test's force is given.
    """
    N = len(matrices.z0)
    mean = case.mean_force_N or case.applied_force_N or 0.0
    height = matrices.z0 + matrices.I_cc.sum(axis=1) * mean
    transform, columns = np.fft.rfft(height) / N, np.fft.rfft(matrices.I_cc, axis=0)
    rows = []
    for kept in (n for n in HARMONICS if n <= N // 2):
        lost = N * np.fft.irfft(np.where(np.arange(N // 2 + 1) < kept, 0.0, transform), N)
        cut = np.fft.irfft(np.where(np.arange(N // 2 + 1)[:, None] < kept, 0.0, columns), N, axis=0)
        rows.append(
            {
                "harmonics": kept,
                "highest_Hz": (kept - 1) / (N * case.time_step),
                "height_lost_rms_m": float(np.sqrt(np.mean(lost**2))),
                "height_lost_max_m": float(np.abs(lost).max()),
                "compliance_lost_m_per_N": _spectral_norm(cut),
            }
        )
    edge = max(1, round(EDGE_SHARE * test.squeeze.shape[1]))
    ends = np.concatenate([test.squeeze[:, :edge], test.squeeze[:, -edge:]], axis=1)
    largest = float(np.abs(matrices.I_cc).max())
    return {
        "mean_force_N": mean,
        "span_memory": "none is cut: every earlier pass is in the sums over frequencies",
        "quadrature_error_m_per_N": matrices.truncation_error * largest,
        "quadrature_error_m_at_mean_force": matrices.truncation_error * largest * mean,
        "dropper_record": "at least half a span before and after the span with the dropper; slack outside is cut",
        "slack_samples_at_record_ends": int(np.count_nonzero(ends)),
        "largest_correction_at_record_ends_N": float(ends.max()),
        "largest_correction_N": float(test.squeeze.max()),
        "harmonics": rows,
    }


def _spectral_norm(matrix: NDArray[np.float64]) -> float:
    """Largest singular value, in a fraction of the time that all of them take."""
    top = len(matrix) - 1
    return float(np.sqrt(eigh(matrix.T @ matrix, eigvals_only=True, subset_by_index=[top, top])[0]))
