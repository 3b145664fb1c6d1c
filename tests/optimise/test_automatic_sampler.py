"""Which sampler a search has where none is named, and what is said of workers that it leaves idle."""

import pytest

from optimise.afterwards.cost import Cost, cost_lines
from optimise.search.samplers import idle_workers
from optimise.spec.cluster import ClusterSpec
from optimise.spec.jobs import campaign_of
from studies.commands.optimise import compose

STATIONS = ("catenary=examples/overlap.yaml", "dimension=planar", "design=stations")


@pytest.mark.parametrize(
    ("typed", "kind"),
    [
        ((), "gaussian_process"),
        (("experiment=oc1_heights",), "gaussian_process"),
        (("periodic.method=march",), "gaussian_process"),
        (("dimension=spatial",), "gaussian_process"),
        (
            (
                "wind=crosswind_20",
                "wind.speed=0",
                "dimension=spatial",
                "catenary.repeat={spans: 2}",
                "scenarios.wind.speeds=[0,20]",
            ),
            "gaussian_process",
        ),
        (("catenary=shinkansen_compound",), "gaussian_process"),
        (("scenarios=defects", "limits.contact_loss_percent=1"), "gaussian_process"),
        (("catenary.repeat={spans: 1, kinks: [{station: 20, height: 0.001}]}",), "gaussian_process"),
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


@pytest.mark.parametrize(
    "typed",
    [
        ("cluster.workers=9",),
        ("objectives=[uplift]",),
        ("solver=transient",),
        ("design.length_step=0.001",),
    ],
)
def test_where_no_state_repeats_or_with_many_workers_it_needs_no_model(typed):
    assert campaign_of(compose(list(typed)).job).sampler.kind == "cma_es"


def test_an_estimate_counts_the_workers_that_have_work():
    few, every = (
        cost_lines(Cost("designs", 360, (10.0, 10.0), at_once), ClusterSpec(kind="local", workers=10))
        for at_once in (3, None)
    )
    assert "20 minutes" in few[2] and "6 minutes" in every[2]
