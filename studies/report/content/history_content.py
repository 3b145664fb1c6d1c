"""What a result file keeps of a run over time, cut to what a page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.layout.geometry import CONTACT, spans_at
from dynamics.charts.in_space import charts_in_space, cross_sections
from dynamics.charts.moving.animation import Animation
from dynamics.charts.parts import Chart
from dynamics.contact_force.filters import filter_record
from dynamics.results.dataset import StoredResult
from dynamics.results.over_position import around_places
from dynamics.spec.case import CaseSpec
from studies.report.content.line_film import ACROSS, line_animation
from studies.report.content.pieces import Array

__all__ = [
    "SHOWN_SPANS",
    "DropperHistories",
    "Histories",
    "Losses",
    "PantographHistory",
    "PointHistory",
    "SupportHistories",
    "read_histories",
]

# spans that curves over the track show: more would be too crowded to be read
SHOWN_SPANS = 4
# how far behind and ahead of the leading pantograph droppers and supports are shown [spans]
BEHIND, AHEAD = 1.5, 1.0
SHOWN_COLUMNS = 320


@dataclass(frozen=True)
class PantographHistory:
    """One pantograph over the spans shown; (sample,) and (sample, mass).

    ``name`` is empty where there is one. ``x`` is the station [m], forces in N, heights in m; ``rms`` is over the
    whole record at ``rms_x`` (time, rms_window) [N]. Masses are empty where the run keeps none; ``joint_force``
    (sample, joint) [N] and ``body_angle`` (sample, body) [rad] where the pantograph has no arms.
    """

    name: str
    x: Array
    raw: Array
    filtered: Array
    height: Array
    mass_height: Array
    mass_velocity: Array
    mass_acceleration: Array
    joint_force: Array
    body_angle: Array
    rms_x: Array
    rms: Array


@dataclass(frozen=True)
class Losses:
    """Losses of one pantograph as summary.json sums them up; where each begins [m], how long it lasts [s, m]."""

    summary: Mapping[str, Any]
    each: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class DropperHistories:
    """Droppers of the evaluated spans.

    Attributes
    ----------
    x : float array (line_dropper,)
        Stations [m].
    rest, least, most : float array (line_dropper,)
        Force at rest, and smallest and largest force of the whole run [N].
    past : float array (column,)
        Distance of the leading pantograph past the dropper [m].
    force : float array (line_dropper, column)
        Force then [N]; NaN outside the run.
    """

    x: Array
    rest: Array
    least: Array
    most: Array
    past: Array
    force: Array


@dataclass(frozen=True)
class SupportHistories:
    """Supports along the evaluated spans: stations (support,) [m], uplift (support, column) [m] over ``past`` [m]."""

    x: Array
    past: Array
    uplift: Array


@dataclass(frozen=True)
class PointHistory:
    """A chosen node: name, and displacement, filtered velocity and acceleration upwards over time, in SI units."""

    name: str
    displacement: Array
    velocity: Array
    acceleration: Array


@dataclass(frozen=True)
class Histories:
    """Everything that a page shows of a run over time.

    ``edges`` (bin + 1,) [N] and ``histogram`` (bin, pantograph) [1/N]; ``frequency`` [Hz], ``density``
    (frequency, pantograph) [N^2/Hz], which are powers over ``resolution`` [Hz] where ``lines``; ``method`` in words;
    ``rms_window`` [m]; ``supports`` in view [m]. What follows is None or empty where the run did not keep it.
    """

    pantographs: tuple[PantographHistory, ...]
    supports: Array
    edges: Array
    histogram: Array
    frequency: Array
    density: Array
    resolution: float
    lines: bool
    method: str
    rms_window: Array
    losses: tuple[Losses, ...]
    droppers: DropperHistories | None = None
    uplifts: SupportHistories | None = None
    point_time: Array | None = None
    points: tuple[PointHistory, ...] = ()
    animation: Animation | None = None
    from_above: Animation | None = None
    in_space: tuple[Chart, ...] = ()
    cross_sections: tuple[Chart, ...] = ()


def read_histories(stored: StoredResult, case: CaseSpec, losses: Sequence[Mapping[str, Any]]) -> Histories | None:
    """Take histories out of a result file; None where it has none, as those of earlier versions.

    ``losses`` are the records of summary.json, one per pantograph.
    """
    values = stored.values
    if "contact_force_histogram" not in values:
        return None
    about = stored.variable_attributes["contact_force_spectral_density"]
    pantographs = _pantographs(values, case)
    shown = pantographs[0].x
    line = case.catenary
    first, last = spans_at(line, shown.min()), spans_at(line, shown.max())
    position = values.get("pantograph_position")
    behind = 0.0 if position is None else float(position[-1, 0] - position[-1, -1])
    past = np.linspace(-AHEAD * line.mean_span, BEHIND * line.mean_span + behind, SHOWN_COLUMNS)
    supports = np.array([line.station(s) for s in np.arange(np.floor(first + 1e-6), np.ceil(last - 1e-6) + 1.0)])
    return Histories(
        pantographs=pantographs,
        supports=supports,
        edges=values["histogram_edge"],
        histogram=values["contact_force_histogram"],
        frequency=values["frequency"],
        density=values["contact_force_spectral_density"],
        resolution=float(about["resolution_Hz"]),
        lines=bool(int(about["lines"])),
        method=str(about["method"]),
        rms_window=values["rms_window"],
        losses=tuple(Losses(record, _each_loss(values, p)) for p, record in enumerate(losses)),
        droppers=_droppers(values, case, past),
        uplifts=_uplifts(values, case, past),
        point_time=values["time"] if "point_displacement" in values else None,
        points=_points(values, case),
        animation=line_animation(values, case),
        from_above=line_animation(values, case, ACROSS),
        in_space=charts_in_space(values, case, supports),
        cross_sections=cross_sections(values, case, supports),
    )


def _pantographs(values: Mapping[str, Array], case: CaseSpec) -> tuple[PantographHistory, ...]:
    """Every pantograph over the last spans that count."""
    names = ("position", "contact_force", "contact_force_filtered", "contact_height")
    prefix = "pantograph_" if "pantograph_position" in values else ""
    total = values["time"].size
    position, raw, filtered, height = (np.reshape(values[prefix + name], (total, -1)) for name in names)
    none = np.zeros((total, position.shape[1], 0))
    masses = [values.get(name, none) for name in ("mass_height", "mass_velocity", "mass_acceleration")]
    reaction = values.get("joint_reaction", none[..., None])
    arms = np.hypot(reaction[..., 0], reaction[..., -1]), values.get("body_angle", none)
    titles = ("leading pantograph", "trailing pantograph") if position.shape[1] == 2 else ()
    found = []
    for p in range(position.shape[1]):
        cut = _shown(position[:, p], case)
        name = titles[p] if titles else (f"pantograph {p + 1}" if position.shape[1] > 1 else "")
        found.append(
            PantographHistory(
                name,
                *(x[cut, p] for x in (position, raw, filtered, height, *masses, *arms)),
                rms_x=position[:, p],
                rms=values["contact_force_running_rms"][:, p],
            )
        )
    return tuple(found)


def _shown(position: Array, case: CaseSpec) -> NDArray[np.int64]:
    """Samples of the last spans that count, at most `SHOWN_SPANS`."""
    line = case.line
    end = float(position[-1])
    first = 0.0
    if case.on_open_line:
        end, first = line.station(case.open_line.last_evaluated), line.station(case.open_line.first_evaluated - 1)
    elif not case.seeks_steady_state:
        first = end - case.transient_periods[1] * line.period
    first = max(first, end - SHOWN_SPANS * line.mean_span)
    return np.flatnonzero((position > first + 1e-6) & (position <= end + 1e-6))


def _each_loss(values: Mapping[str, Array], p: int) -> tuple[tuple[float, ...], ...]:
    columns = [values[name] for name in ("loss_start_position", "loss_duration", "loss_length")]
    return tuple(map(tuple, np.stack(columns, axis=1)[values["loss_pantograph"] == p].tolist()))


def _within(x: Array, case: CaseSpec, margin: float) -> NDArray[np.int64]:
    """Places between the first and the last evaluated span, ``margin`` [m] more on either side."""
    station, line = case.catenary.station, case.open_line
    low, high = station(line.first_evaluated - 1) - margin, station(line.last_evaluated) + margin
    return np.flatnonzero((x >= low) & (x <= high))


def _droppers(values: Mapping[str, Array], case: CaseSpec, past: Array) -> DropperHistories | None:
    """Droppers of the evaluated spans."""
    if "line_dropper_force" not in values:
        return None
    order = np.argsort(values["line_dropper_position"], kind="stable")
    order = order[_within(values["line_dropper_position"][order], case, 0.0)]
    x, force = values["line_dropper_position"][order], values["line_dropper_force"][:, order].astype(np.float64)
    rest = np.resize(values["dropper_static_force"], values["line_dropper_position"].size)[order]
    around = around_places(values["pantograph_position"][:, 0], force, x, past)
    return DropperHistories(x, rest, force.min(axis=0), force.max(axis=0), past, around)


def _uplifts(values: Mapping[str, Array], case: CaseSpec, past: Array) -> SupportHistories | None:
    """Supports along the evaluated spans."""
    if "line_support_uplift" not in values:
        return None
    shown = _within(values["support_position"], case, 1e-6)
    x = values["support_position"][shown]
    uplift = around_places(values["pantograph_position"][:, 0], values["line_support_uplift"][:, shown], x, past)
    return SupportHistories(x, past, uplift)


def _points(values: Mapping[str, Array], case: CaseSpec) -> tuple[PointHistory, ...]:
    """Chosen nodes, upwards; velocity and acceleration filtered like the forces, without which noise hides all."""
    if "point_displacement" not in values:
        return ()
    wires = ["contact" if w == CONTACT else "messenger" for w in values["point_wire"]]

    def low_passed(name: str, k: int) -> Array:
        return filter_record(values[name][:, k, 2], case.time_step, 0.0, case.signal.cutoff_hz, case.signal.kind)

    return tuple(
        PointHistory(
            f"{wire} wire at {x:.1f} m",
            values["point_displacement"][:, k, 2],
            low_passed("point_velocity", k),
            low_passed("point_acceleration", k),
        )
        for k, (wire, x) in enumerate(zip(wires, values["point_position"], strict=True))
    )
