"""What a campaign, a sweep or a sensitivity study is asked for is checked once, before anything is said or written."""

from collections import Counter

import pytest

from optimise.design.space import DesignSpace
from optimise.parameter_study import run as filling
from optimise.parameter_study.sensitivity_result import SensitivityInput
from optimise.parameter_study.sweep_result import SweepInput
from optimise.search import campaign as search
from optimise.search import prepare


@pytest.fixture
def counts(monkeypatch):
    """How often each check is made by a command that is stopped where it would take the lock of its folder."""
    found = Counter()

    def counted(place, name):
        plain = getattr(place, name)

        def call(*given, **named):
            found[name] += 1
            return plain(*given, **named)

        monkeypatch.setattr(place, name, call)

    def stopped(*_):
        raise KeyboardInterrupt

    for place, name in (
        (DesignSpace, "__init__"), (prepare, "scenario_set"), (prepare, "refuse_impossible"), (prepare, "warm_start"),
        (SweepInput, "refuse_bad_points"), (SensitivityInput, "refuse_bad_points"), (filling, "refuse_impossible"),
    ):  # fmt: skip
        counted(place, name)
    monkeypatch.setattr(search, "driver_lock", stopped)
    monkeypatch.setattr(filling, "driver_lock", stopped)
    return found


def test_a_campaign(catenary, counts, listing, folder):
    before = listing(folder)
    ended = catenary("optimise", "experiment=bruni_heights", "scenarios.speeds_kmh=[250,300]", "cluster=serial")
    assert ended.code == 75 and "Every design in 2 scenarios: 250 and 300 km/h" in ended.out
    assert counts == {"__init__": 1, "scenario_set": 1, "refuse_impossible": 1, "warm_start": 1}
    assert listing(folder) == before


@pytest.mark.parametrize(
    "typed",
    [
        ("sweep", "array=speed_bruni", "sweep.axes={contact.stiffness:[50e3,60e3],speed_kmh:[200,220]}"),
        ("sensitivity", "inputs=twelve_bruni", "sensitivity.methods=[morris]", "sensitivity.morris.trajectories=4"),
    ],
    ids=["sweep", "sensitivity"],
)
def test_a_study_of_points(catenary, counts, listing, folder, typed):
    before = listing(folder)
    ended = catenary(*typed, "cluster=serial")
    assert ended.code == 75, ended.err
    assert counts == {"refuse_bad_points": 1, "refuse_impossible": 1}
    assert listing(folder) == before
