"""Results of a convergence study: errors, costs, orders, its conclusion, and all force curves as a labelled file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from catenary.storage.dataset import table_dataset, write_dataset
from dynamics.accuracy.refinement import Passage, Setting, assured_error, errors_of, observed_order, setting_of
from dynamics.spec.case import CaseSpec
from studies.jobs.convergence import ConvergenceJob

__all__ = ["SAME_COST", "conclude", "setting_text", "summarise", "write_curves"]

# costs within this factor of each other are equal on a machine that does other work
SAME_COST = 1.25
AXES = ("kinematics", "formulation", "integrator", "elements_per_bay", "time_step")


def setting_text(setting: Setting, *, kinematics: bool = True) -> str:
    """Setting in words."""
    model = f"{setting.kinematics}, " if kinematics else ""
    return f"{model}{setting.formulation}, {setting.integrator}, {setting.elements_per_bay} a bay, {_ms(setting)}"


def _ms(setting: Setting) -> str:
    return "step of its own" if setting.integrator == "rk4" else f"{1e3 * setting.dt:g} ms"


def summarise(
    job: ConvergenceJob, case: CaseSpec, references: list[Passage], passages: list[Passage]
) -> dict[str, Any]:
    """Content of summary.json; ``case`` has the applied forces that all settings share."""
    by_kinematics = {r.setting.kinematics: r for r in references}
    own = setting_of(case)
    rows = [_row(p, passages, by_kinematics[p.setting.kinematics], own) for p in passages]
    return {
        "schema_version": 1,
        "study": "convergence",
        "catenary": case.catenary.name,
        "pantograph": case.pantograph.name,
        "dimension": case.catenary.dimension,
        "speed_kmh": case.speed_kmh,
        "applied_force_N": case.applied_force_N,
        "spans_evaluated": [case.open_line.first_evaluated, case.open_line.last_evaluated],
        "filter": f"{case.signal.kind} {case.signal.cutoff_hz:g} Hz, zero phase",
        "error_percent": job.error_percent,
        "references": [
            {
                **asdict(r.setting),
                "sigma_N": r.sigma,
                "max_N": float(r.force.max()),
                "min_N": float(r.force.min()),
                "cost": r.cost,
            }
            for r in references
        ],
        "settings": rows,
        "orders": _orders(passages),
        "conclusions": [conclude(rows, r, job.error_percent) for r in references],
    }


def _row(passage: Passage, passages: list[Passage], reference: Passage, own: Setting) -> dict[str, Any]:
    """One setting's figures; null where it gave no force."""
    errors, assured = errors_of(passage, reference), assured_error(passage, passages, reference)
    figures = {
        "sigma_N": passage.sigma,
        **{f"error_{name}": value for name, value in asdict(errors).items()},
        "error_sigma_percent": 100.0 * errors.sigma_N / reference.sigma,
        "error_rms_percent": 100.0 * errors.rms_N / reference.sigma,
        "assured_percent": 100.0 * assured / reference.sigma,
        "cost": passage.cost,
    }
    known = {name: value if math.isfinite(value) else None for name, value in figures.items()}
    return {**asdict(passage.setting), "own": passage.setting == own, "message": passage.message, **known}


def _orders(passages: list[Passage]) -> list[dict[str, Any]]:
    """Observed orders of each family: in the mesh at its shortest step, in the step on its finest mesh."""
    found = []
    for family in dict.fromkeys(p.setting.family for p in passages):
        own = [p for p in passages if p.setting.family == family]
        finest, shortest = max(p.setting.elements_per_bay for p in own), min(p.setting.dt for p in own)
        meshes = [p for p in own if p.setting.dt == shortest]
        steps = [p for p in own if p.setting.elements_per_bay == finest]
        found.append(
            {
                **dict(zip(("kinematics", "formulation", "integrator"), family, strict=True)),
                "mesh": observed_order([1.0 / p.setting.elements_per_bay for p in meshes], meshes),
                "mesh_at_dt": shortest,
                "step": observed_order([p.setting.dt for p in steps], steps),
                "step_at_elements_per_bay": finest,
            }
        )
    return found


def conclude(rows: Sequence[dict[str, Any]], reference: Passage, error_percent: float) -> dict[str, Any]:
    """Cheapest setting of one kinematics whose error, and that of every finer one, is small, with the case's own."""
    kinematics = reference.setting.kinematics
    mine = [row for row in rows if row["kinematics"] == kinematics and row["cost"] is not None]
    good = [row for row in mine if row["assured_percent"] is not None and row["assured_percent"] <= error_percent]
    own = next((row for row in mine if row["own"]), None)
    cheapest = min(good, key=lambda row: row["cost"], default=None)
    alike = [] if cheapest is None else [row for row in good if row["cost"] <= SAME_COST * cheapest["cost"]]
    return {
        "kinematics": kinematics,
        "sentence": _sentence(kinematics, alike, own, error_percent),
        "cheapest": cheapest,
        "equally_cheap": alike,
        "own": own,
        "own_is_cheapest": own in alike if own is not None else None,
    }


def _sentence(kinematics: str, alike: list[dict[str, Any]], own: dict[str, Any] | None, error_percent: float) -> str:
    """Conclusion in words; ``alike`` are the settings that are good enough and cost as little as the cheapest."""
    cheapest = min(alike, key=lambda row: row["cost"], default=None)
    if cheapest is None:
        said = f"{kinematics.capitalize()}: no setting stays within {error_percent:g} % of sigma with all finer ones"
    else:
        said = (
            f"{kinematics.capitalize()}: the cheapest setting within {error_percent:g} % of sigma, with all finer "
            f"ones, is {_named(cheapest)} (at most {cheapest['assured_percent']:.2f} %, {cheapest['cost']:.3f} s of "
            f"processor time a simulated second)"
        )
    return f"{said}; {_judged(cheapest, own, alike)}." if own is not None else f"{said}."


def _judged(cheapest: dict[str, Any] | None, own: dict[str, Any], alike: list[dict[str, Any]]) -> str:
    """The case's own setting compared with the cheapest."""
    assured = own["assured_percent"]
    error = "an error that is not known" if assured is None else f"{own['error_sigma_percent']:+.2f} %"
    if assured is not None and abs(assured) > abs(own["error_sigma_percent"]) + 5e-3:
        error += f", at most {assured:.2f} % with all finer ones"
    if cheapest is None:
        return f"the setting in use, {_named(own)}, has {error}"
    ratio = own["cost"] / cheapest["cost"]
    if own is cheapest or (own["integrator"], own["elements_per_bay"], own["dt"], own["formulation"]) == (
        cheapest["integrator"],
        cheapest["elements_per_bay"],
        cheapest["dt"],
        cheapest["formulation"],
    ):
        return "it is the setting in use"
    if own in alike:
        return f"the setting in use, {_named(own)}, costs as much as the cheapest ({ratio:.2f} times), with {error}"
    return f"the setting in use, {_named(own)}, costs {ratio:.2f} times as much and has {error}"


def _named(row: dict[str, Any]) -> str:
    names = ("kinematics", "formulation", "integrator", "elements_per_bay", "dt")
    return setting_text(Setting(*(row[name] for name in names)), kinematics=False)


def write_curves(path: Path, job: ConvergenceJob, references: list[Passage], passages: list[Passage]) -> None:
    """Write every setting's force curve and figures over kinematics, formulation, integrator, mesh and step."""
    values: list[list[Any]] = [
        list(dict.fromkeys(pick(p.setting) for p in passages))
        for pick in (
            lambda s: s.kinematics,
            lambda s: s.formulation,
            lambda s: s.integrator,
            lambda s: s.elements_per_bay,
            lambda s: s.dt,
        )
    ]
    values[3].sort()
    values[4].sort(reverse=True)
    by_kinematics = {r.setting.kinematics: r for r in references}
    x = references[0].position
    shape = tuple(map(len, values))
    cost, sigma, rms = (np.full(shape, np.nan) for _ in range(3))
    force = np.full((*shape, x.size), np.nan, dtype=np.float32)
    for p in passages:
        s = p.setting
        at = tuple(v.index(w) for v, w in zip(values, (*s.family, s.elements_per_bay, s.dt), strict=True))
        cost[at], sigma[at] = p.cost, p.sigma
        rms[at] = errors_of(p, by_kinematics[s.kinematics]).rms_N
        if p.force.size:
            inside = (x >= p.position[0]) & (x <= p.position[-1])
            force[(*at, inside)] = p.force_at(x[inside])
    finest = [by_kinematics[k] for k in values[0]]
    dims = AXES
    units = ("1", "1", "1", "1", "s")
    texts = ("kinematics", "formulation of the wires", "integrator", "elements between neighbouring droppers", "step")
    coordinates: dict[str, tuple[Any, str, str]] = {
        n: (v, u, t) for n, v, u, t in zip(AXES, values, units, texts, strict=True)
    }
    coordinates["position"] = (x, "m", "station of the first pantograph")
    data = table_dataset(
        coordinates,
        {
            "contact_force_filtered": ((*dims, "position"), force, "N", "contact force, low-pass filtered"),
            "contact_force_std": (dims, sigma, "N", "standard deviation of the filtered contact force"),
            "error_rms": (dims, rms, "N", "root mean square of the force's difference to the reference"),
            "cost": (dims, cost, "1", "processor time per simulated time"),
            "reference_force_filtered": (
                ("kinematics", "position"),
                np.array([r.force for r in finest]),
                "N",
                "contact force of the reference, low-pass filtered",
            ),
            "reference_std": (("kinematics",), [r.sigma for r in finest], "N", "standard deviation of the reference"),
        },
        job,
    )
    data.attrs["title"] = f"convergence on {job.catenary.name} at {job.speed_kmh:g} km/h"
    write_dataset(path, data)
