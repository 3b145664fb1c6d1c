"""Sweeps of several lines in one picture."""

import sys
from pathlib import Path

import pytest
from refusal import refused

from dynamics.spec.case import case_of
from optimise.spec.jobs import SweepJob
from studies.input.compose import compose_job

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "optimise"))
import cheap_sweep

from optimise.parameter_study.sweep import run_sweep


@pytest.fixture
def swept(folder):
    """Function that leaves a sweep folder, its statistics a closed form of the speed."""

    def write(name, axes, lift=0.0, line="re330"):
        case = case_of(compose_job("sweep", SweepJob, [f"catenary={line}"]).job)

        def evaluate(task, setting):
            return cheap_sweep.curve(task, lift)

        spec = cheap_sweep.sweep_of(axes)
        spec = spec.model_copy(update={"sweep": spec.sweep.model_copy(update={"name": name})})
        run_sweep(spec, case, folder / name, evaluate=evaluate)
        return name

    return write


def test_sweeps_of_two_lines_are_laid_over_one_another(catenary, folder, swept):
    first = swept("nominal", {"speed_kmh": (200.0, 250.0, 300.0, 320.0)})
    second = swept("optimised", {"speed_kmh": (200.0, 250.0, 300.0)}, lift=-7.0, line="bruni_2015")
    ended = catenary("report", first, second, "output=speeds.html")
    assert ended.code == 0, ended.err
    assert (folder / "speeds.png").is_file()
    page = (folder / "speeds.html").read_text(encoding="utf-8")
    assert "Optimised has the lower standard deviation at 3 of 3 values" in page
    assert "−35.0 to −23.3\N{NO-BREAK SPACE}% against nominal" in page
    assert page.count('class="chart"') == 2 and "line, span length" in page
    assert "320" in page and "–" in page


def test_what_cannot_be_laid_over_one_another_is_refused(catenary, folder, swept):
    first = swept("nominal", {"speed_kmh": (200.0, 250.0)})
    other = swept("other", {"contact.stiffness": (50e3, 60e3)})
    both = swept("both", {"contact.stiffness": (50e3, 60e3), "speed_kmh": (200.0, 250.0)})
    refused(catenary("report", first, other, "output=a.html"), ["must be over the same input: got speed_kmh, contact"])
    refused(catenary("report", first, both, "output=a.html"), ["must be a sweep over one input"])
    refused(catenary("report", *[first] * 7, "output=a.html"), ["must be 2 to 6: got 7"])
    (folder / "run").mkdir()
    refused(
        catenary("report", first, "run", "output=a.html"), ["nominal is a sweep: it is laid over other sweeps alone"]
    )
    assert not (folder / "a.html").exists()
