"""The same seed on one, two and four workers, and in the driver itself: the same results, bit for bit."""

from dataclasses import replace

import pytest
from cheap_evaluation import campaign_of, prepare_nothing, uneven_bowl
from cheap_sweep import AXES, slow_plane, sweep_of
from record_of import full

from catenary.spec.mesh import per_bay
from optimise.evaluation.evaluate import evaluate, prepare
from optimise.parameter_study.sweep import run_sweep
from optimise.search.campaign import run_campaign

KINDS = {"qmc": {"sampler": {"kind": "qmc"}}, "cma_es": {"sampler": {"kind": "cma_es"}, "synchronous": True}}


def places(numbers):
    # a busy machine must not turn a slow design into a failed one
    patient = {"time_limit_s": 3600.0, "watchdog": {"silence_s": 3600.0}}
    return [{"kind": "serial", **patient}, *({"kind": "local", "workers": n, **patient} for n in numbers)]


def of_the_run(result):
    """Everything on record but wall times; floating-point numbers as their exact digits."""
    return [repr((r.number, r.values, replace(r.outcome, wall_time_s={}))) for r in result.records]


def real(simple_case):
    content = simple_case.model_dump()
    content["periodic"] = {**content["periodic"], "spans_behind": 6, "spans_ahead": 6, "tolerance": 5e-4}
    content["catenary"]["mesh"] = per_bay(2).model_dump()
    return type(simple_case).model_validate({**content, "dt": 4e-3})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("numbers", "trials"), [pytest.param((4,), 30, id="short"), full((1, 2, 4), 300, minutes=30)])
def test_a_campaign(tmp_path, case, figures, kind, numbers, trials):
    found = {}
    for cluster in places(numbers):
        campaign = campaign_of(trials=trials, cluster=cluster, **KINDS[kind])
        folder = tmp_path / str(cluster.get("workers", "serial"))
        found[folder.name] = of_the_run(
            run_campaign(campaign, case, folder, evaluate=uneven_bowl, prepare=prepare_nothing)
        )
    different = [name for name, records in found.items() if records != found["serial"]]
    figures(f"{kind}, {trials} designs in {', '.join(found)}: {len(different)} differ from the serial run")
    assert different == []


@pytest.mark.parametrize("numbers", [pytest.param((4,), id="short"), full((1, 2, 4), minutes=30)])
def test_a_grid(tmp_path, case, figures, numbers):
    found = {}
    for cluster in places(numbers):
        name = str(cluster.get("workers", "serial"))
        points = run_sweep(sweep_of(AXES, **cluster), case, tmp_path / name, evaluate=slow_plane).points
        found[name] = sorted((index, repr(point)) for index, point in points.items())
    different = [name for name, points in found.items() if points != found["serial"]]
    figures(f"grid in {', '.join(found)}: {len(different)} differ from the serial run")
    assert different == []


@pytest.mark.parametrize("what", ["qmc", "cma_es", "grid"])
@pytest.mark.parametrize("numbers", [full((1, 2, 4), minutes=30)])
def test_real_designs(tmp_path, simple_case, figures, what, numbers):
    """What the workers evaluate is the real thing: its threads and its caches must not show either."""
    found, case = {}, real(simple_case)
    for cluster in places(numbers):
        name = str(cluster.get("workers", "serial"))
        if what == "grid":
            axes = {"contact.stiffness": (5e4, 8e4, 1.2e5, 2e5), "speed_kmh": (240.0, 280.0, 320.0)}
            points = run_sweep(sweep_of(axes, **cluster), case, tmp_path / name).points
            found[name] = sorted((index, repr(replace(point, wall_time_s=0.0))) for index, point in points.items())
        else:
            campaign = campaign_of(trials=40, cluster=cluster, **KINDS[what])
            found[name] = of_the_run(run_campaign(campaign, case, tmp_path / name, evaluate=evaluate, prepare=prepare))
    different = [name for name, records in found.items() if records != found["serial"]]
    figures(f"{what}, {len(found['serial'])} real designs in {', '.join(found)}: {len(different)} differ")
    assert different == []
