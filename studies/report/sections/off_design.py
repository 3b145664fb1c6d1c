"""Both designs off the design point, and the dropper lengths of the best one for a fitter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dynamics.charts.numbers import number
from dynamics.charts.parts import Chart, Curve, Role, Stations
from optimise.afterwards.gain_left import ComparedRun
from optimise.evaluation.verdict import verdict
from studies.report.content.pieces import Array, OffDesign
from studies.report.drawing.parts import Table
from studies.report.sections.tables import change_percent, plus_minus, value_text

__all__ = ["ERRORS", "OWN_CONDITION", "condition_table", "error_charts", "schedule_table", "speed_chart"]

NONE = "–"
ERRORS: dict[str, tuple[str, str]] = {
    "height_error": ("height errors", "contact-wire heights at the droppers err"),
    "length_error": ("dropper length errors", "droppers are cut with errors"),
}
LEAST_LINES = 3
OWN_CONDITION = "the search's own"
MM = 1.0e3
SIGMA = "contact_force_std_N"


def speed_chart(off_design: OffDesign) -> Chart | None:
    """Draw sigma of both designs over the speed."""
    runs = off_design.of("speed")
    speed = np.array([r.value for r in runs])
    curves: list[Curve] = []
    for label, sigma, role in _designs(runs):
        known = np.isfinite(sigma)
        x, y = speed[known], sigma[known]
        if x.size:
            mark = "rings" if role == "nominal" else "dots"
            curves += [Curve(label, x, y, "km/h", "N", role), Curve("", x, y, "km/h", "N", role, mark)]
    if not curves:
        return None
    caption = "At each speed its own mean force is held. The dotted line is the speed of the search."
    about = "speed", "Standard deviation over the speed", caption
    own = Stations("speed of the search", np.array([off_design.design_speed_kmh]), full_height=True)
    return Chart(*about, "Speed", "σ", tuple(curves), stations=(own,), height=0.36)


def _designs(runs: tuple[ComparedRun, ...]) -> tuple[tuple[str, Array, Role], ...]:
    nominal, best = np.array([r.nominal[0] for r in runs]), np.array([r.best[0] for r in runs])
    return ("nominal", nominal, "nominal"), ("best", best, "best")


def error_charts(off_design: OffDesign) -> tuple[Chart, ...]:
    """Draw the share of lines with errors whose sigma stays below a value, one chart a kind and size of error."""
    charts = (_error_chart(runs, *ERRORS[kind], size) for kind, size, runs in _with_errors(off_design))
    return tuple(c for c in charts if c is not None)


def _with_errors(off_design: OffDesign) -> list[tuple[str, float, tuple[ComparedRun, ...]]]:
    """Kind and size of each error with its runs."""
    return [
        (kind, size, off_design.of(kind, size))
        for kind in ERRORS
        for size in sorted({r.value for r in off_design.of(kind)})
    ]


def _error_chart(runs: tuple[ComparedRun, ...], errors: str, what: str, size: float) -> Chart | None:
    found = (_shares(label, sigma, role) for label, sigma, role in _designs(runs))
    curves = tuple(c for c in found if c is not None)
    if not curves:
        return None
    low, high = min(float(c.x.min()) for c in curves), max(float(c.x.max()) for c in curves)
    margin = 0.04 * (high - low) if high > low else 0.5
    name = f"{errors}_{size:g}mm".replace(".", "_").replace(" ", "_")
    title = f"Standard deviation with {errors} of {size:g} mm"
    caption = f"Each step is one line whose {what} by independent normal deviates of {size:g} mm; both designs have "
    caption += "the same errors."
    x_range = low - margin, high + margin
    return Chart(
        name, title, caption, "σ", "Lines with a lower σ", curves, x_range=x_range, y_range=(0.0, 104.0), height=0.3
    )


def _shares(label: str, sigma: Array, role: Role) -> Curve | None:
    known = np.sort(sigma[np.isfinite(sigma)])
    if not known.size:
        return None
    # of all lines: those that could not be computed keep the curve below 100 %
    share = 100.0 * np.arange(known.size + 1) / sigma.size
    return Curve(label, np.append(known[0], known), share, "N", "%", role, "step")


def condition_table(off_design: OffDesign) -> Table:
    """Sigma of both designs under every condition, side by side, and a plain word where the best is worse."""
    rows = [_row(_speed_name(off_design, r.value), (r,), np.max) for r in off_design.of("speed")]
    rows += [_row(f"contact stiffness {r.value / 1e3:g} kN/m", (r,), np.max) for r in off_design.of("contact")]
    rows += [_row(f"damping times {r.value:g}", (r,), np.max) for r in off_design.of("damping")]
    for kind, size, runs in _with_errors(off_design):
        name = f"{ERRORS[kind][0]} of {size:g} mm"
        rows.append(_row(f"{name}, median of lines", runs, np.median))
        rows.append(_row(f"{name}, largest", runs, np.max))
    rows += [_row(f"{r.dimension} model", (r,), np.max) for r in off_design.of("dimension")]
    heads = ("condition", "nominal σ [N]", "best σ [N]", "change", "the best design is", "runs of both")
    return Table(
        "", heads, tuple(rows), "lrrrlr",
        "Each σ is that of a steady state, with its estimated numerical error and on finer numerics where that was "
        "large; a difference no larger than both errors together is called neither better nor worse. The table "
        "compares only runs that solved for both designs. A dropper that an error leaves loose at rest carries no "
        "force; the program runs the line with it.",
    )  # fmt: skip


def _speed_name(off_design: OffDesign, speed: float) -> str:
    own = f" ({OWN_CONDITION}, contact {off_design.contact_stiffness / 1e3:g} kN/m)"
    return f"{speed:g} km/h" + (own if speed == off_design.design_speed_kmh else "")


def _row(name: str, runs: tuple[ComparedRun, ...], pick: Callable[[Array], np.floating]) -> tuple[str, ...]:
    lines = np.array([(r.nominal, r.best) for r in runs])  # (run, design, sigma and error)
    both = lines[np.isfinite(lines[:, :, 0]).all(axis=1)]
    count = f"{len(both)} of {len(runs)}"
    if not len(both):
        reasons = sorted({m for r in runs for m in r.messages if m})
        return name, NONE, NONE, NONE, reasons[0] if reasons else "not known", count
    # of many runs the error of the one that is picked, or of the middle ones: the same pick of the errors near it
    sigmas = [float(pick(both[:, k, 0])) for k in (0, 1)]
    found = [(sigma, _error_near(sigma, *both[:, k].T)) for k, sigma in enumerate(sigmas)]
    few = len(runs) > 1 and len(both) < LEAST_LINES
    word = "not known: too few lines" if few else verdict(*found[0], *found[1])
    nominal, best = (plus_minus(*each, 2) for each in found)
    return name, nominal, best, change_percent(sigmas[1], sigmas[0]), word, count


def _error_near(value: float, sigma: Array, error: Array) -> float:
    """Largest error [N] of the run, or of the two runs around a median, whose sigma is that value."""
    order = np.argsort(np.abs(sigma - value))
    return float(error[order[: 2 if np.abs(sigma - value).min() > 0.0 else 1]].max())


def schedule_table(record: Mapping[str, Any]) -> Table:
    """Lengths to cut the droppers to, exact and rounded, at exact and at rounded stations, with sigma of each below.

    The record is that of fitter_schedule.json.
    """
    supports = np.array(record.get("supports_m", ()))
    several = supports.size > 2
    cut = sorted(record["rounded_m"], key=lambda r: r["rounded_mm"])
    runs = {r["rounded_mm"]: r for r in record["runs"]}
    moved = record.get("stations_rounded", ())
    placed = [r for r in moved if r["length_m"]]

    def station(x: float, digits: int) -> str:
        """Station, and where there are several spans also that from the dropper's own support."""
        from_support = f" ({number(x - float(supports[supports < x][-1]), digits)})" if several else ""
        return f"{number(x, digits)}{from_support}"

    rows: list[tuple[str, ...]] = []
    for k, (x, length) in enumerate(zip(record["position_m"], record["length_m"], strict=True)):
        rounded = (number(MM * r["length_m"][k], 0) for r in cut)
        there = (text for r in placed for text in (station(r["position_m"][k], 2), number(MM * r["length_m"][k], 0)))
        rows.append((str(k + 1), station(x, 3), number(MM * length, 2), *rounded, *there))
    main = record.get("main_droppers") or {"position_m": (), "length_m": (), "rounded_m": ()}
    by_step = sorted(main["rounded_m"], key=lambda r: r["rounded_mm"])
    for k, (x, length) in enumerate(zip(main["position_m"], main["length_m"], strict=True)):
        rounded = (number(MM * r["length_m"][k], 0) for r in by_step)
        there = (text for r in placed for text in (station(x, 2), number(MM * r["main_length_m"][k], 0)))
        rows.append((f"main {k + 1}", station(x, 3), number(MM * length, 2), *rounded, *there))
    steps = [r["rounded_mm"] for r in cut]
    below = [value_text(runs.get(s, {}).get(SIGMA), 2) for s in (0.0, *steps)]
    rows.append(("σ [N]", "", *below, *(text for r in placed for text in ("", value_text(r[SIGMA], 2)))))
    reasons = [f"rounded to {s:g} mm: {runs[s]['message']}" for s in steps if s in runs and runs[s]["message"]]
    reasons += [f"stations to {r['rounded_mm']:g} mm: {r['message']}" for r in moved if r["message"]]
    return Table(
        title="",
        columns=(
            "dropper",
            f"station{' (from its support)' if several else ''}\n[m]",
            "length\n[mm]",
            *(f"rounded\nto {s:g} mm" for s in steps),
            *(text for r in placed for text in (f"station\nto {r['rounded_mm']:g} mm [m]", "length\nthere [mm]")),
        ),
        rows=tuple(rows),
        align="lrr" + "r" * (len(steps) + 2 * len(placed)),
        caption="The last row is the standard deviation of the contact force of the line so cut and placed, found from "
        "rest; a search starts from a near state and may differ by its tolerance. Stations are rounded from their own "
        "support; a dropper's length, to whole millimetres, then gives the same height there. " + "; ".join(reasons),
    )
