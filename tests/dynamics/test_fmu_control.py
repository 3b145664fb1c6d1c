"""A controller that is an FMU: as the built-in law, given what is measured, and whatever goes wrong."""

import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from dynamics.pantograph.control.asked import MEASURED
from dynamics.pantograph.control.fmu import AskedFmu
from dynamics.pantograph.fmu.archive import FmuError
from dynamics.simulation import run_case
from dynamics.spec.case_input import load_pantograph
from dynamics.spec.control.controller import ControlSpec
from dynamics.spec.pantograph import PantographSpec
from dynamics.spec.status import Status

TEMPLATE = Path(__file__).resolve().parents[2] / "examples" / "fmu"
CHAIN = load_pantograph("bruni_2015")
OPEN_LINE = {"spans": 9, "start": 1.0, "first_evaluated": 5, "last_evaluated": 6, "spans_after": 1}
GAINS = {"proportional": 0.5, "integral": 2.0, "leak_hz": 0.5}
ACTUATOR = {"delay_s": 0.02, "lag_s": 0.02}
SHORT = {**OPEN_LINE, "spans": 6, "first_evaluated": 3, "last_evaluated": 4}


def pantograph(control):
    return PantographSpec.model_validate({**CHAIN.model_dump(), "control": control})


def control_of(path, **content):
    return {"fmu": {"file": str(path), **content}}


@pytest.fixture
def run(build_case):
    def ran(head, **content):
        settings = {"solver": "open_line", "open_line": OPEN_LINE, "dt": 2e-3, "applied_force_N": 150.0}
        asked = head.control is not None and head.control.fmu is not None
        case = build_case("bruni_2015", 275.0, pantograph=head, run_fmu=asked, **{**settings, **content})
        return run_case(case, error_estimate=False)

    return ran


@pytest.fixture
def at_rest(run):
    """Contact force under which the line is at rest before the run begins [N]."""
    held = run(CHAIN, open_line=SHORT).solution.pantographs[0]
    return float(held.contact_force[0])


def has_sigma_of_the_law_that_is_built_in(run, own, at_rest):
    """0.1 % of sigma, by two codes that share the actuator alone; and the law matters.

    Both begin nearly without an error, the reference being the force at rest.
    """
    shared = {"actuator": ACTUATOR, "reference": at_rest}
    heads = pantograph({**own, **shared}), pantograph({"pid": GAINS, **shared}), CHAIN
    driven, built_in, passive = map(run, heads)
    assert driven.solution.status is Status.OK, driven.message
    assert driven.contact_force_std_N == pytest.approx(built_in.contact_force_std_N, rel=1e-3)
    assert driven.contact_force_mean_N == pytest.approx(built_in.contact_force_mean_N, rel=1e-3)
    assert abs(driven.contact_force_std_N / passive.contact_force_std_N - 1.0) > 0.05


@pytest.mark.parametrize("version", [2, 3])
def test_a_pi_has_the_sigma_of_the_law_that_is_built_in(run, controller_fmu, at_rest, version):
    own = control_of(controller_fmu(version), parameters=GAINS, reference="reference")
    has_sigma_of_the_law_that_is_built_in(run, own, at_rest)


def test_the_template_of_a_controller_in_python_does_so_as_well(run, at_rest, tmp_path):
    if importlib.util.find_spec("pythonfmu") is None:
        pytest.skip("no pythonfmu: pip install pythonfmu==0.7.0")
    command = [sys.executable, "-m", "pythonfmu", "build", "-f", str(TEMPLATE / "controller.py"), "-d", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    (tmp_path / "controlled.yaml").write_bytes((TEMPLATE / "controlled.yaml").read_bytes())
    own = load_pantograph(tmp_path / "controlled.yaml").control
    assert own.fmu.file == str(tmp_path / "Controller.fmu") and own.fmu.parameters == GAINS
    has_sigma_of_the_law_that_is_built_in(run, {"fmu": own.fmu.model_dump()}, at_rest)


def test_it_is_given_what_is_measured_once_a_control_step(run, controller_fmu):
    """Each input alone, given back as the command: it holds over ten steps and acts from the next one on."""
    for name in MEASURED:
        told = {"contact_force": None, name: name, "parameters": {f"by_{name}": 0.01}, "step_s": 0.02}
        found = run(pantograph({**control_of(controller_fmu(2), **told), "acts": "head"}), open_line=SHORT)
        kept, own = found.solution.histories, found.solution.pantographs[0]
        motion = {"height": kept.mass_height, "velocity": kept.mass_velocity, "acceleration": kept.mass_acceleration}
        over_time = {"contact_force": own.contact_force, "station": own.position}
        measured = over_time[name] if name in over_time else motion[name][:, 0, 0]
        asked = np.arange(10, len(measured) - 10, 10)  # the record begins with the end of the first step
        for later in (0, 9):
            np.testing.assert_allclose(own.control_force[asked + later], 0.01 * measured[asked - 1], rtol=1e-9)


def test_a_mean_force_is_held(run, controller_fmu):
    own = control_of(controller_fmu(3), parameters={"proportional": 0.8}, reference="reference")
    found = run(pantograph({**own, "actuator": {"delay_s": 0.004}}), applied_force_N=None, mean_force_N=140.0)
    assert found.contact_force_mean_N == pytest.approx(140.0, abs=0.1), found.message


def test_every_pantograph_of_a_train_has_an_instance_of_its_own(run, controller_fmu):
    """The integral of the reference alone: equal on both, and half of it where one instance were asked twice."""
    told = {"contact_force": None, "reference": "reference", "parameters": {"integral": 1.0}}
    head = pantograph({**control_of(controller_fmu(2), **told), "reference": 2.0})
    found = run(head, open_line={**OPEN_LINE, "start": 2.0}, trailing={"distances_m": [40.0]})
    first, second = (each.control_force for each in found.solution.pantographs)
    np.testing.assert_array_equal(first, second)
    assert first[-1] == pytest.approx(2.0 * (len(first) - 1) * found.case.time_step, rel=1e-9)


def test_one_that_hangs_ends_the_run_in_a_sentence(run, controller_fmu):
    began, path = time.monotonic(), str(controller_fmu(2))
    found = run(pantograph(control_of(path, parameters={"hangs_at": 0.2}, time_limit_s=0.5)), open_line=SHORT)
    assert found.solution.status is Status.DEVICE_FAILED
    assert f"the FMU {path} gave no answer within 0.5 s and was ended" in found.message
    assert "\n" not in found.message
    assert time.monotonic() - began < 60.0


def test_a_force_that_is_not_finite_ends_the_run_in_a_sentence(run, controller_fmu):
    found = run(pantograph(control_of(controller_fmu(2), parameters={"by_contact_force": 1e308})), open_line=SHORT)
    assert found.solution.status is Status.DEVICE_FAILED
    assert "must give a finite force: got inf N at 0.0000 s" in found.message


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"contact_force": "force"}, "has no real variable 'force': it has acceleration, by_acceleration"),
        ({"command": "contact_force"}, "has 'contact_force' as input, where output or local is needed"),
        ({"height": "command"}, "has 'command' as output, where input is needed"),
        ({"parameters": {"nowhere": 1.0}}, "has no real variable 'nowhere'"),
        ({"reference": "command"}, "has 'command' as output, where parameter or input is needed"),
        ({"sha256": "0" * 64}, "has another content than that on record"),
    ],
)
def test_what_it_does_not_have_is_named(controller_fmu, content, sentence):
    spec = ControlSpec.model_validate(control_of(controller_fmu(2), **content)).fmu
    with pytest.raises(FmuError, match=sentence):
        AskedFmu(spec, 1e-3, 0.0)


def test_no_process_outlives_it(controller_fmu):
    spec = ControlSpec.model_validate(control_of(controller_fmu(3), parameters={"by_contact_force": 2.0})).fmu
    with AskedFmu(spec, 1e-3, 0.0) as asked:
        pid = asked._process.pid
        assert asked.force(0.0, (3.0, *(0.0,) * 4)) == 6.0
    assert asked._process.returncode == 0
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"run_fmu": False, "run_python": True}, r"run_fmu=true must be typed to run .*controller2\.fmu.*sha256"),
        ({"solver": "periodic"}, r"pantograph\.control\.fmu needs solver=open_line.*got solver=periodic"),
        ({"solver": "transient"}, r"pantograph\.control\.fmu needs solver=open_line.*got solver=transient"),
        ({"open_line": {**OPEN_LINE, "integrator": "rk4"}}, r"open_line\.integrator must be newmark or hht.*rk4"),
    ],
)
def test_what_cannot_be_is_refused(build_case, controller_fmu, content, words):
    head = pantograph(control_of(controller_fmu(2)))
    settings = {"solver": "open_line", "open_line": OPEN_LINE, "applied_force_N": 150.0, "run_fmu": True}
    with pytest.raises(ValidationError, match=words):
        build_case("bruni_2015", 275.0, pantograph=head, **{**settings, **content})


def test_one_law_alone(controller_fmu):
    for other in ({"pid": {}}, {"feedback": {}}, {"python": {"file": __file__}}):
        with pytest.raises(ValidationError, match="exactly one of pid and feedback, or python or fmu"):
            ControlSpec.model_validate({**control_of(controller_fmu(2)), **other})
    assert "fmu" not in ControlSpec.model_validate({"pid": {}}).model_dump()
