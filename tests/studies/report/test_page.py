"""Pages as files: whole HTML, finite coordinates, nothing from outside, hostile text harmless."""

import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from dynamics.charts.drawing import charts_figure
from dynamics.charts.numbers import number
from optimise.afterwards.gain_left import ComparedRun
from optimise.evaluation.objectives import OBJECTIVES
from optimise.evaluation.verdict import BETTER, SAME, UNKNOWN, WORSE
from optimise.search.history import SearchHistory
from studies.report.content.pieces import OffDesign
from studies.report.drawing.page import page_html, write_page
from studies.report.drawing.parts import Table
from studies.report.pages.campaign_lead import NO_ERROR, off_design_in_words
from studies.report.pages.campaign_page import campaign_page
from studies.report.pages.comparison_page import comparison_page
from studies.report.pages.simulation_page import simulation_page
from studies.report.sections.off_design import condition_table, error_charts
from studies.report.sections.tables import change_percent, design_table, objective_change, statistics_table

VOID = {"meta", "link", "br", "img", "input", "hr"}
NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?")


class Elements(HTMLParser):
    """Every element with its attributes, and whether tags close in order."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.data, self.crossed = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.crossed.append(tag)

    def handle_data(self, data):
        if self.open and self.open[-1] == "script" and data.lstrip().startswith("{"):
            self.data.append(json.loads(data))

    def of(self, *tags):
        return [attrs for tag, attrs in self.elements if tag in tags]


@pytest.fixture(params=["campaign", "front", "simulation", "comparison"])
def page(request, campaign_content, front_content, simulation_content, comparison_content):
    if request.param == "comparison":
        return comparison_page(comparison_content)
    if request.param == "campaign":
        return campaign_page(campaign_content)
    if request.param == "front":
        return campaign_page(front_content)
    return simulation_page(simulation_content)


def test_tags_close_in_order(page):
    parsed = Elements(page_html(page))
    assert parsed.crossed == []
    assert parsed.open == []


def test_every_coordinate_is_finite_and_inside_its_drawing(page):
    parsed = Elements(page_html(page))
    places = [float(attrs[key]) for attrs in parsed.of("use", "text", "rect") for key in ("x", "y") if key in attrs]
    paths = [attrs["d"] for attrs in parsed.of("path")]
    assert len(paths) >= 4
    assert len(places) > 100
    numbers = [*places, *(float(n) for d in paths for n in NUMBER.findall(d))]
    assert np.isfinite(numbers).all()
    assert min(numbers) > -2000
    assert max(numbers) < 2000
    assert not any(re.search("nan|inf", d, re.IGNORECASE) for d in paths)


def test_hover_data_are_finite(page):
    parsed = Elements(page_html(page))
    assert len(parsed.data) == len(page.charts)
    for chart in parsed.data:
        assert chart["curves"], "a chart has nothing to read"
        for curve in chart["curves"]:
            assert len(curve["x"]) == len(curve["y"]) > 0
            assert np.isfinite([*curve["x"], *curve["y"]]).all()


def test_nothing_comes_from_outside(page):
    html = page_html(page)
    parsed = Elements(html)
    assert not [a for _, a in parsed.elements if {"src", "xlink:href", "style"} & a.keys()]
    referred = [a["href"] for _, a in parsed.elements if "href" in a] + re.findall(r"url\(([^)]*)\)", html)
    ids = [a["id"] for _, a in parsed.elements if "id" in a]
    assert len(set(ids)) == len(ids), "two parts of a page have one id"
    assert {ref for ref in referred if not ref.startswith("data:image/png;base64,")} <= {f"#{own}" for own in ids}
    assert "@import" not in html
    (policy,) = [a["content"] for a in parsed.of("meta") if "http-equiv" in a]
    assert "unsafe" not in policy and policy.startswith("default-src 'none'; style-src 'sha256-")


def test_text_from_files_cannot_become_markup(campaign_content):
    nasty = "</script><script>alert(1)</script><b>"
    history = replace(campaign_content.history, messages=(nasty,) * len(campaign_content.history.messages))
    content = replace(campaign_content, title=nasty, history=history, warnings=(nasty,))
    parsed = Elements(page_html(campaign_page(content)))
    assert parsed.crossed == []
    assert len(parsed.of("script")) == len(campaign_page(content).charts) + 1
    assert not parsed.of("b")


def test_files_are_written_and_the_same_content_gives_the_same_bytes(page, tmp_path):
    first, second = write_page(page, tmp_path / "a"), write_page(page, tmp_path / "b")
    assert first.name == "report.html"
    assert first.read_bytes() == second.read_bytes()
    names = {f"{chart.name}.png" for chart in page.charts}
    assert {f.name for f in (tmp_path / "a" / "figures").iterdir()} == names
    for name in names:
        content = (tmp_path / "a" / "figures" / name).read_bytes()
        assert content.startswith(b"\x89PNG")
        assert content == (tmp_path / "b" / "figures" / name).read_bytes()


def test_the_headline_gives_the_numbers(campaign_content):
    headline = campaign_page(campaign_content).headline.replace("\N{NO-BREAK SPACE}", " ")
    for text in ("31.20 N", "24.61 N", "21.1 %", "24.70 N", "0.36 %"):
        assert text in headline


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"best": None, "best_trial": None, "confirmation": None}, "No feasible design"),
        ({"confirmation": None}, "has not confirmed it yet"),
    ],
)
def test_a_campaign_without_a_best_or_a_confirmation_has_a_page(campaign_content, change, said):
    page = campaign_page(replace(campaign_content, **change))
    assert said in page.headline
    assert Elements(page_html(page)).crossed == []


def test_a_campaign_that_found_nothing_better_says_so(campaign_content):
    worse = replace(campaign_content.designs, values=np.full((1, 5), 31.9))
    headline = campaign_page(replace(campaign_content, designs=worse)).headline
    assert "No design better" in headline and "is 31.20\xa0N, that of the best feasible design 31.90\xa0N" in headline


def test_a_campaign_whose_trials_all_failed_has_a_page(campaign_content):
    nan = np.full(3, np.nan)
    history = SearchHistory(np.arange(3), nan, nan, ("failed",) * 3, ("it broke",) * 3, nominal=31.2)
    page = campaign_page(replace(campaign_content, history=history, best=None, confirmation=None))
    assert "search" not in {chart.name for chart in page.charts}


def test_the_best_so_far_counts_feasible_trials_alone():
    sigma = np.array([np.nan, 30.0, 20.0, 28.0, 29.0])
    state = ("failed", "feasible", "infeasible", "feasible", "feasible")
    history = SearchHistory(np.arange(5), sigma, sigma, state, ("",) * 5, nominal=31.0)
    np.testing.assert_array_equal(history.best, [np.nan, 30.0, 30.0, 28.0, 28.0])


def test_designs_are_compared_where_both_could_be_computed():
    nan = float("nan")
    pairs = ((30.0, 27.0), (40.0, nan), (nan, nan), (20.0, 10.0))
    off_design = OffDesign(300.0, 50.0e3, tuple(ComparedRun("height_error", 2.0, (a, 0.2), (b, 0.3)) for a, b in pairs))
    rows = {row[0]: row[1:] for row in condition_table(off_design).rows}
    assert rows["height errors of 2 mm, largest"] == (
        "30.00 ± 0.20", "27.00 ± 0.30", "−10.0 %", "not known: too few lines", "2 of 4",
    )  # fmt: skip
    assert rows["height errors of 2 mm, median of lines"] == (
        "25.00 ± 0.20",
        "18.50 ± 0.30",
        "−26.0 %",
        "not known: too few lines",
        "2 of 4",
    )
    (chart,) = error_charts(off_design)
    assert {curve.label: curve.y.max() for curve in chart.curves} == {"nominal": 75.0, "best": 50.0}


def test_where_the_best_design_is_worse_is_said_plainly(campaign_content):
    rows = {row[0]: row[1:] for row in condition_table(campaign_content.off_design).rows}
    assert rows["315 km/h"] == ("34.0000 ± 0.0001", "35.5000 ± 0.0001", "+4.4 %", "worse", "1 of 1")
    assert rows["330 km/h"][:3] == ("–", "–", "–")
    assert "steady_arm" in rows["spatial model"][3]
    said = off_design_in_words(campaign_content.off_design)
    assert said == (
        "Of 10 other conditions: worse under 1 (315 km/h), better under 7, not known under 2 (330 km/h; spatial model)."
    )
    html = page_html(campaign_page(campaign_content))
    assert "worse under 1 (315" in html and "dropper 2 would carry" in html


def test_what_lies_inside_the_errors_is_not_called_better(campaign_content):
    """38 N by a long window: 34.1 by a short one made a best design of what is not one."""
    sizes = (0.9, 1.2, 0.9, math.nan)  # one difference of two outside the errors, one inside, one without an error
    pairs = ((38.0, 36.0), (38.0, 36.5), (38.0, 41.0), (38.0, 20.0))
    runs = [
        ComparedRun("speed", 220.0 + k, (a, size), (b, size))
        for k, ((a, b), size) in enumerate(zip(pairs, sizes, strict=True))
    ]
    off_design = OffDesign(300.0, 50.0e3, tuple(runs))
    assert [row[4] for row in condition_table(off_design).rows] == [BETTER, SAME, WORSE, UNKNOWN]
    assert off_design_in_words(off_design) == (
        f"Of 4 other conditions: worse under 1 (222 km/h), better under 1, {SAME} under 1, "
        "not known under 1 (223 km/h)."
    )
    same = replace(off_design, runs=off_design.runs[1:2])
    assert off_design_in_words(same) == f"Of 1 other condition: {SAME} under 1."


def test_a_change_inside_its_error_is_not_a_gain_in_the_headline(campaign_content):
    confirmed = campaign_content.confirmation
    nominal, best = (
        replace(line, sigma_coarser_N=coarser) for line, coarser in ((confirmed.nominal, 31.3), (confirmed.best, 33.0))
    )
    assert "falls" not in _plain(replace(campaign_content, confirmation=replace(confirmed, nominal=nominal, best=best)))
    sure = replace(confirmed, nominal=nominal, best=replace(best, sigma_coarser_N=24.8))
    said = _plain(replace(campaign_content, confirmation=sure))
    assert "falls" in said and "By it the change against the nominal line is −21.09 ± 0.44 %." in said


def test_without_errors_the_best_is_not_called_better(campaign_content):
    for confirmation in (None, campaign_content.confirmation):
        content = replace(campaign_content, confirmation=confirmation, errors={})
        said = _plain(content)
        assert said.startswith("By the figures of the search the standard deviation"), said
        assert NO_ERROR in said
        (change,) = (fact for fact in campaign_page(content).facts if fact.label == "change")
        assert change.remark == "by the figures of the search; not known: no estimated error"


def _plain(content):
    return campaign_page(content).headline.replace("\N{NO-BREAK SPACE}", " ")


def test_a_ragged_table_is_refused():
    with pytest.raises(ValueError, match="one length"):
        Table("t", ("a", "b"), (("1",),), "lr")


def test_the_exaggeration_printed_is_the_one_drawn(campaign_content):
    charts = {chart.name: chart for chart in campaign_page(campaign_content).charts}
    for name, metres_per_unit in (("line", 1.0), ("contact_wire", 1e-3)):
        chart = charts[name]
        axes = charts_figure([chart]).axes[0]
        wide, tall = axes.get_window_extent().size
        (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
        factor = tall / ((y1 - y0) * metres_per_unit) / (wide / (x1 - x0))
        assert f"exaggerated {factor:.4g} times" in chart.caption


@pytest.mark.parametrize(("value", "digits", "text"), [(-0.0004, 2, "0.00"), (-1.5, 1, "−1.5"), (1234.0, 0, "1234")])
def test_numbers_are_written_with_a_true_minus_and_no_negative_zero(value, digits, text):
    assert number(value, digits) == text


@pytest.mark.parametrize(("value", "text"), [(24.61, "−21.1 %"), (31.2, "0.0 %"), (35.0, "+12.2 %")])
def test_changes_have_a_sign(value, text):
    assert change_percent(value, 31.2) == text


def test_changes_of_what_may_be_near_zero_are_in_its_unit():
    # -17 to -12 N is not a fall by 29 %
    before = {"contact_force_std_N": 60.0, "contact_force_statistical_min_N": -17.0, "contact_loss_percent": 0.0}
    after = {"contact_force_std_N": 54.0, "contact_force_statistical_min_N": -12.0, "contact_loss_percent": 0.25}
    rows = {row[0]: row[-1] for row in statistics_table((("nominal", before), ("best", after)), "").rows}
    assert rows["standard deviation σ"] == "−10.0 %"
    assert rows["statistical minimum, mean − 3σ"] == "+5.0 N"
    assert rows["loss of contact"] == "+0.25 points"
    assert objective_change(OBJECTIVES["statistical_minimum"], -12.0, -17.0) == "+5.00 N"
    assert objective_change(OBJECTIVES["statistical_minimum"], float("nan"), -17.0) == "–"
    assert objective_change(OBJECTIVES["sigma"], 54.0, 60.0) == "−10.0 %"


def test_the_columns_of_bounds_stand_where_there_are_any(campaign_content):
    designs = campaign_content.designs
    nothing = np.full(len(designs.names), np.nan)
    bare, whole = design_table(replace(designs, lower=nothing, upper=nothing)), design_table(designs)
    assert [c for c in whole.columns if c not in bare.columns] == ["lower", "upper"]
    assert [(*row[:1], *row[2:-2], row[-1]) for row in whole.rows] == list(bare.rows)
