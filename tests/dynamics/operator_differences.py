"""A steady state that the operator found, its derivatives, and central differences of the whole computation."""

from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import logsumexp

from catenary.form_finding.equilibrium import Equilibrium, periodic_equilibrium
from catenary.form_finding.neighbours import neighbouring_equilibria
from dynamics.adjoint.figures import SOFT
from dynamics.adjoint.motions import FirstOrder, motion_of
from dynamics.line_operator import slack as slack_search
from dynamics.results.solution import Solution
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import job_input
from dynamics.steady_state import by_operator

FIGURES = ("sigma", "uplift", "force_max", "force_min")


@contextmanager
def settled_equations():
    """Equations solved to the last digits, since differences of figures are formed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slack_search, "SETTLED", 1e-8)
        patch.setattr(slack_search, "CORRECTIONS", 40)
        patch.setattr(slack_search, "ENOUGH", 1e-5)
        patch.setattr(by_operator, "MET", 1e-9)
        yield


def case_of(line, pantograph, speed_kmh, **changes):
    wanted = {"speed_kmh": speed_kmh, "dt": 2e-3, "periodic": {"method": "operator"}, **changes}
    return job_input(CaseSpec, line, pantograph, wanted)


@dataclass(frozen=True)
class Solved:
    """A steady state that the operator found, and its figures to first order."""

    case: CaseSpec
    line: Equilibrium
    found: Solution
    here: dict[str, tuple[FirstOrder, float]]

    @classmethod
    def of(cls, case):
        line = periodic_equilibrium(case.catenary)
        found = solve(case, equilibrium=line)
        found = solve(case, found.operator_start, line)
        assert found.method == "operator"
        motion = motion_of(found)
        lagrangians = {name: getattr(motion, name)() for name in FIGURES}
        return cls(case, line, found, {name: (x, x.value(case, line)) for name, x in lagrangians.items()})

    def exact(self, by, step):
        near = by(step)
        line = self.line
        if near.catenary != self.case.catenary:
            (line,) = neighbouring_equilibria(self.line, [near.catenary], first_order=True)
        return np.array([(x.value(near, line) - here) / step for x, here in self.here.values()])

    def computed(self, case):
        line = periodic_equilibrium(case.catenary, like=self.line.mesh)
        found = solve(case, self.found.operator_start, line)
        assert found.method == "operator"
        s, each = found.train_statistics, [one.contact_force_filtered for one in found.pantographs]
        extremes = max(SOFT * logsumexp(f / SOFT) for f in each), min(-SOFT * logsumexp(-f / SOFT) for f in each)
        same = np.array_equal(*(one.operator_state.slack.squeeze > 0.0 for one in (found, self.found)))
        return np.array([s.contact_force_std_N, 1e-3 * s.max_uplift_at_supports_mm, *extremes]), same

    def differences(self, by, step):
        """Central differences of all figures, and whether the same samples are slack on both sides."""
        (high, one), (low, other) = self.computed(by(step)), self.computed(by(-step))
        return (high - low) / (2.0 * step), one and other

    def both(self, by, step):
        """Derivatives by a step, and differences; in space an arm turns with what it pulls: mean of both sides."""
        wanted, same = self.differences(by, step)
        assert same, "samples stay slack, or taut, over the step"
        return 0.5 * (self.exact(by, step) + self.exact(by, -step)), wanted


def changed(case, part, key, index=None):
    """Case by the change of one number of it."""

    def by(step):
        own = part is None or part in CaseSpec.model_fields
        block = case if part is None else getattr(case if own else case.catenary, part)
        value = getattr(block, key)
        moved = value + step if index is None else [v + step * (k == index) for k, v in enumerate(value)]
        change = {key: moved} if part is None else {part: {key: moved}}
        return case.with_changes(**change) if own else case.with_changes(catenary=change)

    return by
