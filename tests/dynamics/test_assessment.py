"""Mean-force targets by supply, and a contact force against the standards' limits (EN 50367, EN 50119; recalled)."""

from dataclasses import asdict, replace

import pytest

from dynamics.contact_force.assessment import assess, standard_limits
from dynamics.contact_force.statistics import ContactStatistics
from dynamics.spec.mean_force import reference_mean_force
from dynamics.spec.standard_limits import StandardLimitsSpec

GOOD = ContactStatistics(
    contact_force_mean_N=157.3,
    contact_force_std_N=30.0,
    contact_force_std_0_5Hz_N=20.0,
    contact_force_std_5_20Hz_N=20.0,
    contact_force_max_N=230.0,
    contact_force_min_N=60.0,
    contact_force_statistical_max_N=247.3,
    contact_force_statistical_min_N=67.3,
    contact_loss_percent=0.0,
    max_uplift_at_supports_mm=60.0,
    contact_point_range_mm=30.0,
)


@pytest.mark.parametrize(
    ("supply", "speed", "force"),
    [
        ("ac", 160.0, 102.032),
        ("ac", 300.0, 157.3),
        ("dc_3kv", 160.0, 134.832),
        ("dc_3kv", 250.0, 170.625),
        ("dc_1_5kv", 160.0, 148.368),
        ("dc_1_5kv", 250.0, 200.625),
    ],
)
def test_targets_of_the_mean_force(supply, speed, force):
    # worked out by hand from the parabolas that the module's docstring names
    assert reference_mean_force(speed, supply) == pytest.approx(force, abs=1e-9)


def missed(speed=300.0, supply="ac", **changes):
    found = assess(asdict(replace(GOOD, **changes)), speed, supply, standard_limits())
    return {c.row.statistic for c in found if not c.met}


def test_a_good_force_meets_every_limit():
    assert missed() == set()
    assert missed(contact_force_mean_N=157.4 - 1e-9) == set()  # as a held mean force may


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"contact_force_mean_N": 157.5}, "contact_force_mean_N"),
        ({"contact_force_std_N": 47.2}, "contact_force_std_N"),
        ({"contact_force_max_N": 350.1}, "contact_force_max_N"),
        ({"contact_force_min_N": 0.0}, "contact_force_min_N"),
        ({"contact_loss_percent": 0.21}, "contact_loss_percent"),
    ],
)
def test_each_limit_is_missed_alone(changes, name):
    assert missed(**changes) == {name}


def test_limits_follow_speed_and_supply():
    slow = {"contact_force_mean_N": 100.0, "contact_force_std_N": 25.0}
    assert missed(200.0, contact_force_max_N=301.0, **slow) == {"contact_force_max_N"}
    assert missed(201.0, contact_force_max_N=301.0, **slow) == set()
    assert missed(201.0, "dc_3kv", contact_force_max_N=399.0, **slow) == set()
    assert missed(250.0, contact_loss_percent=0.15, **slow) == {"contact_loss_percent"}
    assert missed(251.0, contact_loss_percent=0.15, **slow) == set()
    assert missed(160.0, contact_force_mean_N=130.0) == {"contact_force_mean_N"}
    assert missed(160.0, "dc_3kv", contact_force_mean_N=130.0) == set()


def test_a_value_within_its_error_of_a_limit_decides_nothing():
    def judged(error, **changes):
        figures = asdict(replace(GOOD, **changes))
        found = assess(figures, 300.0, "ac", standard_limits(), {"contact_force_max_N": error})
        assert all(c.sure is None and c.error is None for c in found if c.row.statistic != "contact_force_max_N")
        return next(c for c in found if c.row.statistic == "contact_force_max_N")

    kept, near, beyond = judged(4.0, contact_force_max_N=345.0), judged(6.0, contact_force_max_N=345.0), judged(None)
    assert (kept.met, kept.sure, kept.verdict) == (True, True, "kept")
    assert (near.met, near.sure, near.verdict) == (True, False, "not decided")
    assert (beyond.sure, beyond.verdict) == (None, "kept")
    missed = judged(6.0, contact_force_max_N=355.0)
    assert (missed.met, missed.sure, missed.verdict) == (False, False, "not decided")
    assert judged(4.0, contact_force_max_N=355.0).content["sure"] is True
    # what no companion moves is sure on the limit itself
    none = StandardLimitsSpec.model_validate({"title": "own", "limits": [
        {"statistic": "contact_loss_percent", "sense": "at most", "constant": 0.0, "standard": "own", "clause": "none",
         "edition": "1", "source": "own", "provenance": "p"}]})  # fmt: skip
    (loss,) = assess(asdict(GOOD), 300.0, "ac", none, {"contact_loss_percent": 0.0})
    assert (loss.met, loss.sure, loss.verdict) == (True, True, "kept")
    # the verdict on the mean force turns at the end of its tolerance
    mean = assess(asdict(replace(GOOD, contact_force_mean_N=157.36)), 300.0, "ac", standard_limits(),
                  {"contact_force_mean_N": 0.05})[0]  # fmt: skip
    assert mean.met and mean.sure is False


def test_every_limit_says_how_it_is_known():
    marks = {c.row.statistic: c.row.provenance for c in assess(asdict(GOOD), 300.0, "ac", standard_limits())}
    assert marks.pop("contact_force_mean_N") == "s"
    assert set(marks.values()) == {"r"}
    assert {c.row.provenance for c in assess(asdict(GOOD), 160.0, "dc_3kv", standard_limits())} == {"r"}
