"""The transient: its speed, and the error of the travelling window against a march of the whole open line."""

import numpy as np
import pytest

from catenary.form_finding.equilibrium import open_line_equilibrium
from dynamics.contact_force.filters import filter_record
from dynamics.open_line.run import prepare_line, run_whole_line
from dynamics.steady_state.transient import solve_transient

SPANS, FIRST, RUN, SKIPPED = 30, 10, 8, 2


@pytest.mark.benchmark
def test_transient_of_twenty_spans(bruni, figure, timed):
    case = bruni(320, "applied_force_N=182.17", solver="transient", transient={"spans": 20, "spans_evaluated": 10})
    solution, timing = timed(lambda: solve_transient(case), repeats=7)
    assert solution.statistics is not None
    parts = solution.wall_time_s
    figure("transient, 20 spans, bruni_2015, 320 km/h, 6 elements a bay, 1 ms", timing, "<= 1.5 s")
    figure(
        "  of the last one: form-finding, dynamics",
        f"{1e3 * parts['equilibrium']:.1f} ms, {parts['dynamics']:.3f} s",
    )
    figure("  contact loss, sigma", f"{solution.statistics.contact_loss_percent:.2f} %, "
           f"{solution.statistics.contact_force_std_N:.2f} N")  # fmt: skip


@pytest.mark.benchmark
@pytest.mark.parametrize(("line", "pantograph", "speed"), [
    ("bruni_2015", "bruni_2015", 275), ("bruni_2015", "bruni_2015", 320), ("re330", "dsa380", 300),
])  # fmt: skip
def test_window_against_full_march(case_of, figure, line, pantograph, speed):
    force = {275: 152.25, 320: 182.17, 300: 157.3}[speed]
    case = case_of(
        f"catenary={line}",
        f"pantograph={pantograph}",
        f"speed_kmh={speed}",
        f"applied_force_N={force}",
        solver="transient",
        transient={"spans": RUN, "spans_evaluated": RUN},
    )
    window = solve_transient(case)
    whole = run_whole_line(case, prepare_line(case, open_line_equilibrium(case.catenary, SPANS)), FIRST, RUN).histories
    dt, cut = case.time_step, slice(SKIPPED * case.steps_per_period, None)
    a, b = (filter_record(x, dt, 0.0, 20.0)[cut] for x in (window.contact_force, whole.contact_force[:, 0]))
    figure(
        f"window against full march, {line}, {speed} km/h, 1 ms, spans {SKIPPED + 1} to {RUN}: sigma",
        f"{a.std():.4f} and {b.std():.4f} N, {100 * (a.std() / b.std() - 1):+.3f} %",
        "0.1 %",
    )
    figure("  largest difference of the filtered force", f"{np.abs(a - b).max():.3f} N")
