"""The page of a sweep: every value of every input has its pictures, or the page says how many have none."""

import numpy as np
import pytest
from cheap_evaluation import case_of
from cheap_sweep import plane, sweep_of

from dynamics.charts.drawing import charts_figure
from dynamics.spec.train import TrailingSpec
from optimise.parameter_study.sweep import run_sweep
from studies.report.pages.sweep_page import sweep_page


def page_of(folder, axes):
    return sweep_page(run_sweep(sweep_of(axes), case_of(), folder, evaluate=plane))


def written(labels):
    return [label.get_text() for label in labels]


def test_every_value_of_the_other_inputs_has_its_curves(tmp_path):
    alphas = (0.1, 0.2, 0.3)
    axes = {"contact.stiffness": (5e4, 6e4, 2e5), "speed_kmh": (250.0, 300.0), "catenary.damping.alpha": alphas}
    page = page_of(tmp_path, axes)
    titles = [s.title for s in page.sections if s.title.startswith("One input at a time")]
    assert titles == [f"One input at a time, at train speed {speed} km/h" for speed in (250, 300)]
    charts = {chart.name: chart for chart in page.charts}
    assert len(charts) == len(page.charts), "each has a file of its own"
    lifted = charts["contact_force_std_N_1"].curves[0].y - charts["contact_force_std_N_0"].curves[0].y
    assert lifted == pytest.approx(np.full(3, 5.0))
    assert page.warnings == ()


def test_values_that_are_not_drawn_are_counted(tmp_path):
    speeds = tuple(200.0 + k for k in range(14))
    stiffnesses, alphas = ([start + step * k for k in range(15)] for start, step in ((5e4, 1e4), (0.01, 0.01)))
    page = page_of(tmp_path, {"contact.stiffness": stiffnesses, "speed_kmh": speeds, "catenary.damping.alpha": alphas})
    assert page.warnings == ("2 values of the further inputs are not drawn; all are in result.nc.",)


@pytest.mark.parametrize(
    ("values", "logarithmic", "texts"),
    [
        ((200.0, 220.0, 240.0, 260.0), False, ["200", "220", "240", "260"]),
        ((40.0, 80.0, 160.0, 320.0), True, ["40", "80", "160", "320"]),
        ((200.0, 210.0, 240.0, 300.0), False, ["200", "210", "240", "300"]),
        (tuple(200.0 + 5.0 * k for k in range(13)), False, ["200", "210", "220", "230", "240", "250", "260"]),
    ],
)
def test_axes_are_even_in_their_values_first_and_labelled_where_was_evaluated(tmp_path, values, logarithmic, texts):
    page = page_of(tmp_path, {"contact.stiffness": (5e4, 6e4), "speed_kmh": values, "catenary.damping.alpha": (0.1,)})
    curves = next(chart for chart in page.charts if chart.name == "contact_force_std_N")
    assert curves.powers[0] is logarithmic
    assert written(charts_figure([curves]).axes[0].get_xticklabels()) == texts
    heat = next(chart for chart in page.charts if chart.heat is not None)
    axes = charts_figure([heat]).axes[0]
    assert written(axes.get_yticklabels()) == texts and written(axes.get_xticklabels()) == ["50000", "60000"]


def test_a_page_of_a_train_says_whose_figures_it_has(tmp_path):
    axes = {"contact.stiffness": (5e4, 6e4), "speed_kmh": (250.0, 300.0), "catenary.damping.alpha": (0.1,)}
    train = case_of().model_copy(update={"trailing": TrailingSpec(distances_m=(200.0,))})
    text = "Of the 2 pantographs each figure is that of the one for which it is worst."
    page = sweep_page(run_sweep(sweep_of(axes), train, tmp_path / "train", evaluate=plane))
    assert page.headline.endswith(text) and text not in page_of(tmp_path / "alone", axes).headline
