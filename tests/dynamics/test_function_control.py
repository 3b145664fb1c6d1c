"""A controller that is a Python function: as the built-in law, asked when it should be, and whatever goes wrong."""

import ast
import importlib.util
import os
import time
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from dynamics.pantograph.control.asked import MEASURED
from dynamics.pantograph.control.function import AskedFunction
from dynamics.pantograph.user_code import CodeError
from dynamics.simulation import run_case
from dynamics.spec.case_input import load_pantograph
from dynamics.spec.control.controller import ControlSpec
from dynamics.spec.pantograph import PantographSpec
from dynamics.spec.status import Status

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "controller"
CHAIN = load_pantograph("bruni_2015")
OPEN_LINE = {"spans": 9, "start": 1.0, "first_evaluated": 5, "last_evaluated": 6, "spans_after": 1}


def pantograph(control):
    return PantographSpec.model_validate({**CHAIN.model_dump(), "control": control})


@pytest.fixture
def function(tmp_path):
    """Control block of a function with that text."""

    def made(text, **content):
        file = tmp_path / "own.py"
        file.write_text(text, encoding="utf-8")
        return {"python": {"file": str(file), **content}}

    return made


@pytest.fixture
def run(build_case):
    def ran(head, **content):
        settings = {"solver": "open_line", "open_line": OPEN_LINE, "dt": 2e-3, "applied_force_N": 150.0}
        asked = head.control is not None and head.control.python is not None
        case = build_case("bruni_2015", 275.0, pantograph=head, run_python=asked, **{**settings, **content})
        return run_case(case, error_estimate=False)

    return ran


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("pid", EXAMPLE / "pid.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_the_example_has_the_sigma_of_the_law_that_is_built_in(run, function, example, tmp_path):
    """0.1 % of sigma, by two codes that share the actuator alone; and the law matters.

    Both begin without an error: a law that is built in is at rest with what it commands there, a function begins from
    nothing, and a line with little damping rings on for as long as the run.
    """
    at_rest = tmp_path / "at_rest"
    text = f"def control(t, measured, memory):\n    open({str(at_rest)!r}, 'w').write(repr(measured)) if not t else 0\n"
    run(pantograph(function(f"{text}    return 0.0\n")), open_line={**OPEN_LINE, "last_evaluated": 5})
    reference = ast.literal_eval(at_rest.read_text())["contact_force"]
    given = load_pantograph(EXAMPLE / "pantograph.yaml")
    assert given.control.python.file == str(EXAMPLE / "pid.py")
    control = {**given.control.model_dump(), "reference": reference}
    pid = {"proportional": example.GAIN, "integral": example.INTEGRAL, "derivative": example.RATE,
           "derivative_filter_s": example.FILTER_S, "leak_hz": example.LEAK_HZ}  # fmt: skip
    heads = pantograph(control), pantograph({**control, "python": None, "pid": pid}), CHAIN
    own, other, passive = map(run, heads)
    assert own.contact_force_std_N == pytest.approx(other.contact_force_std_N, rel=1e-3)
    assert own.contact_force_mean_N == pytest.approx(other.contact_force_mean_N, rel=1e-3)
    assert abs(own.contact_force_std_N / passive.contact_force_std_N - 1.0) > 0.05


def test_a_mean_force_is_held(run, function):
    text = "def control(t, measured, memory):\n    return 0.8 * (120.0 - measured['contact_force'])\n"
    head = pantograph({**function(text), "actuator": {"delay_s": 0.004}})
    found = run(head, applied_force_N=None, mean_force_N=140.0)
    assert found.contact_force_mean_N == pytest.approx(140.0, abs=0.1), found.message


def test_a_function_that_gives_nothing_leaves_the_force_of_a_passive_pantograph(run, function):
    found = run(pantograph(function("def control(t, measured, memory):\n    return 0.0\n")))
    passive = run(CHAIN).solution.pantographs[0].contact_force
    np.testing.assert_allclose(found.solution.pantographs[0].contact_force, passive, atol=1e-6)  # but for rounding


def test_it_is_asked_once_a_control_step_by_what_is_measured(run, function, tmp_path):
    """The command holds over ten steps, is limited, and reaches the pantograph after the actuator's lag alone."""
    text = f"""
def control(t, measured, memory):
    memory["asked"] = memory.get("asked", 0) + 1
    with open({str(tmp_path / "asked.csv")!r}, "a") as file:
        print(t, memory["step"], memory["reference"], *measured.values(), sep=",", file=file)
    return 30.0 if memory["asked"] % 2 else -5.0
"""
    head = pantograph({**function(text, step_s=0.02), "acts": "head", "actuator": {"limit_N": 20.0}, "reference": 3.0})
    found = run(head)
    rows = np.loadtxt(tmp_path / "asked.csv", delimiter=",")
    history, dt, own = found.solution.histories, found.case.time_step, found.solution.pantographs[0]
    assert rows.shape[1] == 3 + len(MEASURED)
    np.testing.assert_allclose(np.diff(rows[:, 0]), 10 * dt, rtol=1e-9)
    np.testing.assert_allclose(rows[:, 1:3], [[10 * dt, 3.0]] * len(rows), rtol=1e-9)
    at = np.round(rows[1:, 0] / dt).astype(int) - 1  # the record begins with the end of the first step
    np.testing.assert_allclose(rows[1:, 3], own.contact_force[at], rtol=1e-12)
    for column, kept in ((4, history.mass_height), (5, history.mass_velocity), (6, history.mass_acceleration)):
        np.testing.assert_allclose(rows[1:, column], kept[at, 0, 0], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(rows[1:, 7], own.position[at], rtol=1e-9)
    wanted = np.where(np.arange(len(own.control_force)) // 10 % 2, -5.0, 20.0)
    np.testing.assert_allclose(own.control_force, wanted, atol=1e-9)


def test_every_pantograph_of_a_train_has_a_memory_of_its_own(run, function):
    text = "def control(t, measured, memory):\n    memory['n'] = memory.get('n', 0) + 1\n    return memory['n'] / 100\n"
    line = {**OPEN_LINE, "start": 2.0}
    found = run(pantograph(function(text)), open_line=line, trailing={"distances_m": [40.0]})
    first, second = (each.control_force for each in found.solution.pantographs)
    np.testing.assert_array_equal(first, second)
    assert first[-1] == pytest.approx(0.01 * len(first), rel=1e-9)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("while True: pass", "gave no answer within 0.5 s and was ended"),
        ("import os; os.abort()", "has crashed: its process was ended by signal 6"),
        ("raise SystemExit(3)", r"failed at 0.0000 s: SystemExit in line 2: 3"),
        ("return measured['speed']", r"failed at 0.0000 s: KeyError in line 2: 'speed'"),
        ("return 'much'", "must give a force in N: got 'much' at 0.0000 s"),
        ("return float('nan')", "must give a finite force: got nan N"),
    ],
)
def test_a_function_that_goes_wrong_ends_the_run_in_a_sentence(run, function, body, sentence):
    began = time.monotonic()
    block = function(f"def control(t, measured, memory):\n    {body}\n", time_limit_s=0.5)
    found = run(pantograph(block))
    assert found.solution.status is Status.DEVICE_FAILED
    with pytest.raises(CodeError, match=sentence):
        raise CodeError(found.message)
    assert "\n" not in found.message and block["python"]["file"] in found.message
    assert time.monotonic() - began < 60.0


@pytest.mark.parametrize(
    ("text", "content", "sentence"),
    [
        ("def other():\n    pass\n", {}, "has no function control: it has other"),
        ("x = 1 /\n", {}, "cannot be loaded: SyntaxError"),
        ("import nowhere_at_all\n", {}, "cannot be loaded: ModuleNotFoundError in line 1"),
        ("def control():\n    pass\n", {"sha256": "0" * 64}, "has another content than that on record"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(function, text, content, sentence):
    spec = ControlSpec.model_validate(function(text, **content)).python
    with pytest.raises(CodeError, match=sentence):
        AskedFunction(spec, 1e-3, 0.0)


def test_no_process_outlives_its_function(function):
    spec = ControlSpec.model_validate(function("def control(t, measured, memory):\n    return t\n")).python
    with AskedFunction(spec, 1e-3, 0.0) as asked:
        pid = asked._process.pid
        assert asked.force(2.5, (0.0,) * 5) == 2.5
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"run_python": False}, r"run_python=true must be typed .*own\.py.*sha256"),
        ({"solver": "periodic"}, r"pantograph\.control\.python needs solver=open_line.*got solver=periodic"),
        ({"solver": "transient"}, r"pantograph\.control\.python needs solver=open_line.*got solver=transient"),
        ({"open_line": {**OPEN_LINE, "integrator": "rk4"}}, r"open_line\.integrator must be newmark or hht.*rk4"),
    ],
)
def test_what_cannot_be_is_refused(build_case, function, content, words):
    head = pantograph(function("def control(t, measured, memory):\n    return 0.0\n"))
    settings = {"solver": "open_line", "open_line": OPEN_LINE, "applied_force_N": 150.0, "run_python": True}
    with pytest.raises(ValidationError, match=words):
        build_case("bruni_2015", 275.0, pantograph=head, **{**settings, **content})


def test_one_law_alone(function):
    block = function("def control(t, measured, memory):\n    return 0.0\n")
    with pytest.raises(ValidationError, match="exactly one of pid and feedback, or python"):
        ControlSpec.model_validate({**block, "pid": {}})
    assert "python" not in ControlSpec.model_validate({"pid": {}}).model_dump()
