"""The cutting list of a compound line: main droppers after the others, in file, list and page."""

import csv

import numpy as np
import pytest
from stand_in import evaluate, searched, tolerances_of

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.layout.mesh import Z
from catenary.storage.files import read_json
from optimise.spec.off_design import LengthToleranceSpec
from studies.afterwards.length_tolerance import show_length_tolerance
from studies.afterwards.off_design import show_fitter_schedule
from studies.report.sections.off_design import schedule_table


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A campaign on a compound line, and what is on record of its cutting list."""
    result, solved = searched(tmp_path_factory.mktemp("written"), "shinkansen_compound", "heights", 6), []

    def noted(task, setting):
        solved.append(task.catenary)
        return evaluate(task, setting)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("optimise.evaluation.evaluate.evaluate", noted)
        show_fitter_schedule(result)
    return result, solved, read_json(result.folder / "fitter_schedule.json")


def heights(line):
    """Heights of all nodes at rest, wire by wire."""
    return periodic_equilibrium(line).q[:, Z]


def test_cut_to_the_list_the_line_hangs_as_designed(written):
    _, solved, content = written
    line, exact, main = solved[0], solved[1], content["main_droppers"]
    auxiliary = line.auxiliary_wire.droppers
    assert main["position_m"] == list(auxiliary.positions) and len(main["length_m"]) == len(auxiliary.positions)
    droppers = {"prescribed": "lengths", "lengths": tuple(content["length_m"]), "contact_wire_heights": ()}
    own = {"prescribed": "lengths", "lengths": tuple(main["length_m"]), "auxiliary_wire_heights": ()}
    cut = line.with_changes(droppers=droppers, auxiliary_wire={"droppers": own})
    assert np.abs(heights(cut) - heights(line)).max() < 2e-6
    longer = line.with_changes(
        droppers=droppers, auxiliary_wire={"droppers": {**own, "lengths": tuple(x + 5e-3 for x in main["length_m"])}}
    )
    assert np.abs(heights(longer) - heights(line)).max() > 2e-3
    rounded = exact.auxiliary_wire.droppers.lengths
    assert list(rounded) == main["rounded_m"][0]["length_m"] and rounded != tuple(main["length_m"])
    assert np.abs(np.subtract(rounded, main["length_m"])).max() <= 0.5e-3 + 1e-9


def test_main_droppers_stand_in_list_and_page_behind_the_others(written, monkeypatch):
    result, _, content = written
    list_ = result.folder / "fitter_schedule.csv"

    def rows():
        return list(csv.DictReader(list_.read_text(encoding="utf-8").splitlines()))

    main, before = content["main_droppers"], rows()
    count, others = len(main["length_m"]), len(content["length_m"])
    assert [row["dropper"] for row in before[others:]] == [f"main {k}" for k in range(1, count + 1)]
    last = before[-1]
    assert float(last["length_m"]) == pytest.approx(main["length_m"][-1], abs=1e-5)
    assert last["station_m"] == last["station_rounded_50mm_m"] == f"{main['position_m'][-1]:.3f}"
    assert float(last["length_at_50mm_stations_m"]) == content["stations_rounded"][1]["main_length_m"][-1]
    table = schedule_table(content)
    assert [row[0] for row in table.rows[others:-1]] == [f"main {k}" for k in range(1, count + 1)]
    assert {len(row) for row in table.rows} == {len(table.columns)}
    monkeypatch.setattr("optimise.afterwards.length_tolerance.length_tolerances", tolerances_of([]))
    show_length_tolerance(result, LengthToleranceSpec(samples=4), lambda line: None)
    after = rows()
    assert [{k: row[k] for k in last} for row in after] == before
    assert after[0]["tolerance_mm"] == "1.8" and {row["tolerance_mm"] for row in after[others:]} == {""}
