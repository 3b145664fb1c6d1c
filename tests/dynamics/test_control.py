"""Controllers: against closed forms of the law, stability by Nyquist, springs, dampers and masses that do the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.linalg import solve_continuous_lyapunov
from scipy.optimize import brentq

from dynamics.adjoint.figures import refusal_of_derivatives
from dynamics.pantograph.control.discrete import control_of, memory_at_rest
from dynamics.pantograph.control.kernel import Control, commit, held_force, next_force
from dynamics.pantograph.control.law import acting_on, continuous_law, measured_by
from dynamics.pantograph.linear import linear_pantograph
from dynamics.results.dataset import result_dataset
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import job_input, load_pantograph
from dynamics.spec.checks.operator_scope import outside_the_operator
from dynamics.spec.control.controller import ControlSpec
from dynamics.spec.pantograph import PantographSpec

Floats = np.ndarray[Any, np.dtype[np.float64]]
CHAIN = load_pantograph("bruni_2015")
MARCH = {"method": "march", "spans_behind": 4, "spans_ahead": 6}
STEADY = {"dt": 4e-3, "mean_force_N": None, "applied_force_N": 150.0, "periodic": MARCH}
OPEN = {
    "dt": 4e-3, "mean_force_N": None, "applied_force_N": 150.0, "solver": "open_line", "open_line":
    {"spans": 6, "start": 1, "first_evaluated": 3, "last_evaluated": 3, "spans_after": 1},
}  # fmt: skip
ONE_MASS = PantographSpec(name="one", masses=(12.0,), stiffnesses=(60.0,), dampings=(80.0,))


def spec(**given: Any) -> ControlSpec:
    return ControlSpec.model_validate(given)


def controlled(base: PantographSpec = CHAIN, **given: Any) -> PantographSpec:
    return PantographSpec.model_validate({**base.model_dump(), "control": given})


def case_with(pantograph: PantographSpec, **given: Any) -> CaseSpec:
    return job_input(CaseSpec, "bruni_2015", pantograph, {"speed_kmh": 275.0, **given})


def force_of(pantograph: PantographSpec, **given: Any) -> Floats:
    found = solve(case_with(pantograph, **given))
    assert found.statistics is not None, found.message
    return found.pantographs[0].contact_force


def answer_at(given: ControlSpec, hz: float, dt: float) -> complex:
    """Control force by a sinusoidal contact force, as the compiled controller gives it step by step."""
    law = control_of(given, linear_pantograph(CHAIN), dt, 0.0)
    memory = memory_at_rest(given, linear_pantograph(CHAIN), law, 0.0)
    time = dt * np.arange(1, round(12.0 / dt) + 1)
    angle, found = 2.0 * np.pi * hz * time, np.empty(len(time))
    wave = np.exp(1j * angle)
    for n, value in enumerate(np.cos(angle)):
        commit(law, memory, float(value), 0.0)
        found[n] = held_force(law, memory)
    last = slice(-round(4.0 / hz / dt), None)
    return complex(2.0 * np.mean(found[last] * wave[last].conj()))


@pytest.mark.parametrize("hz", [1.0, 5.0])
def test_pid_and_actuator_answer_as_their_transfer_function(hz: float) -> None:
    given = spec(
        measures="force", pid={"proportional": 0.4, "integral": 2.0, "derivative": 0.03, "derivative_filter_s": 0.02,
        "leak_hz": 0.2}, actuator={"delay_s": 0.0307, "lag_s": 0.015},
    )  # fmt: skip
    s = 2j * np.pi * hz
    by_hand = 0.4 + 2.0 / (s + 2 * np.pi * 0.2) + 0.03 * s / (1 + 0.02 * s)
    by_hand *= np.exp(-0.0307 * s) / (1 + 0.015 * s)
    errors = [abs(answer_at(given, hz, dt) - by_hand) / abs(by_hand) for dt in (4e-3, 2e-3)]
    assert errors[1] < 2e-3 * hz**2
    assert errors[0] / errors[1] > 3.0  # second order in the step


def loop_growth(gain: float, delay: float, contact: float, dt: float = 5e-4) -> float:
    """Growth of a mass between base and contact spring, its contact force fed back: last against first half."""
    law = control_of(spec(pid={"proportional": gain}, actuator={"delay_s": delay}), linear_pantograph(ONE_MASS), dt, 0)
    m, c, k = ONE_MASS.masses[0], ONE_MASS.dampings[0], ONE_MASS.stiffnesses[0] + contact
    memory, z, v, heights = np.zeros(len(law.output) + 6 + law.delay), 1e-3, 0.0, []
    acceleration, A = -(c * v + k * z) / m, m + 0.5 * dt * c + 0.25 * dt**2 * k
    for _ in range(8000):
        push, z_new, v_new, new = held_force(law, memory), z, v, acceleration
        for _ in range(8):
            ahead_z, ahead_v = z + dt * v + 0.25 * dt**2 * acceleration, v + 0.5 * dt * acceleration
            new = (push - c * ahead_v - k * ahead_z) / A
            z_new, v_new = ahead_z + 0.25 * dt**2 * new, ahead_v + 0.5 * dt * new
            push = next_force(law, memory, -contact * z_new, 0.0)
        commit(law, memory, -contact * z_new, 0.0)
        z, v, acceleration = z_new, v_new, new
        heights.append(z)
    return float(np.std(heights[4000:]) / np.std(heights[:4000]))


def test_delay_makes_a_force_loop_unstable_where_nyquist_says() -> None:
    delay, contact = 0.03, 3000.0
    m, c, k = ONE_MASS.masses[0], ONE_MASS.dampings[0], ONE_MASS.stiffnesses[0] + contact

    def phase(w: float) -> float:
        return w * delay + np.arctan2(c * w, k - m * w**2) - np.pi

    crossing = brentq(phase, 5.0, 200.0)
    limit = abs(k - m * crossing**2 + 1j * c * crossing) / contact
    assert loop_growth(0.96 * limit, delay, contact) < 1.0 < loop_growth(1.04 * limit, delay, contact)


@pytest.mark.parametrize("measures", ["force", "height", "acceleration"])
@pytest.mark.parametrize("acts", ["base", "head", "suspension"])
def test_state_feedback_is_the_best_of_its_kind(measures: str, acts: str) -> None:
    """Mean cost on the controller's own model, by Lyapunov's equation, rises with every changed gain."""
    given = spec(measures=measures, acts=acts, feedback={"effort": 0.3, "noise": 0.05}, actuator={"lag_s": 0.02})
    own = linear_pantograph(CHAIN)
    law, stated = continuous_law(given, own), given.feedback
    assert stated is not None
    A, force, seen = measured_by(given, stated.contact_stiffness, own)
    slow = 2.0 * np.pi * stated.wire_hz
    A[-1, -1] = -slow
    n = len(A)
    push = np.zeros(n)
    push[len(own.mass) : n - 1] = acting_on(given, own) / own.mass
    direct = push[len(own.mass)] if measures == "acceleration" else 0.0
    plant, lag = np.block([[A, push[:, None]], [np.zeros((1, n)), -np.eye(1) / 0.02]]), np.eye(n + 1)[-1] / 0.02
    sensor = np.append(seen, direct)

    def cost(gain: Floats, estimator: Floats) -> float:
        inside = law.A + np.outer(estimator + law.B, -sensor) + np.outer(lag, gain - law.C)
        whole = np.block([[plant, np.outer(lag, gain)], [np.outer(estimator, sensor), inside]])
        assert np.linalg.eigvals(whole).real.max() < 0.0
        noise = np.zeros_like(whole)
        noise[n - 1, n - 1] = 2.0 * slow * stated.wire_m**2
        noise[n + 1 :, n + 1 :] = stated.noise**2 * np.outer(estimator, estimator)
        spread = np.asarray(solve_continuous_lyapunov(whole, -noise))
        weight = np.concatenate([force, np.zeros(n + 2)])
        return float(weight @ spread @ weight + stated.effort * gain @ spread[n + 1 :, n + 1 :] @ gain)

    best = cost(law.C, -law.B)
    for k in range(n + 1):
        for factor in (0.97, 1.03):
            changed = np.ones(n + 1)
            changed[k] = factor
            assert cost(law.C * changed, -law.B) > best * (1 - 1e-7)
            assert cost(law.C, -law.B * changed) > best * (1 - 1e-7)
    assert cost(0.9 * law.C, -law.B) > best * (1 + 1e-7)


@pytest.mark.parametrize("where", [STEADY, OPEN], ids=["steady", "open"])
def test_without_gains_the_force_is_that_of_a_passive_pantograph(where: dict[str, Any]) -> None:
    passive = force_of(CHAIN, **where)
    np.testing.assert_array_equal(force_of(controlled(pid={}, actuator={"delay_s": 0.01}), **where), passive)


@pytest.mark.parametrize("where", [STEADY, OPEN], ids=["steady", "open"])
def test_gains_on_the_head_are_a_spring_a_damper_and_a_mass(where: dict[str, Any]) -> None:
    one = ONE_MASS.model_copy(update={"stiffnesses": (460.0,), "dampings": (120.0,)})
    given = {"measures": "height", "acts": "head", "pid": {"proportional": 400.0, "derivative": 40.0}}
    reference = force_of(one, **where)
    # steps of the open line converge to 5e-8 m, 0.0025 N of a contact spring of 50 kN/m
    tolerance = 1e-4 if where is STEADY else 2e-2
    assert np.abs(force_of(controlled(ONE_MASS, **given), **where) - reference).max() < tolerance
    heavier = CHAIN.model_copy(update={"masses": (CHAIN.masses[0] + 3.0, *CHAIN.masses[1:])})
    given = {"measures": "acceleration", "acts": "head", "pid": {"proportional": 3.0}}
    force, reference = force_of(controlled(**given), **where), force_of(heavier, **where)
    # on the open line the controller has not seen how the head is hit at the start
    assert np.abs(force - reference)[len(force) // 3 :].max() < (1e-4 if where is STEADY else 0.5)
    assert np.abs(force - force_of(CHAIN, **where)).max() > 5.0


def test_a_suspension_is_pushed_at_both_ends() -> None:
    """Force on the head and its reaction on the next mass."""
    given = {"measures": "acceleration", "acts": "suspension", "pid": {"proportional": 2.0}}
    own = linear_pantograph(CHAIN)
    np.testing.assert_array_equal(acting_on(spec(**given), own), [1.0, -1.0, 0.0])
    assert np.abs(force_of(controlled(**given), **STEADY) - force_of(CHAIN, **STEADY)).max() > 1.0


def test_an_integral_holds_the_mean_force_and_the_applied_force_stays() -> None:
    held = {**STEADY, "mean_force_N": 143.0, "applied_force_N": None}
    given: dict[str, Any] = {"pid": {"proportional": 0.2, "integral": 1.0}, "actuator": {"lag_s": 0.01}}
    case = case_with(controlled(**given), **held)
    found = solve(case)
    assert found.statistics is not None
    assert abs(found.statistics.contact_force_mean_N - 143.0) < 0.05
    wanted = {**given, "reference": 150.0}
    other = solve(case_with(PantographSpec.model_validate({**CHAIN.model_dump(), "control": wanted}), **STEADY))
    assert other.statistics is not None and other.applied_force_N == 150.0
    assert abs(other.statistics.contact_force_mean_N - 150.0) < 0.05


def test_a_saturated_actuator_keeps_its_limit_and_its_integral_follows() -> None:
    given = spec(pid={"integral": 10.0, "tracking_s": 0.05}, actuator={"limit_N": 20.0})
    own = linear_pantograph(CHAIN)
    law = control_of(given, own, 1e-3, 0.0)
    memory = memory_at_rest(given, own, law, 0.0)
    for _ in range(3000):
        commit(law, memory, 50.0, 0.0)
        assert abs(held_force(law, memory)) <= 20.0
    # held by tracking: integral rate 500 N/s against excess / 0.05 s
    assert memory[0] == pytest.approx(20.0 + 500.0 * 0.05, rel=1e-6)
    limited: dict[str, Any] = {"pid": {"proportional": 1.0}, "acts": "head", "actuator": {"limit_N": 15.0}}
    force = solve(case_with(controlled(**limited), **STEADY)).pantographs[0].control_force
    assert np.abs(force).max() == pytest.approx(15.0, abs=1e-9)


def law_of(delay: float) -> Control:
    return control_of(spec(pid={"proportional": 1.0}, actuator={"delay_s": delay}), linear_pantograph(CHAIN), 0.01, 0.0)


@pytest.mark.parametrize("delay", [0.0, 0.004, 0.01, 0.03, 0.0475])
def test_a_delay_between_steps_is_read_on_a_straight_line(delay: float) -> None:
    law = law_of(delay)
    memory = np.zeros(len(law.output) + 6 + law.delay)
    for n in range(1, 20):
        assert next_force(law, memory, 0.01 * n, 0.0) == pytest.approx(max(0.0, 0.01 * n - delay), abs=1e-12)
        commit(law, memory, 0.01 * n, 0.0)


def test_what_has_no_controller_says_so() -> None:
    pantograph = controlled(pid={"proportional": 0.2})
    case = case_with(pantograph, dt=4e-3, periodic={"method": "operator", "spans_behind": 4, "spans_ahead": 6})
    found = solve(case)
    assert outside_the_operator(case) == "a pantograph with a controller"
    assert found.method == "march" and "controller" in found.message
    assert "passive" in str(refusal_of_derivatives(case))
    with pytest.raises(ValueError, match="rk4"):
        case_with(pantograph, **{**OPEN, "open_line": {**OPEN["open_line"], "integrator": "rk4"}})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "exactly one of pid and feedback"),
        ({"pid": {}, "feedback": {}}, "exactly one of pid and feedback"),
        ({"pid": {"derivative": 1.0}}, "derivative_filter_s"),
        ({"measures": "height", "pid": {"integral": 1.0}}, "leak_hz"),
    ],
)
def test_laws_that_cannot_be_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        spec(**given)


def test_a_file_has_the_control_force_of_every_solver() -> None:
    given = controlled(pid={"proportional": 0.3}, actuator={"lag_s": 0.03})
    for where, name in ((STEADY, "control_force"), (OPEN, "pantograph_control_force")):
        case = case_with(given, **where)
        found = solve(case)
        written = result_dataset(found, case)
        assert written[name].attrs["units"] == "N"
        np.testing.assert_array_equal(written[name].to_numpy().ravel(), found.pantographs[0].control_force)
    # a first-order lag of what is asked for, by hand
    force, asked = found.pantographs[0].control_force, 0.3 * (150.0 - found.pantographs[0].contact_force)
    left = 0.03 * np.diff(force) / np.diff(found.time) + 0.5 * (force[1:] + force[:-1] - asked[1:] - asked[:-1])
    assert np.std(left) < 0.01 * np.std(asked)
