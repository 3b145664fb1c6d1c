"""A campaign whose best design is the nominal line itself, and changes that rise, on its page."""

from dataclasses import replace

import numpy as np
from test_lead import statements

from optimise.evaluation.verdict import SAME
from studies.report.pages.campaign_lead import lead_section
from studies.report.pages.campaign_page import campaign_page


def test_a_best_design_that_is_the_nominal_line_is_not_compared_with_it(campaign_content):
    held = replace(campaign_content.confirmation.nominal, sigma_coarser_N=31.2, trial=0)
    designs = replace(campaign_content.designs, values=np.array([[31.2]]), designs=np.zeros((5, 1)), trials=(0,))
    confirmed = replace(campaign_content.confirmation, nominal=held, best=held)
    content = replace(
        campaign_content, best=campaign_content.nominal, best_trial=0, designs=designs, confirmation=confirmed
    )
    lead, page = lead_section(content), campaign_page(content)
    assert lead.text[0].startswith("Nothing better in σ was found: the best design is the nominal line")
    assert list(statements(content)) == ["keeps the limits of the search"]
    assert page.headline.startswith("No design better than the nominal line was found: its standard deviation")
    assert SAME not in page.headline + "".join(f.remark for f in page.facts)
    assert not any(row[0] == "change [%]" for s in page.sections for t in s.tables for row in t.rows)
    assert "against the nominal line" not in page.headline + "".join(f.remark for f in page.facts)
    assert not any(f.label == "change" for f in page.facts)
    assert lead_section(campaign_content).text == () and len(statements(campaign_content)) > 3


def test_a_change_that_rises_has_a_plus_wherever_the_page_writes_it(campaign_content):
    held = campaign_content.confirmation
    best = replace(held.best, sigma_transient_N=54.0, sigma_coarser_N=53.9)
    confirmed = replace(held, best=best, nominal=replace(held.nominal, sigma_coarser_N=31.25))
    page = campaign_page(replace(campaign_content, confirmation=confirmed))
    change = f"+{confirmed.change_transient_percent:.2f} ± "
    tables = [row for section in page.sections for t in section.tables for row in t.rows]
    places = [page.headline, " ".join(f.remark for f in page.facts), page.sections[0].tables[0].rows[0][2]]
    places.append(next(row[2] for row in tables if row[0] == "change [%]"))
    assert all(change in place for place in places), places
