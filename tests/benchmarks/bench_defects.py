"""A period of eight spans of which one has a defect: processor time from the steady state of the line without it."""

import time

import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from dynamics.results.by_span import figures_by_span
from dynamics.steady_state.by_difference import line_as_designed, solve_by_difference
from dynamics.steady_state.periodic import solve_periodic
from dynamics.steady_state.span_map import SpanMap
from dynamics.steady_state.tiled_start import tiled_start, without_repeat

LINES = ("bruni_2015", "bruni_2015", 275), ("bruni_2015", "bruni_2015", 320), ("re330", "dsa380", 300)
DEFECTS = {"broken": "{dropper:1,span:3,kind:broken}", "10 mm too long": "{dropper:3,span:3,kind:length,by:0.01}"}
TIGHT, OF_SCENARIOS = 2.0e-5, 2.0e-3
STEPS_MS = (2.0, 1.0)  # of a campaign, of a single run


def spent(call):
    """What a call gives, and its processor time [s]."""
    began = time.process_time()
    found = call()
    return found, time.process_time() - began


def with_tolerance(case, tolerance, **more):
    periodic = case.periodic.model_copy(update={"tolerance": tolerance, "max_spans": 400, **more})
    return case.model_copy(update={"periodic": periodic})


def worst(solution, name):
    return max(getattr(span, name) for span in figures_by_span(solution))


def apart(found, tight):
    """Differences of sigma, of the worst span's sigma and of the largest force [%]."""
    pairs = [(s.statistics.contact_force_std_N, worst(s, "contact_force_std_N"), s.statistics.contact_force_max_N)
             for s in (found, tight)]  # fmt: skip
    return ", ".join(f"{100.0 * (a / b - 1.0):+.2f}" for a, b in zip(*pairs, strict=True)) + " %"


@pytest.mark.benchmark
@pytest.mark.parametrize("step_ms", STEPS_MS)
@pytest.mark.parametrize("defect", list(DEFECTS))
@pytest.mark.parametrize(("line", "pantograph", "speed"), LINES)
def test_defect_from_the_line_as_designed(case_of, figure, line, pantograph, speed, defect, step_ms):
    base = (
        f"catenary={line}",
        f"pantograph={pantograph}",
        f"speed_kmh={speed}",
        "periodic.method=march",
        f"dt={1e-3 * step_ms}",
    )
    case = case_of(*base, "catenary.repeat.spans=8", f"+catenary.repeat.defects=[{DEFECTS[defect]}]")
    alike = without_repeat(case)
    one = solve_periodic(alike)
    source = SpanMap(alike, one.equilibrium)

    def marched(tolerance):
        equilibrium = periodic_equilibrium(case.catenary)
        target = SpanMap(case, equilibrium)
        start = tiled_start(target, source, one.warm_start)
        return solve_periodic(with_tolerance(case, tolerance), start, equilibrium)

    def by_difference(tolerance):
        own = with_tolerance(case, tolerance, method="difference")
        return solve_by_difference(own, periodic_equilibrium(case.catenary), designed)

    marched(1.0e-1)  # compiles
    where = f"{line}, {speed} km/h, 8 spans, dropper {defect}, steps of {step_ms:g} ms"
    tight, whole = spent(lambda: marched(TIGHT))
    figure(f"{where}: whole, to {TIGHT:g}", f"{whole:.1f} s, {tight.spans_marched} spans")
    designed, once = spent(lambda: line_as_designed(case))
    by_difference(1.0e-1)
    for tolerance, reach in ((case.periodic.tolerance, ""), (OF_SCENARIOS, "1 s")):
        whole, seconds = spent(lambda t=tolerance: marched(t))
        what = "sigma, worst span's and maximum against the tight march"
        figure(f"  whole, to {tolerance:g}; {what}", f"{seconds:.2f} s; {apart(whole, tight)}")
        found, seconds = spent(lambda t=tolerance: by_difference(t))
        assert not isinstance(found, str), found
        figure(f"  difference, to {tolerance:g}; the same", f"{seconds:.2f} s; {apart(found, tight)}", reach)
    figure("  line as designed, once for all its defects", f"{once:.1f} s")
