"""The tests of Gil et al., section 5, emulated: pantograph and mass on stitched and simple line, optimised designs.

The emulated test is compared with the periodic state solved at once, that against the long transient; nothing in the
three is shared beyond the line itself. The device of the paper is metal, ours a model, so its forces are printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dynamics.charts.parts import Chart
from dynamics.rig.loop.model import PeriodicModel
from dynamics.rig.loop.settling import own_band
from studies.rig.emulation.charts import correction_chart, force_chart
from studies.rig.emulation.trial import compared, figures
from studies.validation.gates.gates import GatesSpec
from studies.validation.gates.pfem import DesignCase, LineCase, LoopCase, MassCase, PfemGate
from studies.validation.pfem_emulation import Tested, curves_of, run_case
from studies.validation.rows import Comparison, Reference, Row

__all__ = ["case_rows", "compare", "design_rows"]


def compare(gates: GatesSpec, say: Callable[[str], None]) -> Comparison:
    """Run every case of the section and compare it with its references."""
    gate = gates.pfem
    models: dict[str, PeriodicModel] = {}
    rows: list[Row] = []
    charts: list[Chart] = []
    nominal: dict[tuple[str, float], dict[str, dict[str, float]]] = {}
    for case in (*gate.lines, *gate.masses, *gate.designs):
        tested = run_case(gate, case, models, say)
        rows += case_rows(gate, case, tested)
        if isinstance(case, LineCase):
            nominal[case.catenary, case.speed_kmh] = figures(tested.test)
        if isinstance(case, DesignCase):
            rows += design_rows(gate, case, figures(tested.test), nominal[case.catenary, case.speed_kmh])
        charts += _charts(case, tested)
    return Comparison(
        key="pfem",
        title="Hardware loop: the tests of Gil et al. emulated",
        source=gate.source,
        reading=gate.reading,
        rows=tuple(rows),
        charts=tuple(charts),
        remarks=tuple(f"{case.name}: best design of `{case.made_by}`." for case in gate.designs),
    )


def name_of(case: LoopCase) -> str:
    """Case as the table names it."""
    what = f"{case.catenary}, {case.speed_kmh:g} km/h"
    if isinstance(case, MassCase):
        return f"{what}, mass, {case.added_force_N:g} N added"
    return f"{what}, {case.name}" if isinstance(case, DesignCase) else what


def case_rows(gate: PfemGate, case: LoopCase, tested: Tested) -> Iterator[Row]:
    """Rows of one case: stability, settling, and how far test, periodic state and transient are apart."""
    test, name = tested.test, name_of(case)
    chosen, pairs = test.chosen, compared(test)
    if test.record.status != "ok" or chosen.steady.status != "ok":
        failure = test.record.message or f"the periodic state is {chosen.steady.status}"
        yield Row("emulated test", name, "%", None, failure=failure)
        return
    yield from _stability_rows(gate, case, tested)
    own = pairs["emulated_against_periodic_own_band"]
    share = (-gate.sigma_percent, gate.sigma_percent)
    what = "emulated from the predicted state, against the periodic state"
    yield Row(f"σ, {what}", name, "%", own["std_percent"], allowed=share, digits=2)
    yield Row(f"curve, {what}", name, "N RMS", own["curve_rms_N"], allowed=(0.0, gate.curve_N), digits=3)
    if tested.wrong is not None:
        yield _wrong_row(gate, name, tested)
    yield from _slack_rows(gate, name, tested)
    cut = pairs["untruncated_against_periodic"]
    yield Row("σ, periodic state with every harmonic against N_h, N_hd", name, "%", cut["std_percent"], digits=2)
    if test.transient is not None:
        yield from _transient_rows(gate, name, tested)


def _stability_rows(gate: PfemGate, case: LoopCase, tested: Tested) -> Iterator[Row]:
    """Spectral radius with the source's mu_c and with the best one, and what a test from rest comes to."""
    chosen, name = tested.test.chosen, name_of(case)
    mu, paper = chosen.settings.loop.contact_relaxation, chosen.radii[gate.paper_relaxation]
    top = own_band(tested.test.model, chosen.settings.loop)
    judged = "unstable" if paper >= 1.0 else "stable"
    yield Row(
        f"spectral radius with μ_c {gate.paper_relaxation:g}",
        name,
        "",
        paper,
        (Reference("Gil et al.", f"used μ_c {gate.paper_relaxation:g}"),),
        reading=f"N_h {case.height_harmonics}, N_hd {case.dropper_harmonics}, to {top:.1f} Hz; judged {judged}",
        digits=4,
    )
    yield Row(
        f"smallest spectral radius, with μ_c {mu:g}",
        name,
        "",
        chosen.radius,
        reading=f"with the droppers slack that are so finally {chosen.settled_radius:.4f}",
        digits=4,
    )
    at_rest = tested.rest
    met = "not met" if at_rest.met_after is None else f"met after {at_rest.met_after:.0f} s"
    predicted = "" if at_rest.predicted is None else f", predicted {at_rest.predicted:.0f} s at the latest"
    yield Row(
        "σ, emulated from rest, against the periodic state",
        name,
        "%",
        float(at_rest.sigma[-1]),
        reading=f"curve {at_rest.curve[-1]:.2f} N RMS; criterion {met}{predicted}",
        digits=2,
    )


def _wrong_row(gate: PfemGate, name: str, tested: Tested) -> Row:
    """Test whose head is another than the predicted one: how near it comes within the test."""
    wrong = tested.wrong
    assert wrong is not None
    met = "not met" if wrong.met_after is None else f"met after {wrong.met_after:.0f} s"
    return Row(
        f"σ, emulated with a head {100.0 * (gate.wrong_head - 1.0):g} % heavier than predicted, against its own state",
        name,
        "%",
        float(wrong.sigma[-1]),
        reading=f"curve {wrong.curve[-1]:.2f} N RMS, prediction {tested.apart:.2f} N RMS off; criterion {met}",
        digits=2,
    )


def _slack_rows(gate: PfemGate, name: str, tested: Tested) -> Iterator[Row]:
    """Correction forces of slack droppers, emulated against periodic."""
    pairs = compared(tested.test)
    largest = pairs["largest_correction_force_N"]
    if largest <= 0.0:
        return
    samples = int((tested.test.chosen.steady.correction_force > 0.0).sum())
    yield Row(
        "largest difference of a correction force, emulated against periodic",
        name,
        "%",
        100.0 * pairs["correction_force_difference_N"] / largest,
        allowed=(0.0, gate.correction_percent),
        reading=f"of {largest:.0f} N, {samples} slack samples",
        digits=3,
    )


def _transient_rows(gate: PfemGate, name: str, tested: Tested) -> Iterator[Row]:
    """Periodic state and test against the long transient, through the figures' filter."""
    pairs = compared(tested.test)
    if "untruncated_against_transient" not in pairs:
        transient = tested.test.transient
        why = "" if transient is None else f"long transient: {transient.status.value}. {transient.message}"
        yield Row("periodic state against the long transient", name, "%", None, failure=why)
        return
    whole = pairs["untruncated_against_transient"]
    share = (-gate.transient_sigma_percent, gate.transient_sigma_percent)
    what = "periodic state, every harmonic, against the long transient"
    yield Row(f"σ, {what}", name, "%", whole["std_percent"], allowed=share, digits=2)
    yield Row(f"curve, {what}", name, "N RMS", whole["curve_rms_N"], allowed=(0.0, gate.transient_curve_N), digits=3)
    found, cut = pairs["emulated_against_transient"], pairs["untruncated_against_periodic"]["curve_rms_N"]
    yield Row(
        "σ, emulated against the long transient",
        name,
        "%",
        found["std_percent"],
        reading=f"curve {found['curve_rms_N']:.2f} N RMS; cutting off harmonics moves it by {cut:.2f} N RMS",
        digits=2,
    )


def design_rows(
    gate: PfemGate,
    case: DesignCase,
    found: dict[str, dict[str, float]],
    nominal: dict[str, dict[str, float]],
) -> Iterator[Row]:
    """Rows of an optimised design and the nominal line: extremes and sigma, and their changes."""
    name = name_of(case)
    printed = {
        "max": (gate.printed_nominal_N[0], case.printed_max_N),
        "min": (gate.printed_nominal_N[1], case.printed_min_N),
    }
    for which, (before, after) in printed.items():
        key = f"contact_force_{which}_N"
        text = f"{before:g} → {after:g}"
        yield Row(
            f"{'largest' if which == 'max' else 'least'} force, emulated",
            name,
            "N",
            found["emulated"][key],
            (Reference("Gil et al., their own line", text),),
            reading=f"nominal line {nominal['emulated'][key]:.1f} N",
        )
    for way in ("emulated", "transient"):
        if way not in found or way not in nominal:
            continue
        sigma, before = found[way]["contact_force_std_N"], nominal[way]["contact_force_std_N"]
        yield Row(
            f"change of σ against the nominal line, {way}",
            name,
            "%",
            100.0 * (sigma / before - 1.0),
            (Reference("Gil et al., their own line", f"{case.printed_sigma_change_percent:g}"),),
            reading=f"{before:.2f} → {sigma:.2f} N",
            digits=2,
        )


def _charts(case: LoopCase, tested: Tested) -> Iterator[Chart]:
    """Force as in the source's figure, and correction forces where the mass is pressed."""
    kind = case.name if isinstance(case, DesignCase) else "mass" if isinstance(case, MassCase) else "pantograph"
    added = f"_{case.added_force_N:g}" if isinstance(case, MassCase) else ""
    key = f"pfem_{case.catenary}_{case.speed_kmh:g}_{kind}{added}"
    if tested.test.record.status != "ok":
        return
    curves = curves_of(tested.test)
    yield force_chart(curves, key, f"{name_of(case)}: contact force (as {case.figure})")
    if isinstance(case, MassCase) and case.added_force_N > 0.0:
        slack = correction_chart(curves, f"{key}_corrections", f"{name_of(case)}: correction forces (as {case.figure})")
        if slack is not None:
            yield slack
