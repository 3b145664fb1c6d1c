"""Check a line at rest before a pantograph runs on it: droppers in tension and long enough, arms not upright."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from catenary.form_finding.equilibrium import Equilibrium, EquilibriumStatus
from catenary.form_finding.nearest import nearest_heights
from catenary.layout.dropper_places import dropper_places
from catenary.layout.geometry import CONTACT
from catenary.layout.sections import Part, parts_of
from catenary.linearised.attachments import steady_arm_pull
from catenary.linearised.blow_off import farthest_place, in_gust
from catenary.linearised.contact_wire import static_height
from catenary.spec.line import CatenarySpec

__all__ = [
    "SLACK_FORCE",
    "STEEPEST_ARM",
    "Fault",
    "FaultKind",
    "faults_at_rest",
    "faults_in_words",
    "loose_in_words",
]

# a dropper that carries no more than this is slack [N]: rounding leaves some 1e-6 N on one that hangs loose
SLACK_FORCE = 1.0e-4
# steady arms lie within this of the horizontal [degrees]. Chosen: a quarter of the bar's axial stiffness stands upright
# there, 16 kN/m on bruni_2015, some five times what the contact wire itself has; lines of the library lie at 5 to 12
STEEPEST_ARM = 30.0
# which of some stations [m] count
Counted: TypeAlias = Callable[[ArrayLike], NDArray[np.bool_]]


class FaultKind(Enum):
    """Fault of a line at rest."""

    SHORT = "the messenger wire hangs too low for a dropper"
    SLACK = "a dropper is slack at rest"
    MAIN = "a main dropper cannot hang"
    STEEP = "a steady arm stands upright"
    PUSHED = "a steady arm would buckle"
    BLOWN = "the wind blows the contact wire off the head"


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a line at rest: its kind, the key that it is about, a sentence with the cure."""

    kind: FaultKind
    key: str
    sentence: str


def faults_at_rest(
    eq: Equilibrium, counted: Counted = lambda stations: np.ones(np.shape(stations), dtype=np.bool_)
) -> tuple[Fault, ...]:
    """Find the faults of a converged equilibrium, causes before their consequences.

    Where the messenger wire hangs below the contact wire a dropper's force has the wrong sign; that is a
    fault of its own, not slack. A dropper of prescribed length may hang loose: the line can be run all the same.
    ``counted`` says of stations [m] which of them count: what is wrong elsewhere is left out.
    """
    clearance = _clearance(eq)
    crossed = np.flatnonzero(clearance <= 0.0)
    length = np.where(clearance > 0.0, eq.dropper_length, clearance)
    n, here = len(eq.spec.droppers.positions), counted(eq.spec.droppers.positions)
    short = np.flatnonzero((length[:n] < eq.spec.droppers.shortest) & here)
    # sections as they were split, which say where each stands; a line without is one
    sections = parts_of(eq.spec) if eq.parts else (Part("", eq.spec, 0.0, 0),)
    parts = tuple(zip(eq.parts or (eq,), sections, strict=True))
    faults = (
        [_short(eq, short, length)]
        if len(short)
        else [fault for part in parts for fault in _wires_cross(*part, counted)]
    )
    pushing = eq.dropper_force[:n] <= SLACK_FORCE if eq.spec.droppers.prescribed == "heights" else []
    slack = np.setdiff1d(np.flatnonzero(pushing), crossed)
    faults += [_slack(eq, int(k)) for k in slack if here[k]] + _main_droppers(eq, counted)
    in_space = [f for part in parts for check in (_steep, _pushed, _blown) for f in check(*part, counted)]
    return (*faults, *in_space)


def faults_in_words(eq: Equilibrium) -> list[str]:
    """Say what keeps an equilibrium from being a line: each fault by key, and the nearest heights that hang."""
    faults = faults_at_rest(eq)
    found = [f"{fault.key} {fault.sentence}" for fault in faults]
    if all(fault.kind is FaultKind.SLACK for fault in faults) and faults:
        near = nearest_heights(eq)
        if near.status is EquilibriumStatus.OK:
            listed = ", ".join(f"{1e-3 * z + 0.0:.7g}" for z in _rounded_up(near, eq))
            found[-1] += f". The nearest heights that hang are [{listed}] m"
    return found


def _rounded_up(near: Equilibrium, eq: Equilibrium) -> NDArray[np.float64]:
    """Heights that hang (dropper,) [mm]: as prescribed, or to 0.1 mm above the height at which the dropper is loose.

    Rounded down, a dropper that carries nothing at its nearest height would have to push again.
    """
    prescribed = 1e3 * np.array(eq.spec.droppers.contact_wire_heights)
    n = len(prescribed)
    chord = 1e3 * np.array(eq.mesh.layout.dropper_height[:n]) - prescribed  # heights count from support to support
    found = 1e3 * near.q[near.mesh.dropper_bottom[:n], 2] - chord
    raised = found > prescribed + 1e-3
    return np.where(raised, 0.1 * np.ceil(10.0 * found) + 0.1, prescribed)


def loose_in_words(line: CatenarySpec, eq: Equilibrium) -> str:
    """Say which droppers of a line hang loose at rest, by how many mm and in which span; empty where none does."""
    layout, places = eq.mesh.layout, dropper_places(line)
    several = not layout.periodic or layout.n_spans > 1
    named = []
    for k in np.flatnonzero(eq.dropper_gap > 0.0):
        place = places[k]
        where = f" of span {place.span}" if several else ""
        where += f" of section {place.section}" if place.section else ""
        named.append(f"{place.kind} {place.number}{where} hangs loose by {1e3 * eq.dropper_gap[k]:.1f} mm")
    return ", ".join(named)


def _clearance(eq: Equilibrium) -> NDArray[np.float64]:
    """Height of every dropper's upper end over its lower one [m]."""
    height = eq.q[:, 2]
    return np.asarray(height[eq.mesh.dropper_top] - height[eq.mesh.dropper_bottom], dtype=np.float64)


def _short(eq: Equilibrium, short: NDArray[np.int64], length: NDArray[np.float64]) -> Fault:
    """The shortest of the droppers that are too short, and what would make room for it."""
    line, droppers = eq.spec, eq.spec.droppers
    k = int(short[np.argmin(length[short])])
    others = f", nor for {len(short) - 1} more" if len(short) > 1 else ""
    least, missing = float(length[k]), droppers.shortest - float(length[k])
    where = f"dropper {k + 1} (at {droppers.positions[k]:g} m)"
    if droppers.prescribed == "lengths" and least > 0.0:
        return Fault(
            FaultKind.SHORT,
            f"droppers.lengths[{k}]",
            f"= {droppers.lengths[k]:g} m is shorter than the shortest dropper that can be made, "
            f"droppers.shortest = {droppers.shortest:g} m: cut {where} longer{others and ' and others'}, or say that "
            f"a shorter one can be made",
        )
    found = f"hangs {-1e3 * least:.0f} mm below the contact wire" if least <= 0.0 else f"leaves {1e3 * least:.0f} mm"
    tension = line.messenger_wire.tension  # of tension sections the one that is given: it is the key to change
    return Fault(
        FaultKind.SHORT,
        "encumbrance",
        f"= {line.encumbrance:g} m leaves no room for {where}{others}: the messenger wire {found} there, and a "
        f"dropper needs {1e3 * droppers.shortest:.0f} mm (droppers.shortest): raise encumbrance to "
        f"{line.encumbrance + missing + 5e-3:.2f} m or messenger_wire.tension (now {1e-3 * tension:g} kN), or shorten "
        f"the span",
    )


def _of(section: Part) -> str:
    """Name of a tension section behind a place on it; nothing for a line without."""
    return f" of section {section.name}" if section.name else ""


def _wires_cross(eq: Equilibrium, own: Part, counted: Counted) -> list[Fault]:
    """A messenger or stitch wire that meets the contact wire between droppers."""
    mesh = eq.mesh
    above = np.flatnonzero((mesh.node_wire != CONTACT) & counted(own.begin + mesh.node_x))
    x = mesh.node_x[above]
    room = eq.q[above, 2] - static_height(eq, x)
    k = int(np.argmin(room)) if len(room) else 0
    if not len(room) or room[k] > 0.0:
        return []
    sentence = (
        f"= {eq.spec.encumbrance:g} m lets the messenger wire hang {-1e3 * room[k]:.0f} mm below the contact wire at "
        f"{own.begin + x[k]:.2f} m{_of(own)}: raise encumbrance or messenger_wire.tension, or shorten the span"
    )
    return [Fault(FaultKind.SHORT, "encumbrance", sentence)]


def _slack(eq: Equilibrium, k: int) -> Fault:
    """A dropper whose prescribed height would need it to push, though the wires are well apart."""
    droppers = eq.spec.droppers
    force = float(eq.dropper_force[k])
    would = f"have to push down with {-force:.1f} N" if force < -SLACK_FORCE else "carry nothing"
    return Fault(
        FaultKind.SLACK,
        f"droppers.contact_wire_heights[{k}]",
        f"= {droppers.contact_wire_heights[k]:g} m slackens dropper {k + 1} (at {droppers.positions[k]:g} m) at rest: "
        f"it would {would}; raise the contact wire there or lower it at its neighbours",
    )


def _main_droppers(eq: Equilibrium, counted: Counted) -> list[Fault]:
    """Main droppers that have no room, or would have to push where heights are prescribed."""
    own, main = eq.spec.auxiliary_wire, np.flatnonzero(eq.mesh.layout.dropper_is_main)
    if own is None:
        return []
    key, faults = "auxiliary_wire.droppers", []
    for k, (at, node) in enumerate(zip(own.droppers.positions, main, strict=False)):
        where, force = f"main dropper {k + 1} (at {at:g} m)", eq.dropper_force[node]
        room, here = _clearance(eq)[node], counted(at)
        if here and room < eq.spec.droppers.shortest:
            wanted = f"needs {1e3 * eq.spec.droppers.shortest:.0f} mm (droppers.shortest): lower the auxiliary wire"
            faults.append(Fault(FaultKind.MAIN, key, f"leave {1e3 * room:.0f} mm for {where}, which {wanted}"))
        elif here and own.droppers.prescribed == "heights" and force <= SLACK_FORCE:
            faults.append(
                Fault(FaultKind.MAIN, key, f"slacken {where} at rest: it would have to push with {-force:.1f} N")
            )
    return faults


def _at_supports(eq: Equilibrium, own: Part, counted: Counted) -> NDArray[np.bool_]:
    """Whether supports count (support,)."""
    return counted(own.begin + eq.mesh.node_x[eq.mesh.support_contact])


def _pushed(eq: Equilibrium, own: Part, counted: Counted) -> list[Fault]:
    """The steady arm that pushes most, where it would buckle."""
    track, pull = eq.spec.track, steady_arm_pull(eq)
    if track is None or not eq.mesh.spatial:
        return []
    if not eq.mesh.layout.periodic:
        pull[[0, -1]] = 0.0  # where the wires end no arm holds them
    pull[~_at_supports(eq, own, counted)] = 0.0
    k = int(np.argmin(pull))
    if -pull[k] <= track.arm_push:
        return []
    side = "left" if eq.steady_arm_side_force[k] > 0.0 else "right"
    at = own.begin + float(eq.mesh.node_x[eq.mesh.support_contact[k]])
    where = f"support {own.first_support + k + 1} (at {at:g} m){_of(own)}"
    sentence = (
        f"= {track.arms} puts the joint of the steady arm at {where} where it must push with {-pull[k]:.0f} N, and it "
        f"buckles beyond track.arm_push = {track.arm_push:g} N: the wire wants to be pulled to the {side} there"
    )
    return [Fault(FaultKind.PUSHED, "track.arms", sentence)]


def _blown(eq: Equilibrium, own: Part, counted: Counted) -> list[Fault]:
    """The contact wire's place farthest from the middle of the head in wind, where it is beyond what is allowed."""
    wind = eq.spec.wind
    if wind is None or wind.largest_place is None:
        return []
    gust = in_gust(eq)
    if gust is None:
        sentence = (
            f"= {wind.largest_place:g} m cannot be judged: the line does not hang in a gust of {wind.speed:g} m/s"
        )
        return [Fault(FaultKind.BLOWN, "wind.largest_place", sentence)]
    at, place = farthest_place(gust)
    if abs(place) <= wind.largest_place or not counted(own.begin + at):
        return []
    factor = "" if wind.gust_factor == 1.0 else f" with gusts of {wind.gust_factor:g} times its load"
    sentence = (
        f"= {wind.largest_place:g} m is less than what the contact wire stands off the middle of the head at "
        f"{own.begin + at:.2f} m{_of(own)} in a wind of {wind.speed:g} m/s{factor}: {abs(place):.3f} m; raise "
        f"contact_wire.tension, shorten the span or change support.stagger"
    )
    return [Fault(FaultKind.BLOWN, "wind.largest_place", sentence)]


def _steep(eq: Equilibrium, own: Part, counted: Counted) -> list[Fault]:
    """The steepest steady arm of the spatial model, where it is too steep."""
    if not eq.mesh.spatial:
        return []
    up, side = np.abs(eq.steady_arm_force), np.abs(eq.steady_arm_side_force)
    angle = np.degrees(np.arctan2(up, side))
    if not eq.mesh.layout.periodic:
        angle[[0, -1]] = 0.0  # where the wires end no arm moves
    angle[~_at_supports(eq, own, counted)] = 0.0
    k = int(np.argmax(angle))
    if angle[k] <= STEEPEST_ARM:
        return []
    stagger, enough = _stagger_that_holds(eq, k, float(up[k]) / np.tan(np.radians(STEEPEST_ARM)) - float(side[k]))
    planar = ", or use dimension=planar" if eq.spec.wind is None and eq.spec.track is None else ""
    sentence = (
        f"= {stagger:g} m pulls the steady arm at support {own.first_support + k + 1}{_of(own)} sideways "
        f"with {side[k]:.0f} N and up with {up[k]:.0f} N: it stands at {angle[k]:.0f} degrees, a prop that the contact "
        f"wire cannot rise from, and must lie within {STEEPEST_ARM:g} degrees of the horizontal: make {enough}{planar}"
    )
    return [Fault(FaultKind.STEEP, "support.stagger", sentence)]


def _stagger_that_holds(eq: Equilibrium, k: int, missing: float) -> tuple[float, str]:
    """Stagger at a support [m], and in words one that pulls with as much more as is missing [N].

    What a wind or a curve takes of the pull stays.
    """
    spans, section = eq.spec.spans, eq.spec.section
    turn = eq.spec.contact_wire.together.tension * sum(1.0 / spans[i % len(spans)] for i in (k - 1, k))
    by_row = () if section is None else section.staggers
    if not by_row:  # one for all supports, on either side in turn: the wire turns by twice as much
        own = eq.spec.support.stagger
        return own, f"support.stagger {np.ceil(100.0 * (own + 0.5 * missing / turn) + 0.5) / 100.0:.2f} m or more"
    own = by_row[k]
    out = -1.0 if eq.steady_arm_side_force[k] > 0.0 else 1.0  # that way it pulls more
    wanted = out * np.ceil(100.0 * (out * own + missing / turn) + 0.5) / 100.0
    return own, f"its own stagger {wanted:.2f} m, or farther that way"
