"""The page of an emulated test: forces as figs 9 to 12 of paper 001, correction forces, convergence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from studies.report.frame import number
from studies.report.parts import Chart, Curve, Fact, Page, Role, Section, Stations, Table
from studies.rig.loop_jobs import EmulateJob

if TYPE_CHECKING:
    from studies.rig.emulated_run import Outcome

__all__ = ["emulated_page"]

ROLES: dict[str, tuple[Role, str]] = {
    "emulated": ("best", "emulated test, mean of the last spans"),
    "periodic": ("nominal", "periodic state, same harmonics"),
    "untruncated": ("other", "periodic state, every harmonic"),
}
DROPPER_ROLES: tuple[Role, ...] = ("best", "nominal", "other", "fourth", "fifth", "sixth")


def emulated_page(outcome: Outcome, job: EmulateJob) -> Page:
    """Compose the page of one emulated test."""
    summary = outcome.summary
    own = summary["compared"].get("emulated_against_periodic_own_band")
    force = [_force(outcome, job)]
    slack = _corrections(outcome)
    ran = f"The test was stopped: {summary['message']}." if summary["message"] else "The test ran to its end."
    said = (
        ""
        if own is None
        else f" Its standard deviation is {number(own['std_percent'], 2)} % off that of the periodic state and its "
        f"curve {number(own['curve_rms_N'], 2)} N RMS."
    )
    facts = [Fact("spectral radius", number(summary["spectral_radius"], 4), "in contact, without slack")]
    if own is not None:
        facts.append(Fact("σ against the periodic state", f"{number(own['std_percent'], 2)} %", "up to f_max"))
        facts.append(Fact("curve", f"{number(own['curve_rms_N'], 2)} N", "RMS, up to f_max"))
    return Page(
        kicker="Emulated hardware-in-the-loop test",
        title=f"{outcome.model.name} at {summary['speed_kmh']:.1f} km/h, {summary['device']}",
        headline=ran + said,
        facts=tuple(facts),
        warnings=tuple(_warnings(summary)),
        sections=(
            Section("The contact force", charts=tuple(force), tables=(_table(outcome),)),
            *((Section("Slack droppers", charts=(slack,)),) if slack else ()),
            *(
                (Section("How the test settles", charts=(_convergence(outcome),)),)
                if len(outcome.record.change) > 1
                else ()
            ),
        ),
    )


def _warnings(summary: dict) -> list[str]:
    found = []
    if summary["spectral_radius"] >= 1.0:
        found.append(f"The loop is judged unstable: spectral radius {summary['spectral_radius']:.4g}.")
    if summary["compared"]["steady_state"] != "ok":
        found.append(f"The periodic state is not one to rely on: {summary['compared']['steady_state']}.")
    return found


def _force(outcome: Outcome, job: EmulateJob) -> Chart:
    x = outcome.model.position
    curves = [Curve("", x, span, "m", "N", "muted") for span in outcome.spans]
    if curves:
        curves[0] = Curve("long transient, last spans", x, outcome.spans[0], "m", "N", "muted")
    for name, values in outcome.curves.items():
        role, label = ROLES[name]
        curves.append(Curve(label, x, values, "m", "N", role))
    return Chart(
        name="contact_force",
        title="Contact force along the span",
        caption=f"Low-pass filtered: {outcome.summary['filter']}. Ticks at the upper edge are droppers.",
        x_label="Station of the pantograph",
        y_label="Contact force, filtered",
        curves=tuple(curves),
        stations=(Stations("droppers", outcome.model.dropper_position),),
        x_range=(0.0, outcome.model.span),
        height=0.46,
    )


def _corrections(outcome: Outcome) -> Chart | None:
    """Correction forces of the droppers that slacken, emulated and periodic."""
    model, steady = outcome.model, outcome.references.steady.correction_force
    slack = np.flatnonzero((steady > 0.0).any(axis=1))
    if not slack.size or outcome.record.status != "ok":
        return None
    x = (model.dropper_offset + np.arange(model.dropper_steps)) * model.span / model.steps
    curves = []
    for i, d in enumerate(slack):
        role = DROPPER_ROLES[i % len(DROPPER_ROLES)]
        curves.append(Curve("periodic state" if i == 0 else "", x, 1e-3 * steady[d], "m", "kN", "muted"))
        label = f"dropper {d + 1}, emulated"
        curves.append(Curve(label, x, 1e-3 * outcome.record.mean_correction[d], "m", "kN", role))
    used = np.flatnonzero((steady > 0.0).any(axis=0))
    return Chart(
        name="correction_forces",
        title="Correction forces of slack droppers",
        caption="Force that squeezes the ends together: what the linear line's dropper would push back with.",
        x_label="Station of the pantograph, from the support before the dropper",
        y_label="Correction force",
        curves=tuple(curves),
        x_range=(float(x[used[0]]) - 3.0, float(x[used[-1]]) + 3.0),
        height=0.4,
    )


def _convergence(outcome: Outcome) -> Chart:
    change = outcome.record.change[1:]
    spans = np.arange(2, len(outcome.record.change) + 1, dtype=np.float64)
    return Chart(
        name="convergence",
        title="Change of the force from span to span",
        caption="Root mean square of the difference, as a power of ten.",
        x_label="Span of the test",
        y_label="log10 of the change [N]",
        curves=(Curve("emulated test", spans, np.log10(np.maximum(change, 1e-9)), "", ""),),
        height=0.3,
    )


def _table(outcome: Outcome) -> Table:
    rows = tuple(
        (ROLES[name][1], *(number(f[key], 2) for key in f)) for name, f in outcome.summary["contact_force"].items()
    )
    return Table(
        "Statistics",
        ("", "mean [N]", "σ [N]", "maximum [N]", "minimum [N]"),
        rows,
        "lrrrr",
        f"Through the filter of the figures: {outcome.summary['filter']}.",
    )
