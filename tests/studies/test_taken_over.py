"""What a new user's own line must not say of itself: copied values, a wire that hogs, ranges of another line."""

import json

import pytest
import yaml
from refusal import refused
from small_runs import SMALL_WINDOW

from catenary.errors import InputError
from catenary.spec.line import CatenarySpec
from catenary.spec.pre_sag import hogging_warnings
from catenary.storage.files import parsed_json
from dynamics.spec.case import case_of
from optimise.entry.input_paths import chosen_inputs, ranges_around
from studies.input.compose import compose_job
from studies.jobs.simulation import SimulateJob
from studies.report.content.provenance import spec_provenance
from studies.report.readers.stored import read_json

TABLE = "station_m,height_mm\n5,0\n15,{}\n30,{}\n45,{}\n55,0\n"
ANSWERS = ("name=mine", "like=bruni_2015", "span_length=60", "encumbrance=1.4")


def new_line(catenary, folder, heights):
    (folder / "table.csv").write_text(TABLE.format(*heights), encoding="utf-8")
    ended = catenary("new", "droppers=table.csv", *ANSWERS, "contact_wire.tension=20e3")
    return ended, CatenarySpec.model_validate(yaml.safe_load((folder / "mine.yaml").read_text(encoding="utf-8")))


def test_a_value_copied_from_a_sample_line_is_not_printed_of_this_one(catenary, folder):
    _, line = new_line(catenary, folder, (-20, -40, -20))
    origins = {row.name: row.origin for row in spec_provenance(line, "line")}
    assert origins["messenger wire, tension"] == "copied from bruni_2015, to be checked"
    assert origins["contact wire, tension"] == "given by the user"
    assert set(origins.values()) <= {"copied from bruni_2015, to be checked", "given by the user", "not stated"}
    with pytest.raises(ValueError, match="provenance"):
        CatenarySpec.model_validate({**line.model_dump(), "provenance": {"span_length": "x"}})


def test_a_hogged_wire_is_warned_of_with_its_height_and_continues(catenary, folder):
    ended, line = new_line(catenary, folder, (20, 40.5, 20))
    assert "3 of 5 droppers hold the contact wire above its height at the supports, by up to 40.5 mm (dropper 3)" in (
        ended.err
    )
    composed = compose_job("simulate", SimulateJob, ["catenary=mine.yaml"])
    assert composed.notes == hogging_warnings(line) != ()


def test_a_hogged_wire_is_in_the_summary_that_other_programs_read(catenary, folder):
    _, line = new_line(catenary, folder, (20, 40.5, 20))
    run = ("simulate", "catenary=mine.yaml", "pantograph=bruni_2015", *SMALL_WINDOW, "transient.spans_evaluated=4")
    assert catenary(*run, "run_dir=run").code in (0, 1)
    assert read_json(folder / "run" / "summary.json")["warnings"] == list(hogging_warnings(line)) != []


def test_pre_sag_of_the_right_sign_is_not_a_cause_for_a_warning():
    assert compose_job("simulate", SimulateJob, ["catenary=bruni_2015", "pantograph=bruni_2015"]).notes == ()


def test_ranges_without_the_value_of_the_case_are_refused_with_those_around_it(catenary, folder):
    away = "sensitivity.inputs={contact.stiffness:{low:6e3,high:24e3,spacing:log},speed_kmh:{low:190,high:210}}"
    ended = catenary("sensitivity", "inputs=twelve_bruni", "speed_kmh=200", "contact.stiffness=50e3", away)
    refused(ended, ["sensitivity.inputs.contact.stiffness must hold the value of this case, 50000: got 6000 to 24000",
                    "sensitivity.inputs={contact.stiffness:{low:25000,high:100000,spacing:log},speed"])  # fmt: skip
    assert list(folder.iterdir()) == []


def test_the_inputs_that_a_page_names_hold_the_design_at_hand():
    case = case_of(compose_job("simulate", SimulateJob, ["catenary=bruni_2015", "pantograph=bruni_2015"]).job)
    assert chosen_inputs(case, "twelve_bruni") == "inputs=twelve_bruni"
    other = compose_job(
        "simulate", SimulateJob, ["catenary=bruni_2015", "pantograph=bruni_2015", "catenary.contact_wire.tension=15e3"]
    )
    told = chosen_inputs(case_of(other.job), "twelve_bruni")
    assert "catenary.contact_wire.tension:{low:14560,high:15460}" in told and told.count("{") == 13
    assert "contact.stiffness:{low:20000,high:200000,spacing:log}" in told
    assert ranges_around(case, {"speed_kmh": {"low": 100.0, "high": 900.0}}) == (
        "sensitivity.inputs={speed_kmh:{low:100,high:900}}"
    )


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": -Infinity}', "[" * 100_000, '{"a": ' + "9" * 5000 + "}", "[]"])
def test_what_is_not_json_is_refused_in_a_sentence(tmp_path, text):
    file = tmp_path / "summary.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"must (be a JSON record|hold names with values)"):
        read_json(file)
    if text != "[]":
        with pytest.raises(ValueError, match=r"deep|number|digits"):
            parsed_json(text)
    assert parsed_json(json.dumps({"a": 1.5})) == {"a": 1.5}


@pytest.mark.parametrize("heading", ["distance [m]", "Distance (m)", "chainage_m", "position [m]"])
def test_a_heading_that_people_use_for_the_station_is_one(catenary, folder, heading):
    (folder / "table.csv").write_text(TABLE.format(-20, -40, -20).replace("station_m", heading), encoding="utf-8")
    ended = catenary("new", "droppers=table.csv", *ANSWERS)
    assert ended.code == 0, ended.err
    assert yaml.safe_load((folder / "mine.yaml").read_text(encoding="utf-8"))["droppers"]["positions"][0] == 5.0
