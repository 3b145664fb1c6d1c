"""Only what the user gave is said to be set for a run; the rest is an experiment's, the speed's or the program's."""

import pytest
import yaml

from dynamics.spec.case import case_of
from optimise.spec.jobs import OptimiseJob
from studies.input.compose import compose_job
from studies.report.content.provenance import VARIED, case_provenance
from studies.report.readers.given_input import input_origins

GIVEN, DEFAULT = "set for this run", "default of the program"


@pytest.fixture
def origins(tmp_path):
    """Origins of a campaign's run keys; without a record as of a run from Python."""

    def found(typed, recorded=True):
        if recorded:
            (tmp_path / ".hydra").mkdir()
            (tmp_path / ".hydra" / "overrides.yaml").write_text(yaml.safe_dump({"overrides": typed}), "utf-8")
        case = case_of(compose_job("optimise", OptimiseJob, typed).job)
        return case, input_origins(tmp_path, "optimise", case)

    return found


def test_what_was_typed_is_set_for_the_run_even_where_it_is_the_default(origins):
    _, found = origins(["speed_kmh=300", "contact={stiffness:60e3}", "periodic.spans_ahead=21", "dimension=planar"])
    assert [found[name] for name in ("speed_kmh", "contact.stiffness", "periodic.spans_ahead")] == [GIVEN] * 3
    assert {found[name] for name in ("dt", "contact.exponent", "periodic.spans_behind", "solver")} == {DEFAULT}
    assert "target" in found["mean_force_N"]


def test_an_experiment_is_named(origins):
    _, found = origins(["experiment=demo", "mean_force_N=150"])
    assert found["speed_kmh"] == "set by experiment=demo" and found["mean_force_N"] == GIVEN


def test_without_a_record_what_differs_from_the_defaults_was_given(origins):
    _, found = origins(["speed_kmh=280", "dt=1e-3"], recorded=False)
    assert found["speed_kmh"] == found["dt"] == GIVEN and found["supply"] == "equal to the default of the program"


def test_the_rows_of_a_page_say_so_and_what_is_varied(origins):
    case, found = origins(["dt=1e-3"])
    rows = {row.name: row.origin for row in case_provenance(case, ("contact.stiffness",), found) if row.group == "Run"}
    assert (rows["dt"], rows["supply"], rows["contact, stiffness"]) == (GIVEN, DEFAULT, VARIED)
