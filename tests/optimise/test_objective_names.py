"""Names of objectives: what they say, which there are, how people and files read them."""

import pytest

from optimise.evaluation.objectives import OBJECTIVES
from optimise.spec.objective_names import NameParts, name_parts


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("sigma", NameParts("sigma")),
        ("uplift:worst", NameParts("uplift", (), "worst")),
        ("sigma@320@dsa380:mean_plus_std", NameParts("sigma", ("320", "dsa380"), "mean_plus_std")),
    ],
)
def test_a_name_says_statistic_condition_and_combination(name, parts):
    assert name_parts(name) == parts
    assert OBJECTIVES[name].terms == OBJECTIVES[parts.base].terms


@pytest.mark.parametrize("name", ["speed", "sigma@", "sigma:best", "sigma@320:", "sigma:worst@320", "@320", ""])
def test_a_name_of_no_objective_is_refused(name):
    with pytest.raises(ValueError, match="must be one of"):
        name_parts(name)


def test_names_for_people_and_for_files():
    o = OBJECTIVES["sigma@320:worst"]
    assert (o.symbol, o.slug, o.unit) == ("worst σ at 320 km/h", "sigma_at_320_worst", "N")
    assert o.long_name == (
        "standard deviation of the contact force at 320 km/h (worst of the scenarios), low-pass filtered"
    )
    assert OBJECTIVES["uplift@dsa250"].symbol == "uplift at dsa250"
    assert OBJECTIVES["sigma:mean_plus_std"].symbol == "mean and deviation of σ"
