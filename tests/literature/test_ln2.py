"""The line test of PantoCat's table 2: figures as printed, and assumptions that are assumptions.

pantocat_table_2.txt has the table. Line and pantograph of the test are not public, so that no figure of it can gate.
"""

import re
from pathlib import Path

import pytest

from studies.input.compose import compose_job
from studies.jobs.simulation import SimulateJob
from studies.validation.cases import case_from, solve_typed
from studies.validation.gates.gates import load_gates
from studies.validation.ln2.comparison import measured_rows, spread
from studies.validation.rows import Row

PRINTED = Path(__file__).with_name("pantocat_table_2.txt").read_text(encoding="utf-8")
ROW = re.compile(r"^(.+) \[N\] (\S+) (\S+) (\S+)$", re.M)
NAMES = {
    "Mean": "contact_force_mean_N",
    "Standard Deviation": "contact_force_std_N",
    "Maximum": "contact_force_max_N",
    "Minimum": "contact_force_min_N",
    "Statistical Maximum": "contact_force_statistical_max_N",
    "Statistical Minimum": "contact_force_statistical_min_N",
}


@pytest.fixture(scope="module")
def gate():
    return load_gates().ln2


@pytest.fixture(scope="module")
def base(gate):
    return solve_typed(gate.overrides)


def test_the_figures_are_those_of_the_table(gate):
    printed = {NAMES[name]: tuple(map(float, figures)) for name, *figures in ROW.findall(PRINTED) if name in NAMES}
    assert {f.statistic: (f.measured, f.elastic, f.damped) for f in gate.figures} == printed
    assert "300 km/h" in PRINTED and "20%" in PRINTED
    case = case_from(gate.overrides)
    assert case.speed_kmh == 300.0 and gate.accepted_percent == 20.0
    assert case.mean_force_N == printed["contact_force_mean_N"][0]


def test_every_assumption_changes_the_case_and_no_two_the_same_way(gate):
    sources = {"catenary": {"provenance"}, "pantograph": {"provenance"}}  # what is typed counts as chosen

    def made(overrides):
        job = compose_job("simulate", SimulateJob, [*gate.overrides, *overrides]).job
        return job.model_dump_json(exclude=sources)

    cases = [made(one.overrides) for one in (*gate.numerical, *gate.assumptions)]
    assert len({made(()), *cases}) == 1 + len(cases)


def test_no_figure_of_an_assumed_line_gates(gate, base):
    rows = measured_rows(gate, base)
    assert {row.verdict for row in rows} == {"printed"}
    (sigma,) = (row for row in rows if row.quantity == "standard deviation σ")
    assert sigma.references_text.startswith("measured 44.3 (± 20 %: 35.4 to 53.2)")
    assert sigma.value is not None
    assert sigma.value == pytest.approx(42.07, rel=0.01)
    assert sigma.reading == f"{100.0 * (sigma.value / 44.3 - 1.0):+.1f} % from what was measured"


def test_the_damping_of_slack_droppers_decides_more_than_any_length(gate, base):
    """Stiffness-proportional damping of 0.55 % at 1 Hz leaves 351 N s/m in a slack dropper of 200 kN/m."""
    kept = solve_typed([*gate.overrides, "slack_damping=kept"])
    assert kept.statistics is not None
    assert kept.statistics.contact_force_std_N > 1.3 * base.statistics.contact_force_std_N


def test_the_spread_counts_what_is_beyond_20_percent(gate):
    rows = [Row("σ", str(x), "N", x) for x in (35.3, 44.3, 53.2, None)]
    assert spread(gate, rows) == (
        "One assumption at a time taken otherwise, σ lies between 35.3 and 53.2 N; 2 of 3 are beyond 20 % of the "
        "measured 44.3 N."
    )
    assert spread(gate, rows[3:]) == "No run with another assumption gave a figure."
