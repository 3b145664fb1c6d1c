"""Charts: what curves they take, their axes, ticks and labels."""

from dataclasses import replace

import numpy as np
import pytest

from studies.report.drawing.frame import chart_frame, nice_exaggeration, ticks
from studies.report.drawing.parts import Chart, Curve
from studies.report.drawing.svg import chart_svg, hover_data, thinned


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
    assert "nan" not in chart_svg(Chart("flat", "flat", "", "x", "y", (curve,)))


def test_nothing_at_all_is_drawn_at_the_foot_of_a_plain_axis():
    none = Curve("loss", np.arange(3.0), np.zeros(3), "m", "%")
    chart = Chart("loss", "", "", "x", "loss", (none,))
    frame = chart_frame(chart)
    _, values = frame.ticks()
    assert min(values) == 0.0 and max(values) == 1.0 and frame.y_range[0] > -0.1


@pytest.mark.parametrize(("last", "text"), [(100000.0, "100000"), (1e6, "1000000"), (400.0, "400")])
def test_the_last_number_of_an_axis_is_whole(last, text):
    curve = Curve("force", np.linspace(0.0, last, 5), np.arange(5.0), "N/m", "N")
    chart = Chart("wide", "", "", "stiffness", "force", (curve,))
    frame = chart_frame(chart)
    xs, _ = frame.ticks()
    assert frame.x_texts(xs)[-1] == text and frame.right <= frame.width - 14.0
    assert float(frame.across(xs[-1])) + 0.5 * 6.0 * len(text) <= frame.width


def test_ticks_are_round_and_inside():
    np.testing.assert_allclose(ticks(0.0, 65.0, 9), np.arange(0, 61, 10.0))
    np.testing.assert_allclose(ticks(-0.031, 0.012, 5), [-0.03, -0.02, -0.01, 0.0, 0.01])


def test_axes_of_powers_of_ten_are_labelled_with_what_they_stand_for():
    x = np.log10([25e3, 100e3, 400e3])
    chart = Chart(
        "sweep", "", "", "stiffness", "force", (Curve("", x, np.arange(3.0), "N/m", "N"),), powers=(True, False)
    )
    frame = chart_frame(chart)
    xs, ys = frame.ticks()
    assert frame.x_texts(xs) == ["50000", "100000", "200000"]
    np.testing.assert_allclose(np.diff(ys), ys[1] - ys[0])
    np.testing.assert_allclose(xs, np.log10([5e4, 1e5, 2e5]))
    assert "100000" in chart_svg(chart) and hover_data(chart)["powers"] == [True, False]


def test_logarithmic_axes_give_equal_ratios_equal_room():
    curve = Curve("error", np.array([0.05, 0.5, 5.0]), np.array([10.0, 1.0, 0.1]), "s", "%", "best", "dots")
    chart = Chart("log", "", "", "cost", "error", (curve,), pick="point", logarithmic=True)
    frame = chart_frame(chart)
    across, down = frame.across(curve.x), frame.down(curve.y)
    assert np.diff(across)[0] == pytest.approx(np.diff(across)[1])
    assert np.diff(down)[0] == pytest.approx(np.diff(down)[1])
    assert frame.left < across[0] and across[-1] < frame.right
    assert frame.top < down[0] and down[-1] < frame.bottom
    xs, ys = frame.ticks()
    assert frame.x_texts(xs) == ["0.05", "0.1", "0.2", "0.5", "1", "2", "5"]
    assert frame.y_texts(ys) == ["0.1", "0.2", "0.5", "1", "2", "5", "10"]
    with pytest.raises(ValueError, match="needs coordinates above zero"):
        replace(chart, curves=(replace(curve, y=np.array([1.0, 0.0, 2.0])),))
    with pytest.raises(ValueError, match="has points to pick"):
        replace(chart, pick="x")
