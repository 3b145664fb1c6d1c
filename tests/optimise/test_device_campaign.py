"""Campaigns, sweeps and studies whose pantograph runs code: where it hangs, that design or point fails alone."""

from dataclasses import replace

import pytest
import yaml
from cheap_evaluation import campaign_of

from catenary.library.lines import load_line
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import job_input, load_pantograph
from dynamics.spec.pantograph import PantographSpec
from optimise.evaluation.evaluate import evaluate, evaluate_batch
from optimise.evaluation.outcome import OutcomeStatus
from optimise.parameter_study.sensitivity import run_sensitivity
from optimise.parameter_study.sensitivity_result import SensitivityInput
from optimise.parameter_study.sweep import load_sweep, run_sweep
from optimise.search.campaign import run_campaign
from optimise.spec.sensitivity import SensitivitySpec
from optimise.spec.sweep import SweepSpec

SHORT = {
    "kind": "line",
    "name": "short",
    "type": "bruni_2015",
    "changes": {"mesh": {"elements_per_bay": 2, "largest_element_length": 4.0}},
    "supports": [{"station_m": 1000 + 55 * k} for k in range(7)],
    "sections": [{"name": "A", "from_m": 1000, "to_m": 1220}, {"name": "B", "from_m": 1110, "to_m": 1330}],
    "overlaps": [{"section": "A", "elevation_mm": 300}],
}
# the third run, that of the first design after the nominal line, whose search for a start is the first
HANGS = """
def control(t, measured, memory):
    if t == 0.0:
        with open({count!r}, "a+") as file:
            file.write("x")
            file.seek(0)
            memory["run"] = len(file.read())
    while memory["run"] == 3 and t > 0.2:
        pass
    return 0.2 * (memory["reference"] - measured["contact_force"])
"""


SEARCH = {
    "trials": 4, "sampler": {"kind": "random"}, "learned_directions": False,
    "design": {"kind": "stations", "overlap_heights": {"change": (-0.03, 0.03)}},
}  # fmt: skip
REPEATING = {
    **SEARCH, "design": {"kind": "spacing"},
}  # fmt: skip
OPEN_LINE = {"spans": 6, "start": 1.0, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
SENTENCE = "gave no answer within 0.5 s and was ended"


def searched(place, build_line):
    """Campaign, and what differs in its case: a line by stations, or one that repeats, marched as an open line."""
    if place == "by stations":
        return campaign_of(**SEARCH), {}
    return campaign_of(**REPEATING), {"line": build_line("bruni_2015", 2), "open_line": OPEN_LINE}


@pytest.fixture
def case(tmp_path):
    """Function that makes the case of a pantograph on a short line of two tension sections."""
    (tmp_path / "short.yaml").write_text(yaml.safe_dump(SHORT), encoding="utf-8")

    def made(pantograph, line=None, **flag):
        head = PantographSpec.model_validate(pantograph)
        given = {"speed_kmh": 200.0, "dt": 4e-3, "applied_force_N": 150.0, "mean_force_N": None, "solver": "open_line"}
        return job_input(CaseSpec, line or load_line(tmp_path / "short.yaml"), head, {**given, **flag})

    return made


def fails_one_design_alone(result, file):
    states = [record.outcome.status for record in result.records]
    assert states == [OutcomeStatus.OK, OutcomeStatus.FAILED, OutcomeStatus.OK, OutcomeStatus.OK]
    message = result.records[1].outcome.message
    assert SENTENCE in message and file in message and "\n" not in message
    assert result.best is not None


PLACES = pytest.mark.parametrize("place", ["by stations", "that repeats"])


@PLACES
def test_a_function_that_hangs_fails_its_design_alone(case, build_line, tmp_path, place):
    campaign, line = searched(place, build_line)
    (tmp_path / "own.py").write_text(HANGS.format(count=str(tmp_path / "count")), encoding="utf-8")
    control = {"python": {"file": str(tmp_path / "own.py"), "time_limit_s": 0.5}, "actuator": {"delay_s": 0.01}}
    own = case({**load_pantograph("bruni_2015").model_dump(), "control": control}, **line, run_python=True)
    fails_one_design_alone(run_campaign(campaign, own, tmp_path / "out"), "own.py")


def hanging(fmu):
    return fmu.model_copy(update={"parameters": {**fmu.parameters, "hangs_at": 0.9}})


def hanging_at_the_first(task, setting):
    """Evaluation in which the FMU of the first design after the nominal line hangs before its end."""
    own = setting.case.pantograph
    if own.control is None:
        pantograph = own.model_copy(update={"fmu": hanging(own.fmu)})
    else:
        pantograph = own.model_copy(
            update={"control": own.control.model_copy(update={"fmu": hanging(own.control.fmu)})}
        )
    case = setting.case.model_copy(update={"pantograph": pantograph})
    return evaluate(task, replace(setting, case=case) if task.number == 1 else setting)


@PLACES
def test_an_fmu_that_hangs_fails_its_design_alone(case, build_line, tmp_path, lumped_fmu, place):
    campaign, line = searched(place, build_line)
    fmu = {"file": str(lumped_fmu(2)), "settle_s": 0.4, "time_limit_s": 0.5}
    own = case({"kind": "fmu", "name": "lumped", "fmu": fmu}, **line, run_fmu=True)
    result = run_campaign(campaign, own, tmp_path / "out", evaluate=hanging_at_the_first)
    fails_one_design_alone(result, fmu["file"])


@PLACES
def test_an_fmu_as_controller_that_hangs_fails_its_design_alone(case, build_line, tmp_path, controller_fmu, place):
    campaign, line = searched(place, build_line)
    fmu = {"file": str(controller_fmu(3)), "time_limit_s": 0.5, "reference": "reference",
           "parameters": {"proportional": 0.2}}  # fmt: skip
    own = case({**load_pantograph("bruni_2015").model_dump(), "control": {"fmu": fmu}}, **line, run_fmu=True)
    result = run_campaign(campaign, own, tmp_path / "out", evaluate=hanging_at_the_first)
    fails_one_design_alone(result, fmu["file"])
    assert result.case_with(result.line_of(result.best), result.best).on_open_line


def test_designs_on_an_open_line_differ_by_their_own_figures(case, build_line, tmp_path, controller_fmu):
    """The march of a design by itself has the figures that the search has on record."""
    campaign, line = searched("that repeats", build_line)
    control = {"fmu": {"file": str(controller_fmu(3)), "reference": "reference", "parameters": {"proportional": 0.2}}}
    own = case({**load_pantograph("bruni_2015").model_dump(), "control": control}, **line, run_fmu=True)
    result = run_campaign(campaign, own, tmp_path / "out")
    sigmas = [record.outcome.sigma_N for record in result.records]
    assert len(set(sigmas)) == len(sigmas) == 4
    found = solve(result.case_with(result.line_of(result.best), result.best))
    assert found.train_statistics.contact_force_std_N == pytest.approx(result.best.outcome.sigma_N, rel=1e-9)


AXES = {"contact.stiffness": (50e3, 1e5, 2e5)}


def hanging_at_the_second(batch, setting):
    """Points of which the second one's FMU hangs before its end."""
    if batch.jobs[0].number != 1:
        return evaluate_batch(batch, setting)
    own = setting.case.pantograph
    head = own.model_copy(update={"fmu": hanging(own.fmu)})
    return evaluate_batch(batch, replace(setting, case=setting.case.model_copy(update={"pantograph": head})))


@pytest.mark.parametrize("place", ["by stations", "that repeats"])
def test_a_sweep_marches_each_point_and_one_whose_fmu_hangs_fails_alone(case, build_line, tmp_path, lumped_fmu, place):
    fmu = {"file": str(lumped_fmu(2)), "settle_s": 0.4, "time_limit_s": 0.5}
    own = case({"kind": "fmu", "name": "lumped", "fmu": fmu}, **searched(place, build_line)[1], run_fmu=True)
    spec = SweepSpec.model_validate({"sweep": {"name": "s", "axes": AXES}, "cluster": {"kind": "serial"}})
    result = run_sweep(spec, own, tmp_path / "out", error_estimate=True, evaluate=hanging_at_the_second)
    states = [result.points[k,].status for k in range(3)]
    assert states == [OutcomeStatus.OK, OutcomeStatus.DEVICE_FAILED, OutcomeStatus.OK] and result.failed == 1
    assert SENTENCE in result.points[1,].message
    one = solve(own.model_copy(update={"contact": own.contact.model_copy(update={"stiffness": 2e5})}))
    assert result.points[2,].sigma_N == pytest.approx(one.train_statistics.contact_force_std_N, rel=1e-12)
    # the two points of the verdict stand with the error of step and mesh, by the same FMU on other numerics
    ends = {point.index: point for point in load_sweep(tmp_path / "out").assured}
    assert set(ends) == {(0,), (2,)}
    for point in ends.values():
        assert point.sigma_N == pytest.approx(result.points[point.index].sigma_N, rel=1e-12)
        assert 0.0 < point.error_N < 0.1 * point.sigma_N


def test_a_sensitivity_study_marches_each_point(case, build_line, tmp_path):
    own = case(load_pantograph("bruni_2015").model_dump(), **searched("that repeats", build_line)[1])
    inputs = {"contact.stiffness": {"low": 50e3, "high": 1e5}, "pantograph.masses.0": {"low": 6.0, "high": 9.0}}
    study = {"sensitivity": {"inputs": inputs, "methods": ["local"]}, "cluster": {"kind": "serial"}}
    spec = SensitivitySpec.model_validate(study)
    assert all(batch.size == 1 for batch in SensitivityInput(sensitivity=spec.sensitivity, case=own).batches)
    result = run_sensitivity(spec, own, tmp_path / "out")
    assert {point.status for point in result.points.values()} == {OutcomeStatus.OK}
    sigmas = [result.points[k].sigma_N for k in range(9)]
    assert len(set(sigmas)) == 9
    assert sigmas[0] == pytest.approx(solve(own).train_statistics.contact_force_std_N, rel=1e-12)
