"""Input is what conf, the files and the command line say, in this order."""

import pytest
import yaml

from dynamics.spec.case import case_of
from dynamics.spec.mean_force import reference_mean_force
from optimise.record.campaign_folder import CampaignFolder
from optimise.spec.jobs import OptimiseJob, campaign_of
from studies.input.compose import compose_job
from studies.jobs.simulation import SimulateJob


def simulate(*overrides):
    return compose_job("simulate", SimulateJob, list(overrides)).job


@pytest.mark.parametrize(
    ("text", "value"), [("50e3", 50e3), ("5.0e+4", 5e4), ("50000", 5e4), ("1e5", 1e5), ("'6e4'", 6e4)]
)
def test_numbers_may_be_written_as_people_write_them(text, value):
    assert simulate(f"contact.stiffness={text}").contact.stiffness == value


def test_small_numbers_and_lists():
    job = simulate("dt=1e-3", "catenary.damping.beta=1e-4", "pantograph.masses=[7.2,6,5.8]")
    assert (job.dt, job.catenary.damping.beta) == (1e-3, 1e-4)
    assert job.pantograph.masses == (7.2, 6.0, 5.8)


def test_a_field_that_conf_does_not_write_out_is_reached_by_its_path():
    assert simulate("periodic.tolerance=1e-4").periodic.tolerance == 1e-4


def test_the_later_override_wins():
    assert simulate("speed_kmh=250", "speed_kmh=275").speed_kmh == 275.0


@pytest.mark.parametrize(("speed", "force"), [(275.0, 143.35625), (320.0, 169.328), (120.0, 96.768)])
def test_the_mean_force_follows_the_speed_unless_given(speed, force):
    assert simulate(f"speed_kmh={speed}").mean_force_N == pytest.approx(force, abs=1e-6)
    assert simulate(f"speed_kmh={speed}", "mean_force_N=140").mean_force_N == 140.0


@pytest.mark.parametrize(("supply", "force"), [("ac", 130.625), ("dc_3kv", 170.625), ("dc_1_5kv", 200.625)])
def test_the_mean_force_follows_the_supply(supply, force):
    job = simulate(f"supply={supply}", "speed_kmh=250")
    assert (job.supply, job.mean_force_N) == (supply, pytest.approx(force, abs=1e-6))
    assert simulate(f"supply={supply}", "mean_force_N=140").mean_force_N == 140.0
    assert simulate(f"supply={supply}", "applied_force_N=140").mean_force_N is None


def test_the_reference_mean_force_has_no_jump():
    assert reference_mean_force(200.0) == pytest.approx(108.8)
    assert reference_mean_force(200.0 + 1e-9) == pytest.approx(108.8)


def test_an_applied_force_takes_the_place_of_the_mean_force():
    job = simulate("applied_force_N=150")
    assert (job.mean_force_N, job.applied_force_N) == (None, 150.0)


def test_a_changed_value_is_marked_as_chosen_here():
    job = simulate("catenary.contact_wire.tension=25e3", "pantograph.masses=[7,6,5]")
    assert job.catenary.provenance["contact_wire.tension"] == "c"
    assert job.pantograph.provenance["masses"] == "c"
    assert job.catenary.provenance["messenger_wire.tension"] == "r"


def test_a_mark_can_be_set():
    job = simulate("catenary.contact_wire.tension=25e3", "catenary.provenance.contact_wire.tension=s")
    assert job.catenary.provenance["contact_wire.tension"] == "s"


def test_a_line_from_a_file_is_taken_as_it_stands_and_may_be_changed(line_file):
    path = line_file(name="mine", encumbrance=1.4)
    job = simulate(f"catenary={path}", "catenary.encumbrance=1.5", "pantograph=bruni_2015")
    assert (job.catenary.name, job.catenary.encumbrance, job.catenary.kind) == ("mine", 1.5, "simple")


def test_numbers_without_a_sign_in_the_exponent_are_numbers_in_a_file(folder, line_file):
    path = line_file()
    path.write_text(path.read_text(encoding="utf-8").replace("22000.0", "22e3"), encoding="utf-8")
    assert simulate(f"catenary={path}").catenary.contact_wire.tension == 22e3


def test_one_load_of_the_elasticity_is_a_list_of_one():
    assert simulate("elasticity_force_N=200").elasticity_force_N == (200.0,)
    assert simulate("elasticity_force_N=[100,200]").elasticity_force_N == (100.0, 200.0)
    assert simulate().elasticity_force_N == (100.0,)


def test_a_path_may_hold_any_character(folder, line_file):
    (folder / "a b=c (1)").mkdir()
    path = line_file(name="x").rename(folder / "a b=c (1)" / "line, mine.yaml")
    assert simulate(f"catenary={path}").catenary.name == "x"


def test_what_is_printed_can_be_read_again(catenary, folder):
    first = catenary("simulate", "catenary=bruni_2015", "speed_kmh=275", "--cfg", "job")
    line = yaml.safe_load(first.out)["catenary"]
    (folder / "line.yaml").write_text(yaml.safe_dump(line, sort_keys=False), encoding="utf-8")
    second = catenary("simulate", "catenary=line.yaml", "speed_kmh=275", "--cfg", "job")
    assert second.out == first.out


@pytest.fixture
def design(folder, line_file):
    """A line in a campaign's folder whose conditions are not the defaults."""
    job = compose_job(
        "optimise", OptimiseJob, ["experiment=bruni_heights", "contact.stiffness=2e5", "mean_force_N=170"]
    ).job
    place = CampaignFolder(folder / "outputs" / "campaigns" / "bruni_heights")
    place.write_input(campaign_of(job), case_of(job))
    return line_file().rename(place.best_design_yaml)


def test_a_design_brings_the_conditions_of_its_campaign(design):
    composed = compose_job("simulate", SimulateJob, [f"catenary={design}"])
    job = composed.job
    assert (job.pantograph.name, job.speed_kmh, job.contact.stiffness) == ("bruni_2015", 320.0, 2e5)
    assert job.mean_force_N == 170.0
    assert "campaign" in composed.notes[0]


def test_what_is_typed_goes_before_the_conditions_of_a_campaign(design):
    job = simulate(f"catenary={design}", "pantograph=dsa380", "contact.stiffness=5e4", "speed_kmh=300")
    assert (job.pantograph.name, job.speed_kmh, job.contact.stiffness) == ("dsa380", 300.0, 5e4)
    assert job.mean_force_N == 170.0


def test_a_reference_mean_force_of_a_campaign_follows_a_typed_speed(folder, line_file):
    job = compose_job("optimise", OptimiseJob, ["experiment=bruni_heights"]).job
    place = CampaignFolder(folder / "campaign")
    place.write_input(campaign_of(job), case_of(job))
    path = line_file().rename(place.best_design_yaml)
    assert simulate(f"catenary={path}", "speed_kmh=300").mean_force_N == pytest.approx(157.3)
    assert simulate(f"catenary={path}", "supply=dc_3kv").mean_force_N == pytest.approx(209.328)


def test_a_lines_name_alone_changes_the_hash_of_its_run_and_nothing_else():
    one, other = simulate(), simulate("catenary.name=other")
    assert case_of(one) != case_of(other)
    assert case_of(one).model_copy(update={"catenary": other.catenary}) == case_of(other)
