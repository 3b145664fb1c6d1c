"""Defects as scenarios on a line by stations: each is a run of the line with it, and what cannot be is refused."""

import pytest

from catenary.errors import InputError
from catenary.library.lines import load_line
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import job_input
from optimise.entry.job_keys import campaign_job
from optimise.evaluation.evaluate import evaluate
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.scenarios import scenario_set
from optimise.spec.scenarios import ScenariosSpec
from studies.validation.overlaps.built import in_sections

SIGMA = "contact_force_std_N"
BOTH = {"name": "both", "defects": [{"span": 5, "dropper": 2, "kind": "broken", "section": "A"},
                                    {"span": 7, "dropper": 3, "kind": "length", "by": 0.02}]}  # fmt: skip


@pytest.fixture(scope="module")
def case():
    """Two tension sections of six spans, of which two overlap, with a defect of their own."""
    coarse = {"elements_per_bay": 2, "largest_element_length": 4.0}
    line = in_sections(load_line("bruni_2015").with_changes(mesh=coarse), 9, ((0, 6), (4, 9)))
    own = line.section.model_copy(update={"defects": defects({"span": 4, "dropper": 4, "kind": "broken"})})
    marched = {"spans": 9, "first_evaluated": 3, "last_evaluated": 7, "spans_after": 1}
    typed = {"speed_kmh": 200.0, "dt": 4e-3, "mean_force_N": 110.0, "solver": "open_line", "open_line": marched}
    return job_input(CaseSpec, line.model_copy(update={"section": own}), "bruni_2015", typed)


def defects(*rows):
    return (
        ScenariosSpec.model_validate({"defects": {"cases": [{"name": "a", "defects": rows}]}}).defects.cases[0].defects
    )


def around(case, **given):
    return scenario_set(ScenariosSpec.model_validate({"defects": given}), ("sigma",), case)


def test_each_is_a_run_of_the_line_with_that_defect_next_to_its_own(case):
    scenarios = around(case, span=3, broken_dropper=[3], cases=[BOTH])
    found = evaluate(Job(1, case.catenary), Setting(case, scenarios=scenarios))
    assert [w.label for w in scenarios.conditions] == ["sound line", "dropper 3 of span 3 broken", "both"]
    assert scenarios.in_words == "3 scenarios: sound line, dropper 3 of span 3 broken and both"
    sets = ((), defects({"span": 3, "dropper": 3, "kind": "broken"}), defects(*BOTH["defects"]))
    by_hand = []
    for rows in sets:
        section = case.catenary.section
        section = section.model_copy(update={"defects": (*section.defects, *rows)})
        line = case.catenary.model_copy(update={"section": section})
        by_hand.append(solve(case.model_copy(update={"catenary": line})).statistics.contact_force_std_N)
    assert found.scenarios[SIGMA] == pytest.approx(by_hand, rel=1e-9)
    assert len({round(sigma, 3) for sigma in by_hand}) == 3


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"span": 3, "broken_dropper": [30]}, r"scenarios\.defects, broken30: .*dropper must be 1 to"),
        ({"span": 5, "broken_dropper": [1]}, r"broken1: .*section is missing: the tension sections A and B overlap"),
        (
            {"cases": [{**BOTH, "defects": [{"span": 12, "dropper": 1, "kind": "broken"}]}]},
            r"both: .*span must be 1 to",
        ),
        ({"span": 4, "broken_dropper": [4]}, r"broken4: .*second"),
    ],
)
def test_what_the_line_does_not_have_is_refused_by_the_case(case, given, sentence):
    with pytest.raises(InputError, match=sentence):
        around(case, **given)


def test_a_span_that_does_not_count_is_refused(case):
    wanted = {"defects": {"span": 2, "broken_dropper": [1]}}
    with pytest.raises(InputError, match=r"scenarios\.defects\.span must be one that counts, 3 to 7: got 2"):
        campaign_job(
            case.catenary,
            "bruni_2015",
            {"speed_kmh": 200.0, "design": {"kind": "stations"}, "scenarios": wanted, "open_line": case.open_line},
        )
