"""`catenary rig emulate` and `map` on a small bundle: what they write, what they refuse."""

import html
import json
import shlex
import shutil

import numpy as np
import pytest
from refusal import refused

from catenary.storage.configuration import conf_content
from dynamics.results.dataset import read_result
from dynamics.rig.bundle import recommendation_mismatch
from dynamics.spec.case import PantographSpec

NAMED = (
    "loop.strategy=span_by_span", "loop.delay_steps=8", "loop.height_harmonics=12", "loop.dropper_harmonics=60",
)  # fmt: skip
QUICK = ("duration_s=12", "loop.ramp_s=2", *NAMED, "best_relaxation=true", "run_dir=run")


def test_an_emulated_test_leaves_its_record(catenary, bundle, folder):
    ended = catenary("rig", "emulate", f"bundle={bundle}", *QUICK)
    assert ended.code == 0, ended.err
    summary = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))
    assert summary["status"] == "ok" and summary["spectral_radius"] < 1.0
    assert summary["compared"]["emulated_against_periodic"]["curve_rms_N"] < 15.0  # not settled yet
    mu = summary["loop"]["contact_relaxation"]
    assert summary["spectral_radius"] == min(summary["spectral_radius_by_relaxation"].values())
    assert f"mu_c {mu:g}" in ended.out
    run = read_result(folder / "run" / "run.nc")
    assert len(run.values["time"]) == summary["spans_run"] * 360
    assert (run.units["contact_force"], run.units["height"]) == ("N", "m")
    period = read_result(folder / "run" / "period.nc").values
    last = run.values["contact_force"].reshape(-1, 360)[-10:]
    np.testing.assert_allclose(period["contact_force_emulated"], last.mean(axis=0))
    assert (folder / "run" / "figures" / "contact_force.png").stat().st_size > 10000
    page = (folder / "run" / "report.html").read_text(encoding="utf-8")
    assert "periodic state" in page and "settled after" in page
    # the command that is shown can be copied, and does not ask for the folder that is now taken
    again = "catenary rig emulate " + shlex.join([f"bundle={bundle}", *QUICK[:-1]])
    assert html.escape(again) in page or again in page
    assert "at the latest" in ended.out and summary["criterion_foretold_s"] > 12.0
    spans = read_result(folder / "run" / "spans.nc").values
    assert len(spans["error"]) == summary["spans_run"] and spans["error"][-1] < spans["error"][0]
    # drawn again from the folder alone: the same page
    (folder / "run" / "report.html").unlink()
    shutil.rmtree(folder / "run" / "figures")
    again = catenary("report", "run")
    assert again.code == 0, again.err
    assert (folder / "run" / "report.html").read_text(encoding="utf-8") == page
    assert (folder / "run" / "figures" / "convergence.png").is_file()


def test_a_predicted_start_has_settled_behind_the_ramp(catenary, bundle, folder):
    ended = catenary("rig", "emulate", f"bundle={bundle}", *QUICK, "start=predicted")
    assert ended.code == 0, ended.err
    summary = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))
    own = summary["compared"]["emulated_against_periodic_own_band"]
    assert abs(own["std_percent"]) < 0.5 and own["curve_rms_N"] < 1.0
    passage = summary["steps_per_span"] * summary["dt_s"]
    assert 2.0 + 9 * passage < summary["criterion_met_after_s"] <= 2.0 + 12 * passage


def test_a_folder_that_lacks_a_part_of_the_test_is_not_drawn(catenary, bundle, folder):
    assert catenary("rig", "emulate", f"bundle={bundle}", *QUICK, "duration_s=3").code == 0
    (folder / "run" / "spans.nc").unlink()
    refused(catenary("report", "run"), ["spans.nc must be a result file"])
    content = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))
    del content["loop"]
    (folder / "run" / "summary.json").write_text(json.dumps(content), encoding="utf-8")
    refused(catenary("report", "run"), ["must hold loop: run the test again"])


def test_a_test_that_runs_away_keeps_its_record_and_says_so(catenary, bundle, folder):
    unstable = (*NAMED, "loop.contact_relaxation=1.0", "loop.height_harmonics=40", "loop.ramp_s=0")
    ended = catenary("rig", "emulate", f"bundle={bundle}", "duration_s=60", "run_dir=run", *unstable)
    assert ended.code == 1
    assert "UNSTABLE" in ended.out and "the loop was stopped at step" in ended.out
    assert len(read_result(folder / "run" / "run.nc").values["contact_force"]) > 360


def test_a_test_that_is_not_stopped_but_unstable_does_not_end_as_a_success(catenary, bundle, folder):
    """Started at the fixed point, it may stay there as long as it lasts: both truths are reported together."""
    short = (*NAMED, "loop.contact_relaxation=0.7", "loop.ramp_s=1", "duration_s=8.5")
    for start, said in (
        ("predicted", "started there and has not left it yet"),
        ("rest", "at the end; take fewer harmonics"),
    ):
        ended = catenary("rig", "emulate", f"bundle={bundle}", *short, f"start={start}", f"run_dir={start}")
        summary = json.loads((folder / start / "summary.json").read_text(encoding="utf-8"))
        assert summary["message"] == "" and summary["spectral_radius"] > 1.0
        assert ended.code == 1 and summary["status"] == "unstable"
        assert (
            "UNSTABLE: an error grows by" in ended.out
            and said in ended.out
            and "leaves less to settle" not in ended.out
        )
        page = (folder / start / "report.html").read_text(encoding="utf-8")
        assert "UNSTABLE" in page and "leaves it sooner or later" in page


def test_maps_and_recommendation(catenary, own_bundle, folder):
    few = ("points=3", "frequency_range=[5,25]", "stiffness_range=[100e3,1e6]", "relaxations=[0.05,0.2]")
    ended = catenary("rig", "map", f"bundle={own_bundle}", *few, "pantograph=dsa380", "run_dir=map")
    assert ended.code == 0, ended.err
    assert "Recommended for dsa380 on 600 kN/m" in ended.out
    summary = json.loads((folder / "map" / "summary.json").read_text(encoding="utf-8"))
    for found in summary["maps"]:
        assert np.shape(found["spectral_radius"]) == (3, 3)
        assert set(np.ravel(found["best_relaxation"])) <= {0.05, 0.2}
        for kind in ("png", "svg"):
            assert (folder / "map" / "figures" / f"{found['strategy']}_over_stiffness.{kind}").is_file()
        drawn = (folder / "map" / "figures" / f"{found['strategy']}_over_stiffness.svg").read_text(encoding="utf-8")
        assert ">500</text>" in drawn and "[kN/m]" in drawn and "$" not in drawn
    stored = json.loads((own_bundle / "recommendation.json").read_text(encoding="utf-8"))
    assert stored == summary["recommendation"] and stored["margin"] > 0.0
    # it says which device it was judged with, so that another one is distinguished from it
    dsa380, hil = (
        PantographSpec.model_validate(conf_content(f"pantograph/{name}")) for name in ("dsa380", "hil_virtual")
    )
    assert recommendation_mismatch(stored, dsa380, 600e3) == []
    assert "with the pantograph dsa380, not with hil_virtual" in recommendation_mismatch(stored, hil, 600e3)[0]
    assert "stiffness of 600 kN/m, not with 50 kN/m" in recommendation_mismatch(stored, dsa380, 50e3)[0]
    heavier = dsa380.model_copy(update={"masses": (8.0, *dsa380.masses[1:])})
    assert (
        "masses of 7.12, 6, 5.8 kg from the head down, not with 8, 6, 5.8 kg"
        in recommendation_mismatch(stored, heavier, 600e3)[0]
    )
    # the manifest knows the new file, so that the bundle is still whole
    assert catenary("rig", "emulate", f"bundle={own_bundle}", *QUICK, "duration_s=3").code == 0


def test_no_delay_below_nothing_is_drawn(catenary, bundle, folder):
    few = ("over=delay", "points=2", "largest_delay_steps=60", "strategies=[span_by_span]", "frequency_range=[5,8]")
    assert catenary("rig", "map", f"bundle={bundle}", *few, "store=false", "run_dir=map").code in (0, 1)
    drawn = (folder / "map" / "figures" / "span_by_span_over_delay.svg").read_text(encoding="utf-8")
    assert ">20</text>" in drawn and ">\u2212" not in drawn


def test_all_rig_commands_with_a_bundle_take_its_pantograph_unless_given_another(catenary):
    for command in ("map", "emulate", "serve"):
        ended = catenary("rig", command, "--help")
        assert "hil_virtual | PATH.yaml\n" in ended.out and "the one that the bundle was made for" in ended.out, command
    assert "hil_virtual | PATH.yaml  (default dsa380)" in catenary("rig", "device", "--help").out


@pytest.mark.parametrize(
    ("command", "part"),
    [
        (
            ("map", "points=2", "strategies=[span_by_span]", "frequency_range=[5,12]"),
            "dynamics.rig.stability.search.recommend",
        ),
        (("emulate", *QUICK[:-1], "duration_s=3"), "studies.rig.emulation.trial.run_chosen"),
    ],
)
def test_an_interrupted_run_may_start_again_in_its_folder(catenary, own_bundle, folder, monkeypatch, command, part):
    def interrupted(*_):
        raise KeyboardInterrupt

    line = ("rig", *command, f"bundle={own_bundle}", "run_dir=run")
    with monkeypatch.context() as patch:
        patch.setattr(part, interrupted)
        ended = catenary(*line)
    assert ended.code == 75 and "run the same command again" in ended.err
    assert (folder / "run" / ".hydra").is_dir()
    assert catenary(*line).code == 0
    refused(catenary(*line), ["run_dir must be a new or empty folder"])


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda b: (b / "pfem.nc").write_bytes((b / "pfem.nc").read_bytes()[:-1000]), "must have the sha256"),
        (lambda b: (b / "manifest.json").unlink(), "has no manifest.json"),
        (lambda b: (b / "manifest.json").write_text("{", encoding="utf-8"), "is not whole JSON"),
        (lambda b: (b / "design.yaml").unlink(), "is missing; export it again"),
    ],
)
def test_a_bundle_that_is_not_whole_is_refused(catenary, own_bundle, folder, spoil, sentence):
    spoil(own_bundle)
    for command in ("emulate", "map"):
        refused(catenary("rig", command, f"bundle={own_bundle}", "run_dir=run"), [sentence])
    assert not (folder / "run").exists()


def test_a_bundle_from_the_future_or_of_another_step_is_refused(catenary, own_bundle, folder):
    manifest = json.loads((own_bundle / "manifest.json").read_text(encoding="utf-8"))
    future = {**manifest, "schema_version": 99}
    (own_bundle / "manifest.json").write_text(json.dumps(future), encoding="utf-8")
    refused(catenary("rig", "emulate", f"bundle={own_bundle}", "run_dir=run"), ["schema_version", "got 99"])


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("loop.height_harmonics=500", "height_harmonics must be at most 181"),
        ("actuator.ramp_steps=9", "actuator.ramp_steps must not exceed loop.delay_steps"),
        ("loop.contact_relaxation=nan", "loop.contact_relaxation"),
        ("device=brick", "device must be one of"),
        ("loop.contact_relaxation=0.05", "best_relaxation must be false where loop.contact_relaxation is given"),
        ("loop.height_harmonics=null", "loop.height_harmonics must be given: the bundle"),
    ],
)
def test_bad_settings_are_refused(catenary, bundle, folder, override, sentence):
    refused(
        catenary("rig", "emulate", f"bundle={bundle}", *NAMED, "best_relaxation=true", override, "run_dir=run"),
        [sentence],
    )
    assert not (folder / "run").exists()


def test_a_bundle_must_be_named(catenary):
    refused(catenary("rig", "emulate"), ["bundle"])
    refused(catenary("rig", "emulat"), ["did you mean 'emulate'?"])
