"""Wear as scenarios: which there are, that each is a run of the line with the worn wire's own values, and stretches."""

from dataclasses import replace

import numpy as np
import pytest
from cheap_evaluation import campaign_of
from pydantic import ValidationError

from catenary.errors import InputError
from catenary.form_finding.equilibrium import open_line_equilibrium, periodic_equilibrium
from catenary.library.lines import load_line
from catenary.spec.attached.worn_wire import share_lost
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import job_input
from dynamics.steady_state.periodic import solve_periodic
from optimise.entry.job_keys import campaign_job
from optimise.evaluation.case_inputs import in_gusts
from optimise.evaluation.evaluate import evaluate, prepare
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.robust import prepare_scenarios
from optimise.evaluation.scenarios import own_condition, scenario_set
from optimise.record.campaign_folder import campaign_sha256
from optimise.spec.scenarios import ScenariosSpec
from studies.validation.overlaps.built import in_sections

SIGMA = "contact_force_std_N"
WINDOW = {"method": "march", "spans_behind": 8, "spans_ahead": 9, "tolerance": 1e-4}
DRAG = {"diameter": 0.0132, "drag_coefficient": 1.2}
STILL = {"speed": 0.0, "contact_wire": DRAG, "messenger_wire": DRAG, "aerodynamic_damping": False}
DENSITY = 8890.0
COARSE = {"elements_per_bay": 2, "largest_element_length": 4.0}


@pytest.fixture(scope="module")
def bruni(build_case, build_line):
    return build_case(build_line(elements_per_bay=3), 300.0, mean_force_N=150.0, periodic=WINDOW)


@pytest.fixture(scope="module")
def by_stations():
    """Two tension sections of six spans, of which two overlap."""
    line = in_sections(load_line("bruni_2015").with_changes(mesh=COARSE), 9, ((0, 6), (4, 9)))
    marched = {"spans": 9, "first_evaluated": 3, "last_evaluated": 7, "spans_after": 1}
    typed = {"speed_kmh": 200.0, "dt": 4e-3, "mean_force_N": 110.0, "solver": "open_line", "open_line": marched}
    return job_input(CaseSpec, line, "bruni_2015", typed)


def around(case, wear, **content):
    spec = ScenariosSpec.model_validate({"wear": wear, "tolerance": 1e-4, **content})
    found = scenario_set(spec, ("sigma",), case)
    assert found is not None
    return found


def flat(wire, height):
    """Mass, EA and EI of a round wire with its lowest ``height`` [m] gone, its chords added up from below."""
    r = np.sqrt(wire.mass_per_length / (DENSITY * np.pi))
    edge = np.linspace(-r, r, 2_000_001)
    z = 0.5 * (edge[1:] + edge[:-1])
    chord = 2.0 * np.sqrt(r**2 - z**2)
    left = np.where(z > height - r, chord, 0.0)
    middle = (z * left).sum() / left.sum()
    area, bending = left.sum() / chord.sum(), (left * (z - middle) ** 2).sum() / (chord * z**2).sum()
    return {
        "mass_per_length": area * wire.mass_per_length,
        "axial_stiffness": area * wire.axial_stiffness,
        "bending_stiffness": bending * wire.bending_stiffness,
    }


def cut(equilibrium):
    """Droppers of a line as they are cut."""
    lengths = equilibrium.dropper_unstretched_length[: len(equilibrium.spec.droppers.positions)]
    return {"prescribed": "lengths", "lengths": tuple(lengths.tolist()), "contact_wire_heights": None}


def worn_by_hand(case, height):
    """Case on the line whose contact wire is given with the worn one's values, its droppers cut for the new one."""
    line, hung = case.catenary, periodic_equilibrium(case.catenary)
    changed = line.with_changes(contact_wire=flat(line.contact_wire, height), droppers=cut(hung))
    return case.model_copy(update={"catenary": changed})


def test_the_new_wire_comes_first_and_every_wear_has_a_name(bruni):
    found = around(bruni, {"lost_mm": [2, 3.5], "weights": [2, 1, 1]}, defects={"spans": 3, "broken_dropper": [2]})
    assert found.spec.marks == ("new", "worn2", "worn3.5", "sound", "broken2")
    assert found.labels[0] == "new wire, sound line" and found.labels[3] == "wire worn by 2 mm, dropper 2 broken"
    assert found.weights.tolist() == [0.25, 0.25, 0.125, 0.125, 0.125, 0.125]
    assert own_condition(found.spec, bruni) == "300 km/h, new wire, sound line"
    assert around(bruni, {"lost_mm": [2]}).in_words == "2 scenarios: new wire and wire worn by 2 mm"
    assert ScenariosSpec().model_dump() == ScenariosSpec.model_validate({"wear": {}}).model_dump()
    plain, worn = ({"speeds_kmh": [250.0], "wear": wear} for wear in ({}, {"lost_mm": [2]}))
    hashes = {campaign_sha256(campaign_of(scenarios=s), bruni) for s in ({"speeds_kmh": [250.0]}, plain, worn)}
    assert len(hashes) == 2, "what lists no wear is the campaign that it was"


def test_a_worn_line_is_one_of_a_wire_with_the_values_that_are_left(bruni):
    """Sigma to the search's own tolerance; by values that are summed up over the section, chord by chord."""
    scenarios = around(bruni, {"lost_mm": [2, 4]})
    setting = Setting(bruni, scenarios=scenarios)
    found = evaluate(Job(1, bruni.catenary), setting)
    assert found.message == ""
    alone = [solve_periodic(bruni), *(solve_periodic(worn_by_hand(bruni, 1e-3 * h)) for h in (2, 4))]
    sigma = np.array([one.statistics.contact_force_std_N for one in alone])
    assert found.scenarios[SIGMA] == pytest.approx(sigma, rel=1e-5)
    assert min(abs(np.diff(np.sort(sigma)))) > 1e-3 * sigma[0], "each is another line"
    assert found.sigma_N == pytest.approx(sigma.mean(), rel=1e-5)
    # limits at rest are those of the line with its new wire
    assert found.static_dropper_force_min_N == pytest.approx(alone[0].equilibrium.dropper_force.min())
    warm = replace(setting, start=prepare_scenarios(scenarios, lambda case: prepare(case, directions=False)))
    assert evaluate(Job(1, bruni.catenary), warm).scenarios[SIGMA] == pytest.approx(sigma, rel=1e-3)


def test_a_lighter_wire_rises_from_droppers_that_stay(bruni):
    """Under kept tensions, and every dropper pulls less."""
    condition = around(bruni, {"lost_mm": [3]}).conditions[1]
    new = periodic_equilibrium(bruni.catenary)
    worn = periodic_equilibrium(condition.line(condition.as_cut(new)))
    assert worn.dropper_unstretched_length == pytest.approx(new.dropper_unstretched_length, abs=1e-9)
    rise = worn.q[worn.mesh.dropper_bottom, 2] - new.q[new.mesh.dropper_bottom, 2]
    assert rise.min() > 1e-3
    assert (worn.dropper_force < new.dropper_force).all()
    assert worn.spec.contact_wire.tension == new.spec.contact_wire.tension
    heights = condition.line(bruni.catenary)  # were heights kept, the droppers would have to be cut again
    assert periodic_equilibrium(heights).dropper_unstretched_length[4] > new.dropper_unstretched_length[4] + 1e-2


def test_half_of_the_height_is_half_of_the_section(bruni):
    wire = bruni.catenary.contact_wire
    radius = np.sqrt(wire.mass_per_length / (DENSITY * np.pi))
    assert share_lost(wire, radius) == pytest.approx(0.5, abs=1e-12)
    for height in (0.001, 0.004):
        assert 1.0 - share_lost(wire, height) == pytest.approx(flat(wire, height)["mass_per_length"] / 1.35, abs=1e-6)


def test_a_worn_line_has_defects_and_errors_on_top(bruni):
    """Each as a run by hand: a dropper broken once in two spans, on droppers that were cut wrong."""
    errors = {"length_sd_mm": 2.0, "samples": 1}
    scenarios = around(bruni, {"lost_mm": [3]}, defects={"spans": 2, "broken_dropper": [3]}, errors=errors)
    found = evaluate(Job(1, bruni.catenary), Setting(bruni, scenarios=scenarios))
    fitted = scenarios.installed(periodic_equilibrium(bruni.catenary), 0)
    values = flat(bruni.catenary.contact_wire, 3e-3)
    line = fitted.spec.with_changes(contact_wire=values, droppers=cut(fitted))
    broken = line.model_copy(update={"repeat": scenarios.conditions[3].repeat})
    for label, each in (("sound line", line), ("dropper 3 broken", broken)):
        alone = solve_periodic(bruni.model_copy(update={"catenary": each})).statistics.contact_force_std_N
        at = scenarios.labels.index(f"wire worn by 3 mm, {label}, errors 1")
        assert found.scenarios[SIGMA][at] == pytest.approx(alone, rel=2e-3)


def test_gusts_blow_on_a_worn_line(build_case):
    """On an open line, as a run by hand of the worn wire in that wind."""
    ends = {"spans": 6, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
    small = {"spans_behind": 6, "spans_ahead": 6, "tolerance": 5e-4}
    case = build_case("bruni_2015", 250.0, dt=4e-3, applied_force_N=140.0, periodic=small, open_line=ends)
    line = case.catenary.with_changes(dimension="spatial", wind=STILL, mesh=COARSE, repeat={"spans": 2})
    case = CaseSpec.model_validate({**case.model_dump(), "catenary": line})
    gusts = {"speeds": [15], "gust_seeds": [1], "turbulence": {"intensity": 0.15}}
    scenarios = around(case, {"lost_mm": [3]}, wind=gusts)
    found = evaluate(Job(1, line), Setting(case, scenarios=scenarios))
    at = scenarios.labels.index("wind of 15 m/s to the left with gusts 1, wire worn by 3 mm")
    hung = periodic_equilibrium(line)
    by_hand = hung.spec.with_changes(contact_wire=flat(line.contact_wire, 3e-3), droppers=cut(hung))
    blown = in_gusts(case, scenarios.conditions[at].wind)
    open_line = by_hand.model_copy(update={"repeat": None, "section": None, "wind": blown.catenary.wind})
    alone = solve(blown.model_copy(update={"catenary": open_line})).statistics.contact_force_std_N
    assert found.scenarios[SIGMA][at] == pytest.approx(alone, rel=1e-4)
    assert abs(found.scenarios[SIGMA][at - 1] / alone - 1.0) > 1e-3


def test_a_line_by_stations_is_worn_over_its_whole_length(by_stations):
    """As a line with the worn wire's values whose droppers have the design's lengths, in both tension sections.

    The running surface lies higher all along, which moves the head alone.
    """
    line = by_stations.catenary
    found = evaluate(Job(1, line), Setting(by_stations, scenarios=around(by_stations, {"lost_mm": [3]})))
    assert found.scenarios[SIGMA][0] == pytest.approx(solve(by_stations).statistics.contact_force_std_N, rel=1e-9)
    design = open_line_equilibrium(line, 9)
    lengths = {"prescribed": "lengths", "lengths": tuple(design.dropper_unstretched_length), "contact_wire_heights": ()}
    worn = line.with_changes(contact_wire=flat(line.contact_wire, 3e-3))
    by_hand = worn.model_copy(update={"droppers": worn.droppers.model_copy(update=lengths)})
    alone = solve(by_stations.model_copy(update={"catenary": by_hand})).statistics.contact_force_std_N
    assert found.scenarios[SIGMA][1] == pytest.approx(alone, rel=1e-3)
    assert abs(found.scenarios[SIGMA][0] / alone - 1.0) > 1e-2


def test_a_stretch_of_a_line_by_stations_is_worn(by_stations):
    """As the row of its table wear is, on each wire that passes there."""
    line = by_stations.catenary
    scenarios = around(by_stations, {"lost_mm": [2], "begin": 200.0, "end": 290.0})
    assert scenarios.labels[1] == "wire worn by 2 mm from 200 to 290 m"
    found = evaluate(Job(1, line), Setting(by_stations, scenarios=scenarios))
    # the segment in closed form: a few digits of its area already decide at which step a dropper slackens
    r = np.sqrt(line.contact_wire.mass_per_length / (DENSITY * np.pi))
    half = np.arccos(1.0 - 2e-3 / r)
    area = float((half - np.sin(half) * np.cos(half)) / np.pi)
    names = [own.name for own in line.section.tension_sections]
    (first, last), beyond = (200.0, 290.0), line.supports[line.section.tension_sections[1].first_support]
    assert first < beyond < last, "the second wire begins within the stretch"
    rows = [
        {"begin": a, "end": last, "area": area, "depth": 2e-3, "section": name}
        for a, name in zip((first, beyond), names, strict=True)
    ]
    worn = line.with_changes(section={"wear": rows})
    alone = solve(by_stations.model_copy(update={"catenary": worn})).statistics.contact_force_std_N
    assert found.scenarios[SIGMA][1] == pytest.approx(alone, rel=1e-5)
    assert abs(found.scenarios[SIGMA][0] / alone - 1.0) > 1e-3


def test_scenarios_of_a_line_by_stations_keep_its_sections(by_stations):
    """A speed of a scenario is the same run as that of the case."""
    scenarios = scenario_set(ScenariosSpec.model_validate({"speeds_kmh": [200.0]}), ("sigma",), by_stations)
    found = evaluate(Job(1, by_stations.catenary), Setting(by_stations, scenarios=scenarios))
    assert found.sigma_N == pytest.approx(solve(by_stations).statistics.contact_force_std_N, rel=1e-9)


@pytest.mark.parametrize(
    ("wear", "said"),
    [
        ({"lost_mm": [2, 2]}, "wear must be distinct"),
        ({"lost_mm": [0]}, "wear.lost_mm.0"),
        ({"lost_mm": [2], "weights": [1]}, "one a value of wear: 2 values, 1 weights"),
        ({"lost_mm": [2], "begin": 10.0}, r"wear\.begin and wear\.end must be given together"),
        ({"lost_mm": [2], "begin": 10.0, "end": 5.0}, r"wear\.end must be beyond wear\.begin, 10 m: got 5 m"),
        ({"weights": [1, 1]}, r"wear\.lost_mm is missing"),
    ],
)
def test_wear_that_says_nothing_is_refused(wear, said):
    with pytest.raises(ValidationError, match=said):
        ScenariosSpec.model_validate({"wear": wear})


def test_wear_that_a_line_cannot_have_is_refused(bruni, by_stations):
    with pytest.raises(InputError) as refused:
        around(bruni, {"lost_mm": [7.5], "begin": 10.0, "end": 20.0})
    assert refused.match(r"scenarios\.wear\.lost_mm must be at most 6\.95 mm.*got 7\.5")
    assert refused.match(r"(?s).*scenarios\.wear\.begin and scenarios\.wear\.end need a line by stations")
    with pytest.raises(InputError, match=r"scenarios\.wear\.begin must lie on the line, before 495 m: got 600 m"):
        around(by_stations, {"lost_mm": [2], "begin": 600.0, "end": 700.0})
    fixed = bruni.catenary.with_changes(temperature={"now_C": 30.0})
    with pytest.raises(InputError, match=r"scenarios\.wear must be left out with catenary\.temperature"):
        campaign_job(fixed, "bruni_2015", {"speed_kmh": 300.0, "scenarios": {"wear": {"lost_mm": [2]}}})
    row = {"begin": 110.0, "end": 120.0, "area": 0.1, "section": by_stations.catenary.section.tension_sections[0].name}
    worn = by_stations.catenary.with_changes(section={"wear": [row]})
    with pytest.raises(InputError, match=r"scenarios\.wear must be left out of a line with worn stretches"):
        around(by_stations.model_copy(update={"catenary": worn}), {"lost_mm": [2]})
