"""Charts: what curves they take, their axes, ticks and labels."""

import io
import re
from dataclasses import replace
from xml.etree import ElementTree

import matplotlib
import matplotlib.image
import numpy as np
import pytest
from matplotlib.colors import to_hex

from dynamics.charts.drawing import charts_figure, thinned
from dynamics.charts.files import figure_png, figure_svg
from dynamics.charts.numbers import beside_limit
from dynamics.charts.parts import Chart, Curve, HeatMap, Level, Stations
from dynamics.charts.ticks import nice_exaggeration, ticks
from studies.report.drawing.hover import hover_data


def axes_of(chart):
    """The axes that a chart is drawn on."""
    return charts_figure([chart]).axes[0]


def texts(labels):
    return [label.get_text() for label in labels]


def test_a_curve_that_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="finite coordinates: 1 of 2"):
        Curve("force", np.array([0.0, 1.0]), np.array([1.0, np.nan]), "m", "N")


def test_curves_in_two_units_do_not_share_axes():
    curves = tuple(Curve("a", np.arange(2.0), np.arange(2.0), "m", unit) for unit in ("N", "mm"))
    with pytest.raises(ValueError, match="one pair of units"):
        Chart("a", "a", "", "x", "y", curves)


@pytest.mark.parametrize("extent", [0.004, 0.05, 1.9, 70.0])
def test_the_exaggeration_is_round_and_fits(extent):
    factor = nice_exaggeration(65.0, extent, 0.4)
    assert f"{factor:e}"[0] in "125"
    assert factor * extent <= 0.4 * 65.0 * (1 + 1e-9)
    assert 2.6 * factor * extent > 0.4 * 65.0


def test_a_long_line_keeps_its_extremes_when_it_is_thinned():
    y = np.zeros(50_000)
    y[31_234], y[8_000] = 5.0, -7.0
    thin = thinned(Curve("force", np.arange(50_000.0), y, "m", "N"))
    assert thin.x.size < 2000
    assert (thin.y.min(), thin.y.max()) == (-7.0, 5.0)
    assert np.all(np.diff(thin.x) > 0)


def test_a_flat_curve_can_be_drawn():
    curve = Curve("force", np.arange(3.0), np.full(3, 100.0), "m", "N")
    svg = figure_svg(charts_figure([Chart("flat", "flat", "", "x", "y", (curve,))]), "flat")
    assert "nan" not in svg and "inf" not in svg


def test_nothing_at_all_is_drawn_at_the_foot_of_a_plain_axis():
    none = Curve("loss", np.arange(3.0), np.zeros(3), "m", "%")
    chart = Chart("loss", "", "", "x", "loss", (none,))
    axes = axes_of(chart)
    values = axes.get_yticks()
    assert min(values) == 0.0 and max(values) == 1.0 and axes.get_ylim()[0] > -0.1


@pytest.mark.parametrize(("last", "text"), [(100000.0, "100000"), (1e6, "1000000"), (400.0, "400")])
def test_the_last_number_of_an_axis_is_whole(last, text):
    curve = Curve("force", np.linspace(0.0, last, 5), np.arange(5.0), "N/m", "N")
    chart = Chart("wide", "", "", "stiffness", "force", (curve,))
    figure = charts_figure([chart])
    figure.draw_without_rendering()
    shown = figure.axes[0].get_xticklabels()[-1]
    assert shown.get_text() == text
    assert shown.get_window_extent().x1 <= figure.bbox.x1


def test_ticks_are_round_and_inside():
    np.testing.assert_allclose(ticks(0.0, 65.0, 9), np.arange(0, 61, 10.0))
    np.testing.assert_allclose(ticks(-0.031, 0.012, 5), [-0.03, -0.02, -0.01, 0.0, 0.01])


def test_axes_of_powers_of_ten_are_labelled_with_what_they_stand_for():
    x = np.log10([25e3, 100e3, 400e3])
    chart = Chart(
        "sweep", "", "", "stiffness", "force", (Curve("", x, np.arange(3.0), "N/m", "N"),), powers=(True, False)
    )
    axes = axes_of(chart)
    assert texts(axes.get_xticklabels()) == ["50000", "100000", "200000"]
    ys = axes.get_yticks()
    np.testing.assert_allclose(np.diff(ys), ys[1] - ys[0])
    np.testing.assert_allclose(axes.get_xticks(), np.log10([5e4, 1e5, 2e5]))
    assert hover_data(chart, axes.figure)["powers"] == [True, False]


def test_logarithmic_axes_give_equal_ratios_equal_room():
    curve = Curve("error", np.array([0.05, 0.5, 5.0]), np.array([10.0, 1.0, 0.1]), "s", "%", "best", "dots")
    chart = Chart("log", "", "", "cost", "error", (curve,), pick="point", logarithmic=True)
    axes = axes_of(chart)
    steps = np.diff(axes.transData.transform(np.column_stack([curve.x, curve.y])), axis=0)
    np.testing.assert_allclose(steps[0], steps[1])
    shares = axes.transAxes.inverted().transform(axes.transData.transform(np.column_stack([curve.x, curve.y])))
    assert shares.min() > 0.0 and shares.max() < 1.0
    assert texts(axes.get_xticklabels()) == ["0.05", "0.1", "0.2", "0.5", "1", "2", "5"]
    assert texts(axes.get_yticklabels()) == ["0.1", "0.2", "0.5", "1", "2", "5", "10"]
    with pytest.raises(ValueError, match="needs coordinates above zero"):
        replace(chart, curves=(replace(curve, y=np.array([1.0, 0.0, 2.0])),))
    with pytest.raises(ValueError, match="has points to pick"):
        replace(chart, pick="x")


HOSTILE = "<script>alert(1)</script> & $x^2$ {a} \x07 \u5f37"


def test_a_name_is_text_in_both_drawings_whatever_it_holds():
    curve = Curve(HOSTILE, np.arange(3.0), np.arange(3.0), "m", "N")
    figure = charts_figure([Chart("a", HOSTILE, "", HOSTILE, "y", (curve,), (Stations(HOSTILE + "s", np.ones(1)),))])
    svg = figure_svg(figure, "a", {"aria-label": HOSTILE})
    assert "<script" not in svg and svg.count("$x^2$ {a} \ufffd") == 5, "legend twice, title of each, x axis"
    assert figure_png(figure).startswith(b"\x89PNG")


def test_an_svg_needs_no_style_and_names_its_parts_after_its_chart():
    """A page's content policy refuses inline styles; ids of several charts stand in one page."""
    dots = Curve("dots", np.arange(3.0), np.arange(3.0), "m", "N", "other", "dots")
    heat = HeatMap("force", "N", np.arange(3.0), np.arange(2.0), np.arange(6.0).reshape(2, 3), 0.5, "slack")
    chart = Chart("one", "", "", "x", "y", (dots,), levels=(Level("limit", 1.0),), heat=heat, pick="cell")
    figure = charts_figure([chart])
    root = ElementTree.fromstring(svg := figure_svg(figure, "one"))
    every = list(root.iter())
    assert not [e for e in every if "style" in e.attrib or e.tag in ("style", "metadata")]
    ids = [e.get("id") for e in every if e.get("id")]
    assert ids and len(set(ids)) == len(ids) and all(name.startswith("one-") for name in ids)
    referred = {v for e in every for v in re.findall(r"#(one-\d+)", " ".join(e.attrib.values()))}
    assert referred <= set(ids), "a reference leads nowhere"
    assert {e.text for e in every if e.tag == "text"} >= {"dots", "slack", "limit", "5 N", "y [N]"}
    assert svg == figure_svg(charts_figure([chart]), "one") and svg == figure_svg(figure, "one")


def test_a_user_s_own_settings_change_nothing():
    chart = Chart("a", "", "", "x", "y", (Curve("a", np.arange(3.0), np.arange(3.0), "m", "N"),))
    plain = figure_svg(charts_figure([chart]), "a")
    with matplotlib.rc_context({"lines.marker": "s", "axes.grid": False, "svg.fonttype": "path", "font.size": 30.0}):
        assert figure_svg(charts_figure([chart]), "a") == plain


def test_a_cell_has_the_colour_of_its_value_and_stands_where_it_is():
    values = np.array([[0.0, 50.0], [100.0, np.nan]])
    heat = HeatMap("force", "N", np.array([1.0, 2.0]), np.array([10.0, 40.0]), values, 1e-3, "slack")
    curve = Curve("", np.array([1.0, 2.0]), np.array([10.0, 40.0]), "m", "m", "muted", "segments")
    limits = {"x_range": (0.5, 2.5), "y_range": (0.0, 60.0)}
    axes = axes_of(Chart("a", "", "", "x", "y", (curve,), heat=heat, pick="cell", **limits))
    (mesh,) = axes.collections
    np.testing.assert_allclose(mesh.get_coordinates()[0, :, 0], [0.5, 1.5, 2.5])
    np.testing.assert_allclose(mesh.get_coordinates()[:, 0, 1], [0.0, 25.0, 60.0])
    slack, middle, most, nothing = mesh.to_rgba(np.ma.asarray(mesh.get_array())).reshape(-1, 4)
    assert to_hex(slack) == "#d55e00" and to_hex(nothing) == "#f0f0f0"
    scale = matplotlib.colormaps["cividis"]
    np.testing.assert_allclose([middle, most], [scale(0.5), scale(1.0)])


def test_a_legend_fits_the_width_and_reads_row_by_row():
    curves = tuple(
        Curve(f"a rather long name of curve {k}", np.arange(2.0), np.full(2, k), "m", "N", role)
        for k, role in enumerate(("best", "nominal", "other", "fourth", "fifth", "sixth"))
    )
    figure = charts_figure([Chart("a", "", "", "x", "y", curves)])
    figure.draw_without_rendering()
    (legend,) = figure.legends
    boxes = {text.get_text(): text.get_window_extent() for text in legend.get_texts()}
    first, second, third = (boxes[curve.label] for curve in curves[:3])
    assert first.y0 == pytest.approx(second.y0, abs=0.5) and first.x1 < second.x0
    assert max(box.x1 for box in boxes.values()) <= figure.bbox.x1
    picture = matplotlib.image.imread(io.BytesIO(figure_png(figure)))
    margins = [picture[:, :2, :3], picture[:, -2:, :3], picture[:2, :, :3]]
    assert all(margin.min() > 0.99 for margin in margins), "a sign of the legend is cut off at the edge"
    area = figure.axes[0].get_window_extent()
    assert min(box.y0 for box in boxes.values()) > area.y1 and third.y1 <= figure.bbox.y1


def test_sampled_values_beyond_the_points_that_are_drawn_have_no_tick():
    """Points of a sweep that failed are not drawn; their values are far beyond an axis about the one that is."""
    curve = Curve("80 m", np.array([55.0]), np.array([30.0]), "m", "N")
    chart = Chart("a", "a", "", "distance", "sigma", (curve,), sampled=((55.0, 80.0, 110.0), ()))
    assert texts(axes_of(chart).get_xticklabels()) == ["55"]


@pytest.mark.parametrize(
    ("value", "limit", "text"),
    [(4.95, 5.0, "4.95"), (5.0, 5.0, "5.0"), (5.04, 5.0, "5.04"), (4.9999, 5.0, "4.9999"), (4.2, 5.0, "4.2"),
     (4.96, None, "5.0"), (0.02, 0.0, "0.02"), (100.0 * 99 / 2000, 5.0, "4.95")],
)  # fmt: skip
def test_a_number_next_to_its_limit_is_never_written_as_on_another_side(value, limit, text):
    assert beside_limit(value, limit, 1) == text
