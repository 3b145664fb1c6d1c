"""Derivatives of the solver's figures by a sensitivity study, against runs of their own from rest."""

import numpy as np
import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from dynamics.steady_state.periodic import solve_periodic
from optimise.evaluation.case_inputs import case_at
from optimise.evaluation.outcome import OutcomeStatus
from optimise.parameter_study.sensitivity import run_sensitivity
from optimise.spec.sensitivity import SensitivitySpec

CLOSE = 1e-7


def test_local_derivatives_are_the_slope_of_separate_runs(tmp_path, build_line, build_case):
    line = build_line(elements_per_bay=2)
    case = build_case(line, 200.0, mean_force_N=108.8, periodic={"spans_behind": 4, "spans_ahead": 5})
    case = case_at(case, ("catenary.damping.alpha",), (0.2,))
    inputs = {
        "contact.stiffness": {"low": 40e3, "high": 60e3},
        "pantograph.masses.0": {"low": 6.5, "high": 8.5},
    }
    content = {"inputs": inputs, "methods": ["local"], "local": {"step": 0.2, "tolerance": CLOSE}}
    spec = SensitivitySpec.model_validate({"sensitivity": content, "cluster": {"kind": "serial"}})
    result = run_sensitivity(spec, case, tmp_path)
    assert not result.failed and {p.status for p in result.points.values()} == {OutcomeStatus.OK}
    found = result.local
    tight = case.model_copy(update={"periodic": case.periodic.model_copy(update={"tolerance": CLOSE})})
    stiffness = np.linspace(44e3, 56e3, 5)
    rest = periodic_equilibrium(case.catenary)
    alone = [solve_periodic(case_at(tight, ("contact.stiffness",), (float(k),)), None, rest) for k in stiffness]
    assert {s.status.value for s in alone} == {"ok"}
    y = [s.statistics.contact_force_std_N for s in alone]
    slope = np.polyfit(stiffness - 50e3, y, 1)[0]
    # droppers slacken at one step of the march or the next: sigma is rough by 0.02 N, which both see differently
    assert found.derivative[0, 0] == pytest.approx(slope, abs=found.error[0, 0] + 0.02 / np.ptp(stiffness))
    assert found.nominal[0] == pytest.approx(y[2], abs=1e-3)
    assert found.derivative[0, 0] < -5.0 * found.error[0, 0] < 0.0
