"""The page of an emulated test: forces as figs 9 to 12 of Gil et al., correction forces, convergence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.charts.numbers import number
from dynamics.charts.parts import Chart, Curve, Level
from dynamics.rig.loop.status import LoopStatus
from studies.report.drawing.parts import Fact, Page, Section, Table
from studies.rig.emulation.charts import FORCE_LABELS, TestCurves, correction_chart, force_chart

__all__ = ["EmulatedContent", "emulated_page"]

Array = NDArray[np.float64]
COMPARED = {
    "emulated_against_periodic_own_band": "emulated against the periodic state, the loop's own band",
    "emulated_against_periodic": "emulated against the periodic state",
    "untruncated_against_periodic": "every harmonic against N_h and N_hd",
    "emulated_against_transient": "emulated against the long transient",
    "untruncated_against_transient": "every harmonic against the long transient",
}


@dataclass(frozen=True)
class EmulatedContent:
    """Content of the page.

    Attributes
    ----------
    summary : dict
        Content of summary.json.
    curves : TestCurves
        Forces and correction forces over one span.
    span_end, error : float array (span,)
        End of every span [s], RMS difference of its force from the periodic state [N].
    command : str
        Command line that the test came from.
    """

    summary: dict[str, Any]
    curves: TestCurves
    span_end: Array
    error: Array
    command: str = ""


def emulated_page(content: EmulatedContent) -> Page:
    """Compose the page of one emulated test."""
    summary = content.summary
    own = summary["compared"].get("emulated_against_periodic_own_band")
    slack = correction_chart(content.curves)
    ran = f"The test was stopped: {summary['message']}." if summary["message"] else "The test ran to its end."
    if summary["spectral_radius"] >= 1.0:
        ran += " Its loop is UNSTABLE: it comes to no steady state."
    said = (
        ""
        if own is None
        else f" Its standard deviation is {number(own['std_percent'], 2)} % off that of the periodic state and its "
        f"curve {number(own['curve_rms_N'], 2)} N RMS."
    )
    settles = (Section("How the test settles", charts=(_convergence(content),)),) if content.error.size > 1 else ()
    again = (Section("Run it again", command=content.command),) if content.command else ()
    return Page(
        kicker="Emulated hardware-in-the-loop test",
        title=f"{summary['catenary']} at {summary['speed_kmh']:.1f} km/h, {summary['device']}",
        headline=ran + said,
        facts=tuple(_facts(summary, own)),
        warnings=tuple(_warnings(summary)),
        sections=(
            Section("The contact force", charts=(force_chart(content.curves),), tables=_tables(summary)),
            *((Section("Slack droppers", charts=(slack,)),) if slack else ()),
            *settles,
            *again,
        ),
    )


def _facts(summary: dict[str, Any], own: dict[str, float] | None) -> list[Fact]:
    facts = [Fact("spectral radius", number(summary["spectral_radius"], 4), "the larger of without and with slack")]
    if own is not None:
        facts.append(Fact("σ against the periodic state", f"{number(own['std_percent'], 2)} %", "up to f_max"))
        facts.append(Fact("curve", f"{number(own['curve_rms_N'], 2)} N", "RMS, up to f_max"))
    met, predicted = summary["criterion_met_after_s"], summary["criterion_foretold_s"]
    remark = "0.5 % of σ and 1 N" + ("" if predicted is None else f"; by the radius {predicted:.0f} s at the latest")
    stable = summary["spectral_radius"] < 1.0
    name, remark = ("settled after", remark) if stable else ("near it from", f"{remark}; it does not stay there")
    facts.append(Fact(name, "not yet" if met is None else f"{met:.0f} s", remark))
    return facts


def _warnings(summary: dict[str, Any]) -> list[str]:
    found = []
    if summary["spectral_radius"] >= 1.0:
        found.append(
            f"The loop is judged unstable: an error grows by {summary['spectral_radius']:.4g} from span to span. What "
            "is near the periodic state, as a test that began there, leaves it sooner or later."
        )
    if (state := summary["compared"]["steady_state"]) != LoopStatus.OK:
        found.append(f"The periodic state is not one to rely on: {LoopStatus(state).sentence}.")
    return found


def _convergence(content: EmulatedContent) -> Chart:
    kept = content.error > 0.0
    ramp = float(content.summary["loop"]["ramp_s"])
    return Chart(
        name="convergence",
        title="Distance of every span's force from the periodic state",
        caption=f"Root mean square in the loop's own band, as a power of ten. The ramp ends after {ramp:g} s.",
        x_label="Time",
        y_label="log10 of the distance [N]",
        curves=(Curve("emulated test", content.span_end[kept], np.log10(content.error[kept]), "s", ""),),
        levels=(Level("1 N", 0.0),),
        height=0.3,
    )


def _tables(summary: dict[str, Any]) -> tuple[Table, Table]:
    rows = tuple(
        (FORCE_LABELS[name], *(number(f[key], 2) for key in f)) for name, f in summary["contact_force"].items()
    )
    pairs = tuple(
        (text, f"{summary['compared'][key]['std_percent']:+.2f}", number(summary["compared"][key]["curve_rms_N"], 3))
        for key, text in COMPARED.items()
        if key in summary["compared"]
    )
    caption = f"Through the filter of the figures: {summary['filter']}."
    return (
        Table("Statistics", ("", "mean [N]", "σ [N]", "maximum [N]", "minimum [N]"), rows, "lrrrr", caption),
        Table("Differences", ("", "σ [%]", "curve [N RMS]"), pairs, "lrr"),
    )
