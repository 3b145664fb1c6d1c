"""Wires fixed at both ends at another temperature: the equation of state of a taut wire, and what stays as it was."""

import numpy as np
import pytest
from scipy.optimize import brentq

from catenary.form_finding.equilibrium import EquilibriumStatus, open_line_equilibrium, periodic_equilibrium
from catenary.layout.key_points import CONTACT, MESSENGER
from catenary.linearised.static_checks import faults_in_words

ALPHA = 1.7e-5


@pytest.fixture
def line(build_line):
    """Build a simple line of one dropper make, without what bends."""

    def build(**changes):
        wire = {"bending_stiffness": 0.0}
        return build_line(elements_per_bay=8, contact_wire=wire, messenger_wire=wire, **changes)

    return build


def unstretched(eq, wire):
    return eq.elem_l0[eq.mesh.elem_wire == wire].sum()


def test_at_its_own_temperature_a_line_is_as_it_was_strung(line):
    spec = line()
    same = periodic_equilibrium(spec.with_changes(temperature={"now_C": 10.0}))
    assert same.q == pytest.approx(periodic_equilibrium(spec).q, abs=1e-9)
    assert "temperature" not in spec.model_dump()


@pytest.mark.parametrize("now", [-20.0, 45.0])
def test_a_wire_all_but_straight_loses_what_its_strain_takes(line, now):
    """Tension of a contact wire of little sag: T + EA alpha dt, but for the share that its length by sag gives back."""
    spec = line()
    found = periodic_equilibrium(spec.with_changes(temperature={"now_C": now, "fixed": ["contact"]}))
    wire = spec.contact_wire
    expected = wire.tension - wire.axial_stiffness * ALPHA * (now - 10.0)
    assert found.spec.contact_wire.tension == pytest.approx(expected, rel=0.03)
    assert found.spec.messenger_wire.tension == spec.messenger_wire.tension
    assert (found.spec.contact_wire.tension > wire.tension) == (now < 10.0)
    strung = periodic_equilibrium(spec)
    grown = unstretched(found, CONTACT) / unstretched(strung, CONTACT)
    assert grown == pytest.approx(1.0 + ALPHA * (now - 10.0), abs=1e-9)
    assert found.dropper_unstretched_length == pytest.approx(strung.dropper_unstretched_length, abs=1e-9)


def test_messenger_wire_follows_the_equation_of_state(line):
    """L (1 + w^2 L^2 / 24 H^2) - H L / EA = L0 (1 + alpha dt), w what hangs from the messenger wire a metre.

    An even load: droppers every two metres on a contact wire without bending and at its own tension.
    """
    positions = tuple(np.arange(1.0, 55.0, 2.0).tolist())
    droppers = {"positions": positions, "contact_wire_heights": (0.0,) * len(positions), "mass_per_length": 0.0}
    spec = line(droppers={**droppers, "clamp_mass_contact_wire": 0.0, "clamp_mass_messenger_wire": 0.0})
    now = {"now_C": 50.0, "fixed": ["messenger"]}
    found, strung = periodic_equilibrium(spec.with_changes(temperature=now)), periodic_equilibrium(spec)
    wire, L = spec.messenger_wire, 55.0
    sag = strung.q[strung.mesh.node_wire == MESSENGER, 2]
    w = 8.0 * wire.tension * float(np.ptp(sag)) / L**2  # the load that hangs from it

    def length(H, load):
        return L * (1.0 + load**2 * L**2 / (24.0 * H**2)) - H * L / wire.axial_stiffness

    # the contact wire, held by droppers of lengths that do not change, sinks with the messenger and carries its share
    eq_load = 8.0 * found.spec.messenger_wire.tension * np.ptp(found.q[found.mesh.node_wire == MESSENGER, 2]) / L**2
    H = brentq(lambda H: length(H, eq_load) - length(wire.tension, w) * (1.0 + ALPHA * 40.0), 2e3, 16e3)
    assert found.spec.messenger_wire.tension == pytest.approx(H, rel=0.01)
    assert found.spec.messenger_wire.tension < 0.95 * wire.tension
    # warm, the contact wire hangs lower in the middle
    middle = [e.q[e.mesh.dropper_bottom[len(positions) // 2], 2] for e in (strung, found)]
    assert middle[1] < middle[0] - 0.01


def test_an_open_line_has_the_tensions_of_its_period(line):
    spec = line().with_changes(temperature={"now_C": 40.0})
    whole, period = open_line_equilibrium(spec, 4), periodic_equilibrium(spec)
    assert whole.spec.contact_wire.tension == pytest.approx(period.spec.contact_wire.tension)
    inner = whole.q[whole.mesh.dropper_bottom[9:18], 2]
    assert inner == pytest.approx(period.q[period.mesh.dropper_bottom, 2], abs=2e-3)


@pytest.mark.parametrize(
    ("temperature", "said"),
    [({"now_C": 200.0}, "must be between -60 and 120 C"), ({"now_C": 20.0, "fixed": ["contact", "contact"]}, "once")],
)
def test_impossible_temperatures_are_refused(line, temperature, said):
    with pytest.raises(ValueError, match=said):
        line().with_changes(temperature=temperature)


def test_a_dropper_that_would_push_as_strung_is_said_to(line):
    """It has no length to be cut to: it would hang loose at any temperature, and nobody would hear of the height."""
    heights = [0.0, -0.01, -0.02, 0.08, -0.03, -0.02, -0.02, -0.01, 0.0]
    spec = line(droppers={"contact_wire_heights": heights})
    pushed = periodic_equilibrium(spec)
    warm = periodic_equilibrium(spec.with_changes(temperature={"now_C": 30.0}))
    assert pushed.dropper_force.min() < 0.0 and faults_in_words(warm) == faults_in_words(pushed) != []


def test_without_tensions_the_equilibrium_is_not_found(line, monkeypatch):
    monkeypatch.setattr("catenary.form_finding.at_temperature.TRIALS", 1)
    found = periodic_equilibrium(line().with_changes(temperature={"now_C": 50.0}))
    assert found.status is EquilibriumStatus.NOT_CONVERGED
