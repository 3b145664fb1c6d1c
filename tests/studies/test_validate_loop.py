"""`catenary validate only=pfem`: its rows on one small case, and that a broken loop misses its gates."""

from types import SimpleNamespace

import numpy as np
import pytest

from dynamics.rig.loop import emulation
from dynamics.rig.loop.engine import LoopEngine
from dynamics.rig.loop.model import model_of
from studies.rig.emulation.trial import last_spans
from studies.validation.gates.gates import load_gates
from studies.validation.gates.pfem import MassCase
from studies.validation.pfem import case_rows, compare, design_rows
from studies.validation.pfem_emulation import line_of, run_case

CASE = MassCase(
    figure="none",
    catenary="bruni_2015",
    speed_kmh=275.0,
    height_harmonics=14,
    dropper_harmonics=60,
    added_force_N=160.0,
)


@pytest.fixture(scope="module")
def gate():
    return load_gates().pfem.model_copy(update={"duration_s": 16.0, "ramp_s": 4.0})


@pytest.fixture(autouse=True)
def _few_relaxations(monkeypatch):
    """Fewer mu_c to choose from: the map from block to block is tested elsewhere."""
    monkeypatch.setattr("studies.rig.emulation.trial.RELAXATIONS", (0.05, 0.07))


@pytest.fixture(scope="module")
def models(influence):
    return {"bruni_2015 at 275 km/h": model_of(influence)}


def rows_of(gate, models):
    tested = run_case(gate, CASE, models, lambda line: None)
    return tested, {row.quantity: row for row in case_rows(gate, CASE, tested)}


def test_a_pressed_mass_meets_its_gates_with_droppers_slack(gate, models):
    assert line_of(gate, CASE).steps_per_period == models["bruni_2015 at 275 km/h"].steps
    tested, rows = rows_of(gate, models)
    gated = [row for row in rows.values() if row.allowed is not None]
    assert [row.verdict for row in gated] == ["met"] * 3, rows
    (slack,) = (row for row in gated if "correction force" in row.quantity)
    assert "slack samples" in slack.reading and int(slack.reading.split(", ")[1].split()[0]) > 20
    assert tested.test.spec.start == "predicted" and tested.rest.curve[-1] > tested.test.settling.curve[-1]
    paper = rows["spectral radius with μ_c 0.1"]
    assert paper.reading.endswith("unstable" if paper.here >= 1.0 else "stable")


@pytest.mark.parametrize("broken", ["I_cc", "I_cd", "I_dc"])
def test_a_sign_broken_in_the_loop_misses_a_gate(gate, models, monkeypatch, broken):
    """Height per contact force, height per correction force, elongation per contact force: each turned round."""

    class Broken(LoopEngine):
        def __init__(self, model, settings, filtered=None):
            super().__init__(model, settings, filtered)
            getattr(self.filtered.line, broken)[:] *= -1.0

    monkeypatch.setattr(emulation, "LoopEngine", Broken)
    _, rows = rows_of(gate, models)
    assert [row for row in rows.values() if row.verdict == "MISSED"], rows


def test_the_comparison_has_its_rows_charts_and_remarks(gate, models, monkeypatch):
    gates = load_gates().model_copy(
        update={"pfem": gate.model_copy(update={"lines": (), "masses": (CASE,), "designs": ()})}
    )
    monkeypatch.setattr("studies.validation.pfem_emulation.influence_matrices", lambda case: None)
    monkeypatch.setattr("studies.validation.pfem_emulation.model_of", lambda found: models["bruni_2015 at 275 km/h"])
    found = compare(gates, lambda line: None)
    assert found.missed == 0 and found.key == "pfem"
    names = [chart.name for chart in found.charts]
    assert names == ["pfem_bruni_2015_275_mass_160", "pfem_bruni_2015_275_mass_160_corrections"]
    labels = {curve.label for curve in found.charts[0].curves}
    assert {"emulated test, mean of the last spans", "periodic state, same harmonics"} <= labels


def test_a_design_stands_next_to_the_nominal_line(gate):
    case = load_gates().pfem.designs[0]
    nominal = {"emulated": {"contact_force_std_N": 20.0, "contact_force_max_N": 200.0, "contact_force_min_N": 100.0}}
    better = {"emulated": {"contact_force_std_N": 17.0, "contact_force_max_N": 190.0, "contact_force_min_N": 110.0}}
    largest, least, sigma = design_rows(gate, case, better, nominal)
    assert (largest.here, least.here) == (190.0, 110.0)
    assert largest.references[0].text == "261.9 → 208.2" and least.references[0].text == "78 → 110"
    assert sigma.here == pytest.approx(-15.0) and sigma.references[0].text == "-11.24"
    assert {row.verdict for row in (largest, least, sigma)} == {"printed"}


def test_the_last_spans_of_a_transient_begin_at_supports():
    """The march records ends of steps: sample 1 of the run is the station one step behind the first support."""
    steps, dt = 7, 2.0e-3
    k = np.arange(1, 5 * steps + 1)
    run = SimpleNamespace(
        time=k * dt,
        case=SimpleNamespace(time_step=dt),
        # the last span's end has nothing behind it for the filter
        contact_force_filtered=np.where(k > 4 * steps, np.nan, k % steps),
    )
    spans = last_spans(run, steps, 5)
    assert spans.shape == (3, steps)
    np.testing.assert_array_equal(spans, np.tile(np.arange(steps), (3, 1)))
    assert last_spans(run, steps, 2).shape == (2, steps)


@pytest.mark.validate
def test_the_whole_section(capsys):
    found = compare(load_gates(), print)
    assert found.missed == 0, [row for row in found.rows if row.verdict == "MISSED"]
