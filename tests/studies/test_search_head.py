"""What a campaign says before it searches."""

import pytest

from optimise.entry.campaigns import prepared_campaign
from studies.commands.optimise import compose
from studies.writing.search_head import print_search


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ((), False),
        (("sampler=qmc",), False),
        (("sampler=cma_es",), True),
        (("sampler=cma_es", "synchronous=true"), False),
        (("sampler=nsga2", "objectives=[sigma,uplift]"), True),
    ],
)
def test_it_says_where_another_run_has_other_designs(tmp_path, capsys, typed, said):
    job = compose(["catenary=bruni_2015", "speed_kmh=275", "design=spacing", *typed]).job
    prepared = prepared_campaign(job, tmp_path)
    print_search(job, prepared)
    assert prepared.campaign.reproducible is not said
    assert ("with synchronous=true they are the same on any number of workers" in capsys.readouterr().out) is said
