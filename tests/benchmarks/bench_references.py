"""Published references next to this program's numbers, and what each interpretation of the model moves."""

from dataclasses import asdict

import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.linearised.elasticity import span_mean
from catenary.storage.dataset import static_table
from dynamics.steady_state.periodic import solve_periodic
from studies.validation.gates.gates import load_gates


@pytest.mark.benchmark
def test_mean_forces_with_printed_uplift_forces(bruni, figure):
    gate = load_gates().mean_force
    for row in gate.rows:
        solution = solve_periodic(bruni(row.speed_kmh, f"applied_force_N={row.applied_force_N}"))
        assert solution.statistics is not None
        mean = solution.statistics.contact_force_mean_N
        figure(
            f"mean force, bruni_2015, {row.speed_kmh:g} km/h, applied {row.applied_force_N:.2f} N",
            f"{mean:.2f} N, paper {row.expected_N:.1f} N, {mean - row.expected_N:+.2f} N",
            f"{gate.tolerance_N:g} N",
        )


@pytest.mark.benchmark
def test_span_mean_elasticity(bruni, figure):
    eq = periodic_equilibrium(bruni(275).catenary)
    for row in load_gates().elasticity.rows:
        value = 1e3 * span_mean(static_table(eq, row.force_N)["elasticity"])
        paper = row.expected_mm_per_N
        figure(
            f"span mean of the elasticity, bruni_2015, {row.force_N:g} N",
            f"{value:.4f} mm/N, paper {paper:.3f}, {100 * (value / paper - 1):+.2f} %",
            "1 %",
        )


@pytest.mark.benchmark
def test_ranges_printed_next_to_figures(bruni, figure):
    for row in load_gates().beside.rows:
        solution = solve_periodic(bruni(row.speed_kmh))
        assert solution.statistics is not None
        here = asdict(solution.statistics)
        for name, (low, high) in row.model_dump(exclude={"speed_kmh"}).items():
            figure(
                f"{name}, bruni_2015, {row.speed_kmh:g} km/h",
                f"{here[name]:.1f} N, recalled {low:g} to {high:g} N",
            )


CLAMPS = ("clamp_mass_contact_wire", "clamp_mass_messenger_wire")
INTERPRETATIONS = {
    "slack droppers lose their damping": {"slack_damping": "released"},
    "contact 200 instead of 50 kN/m": {"contact": {"stiffness": 200.0e3}},
    "time step 2 instead of 1 ms": {"dt": 2.0e-3},
    "brick-wall filter": {"signal": {"kind": "brick_wall"}},
    "12 instead of 6 elements a bay": {"catenary.mesh": {"elements_per_bay": 12}},
    "no clamp masses": {"catenary.droppers": dict.fromkeys(CLAMPS, 0.0)},
    "clamp masses exchanged": {"catenary.droppers": dict(zip(CLAMPS, (0.195, 0.165), strict=True))},
    "no steady-arm mass": {"catenary.support": {"steady_arm_mass": 0.0}},
    "steady arm 427 instead of 274 N/m": {"catenary.support": {"steady_arm_stiffness": 427.0}},
    "beta 0 instead of 1e-4 s": {"catenary.damping": {"beta": 0.0}},
    "alpha 0 instead of 0.0125 1/s": {"catenary.damping": {"alpha": 0.0}},
}  # fmt: skip


def changed(case, change):
    data = case.model_dump()
    for path, value in change.items():
        block, *rest = path.split(".")
        target = data[block] if rest else data
        key = rest[0] if rest else block
        target[key] = {**target[key], **value} if isinstance(value, dict) else value
    return type(case).model_validate(data)


@pytest.mark.benchmark
@pytest.mark.parametrize("speed", [275, 320])
def test_what_each_interpretation_moves(bruni, figure, speed):
    case = bruni(speed, "periodic.method=march")  # the operator has one law of slack, no step and no elements
    base = solve_periodic(case).statistics
    assert base is not None
    figure(f"sigma, bruni_2015, {speed} km/h, 1 ms, 50 kN/m", f"{base.contact_force_std_N:.2f} N")
    for what, change in INTERPRETATIONS.items():
        found = solve_periodic(changed(case, change))
        if found.statistics is None:
            figure(f"  {what}", found.message)
            continue
        value = found.statistics.contact_force_std_N
        figure(f"  {what}", f"{100 * (value / base.contact_force_std_N - 1):+.2f} %")
