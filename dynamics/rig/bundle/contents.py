"""Contents of a rig bundle: its variables with dimensions, units and meaning, and the conventions they follow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.storage.dataset import origin
from dynamics.influence.matrices import InfluenceMatrices
from dynamics.rig.bundle.self_check import SelfTest
from dynamics.spec.case import CaseSpec

__all__ = ["CONVENTIONS", "PROBE", "PROBE_3D", "SCHEMA_VERSION", "VARIABLES", "bundle_arrays", "bundle_facts"]

SCHEMA_VERSION = 3

# name -> dimensions, unit, meaning
VARIABLES: dict[str, tuple[tuple[str, ...], str, str]] = {
    "z0": (("step",), "m", "static contact-wire height at x_n, relative to that at x_0"),
    "I_cc": (("step", "force_step"), "m N-1", "contact height at step n per contact force at step m"),
    "I_cd": (
        ("step", "dropper", "dropper_step"),
        "m N-1",
        "contact height at n per squeezing force of a dropper",
    ),
    "I_dc": (("dropper", "dropper_step", "force_step"), "m N-1", "dropper elongation per contact force at m"),
    "K_dd": (
        ("dropper", "dropper_cause", "lag"),
        "m N-1",
        "elongation of a dropper at sample s per squeezing force of dropper_cause at sample s - (lag - (M - 1))",
    ),
    "dropper_force": (("dropper",), "N", "static tension, positive when pulling"),
    "dropper_elongation": (("dropper",), "m", "static elongation, static tension over stiffness"),
    "dropper_position": (("dropper",), "m", "station from the support at x_0"),
    "dropper_stiffness": ((), "N m-1", "axial stiffness in tension, none in compression"),
    "speed": ((), "m s-1", "train speed"),
    "dt": ((), "s", "time step of the loop"),
    "span": ((), "m", "length of the period: of one span, or of the spans that repeat together"),
    "N": ((), "1", "time steps a period"),
    "M": ((), "1", "time steps in a dropper's record"),
    "dropper_offset": (("dropper",), "1", "step of the first sample of each dropper's record, within N steps of x_0"),
    "probe": (("probe_row", "probe_column"), "1", "10 row + column, counted from 1: tells transposed reading"),
    "probe_3d": (
        ("probe_row", "probe_column", "probe_page"),
        "1",
        "100 row + 10 column + page, counted from 1: tells transposed reading",
    ),
    "self_test_force": (("self_test_step",), "N", "forces of the self-test"),
    "self_test_height": (
        ("self_test_strategy", "self_test_step"),
        "m",
        "heights that answer them, by the strategies step by step and span by span",
    ),
    "self_test_harmonics": ((), "1", "harmonics of the height kept in the self-test, the mean among them"),
    "self_test_dropper_kept": (
        (),
        "1",
        "harmonics kept, in the self-test, of the elongation that contact forces cause",
    ),
    "self_test_delay": ((), "1", "steps from a force to the position that answers it, in the self-test"),
    "self_test_relaxation": ((), "1", "share of a new force in the self-test"),
    "self_test_ramp": ((), "1", "steps over which heights grow in the self-test"),
    "self_test_tolerance": ((), "1", "largest difference allowed in the self-test, relative to the largest height"),
}

CONVENTIONS = {
    "height": "z upwards, relative to the contact wire's static height at the support at x_0",
    "contact_force": "positive when the pantograph presses the wire upwards",
    "dropper_correction": "f_d >= 0 squeezes the ends together; it stands for the missing tension of a slack dropper",
    "steps": "x_n = n v dt, n = 0..N-1, x_0 at the support where the period begins; entries with m > n "
    "come from earlier periods",
    "period": "one span where all are alike, else the spans that repeat together; a span is from support to support",
    "dropper_time": "sample k of dropper d is step dropper_offset[d] + k of the period it stands in; the same dropper "
    "s periods later does the same sN steps later; a record is as long as two spans (M steps; of the longest where "
    "they differ), the span in which the dropper hangs in its middle",
    "model": "z = z0 + I_cc f + sum_d I_cd[:, d, :] f_d[d, :]; e = I_dc f + convolution of K_dd with f_d; "
    "f_d = max(0, -(dropper_force + dropper_stiffness e))",
    "discretisation": "finite elements in space, Newmark 1/4-1/2 (bilinear) in time; loads and answers at the samples",
    "index_base": "indices count from 0 in the manifest, in netCDF, in pfem.bin and in C; from 1 in MATLAB and Octave",
    "axis_order": "netCDF, pfem.bin: as listed, last index fastest; MATLAB: the same indices, I_cd(n, d, k), which it "
    "stores with the first index fastest; nothing is transposed",
    "matlab_order": "arrays keep their index order: I_cd(n, d, k), first index fastest as MATLAB stores it",
}

PROBE = np.array([[11.0, 12.0, 13.0], [21.0, 22.0, 23.0]])
PROBE_3D = 100.0 * np.arange(1, 3)[:, None, None] + 10.0 * np.arange(1, 4)[:, None] + np.arange(1.0, 5.0)


def bundle_arrays(matrices: InfluenceMatrices, test: SelfTest) -> dict[str, NDArray[np.float64]]:
    """All variables of a bundle by name, in the order of `VARIABLES`."""
    case = matrices.case
    found = {
        **{name: getattr(matrices, name) for name in ("z0", "I_cc", "I_cd", "I_dc", "K_dd")},
        "dropper_force": matrices.dropper_force,
        "dropper_elongation": matrices.dropper_elongation,
        "dropper_position": matrices.equilibrium.spec.dropper_positions,
        "dropper_stiffness": matrices.dropper_stiffness,
        "speed": case.speed,
        "dt": case.time_step,
        "span": case.line.period,
        "N": len(matrices.z0),
        "M": matrices.I_cd.shape[2],
        "dropper_offset": matrices.dropper_offset,
        "probe": PROBE,
        "probe_3d": PROBE_3D,
        "self_test_force": test.force,
        "self_test_height": test.height,
        "self_test_harmonics": test.harmonics,
        "self_test_dropper_kept": test.dropper_harmonics,
        "self_test_delay": test.delay,
        "self_test_relaxation": test.relaxation,
        "self_test_ramp": test.ramp_steps,
        "self_test_tolerance": test.tolerance,
    }
    return {name: np.asarray(found[name], dtype=np.float64) for name in VARIABLES}


def _force(case: CaseSpec) -> dict[str, float]:
    """The force that the case holds, by its key [N]."""
    forces = {"mean_force_N": case.mean_force_N, "applied_force_N": case.applied_force_N}
    return {key: value for key, value in forces.items() if value is not None}


def bundle_facts(matrices: InfluenceMatrices, case: CaseSpec) -> dict[str, Any]:
    """Provenance of a bundle: line, hash, versions and the quadrature's error."""
    return {
        "catenary": case.catenary.name,
        "speed_kmh": case.speed_kmh,
        "made_for_pantograph": case.pantograph.name,
        **{f"made_for_{key}": value for key, value in _force(case).items()},
        "spans_m": list(case.line.spans),
        "quadrature_nodes": matrices.quadrature_nodes,
        "truncation_error": matrices.truncation_error,
        **{name: text for name, text in origin(case).items() if name not in ("Conventions", "schema_version")},
    }
