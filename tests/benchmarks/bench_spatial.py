"""Lines in space compared with the plane: the difference, the time of a transient and of a steady state."""

import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from dynamics.steady_state.learned_start import learned_start
from dynamics.steady_state.periodic import solve_periodic
from dynamics.steady_state.transient import solve_transient
from studies.commands.optimise import compose as compose_campaign

DIMENSIONS = ("planar", "spatial")


@pytest.mark.benchmark
@pytest.mark.parametrize("speed", [275, 320])
def test_difference_to_the_plane(bruni, figure, speed):
    found = [solve_periodic(bruni(speed, f"dimension={d}")) for d in DIMENSIONS]
    for dimension, solution in zip(DIMENSIONS, found, strict=True):
        eq, s = solution.equilibrium, solution.statistics
        assert s is not None, solution.message
        figure(f"bruni_2015, {speed} km/h, {dimension}: mean, sigma, max, min, uplift",
               f"{s.contact_force_mean_N:.2f}, {s.contact_force_std_N:.2f}, {s.contact_force_max_N:.1f}, "
               f"{s.contact_force_min_N:.1f} N, {s.max_uplift_at_supports_mm:.1f} mm")  # fmt: skip
        figure("  largest residual of form-finding; reaction along the track",
               f"{eq.residual:.1e} N; {abs(eq.horizontal_reaction).max():.1e} N", "1e-6 N")  # fmt: skip
    a, b = (s.statistics.contact_force_std_N for s in found)
    figure("  sigma in space against the plane", f"{100 * (b / a - 1):+.2f} %")


@pytest.mark.benchmark
def test_transient_of_twenty_spans(bruni, figure, timed):
    case = bruni(320, "applied_force_N=182.17", "dimension=spatial", solver="transient",
                 transient={"spans": 20, "spans_evaluated": 10})  # fmt: skip
    solution, timing = timed(lambda: solve_transient(case))
    assert solution.statistics is not None
    figure("spatial transient, 20 spans, bruni_2015, 320 km/h, 1 ms", timing, "<= 6 s")


@pytest.mark.benchmark
@pytest.mark.parametrize("method", ["operator", "march"])
def test_form_finding_and_steady_state(bruni, figure, timed, method):
    """A campaign's window, step and tolerance; from rest, and from what is known of the line as published.

    The operator's state begins at rest in both: what is known are poles, without which they are searched for.
    """
    periodic = compose_campaign([]).job.periodic.model_dump() | {"method": method}
    case = bruni(320, "dimension=spatial", dt=2e-3, periodic=periodic)
    form, timing = timed(lambda: periodic_equilibrium(case.catenary))
    figure(f"spatial cell: form-finding, {form.iterations} iterations", timing)
    nothing, known = {"operator": ("poles searched for", "poles known"), "march": ("from rest", "a neighbour's state")}[
        method
    ]
    for name, start, wanted in ((nothing, None, ""), (known, learned_start(case), "<= 0.2 s")):
        solution, timing = timed(lambda start=start: solve_periodic(case, start))
        assert solution.method == method, solution.message
        spans = "" if method == "operator" else f", {solution.spans_marched} spans"
        figure(f"{method}: form-finding and steady state, {name}{spans}", timing, wanted)
