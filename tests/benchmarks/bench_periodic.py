"""The periodic steady state: against the long transient, against a longer window, and in its linear limit."""

import numpy as np
import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from dynamics.influence.matrices import influence_matrices
from dynamics.pantograph.lumped import pantograph_matrices
from dynamics.spec.status import Status
from dynamics.steady_state.periodic import PLAIN_SPANS, iterate, solve_periodic
from dynamics.steady_state.span_map import SpanMap
from dynamics.steady_state.transient import solve_transient

MARCH = "periodic.method=march"


def percent(a, b):
    return 100.0 * (a / b - 1.0)


def with_wider_window(case):
    spans = case.periodic.spans_behind, case.periodic.spans_ahead
    wide = {"spans_behind": round(1.5 * spans[0]), "spans_ahead": round(1.5 * spans[1])}
    return case.model_copy(update={"periodic": case.periodic.model_copy(update=wide)})


@pytest.mark.benchmark
@pytest.mark.parametrize(("line", "pantograph", "speed"), [
    *(("bruni_2015", "bruni_2015", v) for v in (230, 275, 300, 320)), ("re330", "dsa380", 300),
])  # fmt: skip
def test_periodic_against_long_transient(case_of, figure, line, pantograph, speed):
    case = case_of(f"catenary={line}", f"pantograph={pantograph}", f"speed_kmh={speed}", MARCH)
    periodic = solve_periodic(case)
    assert periodic.statistics is not None, periodic.message
    # the transient is given the force that the steady state found, so that its mean is a result
    given = {"mean_force_N": None, "applied_force_N": periodic.applied_force_N, "solver": "transient"}
    long = solve_transient(type(case).model_validate({**case.model_dump(), **given}))
    halves = long.halves
    assert long.statistics is not None and halves[0] is not None and halves[1] is not None, long.message
    p, t = periodic.statistics, long.statistics
    where = f"{line}, {speed} km/h, 1 ms"
    figure(
        f"periodic against long transient, {where}: sigma",
        f"{p.contact_force_std_N:.3f} and {t.contact_force_std_N:.3f} N, "
        f"{percent(p.contact_force_std_N, t.contact_force_std_N):+.3f} %",
        "0.5 %",
    )
    figure("  mean", f"{p.contact_force_mean_N - t.contact_force_mean_N:+.4f} N", "0.1 N")
    spread = percent(halves[0].contact_force_std_N, halves[1].contact_force_std_N)
    figure("  the transient's own spread, first 20 against last 20 of 40 spans", f"{spread:+.3f} %")
    wider = solve_periodic(with_wider_window(case))
    assert wider.statistics is not None
    moved = percent(wider.statistics.contact_force_std_N, p.contact_force_std_N)
    figure("  window x 1.5 moves sigma by", f"{moved:+.3f} %", "0.2 %")
    loss = f"{p.contact_loss_percent:.2f} %, {(periodic.dropper_force.min(axis=0) <= 0.0).sum()}"
    figure("  spans to the steady state; contact loss, droppers that slacken", f"{periodic.spans_marched}; {loss}")


@pytest.mark.benchmark
def test_window_at_no_mass_damping(bruni, figure):
    case = bruni(320, MARCH)
    damping = case.catenary.damping.model_copy(update={"alpha": 0.0})
    case = case.model_copy(update={"catenary": case.catenary.model_copy(update={"damping": damping})})
    a, b = (solve_periodic(c).statistics for c in (case, with_wider_window(case)))
    assert a is not None and b is not None
    moved = percent(b.contact_force_std_N, a.contact_force_std_N)
    figure("window x 1.5 at alpha = 0, bruni_2015, 320 km/h: moves sigma by", f"{moved:+.3f} %", "0.2 %")


def linear_force(case, matrices):
    """Contact force (step,) [N] without slack or loss, from I_cc and the pantograph's harmonics."""
    N, dt = len(matrices.z0), case.time_step
    mass, damping, stiffness = pantograph_matrices(case.pantograph)
    head, by_applied = np.empty(N // 2 + 1, complex), 0.0
    for k in range(len(head)):
        W = 2.0 / dt * np.tan(np.pi * k / N)
        answer = np.linalg.inv(-W * W * np.diag(mass) + 1j * W * damping + stiffness)
        head[k] = answer[0, 0]
        by_applied = answer[0, -1].real if k == 0 else by_applied
    row = np.fft.irfft(head, N)
    circulant = row[(np.arange(N)[:, None] - np.arange(N)) % N]
    system = np.eye(N) / case.contact.stiffness + matrices.I_cc + circulant
    return np.linalg.solve(system, by_applied * case.applied_force_N - matrices.z0)


def marched_force(case):
    """The same by the travelling window, droppers so far from slack that none can be."""
    span_map = SpanMap(case, periodic_equilibrium(case.catenary))
    droppers = span_map.window.droppers
    span_map.window.droppers = droppers._replace(force=droppers.force + 1.0e9)
    _, _, _, status = iterate(span_map, span_map.static_start(), PLAIN_SPANS, None)
    assert status is Status.OK and span_map.record is not None, status.value
    return np.roll(span_map.record.force, 1)


@pytest.mark.benchmark
@pytest.mark.parametrize(("speed", "applied"), [(200, 110.0), (275, 152.25)])
def test_linear_limit(bruni, figure, speed, applied):
    case = bruni(speed, f"applied_force_N={applied}", MARCH, dt=2.0e-3)
    matrices = influence_matrices(case)
    bloch = linear_force(case, matrices)
    assert bloch.min() > 0.0, f"contact must hold for the line to be linear: least force {bloch.min():.1f} N"
    force = marched_force(case.model_copy(update={"periodic": case.periodic.model_copy(update={"tolerance": 1.0e-4})}))
    figure(
        f"linear limit, bruni_2015, {speed} km/h, 2 ms, {applied:g} N: sigma of march and Bloch (raw)",
        f"{force.std():.4f} and {bloch.std():.4f} N, {percent(force.std(), bloch.std()):+.3f} %",
        "0.3 %",
    )
    figure("  largest difference of the force", f"{np.abs(force - bloch).max():.4f} N")
    figure("  least contact force; quadrature error", f"{bloch.min():.1f} N; {matrices.truncation_error:.1e}")
