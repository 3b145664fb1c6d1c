"""Trains as scenarios of a campaign: what they are called, and that the worst pantograph of each counts."""

import pytest

from dynamics.spec.mean_force import reference_mean_force
from dynamics.steady_state.periodic import solve_periodic
from optimise.evaluation.figures import statistics_of
from optimise.evaluation.scenarios import own_condition, scenario_set
from optimise.spec.scenarios import ScenariosSpec

WINDOW = {"spans_behind": 5, "spans_ahead": 6, "tolerance": 5.0e-4}


def test_a_train_is_a_scenario_whose_worst_pantograph_counts(build_case):
    """The names by which an objective asks for one; each train's own distances; a design judged by its worse one."""
    bruni = build_case("bruni_2015", 275.0, mean_force_N=reference_mean_force(275.0), periodic=WINDOW)
    trains = ScenariosSpec(trailing=((), (100.0,)), combine="worst")
    found = scenario_set(trains, ("sigma@train+100:worst",), bruni)
    assert found.labels == ("one pantograph", "pantographs 100 m behind")
    assert found.spec.marks == ("alone", "train+100")
    assert [w.case.trailing.distances_m for w in found.conditions] == [(), (100.0,)]
    assert own_condition(found.spec, bruni) == f"{bruni.speed_kmh:g} km/h, one pantograph"
    solutions = [solve_periodic(w.case) for w in found.conditions]
    each = [[one.statistics.contact_force_std_N for one in s.pantographs] for s in solutions]
    judged = [statistics_of(s)[0] for s in solutions]
    assert [j["contact_force_std_N"] for j in judged] == [max(sigmas) for sigmas in each]
    assert abs(each[1][0] / each[1][1] - 1.0) > 0.01
    assert found.value("sigma@train+100", judged) == max(each[1])
    with pytest.raises(ValueError, match="at least 1 m"):
        scenario_set(ScenariosSpec(trailing=((100.0, 100.5),)), ("sigma",), bruni)
    with pytest.raises(ValueError, match="each value once"):
        ScenariosSpec(trailing=((100.0,), (100.0,)))
