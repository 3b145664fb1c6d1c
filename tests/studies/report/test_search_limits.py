"""Margins of the search's limits on a campaign's page: which decide, which nobody knows the error of."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from optimise.descent.basins import MET
from optimise.evaluation.outcome import Outcome, OutcomeStatus
from optimise.spec.campaign import DesignSpec, LimitsSpec
from studies.report.pages.campaign_lead import lead_section
from studies.report.readers.campaign_limits import constraints_of_search, errors_of_search

WHAT = "keeps the limits of the search"
UPLIFT, LOSS, SIGMA = "max_uplift_at_supports_mm", "contact_loss_percent", "contact_force_std_N"


def judged(content, *constraints):
    rows = lead_section(replace(content, constraints=constraints)).tables[0].rows
    return next((verdict, figures) for what, verdict, figures in rows if what == WHAT)


def outcome(uplift, force=74.0, loss=0.0):
    statistics = {UPLIFT: uplift, LOSS: loss, SIGMA: 30.0, "contact_force_mean_N": 150.0}
    held = {"g_static_dropper_force": 1.0 - force / 10.0}
    return Outcome(0, OutcomeStatus.OK, statistics=statistics, static_dropper_force_min_N=force, constraints=held)


def campaign(nominal, best, scenarios=None):
    return SimpleNamespace(
        scenarios=scenarios,
        campaign=SimpleNamespace(limits=LimitsSpec(uplift_factor=1.1), design=DesignSpec()),
        nominal=SimpleNamespace(outcome=nominal),
        best=SimpleNamespace(outcome=best),
        case=SimpleNamespace(mean_force_N=None),
        space=SimpleNamespace(moves=()),
    )


def test_a_computed_margin_without_an_error_decides_nothing(campaign_content):
    uplift, force, loss, *_ = campaign_content.constraints
    for best in (uplift.limit, 0.9 * uplift.limit, 0.1 * uplift.limit):
        verdict, figures = judged(campaign_content, replace(uplift, best=best, error=None), force, loss)
        assert verdict == "not known" and "No error is known of: largest uplift at supports" in figures
    verdict, figures = judged(campaign_content, replace(uplift, best=1.1 * uplift.limit, error=None))
    assert verdict == "does not hold" and "Not kept" in figures
    assert judged(campaign_content, uplift, force, loss)[0] == "holds"


def test_a_force_at_rest_decides_unless_it_meets_its_limit(campaign_content):
    nominal = outcome(60.0)
    for force, word in ((10.0 * (1.0 + 0.5 * MET), "not known"), (10.0 * (1.0 + 2.0 * MET), "holds")):
        best = outcome(58.0, force)
        sizes = {name: {UPLIFT: 0.2, LOSS: 0.0} for name in ("nominal", "best")}
        found = constraints_of_search(campaign(nominal, best), nominal, best, sizes)
        assert judged(campaign_content, *found)[0] == word


def test_over_scenarios_a_margin_has_the_share_of_the_own_condition_for_an_error(campaign_content):
    nominal, best = outcome(100.0), outcome(110.0)
    result = campaign(
        nominal, best, SimpleNamespace(spec=SimpleNamespace(errors=SimpleNamespace(wanted=False)), one_mean_force=False)
    )
    own = {UPLIFT: 50.0, LOSS: 0.0, SIGMA: 20.0}
    solved = {name: SimpleNamespace(statistics=own) for name in ("nominal", "best")}
    sizes = errors_of_search(result, solved, {name: {UPLIFT: 0.5, LOSS: 0.0, SIGMA: 0.1} for name in solved})
    assert sizes["best"] == pytest.approx({UPLIFT: 1.1, LOSS: 0.0, SIGMA: 0.15})
    uplift, *others = constraints_of_search(result, nominal, best, sizes)
    assert uplift.margin == pytest.approx(0.0) and uplift.error == pytest.approx((1.1**2 + 1.1**2) ** 0.5)
    content = replace(campaign_content, condition="275 km/h")
    verdict, figures = judged(content, uplift, *others)
    assert verdict == "not known" and "0.0 ± 1.6 mm" in figures and "in proportion from 275 km/h" in figures


def test_a_figure_that_the_own_condition_has_none_of_has_no_error_over_scenarios():
    nominal, best = outcome(60.0), outcome(60.0, loss=0.4)
    result = campaign(nominal, best, scenarios=SimpleNamespace())
    solved = {name: SimpleNamespace(statistics={LOSS: 0.0}) for name in ("nominal", "best")}
    sizes = errors_of_search(result, solved, {name: {LOSS: 0.0} for name in solved})
    assert sizes["nominal"][LOSS] == 0.0 and sizes["best"][LOSS] is None
