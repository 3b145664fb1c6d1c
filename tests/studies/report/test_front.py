"""The front in a report: every point has its file, names stand next to their points, words say which way is better."""

from dataclasses import replace

import numpy as np
import pytest

from dynamics.charts.drawing import charts_figure
from dynamics.charts.parts import Chart, Curve
from dynamics.charts.point_names import NAME_SIZE, point_names
from optimise.afterwards.confirm import Confirmation
from optimise.afterwards.confirmed_objectives import ConfirmedObjective
from optimise.evaluation.objectives import OBJECTIVES
from optimise.search.history import SearchHistory, search_chart
from studies.report.drawing.page import page_html
from studies.report.pages.campaign_page import campaign_page
from studies.report.sections.front import front_charts, front_table


@pytest.fixture
def chart(front_content):
    (chart,) = front_charts(front_content.front)
    return chart


def curve_of(chart, label):
    (curve,) = [c for c in chart.curves if c.label == label]
    return curve


def test_every_point_of_the_front_has_its_file_and_the_nominal_line_is_drawn(chart, front_content):
    front = curve_of(chart, "front")
    np.testing.assert_array_equal(np.column_stack([front.x, front.y]), front_content.front.values)
    assert front.labels == tuple(f"{trial:03d}" for trial in front_content.front.trials)
    for note, file in zip(front.notes, front_content.front.files, strict=True):
        assert note.startswith(f"{file}: σ ") and " mm" in note
    nominal = curve_of(chart, "nominal")
    assert (nominal.x[0], nominal.y[0]) == (31.2, 62.4)
    assert (chart.axis_titles) == ("σ [N]", "Uplift [mm]")


def test_designs_far_off_do_not_press_the_front_flat(chart):
    assert curve_of(chart, "other feasible designs").x.tolist() == [26.0]
    assert "1 other feasible designs lie outside the axes" in chart.caption
    assert chart.x_range[1] < 40.0


def test_names_stand_next_to_their_points_and_on_nothing_else(chart):
    axes = charts_figure([chart]).axes[0]
    placed = point_names(axes, chart)
    front = curve_of(chart, "front")
    pixels = axes.transData.transform(np.column_stack([front.x, front.y]))
    points = dict(zip(front.labels, pixels * 72.0 / axes.figure.dpi, strict=True))
    written = {text.get_text() for text in axes.figure.texts}
    assert 3 <= len(placed) < len(points), "the crowded ones leave names out"
    for label in placed:
        x, y = points[label.text]
        assert np.hypot(label.x - x, label.y - y) < 2.5 * NAME_SIZE
        wide, tall = 0.3 * NAME_SIZE * len(label.text), 0.5 * NAME_SIZE
        assert not any(abs(label.x - a) < wide and abs(label.y - b) < tall for a, b in points.values())
        others = [other for other in placed if other is not label]
        assert not any(abs(label.x - o.x) < 2 * wide and abs(label.y - o.y) < 2 * tall for o in others)
        assert label.text in written


def test_a_name_finds_room_inside_the_axes_at_a_corner():
    curve = Curve("p", np.array([0.0, 1.0]), np.array([0.0, 1.0]), "m", "N", mark="dots", labels=("000", "111"))
    chart = Chart("c", "c", "", "x", "y", (curve,), x_range=(0.0, 1.0), y_range=(0.0, 1.0))
    axes = charts_figure([chart]).axes[0]
    area = axes.get_position()
    for name in point_names(axes, chart):
        assert area.x0 < name.place[0] < area.x1 and area.y0 < name.place[1] < area.y1
    assert len(point_names(axes, chart)) == 2


def test_names_without_points_are_refused():
    with pytest.raises(ValueError, match="one label per point: got 1 for 2 points"):
        Curve("p", np.arange(2.0), np.arange(2.0), "m", "N", labels=("a",))


def test_the_table_has_every_file_with_its_change_against_the_nominal_line(front_content):
    table = front_table(front_content.front)
    assert [row[0] for row in table.rows] == ["nominal line", *front_content.front.files]
    assert table.rows[1][1:] == ("20.00", "−35.9 %", "70.0", "+12.2 %")
    assert "Less is better." in table.caption


def test_the_page_opens_with_the_front_and_says_what_best_means(front_content):
    page = campaign_page(front_content)
    assert [section.title for section in page.sections[:2]] == ["What holds, and what does not", "The front"]
    assert "The front of σ and uplift has 15 designs; this one is best in σ." in page.headline
    html = page_html(page)
    assert all(file in html for file in front_content.front.files)


def test_three_objectives_are_drawn_in_pairs(front_content):
    front = front_content.front
    three = replace(
        front,
        objectives=(*front.objectives, OBJECTIVES["statistical_minimum"]),
        values=np.column_stack([front.values, 157.0 - 3.0 * front.values[:, 0]]),
        others=np.zeros((0, 3)),
        nominal=np.array([31.2, 62.4, 63.4]),
    )
    names = [chart.name for chart in front_charts(three)]
    assert names == ["front_sigma_uplift", "front_sigma_statistical_minimum", "front_uplift_statistical_minimum"]
    assert "but for the statistical minimum more" in front_table(three).caption


def test_a_search_without_a_front_has_no_section_for_it(front_content):
    empty = replace(front_content.front, trials=(), files=(), values=np.zeros((0, 2)))
    page = campaign_page(replace(front_content, best=None, confirmation=None, front=empty))
    assert "The front" not in [section.title for section in page.sections]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("uplift", "largest uplift at the supports is 62.40 mm, that of the best feasible design 62.40 mm"),
        ("statistical_minimum", "The statistical minimum of the contact force rises from 63.70 N with the nominal"),
        ("force_range", "The range of the contact force falls from"),
    ],
)
def test_the_headline_speaks_of_the_first_objective(campaign_content, name, words):
    o, content = OBJECTIVES[name], campaign_content
    nominal, best = (np.array([o.raw(r.statistics)]) for r in (content.nominal, content.best))
    designs = replace(content.designs, objectives=(o,), nominal_values=nominal, values=np.repeat(best[:, None], 5, 1))
    page = campaign_page(replace(content, designs=designs))
    assert words in page.headline.replace("\N{NO-BREAK SPACE}", " ")
    symbol = OBJECTIVES[name].symbol
    assert [fact.label for fact in page.facts[:2]] == [f"{symbol} of the nominal line", f"{symbol} of the best design"]


def test_the_best_so_far_rises_where_more_is_better():
    values = np.array([60.0, 75.0, 99.0, 70.0, 90.0, 5.0])
    state = ("feasible", "feasible", "infeasible", "feasible", "feasible", "feasible")
    o = OBJECTIVES["statistical_minimum"]
    history = SearchHistory(np.arange(6), values, values, state, ("",) * 6, nominal=60.0, objective=o)
    np.testing.assert_array_equal(history.best, [60.0, 75.0, 75.0, 75.0, 90.0, 90.0])
    chart = search_chart(history)
    assert chart.y_range[0] > 5.0 and chart.y_range[1] > 99.0, "the worst stands at the edge, the best in the axes"
    assert "1 of 6 lie beyond the scale" in chart.caption
    assert chart.y_label == "Statistical minimum"


def test_a_greek_letter_stays_as_it_is_on_an_axis():
    ones = np.ones(3)
    for name, label in (("sigma@275", "σ at 275 km/h"), ("sigma:worst", "Worst σ"), ("sigma", "σ")):
        history = SearchHistory(np.arange(3), ones, ones, ("feasible",) * 3, ("",) * 3, 1.0, OBJECTIVES[name])
        assert search_chart(history).y_label == label


def test_a_front_of_one_design_is_described_in_the_singular(front_content):
    one = replace(front_content.front, trials=(7,), files=("pareto/007.yaml",), values=np.array([[20.0, 70.0]]))
    assert "has one design;" in campaign_page(replace(front_content, front=one)).headline


@pytest.mark.parametrize(
    ("finer", "coarser", "begin", "word"),
    [
        ((118.0, 115.0), (119.0, 116.5), "The range of the contact force falls from", "holds"),
        ((118.0, 115.0), (119.0, 120.5), "The range of the contact force is ", "does not hold"),
        ((118.0, 115.0), (None, None), "By the figures of the search the range of", "not known"),
    ],
)
def test_a_range_of_forces_is_judged_by_the_runs_that_confirm_it(campaign_content, finer, coarser, begin, word):
    o, content = OBJECTIVES["force_range"], campaign_content
    nominal, best = (np.array([o.raw(r.statistics)]) for r in (content.nominal, content.best))
    designs = replace(content.designs, objectives=(o,), nominal_values=nominal, values=np.repeat(best[:, None], 5, 1))
    lines = content.confirmation.nominal, content.confirmation.best
    each = [
        replace(line, objectives=(ConfirmedObjective("force_range", 120.0, fine, coarse),))
        for line, fine, coarse in zip(lines, finer, coarser, strict=True)
    ]
    content = replace(content, designs=designs, confirmation=Confirmation(*each))
    alone = campaign_page(replace(content, condition="300 km/h"))
    (row,) = [row for s in alone.sections for t in s.tables for row in t.rows if "is better in force range" in row[0]]
    assert row[1] == "not known" and "(in 300 km/h alone)" in row[2], "it says nothing of the other scenarios"
    page = campaign_page(content)
    assert page.headline.replace("\N{NO-BREAK SPACE}", " ").startswith(begin)
    tables = [table for section in page.sections for table in section.tables]
    rows = next(t.rows for t in tables if t.title.startswith("What the search was for, on finer numerics"))
    assert [row[2] for row in rows[:2]] == ["118.00", "115.00"] and rows[2][2].startswith("\N{MINUS SIGN}3.0")
    said = next(row for t in tables for row in t.rows if "is better in force range" in row[0])
    assert said[1] == word and "force range by the long transient" in said[2]
