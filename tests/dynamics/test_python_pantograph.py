"""A pantograph that is a class of the user's: the line feels its masses; what goes wrong ends in a sentence."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

from catenary.errors import InputError
from dynamics.pantograph.stepped.device import Rest, measured_yield
from dynamics.pantograph.stepped.python import PythonDevice
from dynamics.pantograph.user_code import CodeError
from dynamics.refusals import refuse_unusable_pantograph
from dynamics.simulation import run_case
from dynamics.spec.case_input import load_pantograph
from dynamics.spec.mechanics.stepped import PythonModelSpec
from dynamics.spec.pantograph import PantographSpec
from dynamics.spec.status import Status

MASSES = Path(__file__).resolve().parent / "python_masses.py"
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "exudyn" / "pantograph.yaml"
OPEN_LINE = {"spans": 6, "start": 1.0, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}


def model_of(**content):
    given = {"file": str(MASSES), "model": "Masses", "settle_s": 1.0, **content}
    return PantographSpec.model_validate({"kind": "python", "name": "masses", "python": given})


@pytest.fixture
def run(build_case):
    """Run a pantograph on a short open line at 1 ms."""

    def ran(head, speed=320.0, **content):
        settings = {"solver": "open_line", "open_line": OPEN_LINE, "dt": 1e-3, "applied_force_N": 170.0}
        typed = {"run_python": head.kind == "python"}
        case = build_case("bruni_2015", speed, pantograph=head, **{**settings, **typed, **content})
        return run_case(case, error_estimate=False)

    return ran


@pytest.mark.parametrize("contact_stiffness", [50e3, 200e3])
def test_sigma_is_that_of_the_monolithic_run(run, contact_stiffness):
    contact = {"stiffness": contact_stiffness}
    native = run(load_pantograph("bruni_2015"), contact=contact)
    driven = run(model_of(parameters={"offset": 1.5}, zero_height_m=1.5), contact=contact)
    assert driven.contact_force_std_N == pytest.approx(native.contact_force_std_N, rel=1e-3)
    assert driven.contact_force_mean_N == pytest.approx(native.contact_force_mean_N, rel=1e-4)
    # at every instant, too: 1 and 2 N, and 4 N where the change of force is put into the prediction with a wrong sign
    forces = [run.solution.pantographs[0].contact_force for run in (native, driven)]
    assert np.abs(forces[1] - forces[0]).max() < 2.5


def test_arms_by_another_program_move_the_line_as_the_own_arms_do(run):
    """Rigid bodies and joints of Exudyn against one coordinate: 0.1 % of sigma at 1 ms."""
    if importlib.util.find_spec("exudyn") is None:
        pytest.skip("no Exudyn: pip install exudyn==1.13.6")
    own = load_pantograph("articulated").with_changes(articulated={"friction": [0.0] * 4, "lifting": "torque"})
    native, driven, softer = (
        run(head, 275.0)
        for head in (
            own,
            load_pantograph(EXAMPLE),
            load_pantograph(EXAMPLE).with_changes(python={"parameters": {"bushing": 2e7}}),
        )
    )
    assert driven.contact_force_std_N == pytest.approx(native.contact_force_std_N, rel=1e-3)
    assert driven.contact_force_max_N == pytest.approx(native.contact_force_max_N, rel=1e-3)
    assert abs(softer.contact_force_std_N / native.contact_force_std_N - 1.0) > 2e-3


@pytest.mark.parametrize(
    ("parameter", "sentence"),
    [
        ("fails_at", r"the class Masses of .* failed at 1\.400\d s: RuntimeError in line \d+: the spring broke"),
        ("hangs_at", "gave no answer within 0.5 s and was ended"),
        ("crashes_at", "has crashed: its process was ended by signal 6"),
        ("blind_at", r"must have its head's height and velocity as head: got 'up' at 1\.40\d\d s"),
    ],
)
def test_one_that_goes_wrong_on_its_way_ends_the_run_in_a_sentence(run, parameter, sentence):
    found = run(model_of(parameters={parameter: 1.4 - 1e-9}, time_limit_s=0.5))
    assert found.solution.status is Status.DEVICE_FAILED
    assert re.search(sentence, found.message), found.message
    assert "\n" not in found.message and str(MASSES) in found.message


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"model": "Nobody"}, "has no class Nobody: it has chain, Masses, Upwards"),
        ({"parameters": {"colour": 1.0}}, "cannot be made: TypeError.*colour"),
        ({"sha256": "0" * 64}, "has another content than that on record"),
    ],
)
def test_what_it_does_not_have_is_named(content, sentence):
    with pytest.raises(CodeError, match=sentence):
        PythonDevice(model_of(**content).python, 170.0)


DATACLASS = """
from __future__ import annotations
from dataclasses import dataclass, field

@dataclass
class Pantograph:
    applied_force: float
    stiffness: float = 50.0
    places: list[float] = field(default_factory=lambda: [0.0, 0.0])

    @property
    def head(self):
        return {head}

    def step(self, force, dt):
        z, v = self.places
        v += dt / 20.0 * (self.applied_force - force - 90.0 * v - self.stiffness * z)
        self.places = [z + dt * v, v]
"""


@pytest.mark.parametrize(
    ("head", "sentence"),
    [
        ("self.places", None),
        ("1.0 / 0.0", r"has no head at 0\.0000 s: ZeroDivisionError in line 13: float division by zero"),
        ("self.nothing", r"has no head at 0\.0000 s: AttributeError in line 13: .*nothing"),
        ("(float('nan'), 0.0)", r"gave nan m and 0\.0 m/s at 0\.0000 s, which are not finite"),
    ],
)
def test_a_dataclass_with_a_head_of_its_own_making_is_as_good(tmp_path, head, sentence):
    (file := tmp_path / "own.py").write_text(DATACLASS.replace("{head}", head), encoding="utf-8")
    spec = model_of(file=str(file), model="Pantograph").python
    if sentence is not None:
        with pytest.raises(CodeError, match=sentence):
            PythonDevice(spec, 150.0)
        return
    with PythonDevice(spec, 150.0) as device:
        assert device.step(0.0, 1e-3).velocity == pytest.approx(150.0 / 20.0 * 1e-3)


def test_a_head_that_force_lifts_is_refused():
    with (
        PythonDevice(model_of(model="Upwards", settle_s=0.0).python, 0.0) as device,
        pytest.raises(CodeError, match="must have a head that gives way to a force within a step: 1 N more moved it"),
    ):
        measured_yield(device, Rest(0.0, 3e-4), 1e-3)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"run_python": False}, "run_python=true must be typed to run the class Masses of"),
        ({"run_python": False, "run_fmu": True}, "run_python=true must be typed to run the class Masses of"),
        ({"solver": "periodic"}, "kind python takes solver=open_line with an implicit integrator.*: got solver=perio"),
        ({"open_line": {**OPEN_LINE, "integrator": "rk4"}}, "got open_line.integrator=rk4"),
    ],
)
def test_what_cannot_be_asked_of_it_is_refused(build_case, content, sentence):
    settings = {"solver": "open_line", "open_line": OPEN_LINE, "applied_force_N": 170.0, "run_python": True}
    with pytest.raises(ValueError, match=sentence):
        build_case("bruni_2015", 320.0, pantograph=model_of(), **{**settings, **content})


def test_a_file_with_another_content_is_refused_before_anything_runs(build_case):
    case = build_case(
        "bruni_2015", 320.0, pantograph=model_of(sha256="1" * 64), solver="open_line", open_line=OPEN_LINE,
        applied_force_N=170.0, run_python=True,
    )  # fmt: skip
    with pytest.raises(InputError, match=r"pantograph\.python\.sha256 must be that of the file's content"):
        refuse_unusable_pantograph(case)


def test_a_class_needs_a_name_that_can_be_one():
    with pytest.raises(ValueError, match="model"):
        PythonModelSpec(file=str(MASSES), model="not a name")
