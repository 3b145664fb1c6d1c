"""Sweeps over one input laid over one another, such as the speed sweeps of the nominal and of an optimised line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from dynamics.charts.numbers import with_bound_units
from dynamics.charts.parts import Chart, Curve
from optimise.parameter_study.sweep import load_sweep
from optimise.parameter_study.sweep_axes import axis_meaning, axis_unit
from optimise.parameter_study.sweep_result import SweepResult
from studies.report.content.provenance import VARIED, case_provenance, differences_section
from studies.report.drawing.parts import Page, Section, Table
from studies.report.pages.sweep_page import ROLES, SHOWN
from studies.report.sections.tables import signed, value_text

__all__ = ["are_sweeps", "sweep_overlay_page"]

SIGMA = SHOWN[0][0]


def are_sweeps(paths: Sequence[str]) -> bool:
    """Whether every path is the folder of a sweep."""
    return all((Path(path) / "sweep.yaml").is_file() for path in paths)


def sweep_overlay_page(paths: Sequence[str]) -> Page:
    """Compose the page of two to six sweeps over the same input; the first is what the others differ from.

    Raises
    ------
    InputError
        If they are too many or too few, or are not over one and the same input.
    """
    if not 2 <= len(paths) <= len(ROLES):
        raise InputError([f"sweeps laid over one another must be 2 to {len(ROLES)}: got {len(paths)}"])
    sweeps = [load_sweep(Path(path)) for path in paths]
    axes = [_axis(sweep, path) for sweep, path in zip(sweeps, paths, strict=True)]
    if len(set(axes)) > 1:
        raise InputError([f"sweeps laid over one another must be over the same input: got {', '.join(axes)}"])
    names = [sweep.sweep.name for sweep in sweeps]
    labels = [name if names.count(name) == 1 else path for name, path in zip(names, paths, strict=True)]
    charts = tuple(
        chart
        for key, name, unit, _ in SHOWN
        if (chart := _chart(sweeps, labels, axes[0], (key, name, unit))) is not None
    )
    if not charts:
        raise InputError(["sweeps laid over one another must have figures: none of these has any"])
    # the swept input, and the mean force that goes with it, differ within each
    listed = [case_provenance(sweep.case, (axes[0], "mean_force_N")) for sweep in sweeps]
    held = {label: tuple(r for r in rows if r.origin != VARIED) for label, rows in zip(labels, listed, strict=True)}
    return Page(
        kicker="Comparison of sweeps",
        title=" and ".join(labels) if len(labels) < 3 else f"{len(labels)} sweeps side by side",
        headline=with_bound_units(_headline(sweeps, labels, axes[0])),
        warnings=_warnings(sweeps, labels),
        sections=(
            Section(f"Over the {axis_meaning(axes[0])}", charts=charts, tables=(_values(sweeps, labels, axes[0]),)),
            differences_section(held),
        ),
    )


def _axis(sweep: SweepResult, path: str) -> str:
    wide = [name for name, values in sweep.sweep.values.items() if len(values) > 1]
    if len(wide) != 1:
        raise InputError([f"{path} must be a sweep over one input to be laid over others: it is over {len(wide)}"])
    return wide[0]


def _over(sweep: SweepResult, axis: str, key: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values of the input and of a statistic, those without figures left out."""
    x, y = np.array(sweep.sweep.values[axis]), sweep.figures(key).ravel()
    return x[np.isfinite(y)], y[np.isfinite(y)]


def _chart(sweeps: list[SweepResult], labels: list[str], axis: str, shown: tuple[str, str, str]) -> Chart | None:
    key, name, unit = shown
    curves = []
    for sweep, label, role in zip(sweeps, labels, ROLES, strict=False):
        x, y = _over(sweep, axis, key)
        if x.size:
            curves.append(Curve(label, x, y, axis_unit(axis), unit, role))
    if not curves:
        return None
    return Chart(key, name, "", axis_meaning(axis), name, tuple(curves))


def _headline(sweeps: list[SweepResult], labels: list[str], axis: str) -> str:
    """Where the standard deviation of each is below that of the first, and by how much it differs."""
    x, y = _over(sweeps[0], axis, SIGMA)
    sentences = []
    for sweep, label in zip(sweeps[1:], labels[1:], strict=True):
        shared, here, there = np.intersect1d(x, _over(sweep, axis, SIGMA)[0], return_indices=True)
        if not shared.size:
            sentences.append(f"{label} has no value in common with {labels[0]}")
            continue
        change = 100.0 * (_over(sweep, axis, SIGMA)[1][there] / y[here] - 1.0)
        lower = int(np.count_nonzero(change < 0.0))
        sentences.append(
            f"{label} has the lower standard deviation at {lower} of {shared.size} values, "
            f"{signed(float(change.min()), 1)} to {signed(float(change.max()), 1)} % against {labels[0]}"
        )
    text = "; ".join(sentences)
    return f"{text[0].upper()}{text[1:]}."


def _warnings(sweeps: list[SweepResult], labels: list[str]) -> tuple[str, ...]:
    broken = ((label, sweep.failed) for sweep, label in zip(sweeps, labels, strict=True))
    return tuple(
        f"{count} points of {label} have no figures; its own page says why." for label, count in broken if count
    )


def _values(sweeps: list[SweepResult], labels: list[str], axis: str) -> Table:
    """Standard deviation of every sweep at every value."""
    known = [dict(zip(*_over(sweep, axis, SIGMA), strict=True)) for sweep in sweeps]
    values = sorted({float(v) for sweep in sweeps for v in sweep.sweep.values[axis]})
    rows = tuple((f"{v:g}", *(value_text(k.get(v), 2) for k in known)) for v in values)
    head = f"{axis} [{axis_unit(axis)}]" if axis_unit(axis) else axis
    return Table("Standard deviation of the contact force [N]", (head, *labels), rows, "r" * (1 + len(labels)))
