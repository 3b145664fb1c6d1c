"""Reports from run folders that the command's own writers filled; the solver alone is stood in for."""

import json

import numpy as np
import pytest
from stand_in import StandIn, case_of

from catenary.errors import InputError
from catenary.storage.provenance import config_sha256
from dynamics.results.dataset import write_result
from dynamics.spec.status import Status
from studies.report import write_report
from studies.report.readers.simulation_folder import read_simulation
from studies.writing.summary import summarise


@pytest.fixture(params=["re330", "bruni_2015"])
def case(request):
    return case_of(request.param)


def simulate_into(folder, solution):
    write_result(folder / "result.nc", solution, solution.case)
    summary = summarise(solution.case, solution, 0.05, config_sha256(solution.case))
    (folder / "summary.json").write_text(json.dumps(summary), encoding="utf-8")


@pytest.mark.parametrize("solver", ["periodic", "transient"])
def test_a_simulation_is_reported(case, solver, tmp_path):
    solution = StandIn(case.model_copy(update={"solver": solver}))
    simulate_into(tmp_path, solution)
    content = read_simulation(tmp_path)
    span = case.catenary.span_length
    force = content.result.force
    assert force.x[0] == pytest.approx(0.0, abs=0.2)
    assert force.x[-1] == pytest.approx(span, abs=0.2)
    assert np.all(np.diff(force.x) > 0)
    np.testing.assert_allclose(force.y, 157.3 + solution.sigma * np.sin(2 * np.pi * force.x / span), atol=1e-6)
    html = write_report("simulation", tmp_path).read_text(encoding="utf-8")
    for text in ("standard deviation of", "Static elasticity", "chosen here", "slack is how long a dropper"):
        assert text in html
    np.testing.assert_allclose(content.result.dropper_slack_time, 1e3 * solution.dropper_slack_time)
    kept = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    np.testing.assert_allclose(kept["dropper_slack_time_s"], solution.dropper_slack_time)
    assert (
        kept["dropper_force_max_N"] == list(solution.dropper_peaks.force) and kept["dropper_force_max_error_N"][0] == 3
    )
    assert "largest force" in html and "151.0 ± 3.0" in html and "152.0 ± 3.0" in html
    assert {f.stem for f in (tmp_path / "figures").iterdir()} >= {"contact_force", "line", "contact_wire"}


def test_a_simulation_whose_solver_failed_is_reported(case, tmp_path):
    simulate_into(tmp_path, StandIn(case, Status.DIVERGED, "at step 3"))
    html = write_report("simulation", tmp_path).read_text(encoding="utf-8")
    assert "The solver did not finish" in html
    assert Status.DIVERGED.value in html


def test_the_line_drawn_is_the_line_computed(case, tmp_path):
    solution = StandIn(case)
    simulate_into(tmp_path, solution)
    drawing = read_simulation(tmp_path).result.drawing
    low, high = drawing.droppers.y[::2], drawing.droppers.y[1::2]
    own = (drawing.droppers.x[::2] > 0) & (drawing.droppers.x[::2] < case.catenary.span_length)
    np.testing.assert_allclose((high - low)[own], solution.equilibrium.dropper_length, atol=1e-9)
    np.testing.assert_allclose(drawing.dropper_x, case.catenary.droppers.positions, atol=1e-9)
    heights = np.interp(drawing.dropper_x, drawing.contact_wire.x, drawing.contact_wire.y)
    np.testing.assert_allclose(heights, drawing.dropper_height, atol=1e-6)
    assert drawing.contact_wire.x[[0, -1]] == pytest.approx([0.0, case.catenary.span_length])
    stitches = [w for w in drawing.wires if w.x.max() - w.x.min() < 0.5 * case.catenary.span_length]
    assert len(stitches) == (2 if case.catenary.kind == "stitched" else 0)


@pytest.mark.parametrize(
    ("name", "text"),
    [("summary.json", "{"), ("summary.json", "[1]"), ("result.nc", "not a result"), ("summary.json", None)],
)
def test_a_foreign_or_broken_run_folder_is_refused(case, name, text, tmp_path):
    simulate_into(tmp_path, StandIn(case))
    (tmp_path / name).unlink()
    if text is not None:
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=name):
        write_report("simulation", tmp_path)
    assert not (tmp_path / "report.html").exists()
