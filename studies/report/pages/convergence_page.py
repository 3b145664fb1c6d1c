"""The page of a study of convergence: error against cost, observed orders, every setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from catenary.errors import InputError
from dynamics.charts.numbers import number, with_bound_units
from dynamics.charts.parts import Chart, Curve, Level, Role
from studies.report.drawing.parts import Page, Section, Table
from studies.report.sections.tables import signed, value_text

__all__ = ["convergence_page"]

ROLES: tuple[Role, ...] = ("best", "nominal", "other", "fourth", "sixth", "muted")
# errors below this [%] are drawn at it: a logarithm has no zero
SMALLEST = 0.01
COST = "Processor time per simulated second"
Row = Mapping[str, Any]


def convergence_page(summary: Mapping[str, Any], command: str = "") -> Page:
    """Compose the page from a summary.

    Raises
    ------
    InputError
        If the summary is not one of a study of convergence.
    """
    if summary.get("study") != "convergence":
        raise InputError(["the folder must hold a study of convergence: its summary.json is of something else"])
    conclusions = summary["conclusions"]
    first, last = summary["spans_evaluated"]
    about = (
        f"{summary['dimension'].capitalize()} line with {summary['pantograph']}, applied force "
        f"{number(summary['applied_force_N'], 2)} N, spans {first} to {last} of an open line; force filtered by "
        f"{summary['filter']}. Errors are against the reference of the same kinematics."
    )
    failed = [f"{_setting_text(row)}: {row['message']}." for row in summary["settings"] if row["message"]]
    sections = [_kinematics_section(summary, reference) for reference in summary["references"]]
    return Page(
        kicker="Convergence in mesh and step",
        title=f"{summary['catenary']} at {summary['speed_kmh']:g} km/h",
        headline=with_bound_units(" ".join(c["sentence"] for c in conclusions).replace("sigma", "σ")),
        warnings=tuple(failed),
        sections=(
            Section("What was compared", text=(with_bound_units(about),)),
            *sections,
            Section("Observed orders", tables=(_order_table(summary["orders"]),)),
            *((Section("Run it again", command=command),) if command else ()),
        ),
    )


def _kinematics_section(summary: Mapping[str, Any], reference: Row) -> Section:
    """Pictures and table of one kinematics."""
    kinematics, limit = reference["kinematics"], float(summary["error_percent"])
    rows = [r for r in summary["settings"] if r["kinematics"] == kinematics]
    known = [r for r in rows if r["error_rms_percent"] is not None]
    charts = () if not known else (
        _chart(known, "assured_percent", kinematics, limit),
        _chart(known, "error_rms_percent", kinematics, None),
    )  # fmt: skip
    text = (
        f"Reference: {reference['formulation']}, {reference['integrator']}, {reference['elements_per_bay']} elements a "
        f"bay, {1e3 * reference['dt']:g} ms: σ {number(reference['sigma_N'], 3)} N, "
        f"{number(reference['min_N'], 1)} to {number(reference['max_N'], 1)} N, "
        f"{number(reference['cost'], 2)} s of processor time per simulated second."
    )
    return Section(
        kinematics.capitalize(),
        text=(with_bound_units(text),),
        charts=tuple(c for c in charts if c is not None),
        tables=(_setting_table(rows),),
    )


def _chart(rows: Sequence[Row], key: str, kinematics: str, limit: float | None) -> Chart | None:
    """Error against cost: every setting, and for each family the least error that a cost buys."""
    known = [r for r in rows if r[key] is not None]
    families = dict.fromkeys((r["formulation"], r["integrator"]) for r in known)
    curves: list[Curve] = []
    for role, family in zip(ROLES, families, strict=False):
        mine = sorted((r for r in known if (r["formulation"], r["integrator"]) == family), key=lambda r: r["cost"])
        label = ", ".join(family)
        x, y = np.array([r["cost"] for r in mine]), np.array([max(SMALLEST, r[key]) for r in mine])
        notes = tuple(f"{_setting_text(r)}: {r[key]:.2f} %, {r['cost']:.3f} s" for r in mine)
        cheaper = np.concatenate([[np.inf], np.minimum.accumulate(y)[:-1]])
        best = np.flatnonzero(y < cheaper)
        curves += [
            Curve(label, x[best], y[best], "s/s", "%", role),
            Curve(label, x, y, "s/s", "%", role, "dots", notes),
        ]
    own = [r for r in known if r["own"]]
    if own:
        x, y = np.array([r["cost"] for r in own]), np.array([max(SMALLEST, r[key]) for r in own])
        curves.append(Curve("setting in use", x, y, "s/s", "%", "fifth", "crosses", tuple(map(_setting_text, own))))
    if not curves:
        return None
    assured = key == "assured_percent"
    return Chart(
        name=f"{'sigma' if assured else 'curve'}_error_{kinematics}",
        title="Error of σ against cost" if assured else "Error of the force curve against cost",
        caption=(
            "The largest error of a setting and of every finer one of its family, so that a lucky crossing of zero "
            "counts for nothing"
            if assured
            else "Root mean square of the difference to the reference along the evaluated spans, over σ"
        )
        + ". Each dot is one mesh and step; a line joins the settings that no cheaper one of the family betters.",
        x_label=COST,
        y_label="Error of σ, assured" if assured else "Error of the force curve",
        curves=tuple(curves),
        levels=() if limit is None else (Level(f"{limit:g} %", limit),),
        pick="point",
        height=0.5,
        logarithmic=True,
    )


def _setting_text(row: Row) -> str:
    step = "step of its own" if row["integrator"] == "rk4" else f"{1e3 * row['dt']:g} ms"
    return f"{row['formulation']}, {row['integrator']}, {row['elements_per_bay']} a bay, {step}"


# heading, key of a setting, how its value is written, and decimals
COLUMNS = (
    ("σ [N]", "sigma_N", value_text, 2),
    ("error [%]", "error_sigma_percent", signed, 2),
    ("assured [%]", "assured_percent", value_text, 2),
    ("max [N]", "error_max_N", signed, 2),
    ("min [N]", "error_min_N", signed, 2),
    ("curve [%]", "error_rms_percent", value_text, 1),
    ("cost [s/s]", "cost", value_text, 3),
)


def _setting_table(rows: Sequence[Row]) -> Table:
    ordered = sorted(rows, key=lambda r: (r["cost"] is None, r["cost"] or 0.0))
    names = [_setting_text(r) + (" (in use)" if r["own"] else "") for r in ordered]
    return Table(
        title="Every setting, the cheapest first",
        columns=("setting", *(head for head, *_ in COLUMNS)),
        rows=tuple(
            (name, *(text(row[key], digits) for _, key, text, digits in COLUMNS))
            for name, row in zip(names, ordered, strict=True)
        ),
        align="l" + "r" * len(COLUMNS),
        caption="Errors of σ, of the largest and of the smallest force; curve: root mean square of the difference over "
        "σ; assured: largest error of σ of this and of every finer setting.",
    )


def _order_table(orders: Sequence[Row]) -> Table:
    """Observed orders; Runge-Kutta's step is set by stability."""
    return Table(
        title="",
        columns=("kinematics", "formulation", "integrator", "order in the mesh", "at", "order in the step", "on"),
        rows=tuple(
            (
                o["kinematics"],
                o["formulation"],
                o["integrator"],
                value_text(o["mesh"], 1),
                "step of its own" if o["integrator"] == "rk4" else f"{1e3 * o['mesh_at_dt']:g} ms",
                value_text(o["step"], 1),
                f"{o['step_at_elements_per_bay']} a bay",
            )
            for o in orders
        ),
        align="lllrlrl",
        caption="From the distances between the force curves of the three finest meshes or steps, without the "
        "reference. A dash: fewer than three, or distances that follow no power of them.",
    )
