"""Whether elements and worn stretches find their place on the wires of a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from catenary.spec.attached.elements import ElementSpec
from catenary.spec.attached.wear import WearSpec
from catenary.spec.placing.wires import Wires, chosen, misnamed

__all__ = ["CLEAR", "misplaced_elements", "misplaced_wear"]

# a point mass or an element keeps this far from whatever else is clamped to its wire [m]
CLEAR = 0.1


def misplaced_elements(
    elements: Sequence[ElementSpec], masses: Sequence[tuple[str, float]], wires: list[Wires], half: float
) -> Iterator[str]:
    """Name elements that no wire carries, or whose place is taken.

    Parameters
    ----------
    elements : sequence of ElementSpec
    masses : sequence of (str, float)
        Wire and station [m] of every point mass.
    wires : list of Wires
        Of every tension section.
    half : float
        How far stitch wires reach to a side [m].
    """
    taken, insulators = [(wire, x, "point mass") for wire, x in masses], list[tuple[float, float]]()
    for k, element in enumerate(elements):
        key, (first, *_, last) = f"section.elements[{k}]", (*element.clamps, element.clamps[-1])
        over = [w for w in wires if w.supports and w.supports[0] < first and last < w.supports[-1]]
        own, problem = chosen(key, element.section, over, wires)
        if problem or own is None:
            yield problem
        elif not over:
            what = _NAMES[element.kind]
            yield f"{key}.station must put the {what} on a wire, {_between(wires)}: got {_place(element)}"
        elif len(element.clamps) > 1 and any(first < x < last for x in (*own.supports, *own.droppers)):
            yield (
                f"{key}: an insulator must lie between droppers and supports, and one is between {first:g} and "
                f"{last:g} m"
            )
        elif len(element.clamps) > 1 and (within := [t for t in taken if t[0] == "contact" and first < t[1] < last]):
            _, x, what = within[0]
            yield f"{key}.station must keep the insulator clear of the {what} at {x:g} m: got {_place(element)}"
        elif covered := [(a, b) for a, b in insulators if any(a < x < b for x in _of_contact(element))]:
            (a, b), place = covered[0], _place(element)
            yield f"{key}.station must stay clear of the insulator from {a:g} to {b:g} m: got {place}"
        else:
            stitch = tuple(x + side for x in own.supports[1:-1] for side in (-half, half) if half)
            points = [(wire, x, "support or dropper") for x in (*own.supports, *own.droppers) for wire in WIRES]
            points += [("messenger", x, "stitch clamp") for x in stitch] + taken
            yield from _too_near(key, element, points)
        taken += [(wire, x, "element") for wire, x in element.points]
        if element.kind == "insulator":
            insulators.append((first, last))


_NAMES = {"spring_support": "spring support", "damper": "damper", "insulator": "whole insulator"}


def _between(wires: Sequence[Wires]) -> str:
    """Where wires are, in words."""
    return " or ".join(f"between {w.supports[0]:g} and {w.supports[-1]:g} m" for w in wires if w.supports)


def _place(element: ElementSpec) -> str:
    """Where an element is clamped, in words."""
    return " to ".join(f"{x:g}" for x in element.clamps) + " m"


def _of_contact(element: ElementSpec) -> list[float]:
    """Stations of an element's clamps on the contact wire [m]."""
    return [x for wire, x in element.points if wire == "contact"]


WIRES = ("contact", "messenger")


def _too_near(key: str, element: ElementSpec, points: Sequence[tuple[str, float, str]]) -> Iterator[str]:
    """Name the first thing on its wire that an element stands too near to."""
    for wire, x in element.points:
        near = [(abs(at - x), at, what) for on, at, what in points if on == wire and abs(at - x) < CLEAR]
        if near:
            _, at, what = min(near)
            yield f"{key}, clamped at {x:g} m, must stay {CLEAR:g} m clear of the {what} at {at:g} m"
            return


def misplaced_wear(wear: Sequence[WearSpec], wires: list[Wires], block: str = "section") -> Iterator[str]:
    """Name worn stretches of a block of the line that are on no wire, and those that overlap."""
    names = [w.name for w in wires if w.name]
    for k, each in enumerate(wear):
        own = [w for w in wires if w.name == each.section]
        if not own:
            yield f"{block}.wear[{k}].section {misnamed(each.section, names)}"
            continue
        first, last = own[0].supports[0], own[0].supports[-1]
        if not first <= each.begin < each.end <= last + 1e-9:
            yield (
                f"{block}.wear[{k}] must lie on its wire, from {first:g} to {last:g} m: got {each.begin:g} to "
                f"{each.end:g} m"
            )
        for j, other in enumerate(wear[:k]):
            if other.section == each.section and other.begin < each.end and each.begin < other.end:
                yield f"{block}.wear[{k}] must not overlap {block}.wear[{j}], {other.begin:g} to {other.end:g} m"
