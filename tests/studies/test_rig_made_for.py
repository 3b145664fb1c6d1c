"""What a bundle was made for is what stands on the rig, unless it is given; overriding it is said."""

import json

import numpy as np
import pytest
import yaml
from refusal import refused

from dynamics.rig.bundle import made_for, write_bundle
from dynamics.rig.loop.engine import LoopEngine
from dynamics.rig.loop.model import model_of
from dynamics.rig.loop.spec import LoopSettings
from dynamics.rig.service.journal import read_journal
from dynamics.spec.case import CaseSpec

LOOP = (
    "loop.ramp_s=1", "loop.strategy=span_by_span", "loop.delay_steps=8", "loop.height_harmonics=12",
    "loop.dropper_harmonics=all", "loop.contact_relaxation=0.1",
)  # fmt: skip
DRY = ("dry_run=true", "duration_s=2", *LOOP)


def resolved(folder):
    return yaml.safe_load((folder / ".hydra" / "config.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("command", [("serve", *DRY), ("emulate", "duration_s=3", *LOOP)])
def test_the_pantograph_and_force_of_the_bundle_stand_on_the_rig(catenary, bundle, folder, command):
    ended = catenary("rig", command[0], f"bundle={bundle}", *command[1:], "run_dir=run")
    assert ended.code == 0, ended.err
    said = "made for bruni_2015 pressed to an applied force of 165.00 N at 274.72 km/h, which is taken here"
    used = resolved(folder / "run")
    assert used["pantograph"]["name"] == "bruni_2015" and used["applied_force_N"] == 165.0
    made = made_for(json.loads((bundle / "manifest.json").read_text(encoding="utf-8")))
    assert made is not None and f"at {made.speed_kmh:.2f} km/h" in ended.out
    assert said.replace("274.72", f"{made.speed_kmh:.2f}") in ended.out and "OVERRIDDEN" not in ended.out


@pytest.mark.parametrize("command", [("map",), ("emulate", "duration_s=3", *LOOP), ("serve", *DRY)])
def test_an_emulated_rig_refuses_what_is_not_of_lumped_masses(catenary, bundle, folder, command):
    ended = catenary("rig", command[0], f"bundle={bundle}", *command[1:], "pantograph=articulated", "run_dir=run")
    refused(ended, ["pantograph must be of lumped masses on an emulated rig: articulated is of kind articulated"])
    assert not (folder / "run").exists()


def test_an_emulated_rig_names_a_way_out_where_the_bundle_has_a_controller(catenary, bundle, folder):
    ended = catenary("rig", "map", f"bundle={bundle}", "pantograph=controlled", "run_dir=run")
    refused(ended, ["pantograph.control must be left out on an emulated rig", "such as pantograph=dsa380"])


def test_what_a_bundle_cannot_have_is_refused(catenary, folder):
    refused(catenary("export", "slack_damping=released"), ["slack_damping must be kept in a bundle", "got released"])
    large = ("solver=open_line", "kinematics=nonlinear")
    refused(
        catenary("export", *large), ["kinematics must be linearised in a bundle, which has matrices: got nonlinear"]
    )
    moved = ("solver=open_line", "base_motion.drawn_height={deviation_m:0.01,frequency_hz:1}")
    refused(catenary("export", *moved), ["base_motion must be left out of a bundle"])
    assert list(folder.iterdir()) == []


def test_its_other_side_refuses_it_too(catenary):
    refused(catenary("rig", "device", "pantograph=articulated"), ["pantograph must be of lumped masses on an emulated"])


def test_what_is_given_in_its_place_is_said_and_taken(catenary, bundle, folder):
    ended = catenary(
        "rig", "serve", f"bundle={bundle}", *DRY, "pantograph=dsa250", "applied_force_N=140", "run_dir=run"
    )
    assert ended.code == 0, ended.err
    assert "OVERRIDDEN: dsa250 stands on the rig instead of bruni_2015" in ended.out
    assert (
        "OVERRIDDEN: pressed to an applied force of 140.0 N as given, instead of an applied force of 165" in ended.out
    )
    assert (resolved(folder / "run")["pantograph"]["name"], resolved(folder / "run")["applied_force_N"]) == (
        "dsa250",
        140,
    )
    other = catenary("rig", "serve", f"bundle={bundle}", *DRY, "pantograph=dsa250", "run_dir=other")
    assert "instead of bruni_2015" in other.out and other.out.count("OVERRIDDEN") == 1
    forces = [read_journal(folder / run / "run.journal")[1]["force"] for run in ("run", "other")]
    assert np.abs(forces[0] - forces[1]).max() > 1.0, "140 N and 165 N press differently"
    refused(
        catenary("rig", "serve", f"bundle={bundle}", *DRY, "applied_force_N=140", "mean_force_N=140", "run_dir=two"),
        ["mean_force_N must be left out where applied_force_N is given"],
    )


@pytest.fixture(scope="module")
def mean_bundle(influence, tmp_path_factory):
    """The same line, made for a mean force."""
    held = {**influence.case.model_dump(), "applied_force_N": None, "mean_force_N": 150.0}
    return write_bundle(tmp_path_factory.mktemp("mean") / "bundle", influence, CaseSpec.model_validate(held))


def test_a_bundle_for_a_mean_force_is_pressed_until_it_has_it(influence, catenary, mean_bundle, folder):
    from dynamics.rig.loop.steady import solve_steady

    ended = catenary("rig", "emulate", f"bundle={mean_bundle}", "duration_s=3", *LOOP, "run_dir=run")
    assert ended.code == 0 and "pressed to a mean force of 150.00 N" in ended.out, ended.err
    summary = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))
    assert summary["contact_force"]["periodic"]["contact_force_mean_N"] == pytest.approx(150.0, abs=0.06)
    dry = catenary("rig", "serve", f"bundle={mean_bundle}", *DRY, "start=predicted", "run_dir=dry")
    assert dry.code == 0 and "(mean force 150.0 N)" in dry.out, dry.err
    # an independent way: the same pantograph pressed by what was solved for has that mean
    from dynamics.rig.loop.device import lumped_device

    model = model_of(influence)
    device = lumped_device(influence.case.pantograph, summary["applied_force_N"], 600e3, model.dt, 0.02)
    loop = LoopSettings(height_harmonics=12, contact_relaxation=0.1)
    assert solve_steady(model, device, loop).contact_force.mean() == pytest.approx(150.0, abs=0.06)
    assert LoopEngine(model, loop).model is model


def test_the_programs_and_the_data_files_say_it_too(bundle, mean_bundle):
    from dynamics.results.dataset import read_result

    for folder, force in ((bundle, "an applied force of 165.00 N"), (mean_bundle, "a mean force of 150.00 N")):
        for name in ("README.md", "pfem.h", "load_bundle.m"):
            text = (folder / name).read_text(encoding="utf-8")
            assert f"made for the pantograph bruni_2015 pressed to {force}" in text.replace("Made", "made"), name
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        assert manifest["made_for"]["pantograph"]["masses"] and manifest["made_for_pantograph"] == "bruni_2015"
        assert read_result(folder / "pfem.nc").attributes["made_for_pantograph"] == "bruni_2015"


def test_bundles_of_earlier_versions(catenary, own_bundle, folder):
    """Without the words, the input of the export says it; without that, the pantograph must be given."""
    path = own_bundle / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    earlier = {key: value for key, value in manifest.items() if not key.startswith("made_for")}
    path.write_text(json.dumps(earlier), encoding="utf-8")
    ended = catenary("rig", "serve", f"bundle={own_bundle}", *DRY, "run_dir=run")
    assert ended.code == 0, ended.err
    assert "The bundle is of an earlier version; by the input of its export it was made for bruni_2015" in ended.out
    for case in (
        {},
        {**manifest["case"], "applied_force_N": None},
        {**manifest["case"], "pantograph": {"name": "x"}},
        7,
    ):
        path.write_text(json.dumps({**earlier, "case": case}), encoding="utf-8")
        for command in (("serve", *DRY), ("emulate", *LOOP), ("map", "over=none")):
            ended = catenary("rig", command[0], f"bundle={own_bundle}", *command[1:], "run_dir=none")
            refused(ended, ["pantograph must be given: the bundle", "does not say what it was made for"])
    assert not (folder / "none").exists()
    given = catenary("rig", "serve", f"bundle={own_bundle}", *DRY, "pantograph=dsa250", "run_dir=given")
    assert given.code == 0 and "dsa250 is taken, pressed for the reference mean force of its speed" in given.out
