"""A campaign whose pantograph runs code that hangs: that design fails in one sentence, and the search continues."""

from dataclasses import replace

import pytest
import yaml
from cheap_evaluation import campaign_of

from catenary.library.lines import load_line
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import job_input, load_pantograph
from dynamics.spec.pantograph import PantographSpec
from optimise.evaluation.evaluate import evaluate
from optimise.evaluation.outcome import OutcomeStatus
from optimise.search.campaign import run_campaign

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
SENTENCE = "gave no answer within 0.5 s and was ended"


@pytest.fixture
def case(tmp_path):
    """Function that makes the case of a pantograph on a short line of two tension sections."""
    (tmp_path / "short.yaml").write_text(yaml.safe_dump(SHORT), encoding="utf-8")

    def made(pantograph, **flag):
        head = PantographSpec.model_validate(pantograph)
        given = {"speed_kmh": 200.0, "dt": 4e-3, "applied_force_N": 150.0, "mean_force_N": None, "solver": "open_line"}
        return job_input(CaseSpec, load_line(tmp_path / "short.yaml"), head, {**given, **flag})

    return made


def fails_one_design_alone(result, file):
    states = [record.outcome.status for record in result.records]
    assert states == [OutcomeStatus.OK, OutcomeStatus.FAILED, OutcomeStatus.OK, OutcomeStatus.OK]
    message = result.records[1].outcome.message
    assert SENTENCE in message and file in message and "\n" not in message
    assert result.best is not None


def test_a_function_that_hangs_fails_its_design_alone(case, tmp_path):
    (tmp_path / "own.py").write_text(HANGS.format(count=str(tmp_path / "count")), encoding="utf-8")
    control = {"python": {"file": str(tmp_path / "own.py"), "time_limit_s": 0.5}, "actuator": {"delay_s": 0.01}}
    own = case({**load_pantograph("bruni_2015").model_dump(), "control": control}, run_python=True)
    fails_one_design_alone(run_campaign(campaign_of(**SEARCH), own, tmp_path / "out"), "own.py")


def hanging_at_the_first(task, setting):
    """Evaluation in which the FMU of the first design after the nominal line hangs before its end."""
    own = setting.case.pantograph
    fmu = own.fmu.model_copy(update={"parameters": {"hangs_at": 0.9}})
    case = setting.case.model_copy(update={"pantograph": own.model_copy(update={"fmu": fmu})})
    return evaluate(task, replace(setting, case=case) if task.number == 1 else setting)


def test_an_fmu_that_hangs_fails_its_design_alone(case, tmp_path, lumped_fmu):
    fmu = {"file": str(lumped_fmu(2)), "settle_s": 0.4, "time_limit_s": 0.5}
    own = case({"kind": "fmu", "name": "lumped", "fmu": fmu}, run_fmu=True)
    result = run_campaign(campaign_of(**SEARCH), own, tmp_path / "out", evaluate=hanging_at_the_first)
    fails_one_design_alone(result, fmu["file"])
