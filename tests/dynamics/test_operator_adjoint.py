"""Exact derivatives of what the line's operator finds, against central differences of the whole computation."""

import numpy as np
import pytest
from operator_differences import Solved, case_of, changed, settled_equations

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.form_finding.prescribed import prescribed_by_lengths
from dynamics.adjoint.by_operator.bays import NUMBERS
from dynamics.adjoint.by_operator.network_slopes import network_slopes
from dynamics.adjoint.by_operator.pairings import Acting, Multipliers, pairings
from dynamics.adjoint.steady_slopes import SteadySlopes
from dynamics.line_operator.network import line_network
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.outcome import Outcome, OutcomeStatus
from optimise.evaluation.slopes import design_slopes
from optimise.spec.campaign import LimitsSpec

EXACT = 5.0e-4  # of the largest component
OWN = {"contact_wire": {"alpha": 0.05, "beta": 2e-5}, "droppers": {"alpha": 0.4, "beta": 1e-3},
       "steady_arms": {"alpha": 0.9, "beta": 3e-3}}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def settled():
    with settled_equations():
        yield


@pytest.fixture(scope="module")
def light():
    """Hardly any dropper slackens."""
    return Solved.of(case_of("bruni_2015", "bruni_2015", 179.7, mean_force_N=55.0))


@pytest.fixture(scope="module")
def constant():
    """Tensions stay as they are at rest, and no wire has places along the track."""
    case = case_of("bruni_2015", "bruni_2015", 179.7, mean_force_N=55.0)
    return Solved.of(case.with_changes(catenary={"tension_in_motion": "constant"}))


@pytest.fixture(scope="module")
def by_component():
    """Wires, droppers and arms have damping of their own; droppers slacken."""
    case = case_of("bruni_2015", "bruni_2015", 260.0, mean_force_N=120.0)
    solved = Solved.of(case.with_changes(catenary={"damping": OWN}))
    assert (solved.found.operator_state.slack.squeeze > 0.0).any()
    return solved


@pytest.fixture(scope="module")
def slack():
    """Droppers slacken near the pantograph and far behind it."""
    solved = Solved.of(case_of("bruni_2015", "bruni_2015", 320.0, mean_force_N=195.0))
    slack = solved.found.operator_state.slack
    assert np.count_nonzero((slack.squeeze > 0.0) & ~slack.sought), "some are those of coarse samples"
    return solved


@pytest.fixture(scope="module")
def airborne():
    """Contact is lost for a moment."""
    solved = Solved.of(case_of("bruni_2015", "bruni_2015", 320.0, mean_force_N=100.0))
    assert solved.found.operator_state.contact.lost.any()
    return solved


@pytest.fixture(scope="module")
def stitched():
    """Stitched line."""
    return Solved.of(case_of("re330", "dsa380", 300.0))


@pytest.fixture(scope="module")
def in_space():
    """Droppers hang askew, arms are bars, and spans mirror each other."""
    case = case_of("bruni_2015", "bruni_2015", 179.7, mean_force_N=55.0)
    aside = {"dimension": "spatial", "support": {"messenger_stagger": 0.05}}
    return Solved.of(case.with_changes(catenary=aside))


@pytest.fixture(scope="module")
def stitched_in_space():
    """Stitched line in space; droppers slacken."""
    return Solved.of(case_of("re330", "dsa380", 290.0).with_changes(catenary={"dimension": "spatial"}))


@pytest.fixture(scope="module", params=["planar", "spatial"])
def loose(request):
    """A dropper hangs loose at rest, by some 4 mm, and draws taut behind the pantograph."""
    case = case_of("bruni_2015", "bruni_2015", 275.0)
    line = prescribed_by_lengths(periodic_equilibrium(case.catenary.with_changes(dimension=request.param)))
    lengths = 1e3 * np.array(line.droppers.lengths) + 21.0 * (np.arange(9) == 4)
    case = case.model_copy(update={"catenary": line.with_droppers(lengths_mm=lengths)})
    solved = Solved.of(case)
    taut = solved.found.operator_state.slack.squeeze[:, 4] > 0.0
    assert 3e-3 < solved.line.dropper_gap[4] < 5e-3 and 3 < np.count_nonzero(taut) < len(taut) / 4
    return solved


@pytest.mark.parametrize("dimension", ["planar", "spatial"])
@pytest.mark.parametrize("name", ["bruni_2015", "re330"])
def test_slopes_of_the_pairings_are_their_differences(name, dimension, build_line):
    """By every number of every kind of bay and of what is attached, a loose dropper among it; fields at random.

    Every component has damping of its own.
    """
    line = build_line(name, dimension=dimension, damping=OWN)
    network, T, random = line_network(periodic_equilibrium(line)), 0.8, np.random.default_rng(3)
    network.points.loose[::2] = 1.0
    omega, weight = np.array([3.0 - 2.0j, 40.0 - 2.0j, 300.0 - 2.0j]), np.array([0.4 + 0.1j, 0.3, 0.2 - 0.3j])
    S, D = len(network.stations), len(network.points.bottom)

    def complexes(count):
        return random.normal(size=(3, count, 2)) + 1j * random.normal(size=(3, count, 2))

    acting = Acting(complexes(S), complexes(D))
    multipliers = Multipliers(complexes(S), complexes(D), complexes(S))
    both = acting, multipliers, np.array([0, 1])

    def summed(line):
        found = pairings(omega, (line.bays, line.points, line.first), network.arguments(T)[1],
                         line.ports, both)  # fmt: skip
        return 2.0 * (weight @ found).real

    given = (omega, weight), *network.arguments(T), network.ports, both, both[2]
    slopes, (by_left, _), by_droppers = network_slopes(*given)
    for block in ("bays", "points"):
        numbers = getattr(network, block)
        names = [n for n in numbers._fields if n not in ("loose", "alpha", "beta")
                 and (x := getattr(numbers, n)).dtype == np.float64 and x.size]  # fmt: skip
        for field in names:
            values = getattr(numbers, field).reshape(len(getattr(numbers, field)), -1)
            hanging = np.flatnonzero(values[:, 0]) if field == "curvature" else np.arange(len(values))
            for k in np.unique(random.choice(hanging, size=4)):
                for j in range(values.shape[1]):
                    size = np.abs(values).max() or 1.0
                    step, moved = 1e-5 * size, []
                    for sign in (1.0, -1.0):
                        other = values.copy()
                        other[k, j] += sign * step
                        other = numbers._replace(**{field: other.reshape(getattr(numbers, field).shape)})
                        moved.append(summed(type(network)(**{**vars(network), block: other})))
                    wanted = (moved[0] - moved[1]) / (2.0 * step)
                    if block == "bays":
                        at = {"slope": 5 + j}.get(field)
                        found = slopes.bay[:, k, NUMBERS.index(field) if at is None else at]
                    else:
                        found = getattr(slopes, field)[:, k].reshape(2, -1)[:, j]
                    noise = 1e-9 * np.abs(summed(network)).max() / size
                    assert found == pytest.approx(wanted, rel=5e-4, abs=noise), (field, k, j)
    shifted = Multipliers(multipliers.station + 1e-3, multipliers.dropper, multipliers.lifted)
    more = pairings(omega, *network.arguments(T), network.ports, (acting, shifted, both[2]))
    less = pairings(omega, *network.arguments(T), network.ports, both)
    assert more - less == pytest.approx(1e-3 * by_left.sum(axis=1), rel=1e-6)
    tested = Multipliers(multipliers.station, multipliers.dropper + 1e-3, multipliers.lifted)
    squeezed = Acting(acting.station, acting.dropper + 1e-3)
    for other, by in zip(((acting, tested), (squeezed, multipliers)), by_droppers, strict=True):
        more = pairings(omega, *network.arguments(T), network.ports, (*other, both[2]))
        assert more - less == pytest.approx(1e-3 * by.sum(axis=1), rel=1e-6)


DESIGN = [("contact_wire_heights", k, 1e-6) for k in (0, 2, 3)] + [("positions", k, 4e-5) for k in (1, 6)]


LINES = ["light", "by_component", "constant", "slack", "stitched", "airborne", "in_space", "stitched_in_space"]


@pytest.mark.parametrize("name", LINES)
def test_derivatives_by_heights_and_stations_are_those_of_the_whole_computation(name, request):
    """Mean of both sides: in space an arm turns with what it pulls, and its stiffness bends over a step."""
    solved, found, wanted, same = request.getfixturevalue(name), [], [], []
    for key, index, step in DESIGN:
        by = changed(solved.case, "droppers", key, index)
        found.append(0.5 * (solved.exact(by, step) + solved.exact(by, -step)))
        differences, alike = solved.differences(by, step)
        wanted.append(differences)
        same.append(alike)
    found, wanted = np.array(found), np.array(wanted)
    assert all(same), "samples stay slack, or taut, over these steps"
    for rows in (slice(0, 3), slice(3, 5)):
        off = np.abs(found - wanted)[rows] / np.abs(wanted[rows]).max(axis=0)
        assert off.max() < EXACT, off


INPUTS = [
    ("contact", "stiffness", None, 50.0), ("pantograph", "masses", 0, 2e-3), (None, "mean_force_N", None, 5e-3),
    ("droppers", "clamp_mass_contact_wire", None, 1e-4), ("messenger_wire", "tension", None, 2.0),
    ("contact_wire", "tension", None, 2.0), ("damping", "beta", None, 1e-7), (None, "speed_kmh", None, 2e-3),
    ("support", "messenger_damping", None, 2.0), ("droppers", "stiffness", None, 50.0),
]  # fmt: skip


@pytest.mark.parametrize(("part", "key", "index", "step"), INPUTS, ids=[f"{i[0]}.{i[1]}" for i in INPUTS])
def test_derivatives_by_inputs_are_those_of_the_whole_computation(light, part, key, index, step):
    by = changed(light.case, part, key, index)
    found, wanted = light.both(by, step)
    assert found == pytest.approx(wanted, rel=1e-3)


OWN_FACTORS = [("damping.droppers", "beta", 2e-6), ("damping.droppers", "alpha", 1e-3), ("damping", "alpha", 1e-5),
               ("damping.contact_wire", "alpha", 1e-4), ("damping.steady_arms", "beta", 3e-6),
               ("droppers", "clamp_mass_contact_wire", 1e-4)]  # fmt: skip


@pytest.mark.parametrize(("part", "key", "step"), OWN_FACTORS, ids=[f"{i[0]}.{i[1]}" for i in OWN_FACTORS])
def test_derivatives_by_factors_of_components_are_those_of_the_whole_computation(by_component, part, key, step):
    """Those by the pair of all are by what has none of its own: the messenger wire."""

    def by(moved):
        block, *own = part.split(".")
        factors = getattr(by_component.case.catenary, block)
        value = getattr(getattr(factors, own[0]) if own else factors, key)
        change = {own[0]: {key: value + moved}} if own else {key: value + moved}
        return by_component.case.with_changes(catenary={block: change})

    found, wanted = by_component.both(by, step)
    assert found == pytest.approx(wanted, rel=2e-3, abs=1e-3 * np.abs(wanted).max())


LOOSE = [("lengths", 2, 3e-6), ("lengths", 4, 3e-6), ("positions", 2, 8e-5), ("positions", 4, 8e-5)]


def test_derivatives_where_a_dropper_hangs_loose_are_those_of_the_whole_computation(loose):
    """By the length of another dropper and of the loose one, whose gap it is, and by where both hang."""
    both = np.array([loose.both(changed(loose.case, "droppers", key, k), step) for key, k, step in LOOSE])
    for found, wanted in both.reshape(2, 2, 2, -1).swapaxes(1, 2):
        off = np.abs(found - wanted) / np.abs(wanted).max(axis=0)
        assert off.max() < 2.0 * EXACT, off  # the noise of differences


OF_LOOSE = [one for one in INPUTS if one[1] in ("beta", "clamp_mass_contact_wire", "masses")]
OF_LOOSE += [("droppers", "stiffness", None, 5.0)]


@pytest.mark.parametrize(("part", "key", "index", "step"), OF_LOOSE, ids=[key for _, key, _, _ in OF_LOOSE])
def test_derivatives_by_inputs_where_a_dropper_hangs_loose(loose, part, key, index, step):
    found, wanted = loose.both(changed(loose.case, part, key, index), step)
    assert found == pytest.approx(wanted, rel=2e-3)


ASIDE = [("support", "stagger", 1e-5), ("support", "messenger_stagger", 1e-5), ("messenger_wire", "tension", 2.0)]


@pytest.mark.parametrize(("part", "key", "step"), ASIDE, ids=[key for _, key, _ in ASIDE])
def test_derivatives_in_space_by_inputs_are_those_of_the_whole_computation(in_space, part, key, step):
    """With the stagger the bare wire's tension and mass along the track change, too."""
    by = changed(in_space.case, part, key)
    found, wanted = in_space.both(by, step)
    assert found == pytest.approx(wanted, rel=1e-3, abs=2e-6)  # the uplift hardly feels the stagger: 0.3 mm a metre


@pytest.mark.parametrize("name", ["light", "stitched"])
def test_derivatives_by_the_length_of_a_span_are_those_of_the_whole_computation(name, request):
    """Droppers stay where they are: the last bay becomes longer, and the wire's places at rest with the period."""
    solved, step = request.getfixturevalue(name), 2e-5
    length = solved.case.catenary.span_length

    def by(change):
        return solved.case.with_changes(catenary={"span_length": length + change})

    found, wanted = solved.both(by, step)
    assert found == pytest.approx(wanted, rel=2e-3)


@pytest.mark.parametrize(("part", "key", "index", "step"), INPUTS[:3], ids=["stiffness", "masses", "mean_force_N"])
def test_derivatives_hold_where_contact_is_lost(airborne, part, key, index, step):
    by = changed(airborne.case, part, key, index)
    found, wanted = airborne.both(by, step)
    assert found == pytest.approx(wanted, rel=2e-3)


def test_designs_are_evaluated_with_them(stitched):
    by = changed(stitched.case, "droppers", "contact_wire_heights", 1)
    asked = Job(0, stitched.case.catenary, neighbours=((by(1e-6).catenary, 1e-6),))
    outcome = Outcome(0, OutcomeStatus.OK, sigma_N=1.0, statistics={"max_uplift_at_supports_mm": 50.0},
                      constraints={"g_uplift": 0.0})  # fmt: skip
    slopes = design_slopes(outcome, asked, Setting(stitched.case, LimitsSpec()), stitched.found).slopes
    exact = stitched.exact(by, 1e-6)
    assert slopes["objective"] == pytest.approx(exact[0], rel=1e-9)
    assert slopes["g_uplift"] == pytest.approx(exact[1] / (1e-3 * LimitsSpec().uplift_factor * 50.0), rel=1e-9)


def test_all_figures_have_slopes_towards_a_near_case(light):
    by = changed(light.case, "droppers", "contact_wire_heights", 4)
    found = SteadySlopes(light.found).towards(by(1e-6), 1e-6)
    assert found.known
    assert found[:4] == pytest.approx(light.exact(by, 1e-6), rel=1e-6)
