"""A search over gains by its command: what it writes reproduces its figure, and is a run by hand with that gain."""

import json

import pytest
import yaml

SMALL = ("catenary=bruni_2015", "speed_kmh=275", "dt=4e-3")
FEW = ("trust.speeds=1", "trust.contact_stiffness=[]", "trust.damping_factors=[]", "trust.height_errors_mm=[]",
       "trust.length_errors_mm=[]", "trust.other_dimension=false", "trust.length_tolerance.rise_percent=null",
       "error_estimate=false", "transient.spans=24", "transient.spans_evaluated=4")  # fmt: skip
SEARCH = ("design=control", "sampler=random", "trials=4", "learned_directions=false", "cluster=serial", "run_dir=out")


def sigma(folder):
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return summary["pantographs"][0]["contact_force_std_N"]


def test_line_and_pantograph_of_the_best_design_reproduce_its_figure(catenary, folder):
    ended = catenary("optimise", *SMALL, "pantograph=controlled", *SEARCH, *FEW)
    assert ended.code == 0, ended
    assert "control.pid.proportional 0 to 1" in ended.out and "best_design.pantograph.yaml" in ended.out
    line, pantograph = "catenary=out/best_design.yaml", folder / "out" / "best_design.pantograph.yaml"
    gain = yaml.safe_load(pantograph.read_text(encoding="utf-8"))["control"]["pid"]["proportional"]
    assert gain != 0.5  # one of the others is better than the nominal gain
    # numerics of a campaign, which its line brings along
    own = (
        "periodic.precision=single",
        "periodic.tolerance=7e-4",
        "periodic.spans_behind=10",
        "periodic.spans_ahead=20",
    )
    found = {}
    for name, typed in {
        "both": (line, f"pantograph={pantograph}"),
        "line alone": (line,),
        "by hand": (*SMALL, "pantograph=controlled", f"pantograph.control.pid.proportional={gain}", *own),
        "nominal": (*SMALL, "pantograph=controlled", *own),
    }.items():
        run = catenary("simulate", *typed, "error_estimate=false", f"run_dir={name.replace(' ', '_')}")
        assert run.code == 0, run
        found[name] = sigma(folder / name.replace(" ", "_"))
    assert found["both"] == found["line alone"]
    assert sigma(folder / "out" / "best") == pytest.approx(found["both"], rel=1e-3)
    assert found["both"] == pytest.approx(found["by hand"], rel=1e-3)
    assert found["nominal"] > 1.01 * found["both"]


def test_a_pantograph_without_a_controller_is_refused(catenary, folder):
    ended = catenary("optimise", *SMALL, "pantograph=dsa380", *SEARCH)
    assert ended.code == 2 and not (folder / "out").exists()
    assert "pantograph.control.pid" in ended.err and "dsa380" in ended.err
