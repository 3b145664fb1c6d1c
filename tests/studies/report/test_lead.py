"""What a campaign's page opens with, and its head: what holds, what does not, what is not known, and who signs."""

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import yaml

from catenary.errors import InputError
from dynamics.contact_force.assessment import standard_limits
from dynamics.spec.case import CaseSpec
from optimise.afterwards.gain_left import ComparedRun
from optimise.evaluation.evaluate import evaluate
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.objectives import OBJECTIVES
from optimise.evaluation.outcome import OutcomeStatus
from optimise.evaluation.verdict import BETTER, SAME, UNKNOWN, WORSE
from studies.jobs.report_head import ReportSpec
from studies.report.content.pieces import OffDesign
from studies.report.drawing.page import page_html
from studies.report.pages.campaign_lead import lead_section
from studies.report.pages.campaign_page import campaign_page
from studies.report.sections.assessment import assessed, missed_in_words
from studies.report.sections.scenario_tables import SIGMA, ScenarioFigures
from studies.writing.report_head import HeadRecord, keep_head, read_head

CASE = SimpleNamespace(speed_kmh=300.0, supply="ac")


def statements(content):
    rows = lead_section(content).tables[0].rows
    return {what: (verdict, figures) for what, verdict, figures in rows}


def fitted(slack):
    """Ten lines with height errors of 2 mm; of each whether nominal line and best design are slack at rest."""
    runs = [ComparedRun("height_error", 2.0, (31.0, 0.1), (25.0, 0.1), slack=pair) for pair in slack]
    return OffDesign(300.0, 50.0e3, tuple(runs))


def test_every_word_of_a_verdict_is_explained_once(campaign_content):
    page = campaign_page(campaign_content)
    captions = [t.caption for section in page.sections for t in section.tables if t.caption.startswith("Verdicts:")]
    assert len(captions) == 1 and page.sections[0].tables[0].caption == captions[0]
    said = {row[1].partition(",")[0] for row in page.sections[0].tables[0].rows}
    assert said <= {"holds", "does not hold", "not known"}
    assert all(f"“{word}”" in captions[0] for word in (*said, BETTER, WORSE, SAME, UNKNOWN.partition(":")[0]))


def test_lines_that_are_slack_at_rest_are_counted_for_both_designs(campaign_content):
    what = "has no dropper slack at rest when fitted with errors"
    none = [(False, False)] * 10
    some = [*none[:6], (True, True), *[(False, True)] * 3]
    unknown = [*none[:9], (False, None)]
    found = {}
    for name, slack in (("none", none), ("some", some), ("unknown", unknown)):
        found[name] = statements(replace(campaign_content, off_design=fitted(slack)))[what]
    assert found["none"][0] == "holds"
    assert found["some"] == (
        "does not hold",
        "Lines with a slack dropper, nominal and best: 1 and 4 of 10 with height errors of 2 mm.",
    )
    assert found["unknown"][0] == "not known"


def test_what_is_not_known_is_not_called_better(campaign_content):
    what, nan = "is better away from the search's own conditions too", float("nan")
    sure = ComparedRun("speed", 285.0, (31.0, 0.1), (25.0, 0.1))
    unsure = replace(sure, value=330.0, best=(nan, nan), messages=("", "dropper 4 is slack at rest"))
    worse = replace(sure, value=315.0, best=(34.0, 0.1))
    verdicts = {}
    for name, runs in (("sure", (sure,)), ("unsure", (sure, unsure)), ("worse", (sure, unsure, worse))):
        content = replace(campaign_content, off_design=OffDesign(300.0, 50.0e3, runs))
        verdicts[name] = statements(content)[what]
        assert verdicts[name][1] in campaign_page(content).headline.replace("\N{NO-BREAK SPACE}", " ")
    assert [v[0] for v in verdicts.values()] == ["holds", "not known", "does not hold"]
    assert (
        verdicts["worse"][1]
        == "Of 3 other conditions: worse under 1 (315 km/h), better under 1, not known under 1 (330 km/h)."
    )
    assert statements(replace(campaign_content, off_design=None))[what][0] == "not known"
    own = OffDesign(300.0, 50.0e3, (replace(sure, value=300.0),))
    assert statements(replace(campaign_content, off_design=own))[what][0] == "not known", "it has a row of its own"


def test_a_gain_without_an_error_is_not_known_and_one_inside_it_does_not_hold(campaign_content):
    what = "has a lower σ than the nominal line"
    assert statements(replace(campaign_content, errors={}))[what][0] == "not known"
    confirmed = campaign_content.confirmation
    found = []
    for coarser in (24.8, 33.0):
        lines = (replace(confirmed.nominal, sigma_coarser_N=31.3), replace(confirmed.best, sigma_coarser_N=coarser))
        content = replace(campaign_content, confirmation=replace(confirmed, nominal=lines[0], best=lines[1]))
        found.append(statements(content)[what])
    assert [verdict for verdict, _ in found] == ["holds", "does not hold"]
    assert "−21.09 ± 0.44 %: better" in found[0][1] and "the same within the errors" in found[1][1]


def test_limits_of_standards_name_their_file_edition_and_that_nobody_confirmed_them(campaign_content):
    designs = [(r.label, r.statistics) for r in (campaign_content.nominal, campaign_content.best)]
    content = replace(campaign_content, assessment=assessed(HeadRecord(), designs, CASE))
    verdict, figures = statements(content)["keeps the limits of the standards, as the file has them"]
    assert verdict == "holds, unconfirmed" and "5 of 5 unconfirmed" in figures
    assert "conf/standards/contact_force.yaml" in figures and "EN 50119:2009+A1:2013" in figures
    table = lead_section(content).tables[1]
    assert {row[-1] for row in table.rows} == {"nobody yet"} and "not conformity" in table.caption
    assert table.align[1] == "s", "a limit with its tolerance is wrapped between words alone"
    assert "conforms" not in page_html(campaign_page(content))


def test_limits_of_standards_say_that_they_are_of_one_condition_of_a_search_over_several(campaign_content):
    designs = [(r.label, r.statistics) for r in (campaign_content.nominal, campaign_content.best)]
    own = "300 km/h, contact 50 kN/m, damping x 1"
    content = replace(campaign_content, condition=own, assessment=assessed(HeadRecord(), designs, CASE, alone=own))
    found = statements(content)["keeps the limits of the standards, as the file has them, in the case's own condition"]
    assert found[1].startswith(f"Limits kept at {own}, AC alone: ")
    assert lead_section(content).tables[1].title == f"Limits of standards at {own}, AC alone"


def test_a_margin_within_its_error_leaves_a_limit_of_the_search_open(campaign_content):
    what = "keeps the limits of the search"
    uplift = next(c for c in campaign_content.constraints if c.unit == "mm")
    others = [c for c in campaign_content.constraints if c is not uplift]
    assert statements(campaign_content)[what][0] == "holds" and uplift.margin > 0.0

    def judged(**changes):
        return statements(replace(campaign_content, constraints=(replace(uplift, **changes), *others)))[what]

    assert judged(error=0.5 * uplift.margin)[0] == "holds"
    verdict, figures = judged(error=2.0 * uplift.margin)
    assert verdict == "not known" and " ± " in figures
    assert judged(best=uplift.limit + 1.0, error=0.5)[0] == "does not hold"
    assert judged(best=uplift.limit + 1.0, error=2.0)[0] == "not known"


def test_a_limit_that_an_error_covers_is_neither_kept_nor_missed(campaign_content):
    what = "keeps the limits of the standards, as the file has them"
    designs = [(r.label, r.statistics) for r in (campaign_content.nominal, campaign_content.best)]

    def judged(**errors):
        return assessed(HeadRecord(), designs, CASE, None, {designs[1][0]: errors})

    content = replace(campaign_content, assessment=judged(contact_force_max_N=500.0))
    verdict, figures = statements(content)[what]
    assert verdict == "not known, unconfirmed" and "4 of 5 (not decided: maximum)" in figures
    (cell,) = [row[3] for row in lead_section(content).tables[1].rows if row[0] == "maximum"]
    assert cell.endswith(" ± 500.0, not decided")
    sentence = missed_in_words(content.assessment)
    assert sentence.endswith("1 is not decided, within the numerical error: maximum.")
    content = replace(campaign_content, assessment=judged(contact_force_max_N=0.5))
    assert statements(content)[what][0] == "holds, unconfirmed" and missed_in_words(content.assessment) == ""


def test_a_file_of_one_s_own_replaces_the_limits_and_confirms_them(campaign_content, tmp_path):
    rows = [
        {"statistic": "contact_force_max_N", "sense": "at most", "constant": 215.0, "standard": "EN 50119",
         "clause": "5.2.5.2", "edition": "2020", "source": "read by A. N.", "provenance": "p",
         "confirmed": "A. N., 2026-11-20"},
    ]  # fmt: skip
    own = tmp_path / "own.yaml"
    own.write_text(yaml.safe_dump({"title": "limits of this project", "limits": rows}), encoding="utf-8")
    keep_head(tmp_path, ReportSpec(limits=str(own)))
    own.unlink()  # the folder has a copy
    head = read_head(tmp_path)
    designs = [(r.label, r.statistics) for r in (campaign_content.nominal, campaign_content.best)]
    maxima = [statistics["contact_force_max_N"] for _, statistics in designs]
    assert maxima[0] > 215.0 > maxima[1]
    content = replace(campaign_content, assessment=assessed(head, designs, CASE))
    (row,) = lead_section(content).tables[1].rows
    assert row[-1] == "A. N., 2026-11-20" and "EN 50119:2020" in row[-3]
    assert row[2].endswith(", not kept") and row[3].endswith(", kept")
    assert ("unconfirmed" in statements(content)["keeps the limits of the standards, as the file has them"][0]) is False


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"edition": None}, "edition"),
        ({"provenance": "x"}, "provenance"),
        ({"statistic": "sigma"}, "statistic"),
        ({"above_kmh": 300.0, "up_to_kmh": 200.0}, "above_kmh must be lower"),
    ],
)
def test_a_file_of_limits_that_cannot_be_used_is_refused_by_its_key(tmp_path, change, words):
    limits = standard_limits().model_dump(mode="json")
    limits["limits"][0] |= change
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump(limits), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        standard_limits(path)
    assert any(words in problem and str(path) in problem for problem in refused.value.problems)


def test_no_speed_and_supply_has_two_limits_of_one_kind():
    limits = standard_limits().model_dump(mode="json")
    limits["limits"].append({**limits["limits"][-1], "above_kmh": 100.0})
    with pytest.raises(ValueError, match="contact_loss_percent is limited twice, by rows"):
        type(standard_limits()).model_validate(limits)


def test_every_speed_and_supply_has_the_five_shipped_limits():
    limits = standard_limits().limits
    for speed, supply in itertools.product((80.0, 200.0, 200.1, 250.0, 251.0, 400.0), ("ac", "dc_3kv", "dc_1_5kv")):
        assert len([row for row in limits if row.holds_for(speed, supply)]) == 5, (speed, supply)
    assert {row.confirmed for row in limits} == {None}  # until somebody has the text at hand


def test_the_head_has_what_was_typed_and_lines_for_the_rest(campaign_content, tmp_path):
    keep_head(tmp_path, ReportSpec(author="A. Engineer <a@b>", revision="B"), design=231)
    keep_head(tmp_path, ReportSpec(revision="C"), design=231)
    fields = read_head(tmp_path).fields
    assert fields == (("author", "A. Engineer <a@b>"), ("revision", "C"), ("checked", ""), ("approved", ""))
    html = page_html(campaign_page(replace(campaign_content, head=(("campaign", "first"), *fields))))
    assert "<dt>checked</dt><dd></dd>" in html and "<dd>A. Engineer &lt;a@b&gt;</dd>" in html
    keep_head(tmp_path, ReportSpec(author=""), design=231)
    assert read_head(tmp_path).author is None


def test_who_approved_one_design_has_not_approved_another(tmp_path):
    keep_head(tmp_path, ReportSpec(author="A", approved="B. Chief, 2026-11-20"), design=12)
    assert read_head(tmp_path).signed_for(12).approved == "B. Chief, 2026-11-20"
    other = keep_head(tmp_path, ReportSpec(), design=40)
    assert (other.author, other.checked, other.approved) == ("A", None, None) == (
        read_head(tmp_path).author, read_head(tmp_path).checked, read_head(tmp_path).approved,
    )  # fmt: skip


def test_a_folder_without_a_head_gets_no_file(tmp_path):
    keep_head(tmp_path, ReportSpec(), design=3)
    assert list(tmp_path.iterdir()) == []


def test_a_line_that_is_slack_at_rest_keeps_that_status_where_there_is_nothing_to_compare_it_with(conf):
    line = yaml.safe_load((conf / "catenary" / "bruni_2015.yaml").read_text(encoding="utf-8"))
    droppers = line["droppers"]
    droppers["contact_wire_heights"][4] += 0.08  # lifted by 80 mm: only a dropper that pushes could hold it there
    pantograph = yaml.safe_load((conf / "pantograph" / "bruni_2015.yaml").read_text(encoding="utf-8"))
    case = CaseSpec.model_validate(
        {"catenary": line, "pantograph": pantograph, "speed_kmh": 275.0, "mean_force_N": 143.4}
    )
    outcome = evaluate(Job(0), Setting(case))
    assert outcome.status is OutcomeStatus.STATIC_SLACK and not outcome.constraints and outcome.sigma_N is None


def in_scenarios(content, nominal, best):
    """The same of a search over the mean of some scenarios, with sigma [N] of both designs in each."""
    figures = ScenarioFigures(
        ("285 km/h", "315 km/h"), 1, "", {SIGMA: np.array(nominal)}, {SIGMA: np.array(best)}, "", 1.0, 1.0
    )
    designs = replace(content.designs, objectives=(OBJECTIVES["sigma:mean"], *content.designs.objectives[1:]))
    return replace(content, designs=designs, choice=replace(content.choice, scenarios=figures))


def test_a_search_over_scenarios_says_in_how_many_the_best_design_is_better(campaign_content):
    what = "has the lower σ in every scenario of the search"
    held = campaign_content.confirmation
    one, other = ({"total_N": 0.01 * line.sigma_N, "parts": {}} for line in (held.nominal, held.best))
    sure = replace(campaign_content, errors={"nominal": one, "best": other})
    better, close, worse = (([20.0, 22.0], [[15.0], [second]]) for second in (16.5, 21.8, 23.0))
    verdicts = []
    for nominal, best in (better, close, worse):
        found = statements(in_scenarios(sure, [[s] for s in nominal], best))
        verdicts.append(found[what][0])
    assert verdicts == ["holds", "does not hold", "does not hold"], "1 % of each is 1.4 % of the change"
    found = statements(in_scenarios(replace(campaign_content, errors={}), [[20.0], [22.0]], [[15.0], [16.5]]))
    assert found[what][0] == "not known" and "2 of 2" in found[what][1]
    gain = next(row for row in found if row.startswith("is better in"))
    assert found[gain][0] == "not known", "no figure of the search has an error"


def test_a_line_as_cut_is_below_the_nominal_one_only_by_more_than_the_errors(campaign_content):
    what = "stays below the nominal line's σ as it is cut and placed"
    before = float(campaign_content.designs.nominal_values[0])
    size = 0.2
    verdicts = {}
    for name, sigma in (("below", before - 3.0 * size), ("same", before - 0.1 * size), ("unrun", None)):
        figures = {0.0: before - 3.0 * size, 1.0: sigma, 5.0: before - 3.0 * size}
        runs = [{"rounded_mm": mm, "contact_force_std_N": each, "message": ""} for mm, each in figures.items()]
        schedule = {**campaign_content.schedule, "runs": runs}
        own = {key: {"total_N": size, "parts": {}} for key in ("nominal", "best")}
        verdicts[name] = statements(replace(campaign_content, schedule=schedule, errors=own))[what][0]
    assert verdicts == {"below": "holds", "same": "does not hold", "unrun": "not known"}
