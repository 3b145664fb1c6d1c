"""Which sampler a search has where none is named, and what is said of workers that it leaves idle."""

import pytest

from optimise.search.samplers import idle_workers
from optimise.spec.jobs import campaign_of
from studies.commands.optimise import compose

STATIONS = ("catenary=examples/overlap.yaml", "dimension=planar", "design=stations")


@pytest.mark.parametrize(
    ("typed", "kind"),
    [
        ((), "gaussian_process"),
        (("experiment=oc1_heights",), "gaussian_process"),
        (("trials=2001",), "cma_es"),
        (("synchronous=true",), "cma_es"),
        ((*STATIONS, "objectives=[worst_span:force_range]"), "cma_es"),
        (("sampler=tpe",), "tpe"),
        (("sampler.kind=random",), "random"),
    ],
)
def test_a_search_that_names_no_sampler_has_the_one_that_serves_it(typed, kind):
    job = compose(list(typed)).job
    assert campaign_of(job).sampler.kind == kind
    assert campaign_of(job).sampler.population == job.sampler.population


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("cluster.workers=3",), False),
        (("cluster.workers=8",), True),
        (("cluster.workers=8", "sampler.population=8"), False),
        (("cluster.workers=8", "sampler=cma_es"), False),
    ],
)
def test_workers_without_work_are_named_with_the_key_that_gives_them_some(typed, said):
    sentences = idle_workers(campaign_of(compose(list(typed)).job))
    assert bool(sentences) is said
    assert all("sampler.population=8" in sentence and "3 designs in flight" in sentence for sentence in sentences)
