"""Pantographs as matrices, FMUs and arms: standard deviation and time against lumped masses."""

import time
from pathlib import Path

import numpy as np
import pytest

from dynamics.pantograph.linear import linear_pantograph
from dynamics.pantograph.lumped import chain_matrix
from dynamics.simulation import run_case
from dynamics.spec.case_input import load_pantograph
from dynamics.spec.pantograph import PantographSpec

REPEATS = 3
OPEN_LINE = ("solver=open_line", "open_line.spans=20", "dt=1e-3", "applied_force_N=170")


EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "exudyn" / "pantograph.yaml"


def repeated(case, other):
    """Standard deviations [N] and best times [s] of two cases that are run in turn, compiled before."""
    spent, found = ([], []), []
    for _ in range(REPEATS + 1):
        found = []
        for one, times in zip((case, other), spent, strict=True):
            began = time.perf_counter()
            run = run_case(one, error_estimate=False)
            times.append(time.perf_counter() - began)
            found.append(run.contact_force_std_N)
    return found, [min(times[1:]) for times in spent]


@pytest.mark.benchmark
@pytest.mark.parametrize("delay", [0.0, 0.02, 0.04, 0.06])
@pytest.mark.parametrize("law", ["P", "state feedback"])
def test_a_controlled_head_against_a_passive_one(figure, bruni, law, delay):
    given = load_pantograph("controlled").control.model_dump()
    given["actuator"]["delay_s"] = delay
    if law != "P":
        given |= {"pid": None, "feedback": {"effort": 0.3}}
    passive = bruni(275)
    head = PantographSpec.model_validate({**load_pantograph("bruni_2015").model_dump(), "control": given})
    found, (before, after) = repeated(passive, passive.model_copy(update={"pantograph": head}))
    change = f"sigma {found[1]:.2f} N, {100.0 * (found[1] / found[0] - 1.0):+.1f} % of {found[0]:.2f} N passive"
    figure(
        f"{law} by force at the base, delay {1e3 * delay:g} ms", f"{change}; {after / before:.2f} times its time", "-"
    )


def line(figure, what, found, reach):
    (one, other), (native, own) = found
    change = f"sigma {other:.3f} N, {100.0 * (other / one - 1.0):+.4f} % of that of the lumped masses"
    figure(what, f"{change}; {own:.2f} s, {own / native:.2f} times theirs", reach)


@pytest.mark.benchmark
@pytest.mark.parametrize("stiffness", [50e3, 200e3])
@pytest.mark.parametrize("kind", ["matrices", "FMI 2", "FMI 3"])
def test_three_masses_by_other_means(figure, bruni, lumped_fmu, tmp_path, kind, stiffness):
    lumped = load_pantograph("bruni_2015")
    if kind == "matrices":
        links = chain_matrix(lumped.dampings), chain_matrix(lumped.stiffnesses)
        content = {"mass": np.diag(lumped.masses), "damping": links[0], "stiffness": links[1]}
        np.savez(tmp_path / "m.npz", **content, head=np.eye(3)[0], applied=np.eye(3)[-1])
        given = {"kind": "matrices", "matrices": {"file": str(tmp_path / "m.npz")}}
    else:
        given = {"kind": "fmu", "fmu": {"file": str(lumped_fmu(int(kind[-1])))}}
    head = PantographSpec.model_validate({"name": "given", **given})
    native = bruni(320, *OPEN_LINE, f"contact.stiffness={stiffness}")
    other = native.model_copy(update={"pantograph": head, "run_fmu": kind != "matrices"})
    found = repeated(native, other)
    line(figure, f"{kind}, {1e-3 * stiffness:g} kN/m, 20 spans", found, "0.1 %, <= 2.5 times")


@pytest.mark.benchmark
@pytest.mark.parametrize("solver", ["open_line", "periodic"])
def test_arms_against_lumped_masses(figure, bruni, solver):
    arms = load_pantograph("articulated")
    own = linear_pantograph(arms, 170.0)
    content = {"masses": own.mass.tolist(), "stiffnesses": [7000.0, 0.0], "dampings": [45.0, own.damping[1].sum()]}
    lumped = PantographSpec.model_validate({"name": "like", **content})
    typed = OPEN_LINE if solver == "open_line" else ("applied_force_N=170", "dt=1e-3")
    other = bruni(275, *typed).model_copy(update={"pantograph": arms})
    found = repeated(other.model_copy(update={"pantograph": lumped}), other)
    reach = "<= 1.5 times" if solver == "open_line" else "<= 1.1 times"
    line(figure, f"arms and rod with dry friction, {solver}, 275 km/h", found, reach)


@pytest.mark.benchmark
def test_arms_of_another_program(figure, bruni):
    """Arms in Exudyn, stepped in a process of their own, against the project's own arms without friction."""
    pytest.importorskip("exudyn", reason="no Exudyn: pip install exudyn==1.13.6")
    own = load_pantograph("articulated").with_changes(articulated={"friction": [0.0] * 4, "lifting": "torque"})
    native = bruni(275, *OPEN_LINE).model_copy(update={"pantograph": own})
    other = native.model_copy(update={"pantograph": load_pantograph(EXAMPLE), "run_python": True})
    (one, theirs), spent = repeated(native, other)
    _, (masses, _) = repeated(native.model_copy(update={"pantograph": load_pantograph("bruni_2015")}), native)
    change = f"sigma {theirs:.3f} N, {100.0 * (theirs / one - 1.0):+.4f} % of the own arms'"
    times = f"{spent[1]:.2f} s, {spent[1] / spent[0]:.2f} times theirs, {spent[1] / masses:.2f} times lumped masses'"
    figure("arms by Exudyn, open_line, 275 km/h", f"{change}; {times}", "<= 2.5 times")
