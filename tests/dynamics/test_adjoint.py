"""Exact derivatives of a steady state against central differences of the whole computation."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy.special import logsumexp

from catenary.errors import InputError
from catenary.form_finding.equilibrium import Equilibrium, periodic_equilibrium
from catenary.linearised.cell import vertical_cell
from dynamics.adjoint.figures import SOFT, SteadyMotion
from dynamics.adjoint.inputs import input_slopes
from dynamics.adjoint.lagrangian import Lagrangian
from dynamics.adjoint.steady_slopes import SteadySlopes
from dynamics.results.warm_start import WarmStart
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import job_input
from dynamics.steady_state.periodic import solve_periodic

WINDOW = {"method": "march", "spans_behind": 14, "spans_ahead": 16, "tolerance": 3e-7, "max_spans": 400}
FIGURES = ("sigma", "uplift")
EXTREMES = ("force_max", "force_min")


def case_of(speed_kmh, **changes):
    wanted = {"speed_kmh": speed_kmh, "dt": 2e-3, "periodic": WINDOW, **changes}
    return job_input(CaseSpec, "bruni_2015", "bruni_2015", wanted)


@dataclass(frozen=True)
class Solved:
    """A steady state, and its figures to first order."""

    case: CaseSpec
    line: Equilibrium
    start: WarmStart
    motion: SteadyMotion
    found: dict[str, tuple[Lagrangian, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, case):
        line = periodic_equilibrium(case.catenary)
        start = solve_periodic(case, equilibrium=line).warm_start
        return cls(case, line, start, SteadyMotion(case, line, vertical_cell(line), start))

    def here(self, name):
        """Multipliers of a figure, sought once it is asked for, and its value here."""
        if name not in self.found:
            lagrangian = getattr(self.motion, name)()
            self.found[name] = lagrangian, lagrangian.value(self.case, self.line)
        return self.found[name]

    def exact(self, name, other, step):
        line = periodic_equilibrium(other.catenary, like=self.line.mesh)
        lagrangian, here = self.here(name)
        return (lagrangian.value(other, line) - here) / step

    def solved(self, case):
        return solve_periodic(case, self.start, periodic_equilibrium(case.catenary, like=self.line.mesh))

    def figures(self, case):
        found = self.solved(case).statistics
        return np.array([found.contact_force_std_N, 1e-3 * found.max_uplift_at_supports_mm])

    def extremes(self, case):
        """Smooth extremes by their formula, and those of the statistics."""
        found = self.solved(case)
        smooth = [sign * SOFT * logsumexp(sign * found.contact_force_filtered / SOFT) for sign in (1.0, -1.0)]
        return np.array([*smooth, found.statistics.contact_force_max_N, found.statistics.contact_force_min_N])

    def differences(self, changed, step):
        return (self.figures(changed(step)) - self.figures(changed(-step))) / (2.0 * step)


def changed(case, part, key, index=None):
    """Case by the change of one number of it."""

    def by(step):
        block = case if part is None else getattr(case, part) if part in CaseSpec.model_fields else None
        block = getattr(case.catenary, part) if block is None else block
        value = getattr(block, key)
        if index is not None:
            moved = [*value]
            moved[index] += step
        else:
            moved = value + step
        if part is None:
            return case.with_changes(**{key: moved})
        if part in CaseSpec.model_fields:
            return case.with_changes(**{part: {key: moved}})
        return case.with_changes(catenary={part: {key: moved}})

    return by


@pytest.fixture(scope="module")
def taut():
    """No dropper slackens, contact is not lost: the state is linear in everything but the line."""
    return Solved.of(case_of(200.0, mean_force_N=60.0))


@pytest.fixture(scope="module")
def long_and_taut():
    """The same in a window whose ends cut little of what spans far away do."""
    return Solved.of(case_of(200.0, mean_force_N=60.0, periodic={**WINDOW, "spans_behind": 40, "spans_ahead": 38}))


@pytest.fixture(scope="module")
def pressed():
    """The applied force is given, and the mean contact force follows."""
    return Solved.of(case_of(200.0, mean_force_N=None, applied_force_N=65.0))


def both(solved, part, key, index, step):
    """Derivatives of all figures, exact and by central differences."""
    by = changed(solved.case, part, key, index)
    exact = [0.5 * (solved.exact(name, by(step), step) + solved.exact(name, by(-step), -step)) for name in FIGURES]
    return exact, solved.differences(by, step)


NEAR = [
    ("droppers", "contact_wire_heights", 2, 1e-4),
    ("droppers", "positions", 6, 2e-3),
    ("contact", "stiffness", None, 500.0),
    ("pantograph", "masses", 0, 0.02),
    ("pantograph", "dampings", -1, 0.2),
    (None, "mean_force_N", None, 0.05),
]
EVERYWHERE = [
    ("contact_wire", "tension", None, 50.0),
    ("messenger_wire", "mass_per_length", None, 2e-3),
    ("damping", "beta", None, 4e-6),
    (None, "speed_kmh", None, 0.02),
]


@pytest.mark.parametrize(("part", "key", "index", "step"), NEAR, ids=[f"{i[1]}" for i in NEAR])
def test_derivatives_are_those_of_the_whole_computation(taut, part, key, index, step):
    found, wanted = both(taut, part, key, index, step)
    assert found == pytest.approx(wanted, rel=0.02)


# what they do is less than a hundredth of what one of the others does, and what far spans add is a larger part of it
LITTLE = [
    ("damping", "alpha", None, 5e-4),
    ("support", "messenger_stiffness", None, 1e4),
    ("support", "messenger_damping", None, 20.0),
    ("support", "steady_arm_stiffness", None, 5.0),
    ("droppers", "clamp_mass_contact_wire", None, 3e-3),
    ("droppers", "stiffness", None, 4e3),
    ("messenger_wire", "axial_stiffness", None, 2e5),
]


@pytest.mark.parametrize(("part", "key", "index", "step"), EVERYWHERE, ids=[f"{i[1]}" for i in EVERYWHERE])
def test_derivatives_by_what_changes_everywhere_need_a_long_window(long_and_taut, part, key, index, step):
    found, wanted = both(long_and_taut, part, key, index, step)
    assert found == pytest.approx(wanted, rel=0.04)


@pytest.mark.parametrize(("part", "key", "index", "step"), LITTLE, ids=[f"{i[0]}.{i[1]}" for i in LITTLE])
def test_derivatives_by_what_does_little(long_and_taut, part, key, index, step):
    found, wanted = both(long_and_taut, part, key, index, step)
    assert found == pytest.approx(wanted, rel=0.3)


SLACK = [("droppers", "contact_wire_heights", 3, 1e-6, 1e-5), ("droppers", "stiffness", None, 20.0, 800.0)]


@pytest.fixture(scope="module")
def slack():
    """Droppers slacken in every span."""
    return Solved.of(case_of(275.0))


@pytest.mark.parametrize(("part", "key", "index", "small", "step"), SLACK, ids=[f"{i[1]}" for i in SLACK])
def test_slack_droppers_are_in_the_derivatives(slack, part, key, index, small, step):
    by = changed(slack.case, part, key, index)
    found, wanted = [slack.exact(name, by(small), small) for name in FIGURES], slack.differences(by, step)
    assert found == pytest.approx(wanted, rel=0.05) and found[0] == pytest.approx(wanted[0], rel=0.02)


@pytest.mark.parametrize(("part", "key", "index", "step"), NEAR, ids=[f"{i[1]}" for i in NEAR])
def test_extremes_of_the_force_have_the_derivatives_of_the_whole_computation(taut, part, key, index, step):
    by = changed(taut.case, part, key, index)
    exact = [0.5 * (taut.exact(name, by(step), step) + taut.exact(name, by(-step), -step)) for name in EXTREMES]
    wanted = (taut.extremes(by(step)) - taut.extremes(by(-step))) / (2.0 * step)
    assert exact == pytest.approx(wanted[:2], rel=0.02, abs=0.01 * np.abs(wanted[:2]).max())


def test_extremes_of_the_force_with_slack_droppers(slack):
    by, small, step = changed(slack.case, "droppers", "contact_wire_heights", 3), 1e-6, 1e-5
    found = [slack.exact(name, by(small), small) for name in EXTREMES]
    wanted = (slack.extremes(by(step)) - slack.extremes(by(-step))) / (2.0 * step)
    # single extremes carry 3e-4 N of what the state's tolerance leaves, which the step divides
    assert found == pytest.approx(wanted[:2], abs=3e-4 / step)


def test_slack_droppers_that_turn_are_in_the_derivatives():
    wires = {"dimension": "spatial", "mesh": {"largest_element_length": 2.0}}
    solved = Solved.of(case_of(275.0).with_changes(catenary=wires))
    by = changed(solved.case, "support", "messenger_stagger")
    found, wanted = (
        solved.exact("sigma", by(1e-4), 1e-4),
        (solved.figures(by(2e-3)) - solved.figures(by(0.0)))[0] / 2e-3,
    )
    assert found == pytest.approx(wanted, rel=0.1)


@pytest.fixture(scope="module")
def slopes(taut):
    """All derivatives of the taut state, as commands take them."""
    return SteadySlopes(solve_periodic(taut.case, taut.start, taut.line))


def test_static_dropper_forces_have_the_derivatives_of_form_finding_and_of_taut_strings(taut, slopes):
    by = changed(taut.case, "droppers", "contact_wire_heights", 4)
    found = slopes.towards(by(1e-6), 1e-6).static
    line = taut.case.catenary
    forces = [periodic_equilibrium(by(step).catenary, like=taut.line.mesh).dropper_force for step in (1e-3, -1e-3)]
    assert found == pytest.approx((forces[0] - forces[1]) / 2e-3, rel=1e-3, abs=2.0)
    # the contact wire as a string over bays of 5.75 m: what a dropper gains its neighbours lose by halves
    pull = line.contact_wire.tension / 5.75
    assert found[[3, 4, 5]] == pytest.approx([-pull, 2.0 * pull, -pull], rel=0.1)
    assert abs(found[[0, 1, 7, 8]]).max() < 0.05 * pull
    beta = slopes.towards(changed(taut.case, "damping", "beta")(1e-8), 1e-8)
    assert not beta.static.any() and beta.known and beta.sigma < 0.0


def test_every_continuous_input_has_its_derivatives(taut, slopes):
    rows = {row.name: row for row in input_slopes(slopes)}
    assert {"catenary.damping.beta", "catenary.contact_wire.tension", "pantograph.masses[2]", "mean_force_N"} <= {*rows}
    assert not [name for name in rows if "positions" in name or name == "dt"], "droppers have their own"
    row, by = rows["pantograph.dampings[2]"], changed(taut.case, "pantograph", "dampings", 2)
    assert row.unit == "N s/m" and row.value == taut.case.pantograph.dampings[2]
    assert [row.slopes.sigma, row.slopes.uplift] == pytest.approx(taut.differences(by, 1.0), rel=0.02)


@pytest.mark.parametrize(("part", "key", "index", "step"), [
    (None, "applied_force_N", None, 0.05), ("droppers", "contact_wire_heights", 2, 1e-4),
    ("pantograph", "stiffnesses", -1, 2.0),
])  # fmt: skip
def test_derivatives_where_the_applied_force_is_given(pressed, part, key, index, step):
    found, wanted = both(pressed, part, key, index, step)
    assert found == pytest.approx(wanted, rel=0.02)


def test_multipliers_that_were_not_found_give_no_derivatives(taut):
    case = taut.case.with_changes(periodic={"max_spans": 5})
    sigma = SteadyMotion(case, taut.line, vertical_cell(taut.line), taut.start).sigma()
    assert sigma.refusal is not None and "periodic.max_spans" in sigma.refusal
    assert np.isnan(sigma.value(case, taut.line))


@pytest.mark.parametrize("change", [{"slack_damping": "released"}, {"solver": "transient"}])
def test_a_case_without_exact_derivatives_says_why(taut, change):
    case = taut.case.with_changes(**change)
    with pytest.raises(InputError, match=next(iter(change))):
        SteadyMotion(case, taut.line, vertical_cell(taut.line), taut.start)
