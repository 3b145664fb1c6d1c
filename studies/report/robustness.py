"""Both designs away from the design point: over a band of speeds, and with random height errors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from studies.report.content import Array, Robustness
from studies.report.frame import number
from studies.report.parts import Chart, Curve, Role, Stations, Table
from studies.report.tables import change_percent

__all__ = ["height_error_chart", "robustness_table", "speed_chart"]


def speed_chart(robust: Robustness) -> Chart | None:
    """Draw sigma of both designs over the speed."""
    curves: list[Curve] = []
    designs: tuple[tuple[str, Array, Role], ...] = (
        ("nominal", robust.nominal_by_speed, "nominal"),
        ("best", robust.best_by_speed, "best"),
    )
    for label, sigma, role in designs:
        known = np.isfinite(sigma)
        x, y = robust.speed_kmh[known], sigma[known]
        if x.size:
            mark = "rings" if role == "nominal" else "dots"
            curves += [Curve(label, x, y, "km/h", "N", role), Curve("", x, y, "km/h", "N", role, mark)]
    if not curves:
        return None
    return Chart(
        name="speed",
        title="Standard deviation over the speed",
        caption="At each speed its own mean force is held. The dotted line is the speed of the search.",
        x_label="Speed",
        y_label="σ",
        curves=tuple(curves),
        stations=(Stations("speed of the search", np.array([robust.design_speed_kmh]), full_height=True),),
        height=0.36,
    )


def height_error_chart(robust: Robustness) -> Chart | None:
    """Draw the share of lines with height errors whose sigma stays below a value."""
    curves = tuple(
        c
        for c in (
            _shares("nominal", robust.nominal_with_errors, "nominal"),
            _shares("best", robust.best_with_errors, "best"),
        )
        if c is not None
    )
    if not curves:
        return None
    return Chart(
        name="height_errors",
        title="Standard deviation with height errors",
        caption="Each step is one line whose contact-wire heights at the droppers err by independent normal "
        f"deviates of {robust.height_sd_mm:g} mm; both designs have the same errors.",
        x_label="σ",
        y_label="Lines with a lower σ",
        curves=curves,
        x_range=_with_margin(np.concatenate([c.x for c in curves])),
        y_range=(0.0, 104.0),
        height=0.3,
    )


def _with_margin(x: Array) -> tuple[float, float]:
    low, high = float(x.min()), float(x.max())
    margin = 0.04 * (high - low) if high > low else 0.5
    return low - margin, high + margin


def _shares(label: str, sigma: Array, role: Role) -> Curve | None:
    known = np.sort(sigma[np.isfinite(sigma)])
    if not known.size:
        return None
    # of all lines: those that could not be computed keep the curve below 100 %
    share = 100.0 * np.arange(known.size + 1) / sigma.size
    return Curve(label, np.append(known[0], known), share, "N", "%", role, "step")


def robustness_table(robust: Robustness) -> Table:
    """Sigma of both designs where both could be computed, and how many could not."""
    speeds = (robust.nominal_by_speed, robust.best_by_speed)
    errors = (robust.nominal_with_errors, robust.best_with_errors)
    return Table(
        title="",
        columns=("σ [N]", "nominal", "best", "change"),
        rows=(
            _row("largest over the speeds", np.max, *speeds),
            _row("median with height errors", np.median, *errors),
            _row("largest with height errors", np.max, *errors),
            ("speeds computed", *(_count(v) for v in speeds), ""),
            ("lines with errors computed", *(_count(v) for v in errors), ""),
        ),
        align="lrrr",
        caption="Compared are the speeds and errors at which both designs could be computed; a line with "
        "errors may be slack at rest, and then it has no σ.",
    )


def _count(sigma: Array) -> str:
    return f"{np.count_nonzero(np.isfinite(sigma))} of {sigma.size}"


def _row(name: str, pick: Callable[[Array], np.floating], nominal: Array, best: Array) -> tuple[str, str, str, str]:
    both = np.isfinite(nominal) & np.isfinite(best)
    if not both.any():
        return name, "–", "–", "–"
    before, after = float(pick(nominal[both])), float(pick(best[both]))
    return name, number(before, 2), number(after, 2), change_percent(after, before)
