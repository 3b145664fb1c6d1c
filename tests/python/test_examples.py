"""Every script of examples/ runs, small, and gives the number that it is there for."""

import runpy
from pathlib import Path

import pytest
import yaml

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
WINDOW = {"spans_behind": 4, "spans_ahead": 4, "tolerance": 2e-3}
SMALL = {"cluster": "serial", "periodic": WINDOW}


def run(name, *given, **how):
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"](*given, **how)


def test_every_example_has_a_test_and_a_row():
    names = {file.stem for file in EXAMPLES.glob("*.py")}
    text = Path(__file__).read_text(encoding="utf-8")
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert len(names) == 6
    assert all(f'run("{name}"' in text and f"({name}.py)" in page for name in names), names


def test_a_line_of_your_own(own_folder, capsys):
    sigma = run("own_line", error_estimate=False)
    # catenary new droppers=table.csv name=my60 like=bruni_2015 span_length=60 encumbrance=1.4, then catenary simulate
    assert sigma == pytest.approx(26.85, rel=0.002)
    assert "my60" in capsys.readouterr().out and {"my60.png", "my60.nc"} <= {f.name for f in own_folder.iterdir()}


@pytest.mark.filterwarnings("ignore:.*pre-sag is negative")  # designs may hog the wire, and are said to
def test_an_optimum(own_folder):
    # the designs of a fixed sequence, whatever the last digits of a processor: a number that holds everywhere
    gain = run("optimum", 21, sampler="qmc", **SMALL)
    assert gain == pytest.approx(-6.66, abs=0.1)
    assert yaml.safe_load((own_folder / "best.yaml").read_text(encoding="utf-8"))["name"] == "re330_both"


def test_a_robust_optimum():
    assert run("robust_optimum", 8, sampler="qmc", seed=3, **SMALL) == pytest.approx(-3.94, abs=0.1)


def test_a_sweep_finds_the_worst_speed(own_folder):
    assert run("sweep", range(280, 321, 20), **SMALL) == 320.0
    assert (own_folder / "sweep.nc").is_file()


def test_a_sensitivity_study_names_what_matters_most():
    assert run("sensitivity", 8, **SMALL) == "contact.stiffness"


def test_a_bundle_keeps_the_controllers_clock(own_folder):
    # a span of 65 m takes 195 steps of 4 ms at exactly 300 km/h: the speed need not give way
    assert run("bundle", "bundle", dt=4e-3) == pytest.approx(300.0, abs=1e-9)
    assert (own_folder / "bundle" / "pfem.nc").is_file()
