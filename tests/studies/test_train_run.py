"""Searches over gains and distances by their command: what they write reproduces their figure, as a run by hand."""

import json

import pytest
import yaml

from dynamics.results.dataset import read_result
from studies.report.readers.simulation_folder import read_simulation

SMALL = ("catenary=bruni_2015", "speed_kmh=275", "dt=4e-3")
FEW = ("trust.speeds=1", "trust.contact_stiffness=[]", "trust.damping_factors=[]", "trust.height_errors_mm=[]",
       "trust.length_errors_mm=[]", "trust.other_dimension=false", "trust.length_tolerance.rise_percent=null",
       "error_estimate=false", "transient.spans=24", "transient.spans_evaluated=4")  # fmt: skip
RANDOM = ("sampler=random", "trials=4", "learned_directions=false", "cluster=serial", "run_dir=out")
SEARCH = ("design=control", *RANDOM)
# numerics of a campaign, which its line brings along
OWN = ("periodic.precision=single", "periodic.tolerance=7e-4", "periodic.spans_behind=10", "periodic.spans_ahead=20")


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
    found = {}
    for name, typed in {
        "both": (line, f"pantograph={pantograph}"),
        "line alone": (line,),
        "by hand": (*SMALL, "pantograph=controlled", f"pantograph.control.pid.proportional={gain}", *OWN),
        "nominal": (*SMALL, "pantograph=controlled", *OWN),
    }.items():
        run = catenary("simulate", *typed, "error_estimate=false", f"run_dir={name.replace(' ', '_')}")
        assert run.code == 0, run
        found[name] = sigma(folder / name.replace(" ", "_"))
    assert found["both"] == found["line alone"]
    assert sigma(folder / "out" / "best") == pytest.approx(found["both"], rel=1e-3)
    assert found["both"] == pytest.approx(found["by hand"], rel=1e-3)
    assert found["nominal"] > 1.01 * found["both"]


def test_line_and_train_of_the_best_design_reproduce_its_figure(catenary, folder):
    slow = ("catenary=bruni_2015", "speed_kmh=200", "dt=4e-3", "trailing.distances_m=[60]")
    ranges = ("design=distances", "design.trailing_distances=[[52,68]]")
    ended = catenary("optimise", *slow, *ranges, *RANDOM, *FEW)
    assert ended.code == 0, ended
    assert "distance of pantograph 2 52 to 68 m" in ended.out and "best_design.trailing.yaml" in ended.out
    assert "catenary export" not in ended.out  # a rig presses a bundle with one pantograph
    train = yaml.safe_load((folder / "out" / "best_design.trailing.yaml").read_text(encoding="utf-8"))["distances_m"]
    assert train != [60.0] and 52.0 <= train[0] <= 68.0
    page, best = (folder / "out" / "report.html").read_text(encoding="utf-8"), folder / "out" / "best"
    each = [p["contact_force_std_N"] for p in json.loads((best / "summary.json").read_text("utf-8"))["pantographs"]]
    assert f"Of 2 pantographs it is number {1 + each.index(max(each))}" in page
    table = page.partition("Pantograph by pantograph")[2].partition("</table>")[0]
    assert all(f">{sigma:.2f}<" in table for sigma in each)
    worst = {}
    for name, typed in {
        "line": ("catenary=out/best_design.yaml",),
        "typed": ("catenary=out/best_design.yaml", "trailing.distances_m=[60]"),
        "by hand": (*slow, f"trailing.distances_m={train}".replace(" ", ""), *OWN),
        "nominal": (*slow, *OWN),
    }.items():
        run = catenary("simulate", *typed, "error_estimate=false", f"run_dir={name.replace(' ', '_')}")
        assert run.code == 0, run
        summary = json.loads((folder / name.replace(" ", "_") / "summary.json").read_text(encoding="utf-8"))
        worst[name] = max(p["contact_force_std_N"] for p in summary["pantographs"])
    shown, stored = read_simulation(folder / "line"), read_result(folder / "line" / "result.nc").values
    assert shown.shown == each.index(max(each)) == 1
    assert shown.result.force.y.max() == stored["pantograph_contact_force_filtered"][:, 1].max()
    assert shown.result.force.y.max() != stored["contact_force_filtered"].max()
    own = (folder / "line" / "report.html").read_text(encoding="utf-8")
    assert f"Under pantograph {1 + each.index(max(each))} of 2, where it varies most" in own
    assert worst["line"] == pytest.approx(worst["by hand"], rel=1e-3)
    assert worst["typed"] == pytest.approx(worst["nominal"], rel=1e-3)
    assert worst["nominal"] > 1.01 * worst["line"]


def test_a_pantograph_without_a_controller_is_refused(catenary, folder):
    ended = catenary("optimise", *SMALL, "pantograph=dsa380", *SEARCH)
    assert ended.code == 2 and not (folder / "out").exists()
    assert "pantograph.control.pid" in ended.err and "dsa380" in ended.err
