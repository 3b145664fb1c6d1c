"""What `catenary rig map` recommends in a bundle, and what the other rig commands make of it."""

import json

import pytest
from refusal import refused

from dynamics.rig.bundle import add_to_bundle
from dynamics.rig.loop.model import read_model
from dynamics.rig.service.journal import read_journal

RECOMMENDED = ("strategy", "delay_steps", "height_harmonics", "dropper_harmonics", "contact_relaxation")


def test_an_emulated_test_takes_what_the_bundle_recommends(catenary, own_bundle, folder):
    alone = ("over=none", "frequency_range=[5,15]", "delay_steps=7", "pantograph=dsa380")
    assert catenary("rig", "map", f"bundle={own_bundle}", *alone).code == 0
    stored = json.loads((own_bundle / "recommendation.json").read_text(encoding="utf-8"))
    short = (f"bundle={own_bundle}", "duration_s=3", "loop.ramp_s=1")
    ended = catenary("rig", "emulate", *short, "pantograph=dsa380", "run_dir=run")
    assert "contact_relaxation as the bundle recommends" in ended.out and ended.err.count("was judged with") == 0
    used = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))["loop"]
    assert {name: used[name] for name in RECOMMENDED} == {name: stored[name] for name in RECOMMENDED}
    other = ("pantograph=dsa250", "contact.stiffness=300e3", "loop.contact_relaxation=0.04", "run_dir=other")
    ended = catenary("rig", "emulate", *short, *other)
    assert "The recommendation was judged with the pantograph dsa380, not with dsa250" in ended.err
    assert (
        "a contact stiffness of 600 kN/m, not with 300 kN/m" in ended.err and "contact_relaxation as given" in ended.out
    )
    used = json.loads((folder / "other" / "summary.json").read_text(encoding="utf-8"))["loop"]
    assert used["contact_relaxation"] == 0.04 and used["height_harmonics"] == stored["height_harmonics"]


def test_the_recommendation_depends_on_no_grid_and_is_kept_where_none_is_better(catenary, own_bundle, folder):
    alone = ("over=none", "frequency_range=[5,25]", "pantograph=dsa380")
    stored = []
    for points in (2, 60):
        ended = catenary("rig", "map", f"bundle={own_bundle}", *alone, f"points={points}", f"run_dir=map_{points}")
        assert ended.code == 0, ended.err
        stored.append((own_bundle / "recommendation.json").read_bytes())
    assert stored[0] == stored[1] and json.loads(stored[0])["stable"]
    ended = catenary("rig", "map", f"bundle={own_bundle}", *alone, "radius_wanted=0.5", "run_dir=fast")
    assert ended.code == 1 and (own_bundle / "recommendation.json").read_bytes() == stored[0]
    summary = json.loads((folder / "fast" / "summary.json").read_text(encoding="utf-8"))
    assert summary["status"] == "slower_than_wanted" and 0.5 < summary["recommendation"]["spectral_radius"] < 1.0
    assert (
        "no settings settle as fast as radius_wanted=0.5 asks for" in ended.out and "falls to a hundredth" in ended.out
    )
    assert (
        "was not touched" in ended.out and "recommendation.json" not in ended.out and "NOTHING SETTLES" not in ended.out
    )


def test_a_test_is_served_with_what_the_bundle_recommends(catenary, own_bundle, folder):
    ended = catenary(
        "rig", "map", f"bundle={own_bundle}", "over=none", "points=4", "frequency_range=[5,25]", "run_dir=map",
        "pantograph=dsa250", "delay_steps=7",
    )  # fmt: skip
    assert ended.code == 0 and "Recommended for dsa250" in ended.out, ended.err
    assert {p.name for p in (folder / "map").iterdir()} == {".hydra", "rig_map.log", "summary.json"}
    stored = json.loads((own_bundle / "recommendation.json").read_text(encoding="utf-8"))
    dry = ("dry_run=true", "duration_s=2", "loop.ramp_s=1", "pantograph=dsa250")
    ended = catenary("rig", "serve", f"bundle={own_bundle}", *dry, "run_dir=as_recommended")
    assert ended.code == 0 and f"recommended for dsa250 on 600 kN/m, margin {stored['margin']:.4f}" in ended.out, (
        ended.err
    )
    used = json.loads(read_journal(folder / "as_recommended" / "run.journal")[0]["loop"])
    assert {name: used[name] for name in RECOMMENDED} == {name: stored[name] for name in RECOMMENDED}
    mixed = catenary("rig", "serve", f"bundle={own_bundle}", *dry, "loop.height_harmonics=all", "run_dir=mixed")
    assert mixed.code == 0 and "whose margin does not hold for this mixture" in mixed.out, mixed.err
    used = json.loads(read_journal(folder / "mixed" / "run.journal")[0]["loop"])
    assert used["height_harmonics"] is None and used["delay_steps"] == 7
    # what does not settle is not served unless it is asked for
    add_to_bundle(own_bundle, "recommendation.json", json.dumps({**stored, "stable": False, "spectral_radius": 1.1}))
    refused(
        catenary("rig", "serve", f"bundle={own_bundle}", *dry, "run_dir=run"), ["nothing settles (spectral radius 1.1)"]
    )
    add_to_bundle(own_bundle, "recommendation.json", json.dumps({**stored, "contact_relaxation": "much"}))
    refused(catenary("rig", "serve", f"bundle={own_bundle}", *dry, "run_dir=run"), ["recommendation.json must hold"])
    assert not (folder / "run").exists()


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda path: path.write_text("{}", encoding="utf-8"), "recommendation.json must have the sha256"),
        (lambda path: path.unlink(), "the bundle lacks recommendation.json"),
    ],
)
def test_a_recommendation_that_is_not_whole_is_made_again_by_the_map(catenary, own_bundle, folder, spoil, sentence):
    """As after a kill between the file and the manifest, too."""
    add_to_bundle(own_bundle, "recommendation.json", '{"stable": true}')
    spoil(own_bundle / "recommendation.json")
    for command in (("emulate",), ("serve", "dry_run=true")):
        cure = f"`catenary rig map bundle={own_bundle} over=none` makes it again"
        refused(catenary("rig", *command, f"bundle={own_bundle}", "run_dir=run"), [sentence, cure])
    alone = ("over=none", "frequency_range=[5,12]", "pantograph=dsa380", "run_dir=map")
    ended = catenary("rig", "map", f"bundle={own_bundle}", *alone)
    assert ended.code == 0, ended.err
    read_model(own_bundle)
