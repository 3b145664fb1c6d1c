"""Pictures of an emulated test as figs 9 to 12 of Gil et al.: contact force along the span, correction forces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynamics.charts.parts import Chart, Curve, Role, Stations

__all__ = ["FORCE_LABELS", "TestCurves", "correction_chart", "force_chart"]

Array = NDArray[np.float64]
ROLES: dict[str, Role] = {"emulated": "best", "periodic": "nominal", "untruncated": "other"}
FORCE_LABELS = {
    "emulated": "emulated test, mean of the last spans",
    "periodic": "periodic state, same harmonics",
    "untruncated": "periodic state, every harmonic",
    "transient": "long transient",
}
DROPPER_ROLES: tuple[Role, ...] = ("best", "nominal", "other", "fourth", "fifth", "sixth")


@dataclass(frozen=True)
class TestCurves:
    """Data of the pictures of one test.

    Attributes
    ----------
    position : float array (step,)
        Stations [m].
    forces : dict of str to float array (step,)
        Filtered contact forces [N] by name: 'emulated', 'periodic', 'untruncated'.
    spans : float array (span, step)
        Last spans of the long transient, filtered alike [N]; none where it was not run.
    corrections : dict of str to float array (dropper, dropper step)
        Correction forces [N], 'emulated' and 'periodic'.
    local : float array (dropper step,)
        Stations of the pantograph at the droppers' samples [m].
    droppers : float array (dropper,)
        Stations [m].
    span : float
        [m].
    filter : str
        Its name.
    """

    __test__ = False  # no test of pytest's, though its name begins so

    position: Array
    forces: dict[str, Array]
    spans: Array
    corrections: dict[str, Array]
    local: Array
    droppers: Array
    span: float
    filter: str


def force_chart(curves: TestCurves, name: str = "contact_force", title: str = "Contact force along the span") -> Chart:
    """Contact force of the test, of both periodic states and of the long transient's last spans."""
    x = curves.position
    drawn = [
        Curve("long transient, last spans" if k == 0 else "", x, span, "m", "N", "muted")
        for k, span in enumerate(curves.spans)
    ]
    # the periodic state last: it is dashed, and a test that has settled lies under it
    order = [key for key in ("untruncated", "emulated", "periodic") if key in curves.forces]
    drawn += [Curve(FORCE_LABELS[key], x, curves.forces[key], "m", "N", ROLES[key]) for key in order]
    return Chart(
        name=name,
        title=title,
        caption=f"Low-pass filtered: {curves.filter}. Ticks at the upper edge are droppers.",
        x_label="Station of the pantograph",
        y_label="Contact force, filtered",
        curves=tuple(drawn),
        stations=(Stations("droppers", curves.droppers),),
        x_range=(0.0, curves.span),
        height=0.46,
    )


def correction_chart(
    curves: TestCurves, name: str = "correction_forces", title: str = "Correction forces of slack droppers"
) -> Chart | None:
    """Correction forces of the droppers that slacken, emulated and periodic; None where there are none."""
    if "emulated" not in curves.corrections or "periodic" not in curves.corrections:
        return None
    steady, emulated = curves.corrections["periodic"], curves.corrections["emulated"]
    slack = np.flatnonzero((steady > 0.0).any(axis=1))
    if not slack.size:
        return None
    x, drawn = curves.local, []
    for i, d in enumerate(slack):
        role = DROPPER_ROLES[i % len(DROPPER_ROLES)]
        drawn.append(Curve(f"dropper {d + 1}, emulated", x, 1e-3 * emulated[d], "m", "kN", role))
        drawn.append(Curve("periodic state" if i == 0 else "", x, 1e-3 * steady[d], "m", "kN", "muted"))
    used = np.flatnonzero((steady > 0.0).any(axis=0))
    return Chart(
        name=name,
        title=title,
        caption="Force that squeezes the ends together: what the linear line's dropper would push back with.",
        x_label="Station of the pantograph, from the support before the dropper",
        y_label="Correction force",
        curves=tuple(drawn),
        x_range=(float(x[used[0]]) - 3.0, float(x[used[-1]]) + 3.0),
        height=0.4,
    )
