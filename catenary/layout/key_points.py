"""Where something is attached to the wires of a line, and what all of its layout is."""

from __future__ import annotations

from dataclasses import dataclass

from catenary.spec.attached.elements import ElementSpec

__all__ = ["AUXILIARY", "CONTACT", "MESSENGER", "STITCH", "KeyPoint", "Layout"]

CONTACT, MESSENGER, STITCH, AUXILIARY = 0, 1, 2, 3


@dataclass(frozen=True)
class KeyPoint:
    """A station of one wire where something is attached.

    Attributes: ``x`` station [m]; ``what`` is 'support', 'dropper', 'clamp', 'crossing' (a stitch wire passing
    its support) or 'mass'; ``index`` numbers each of them along the whole line.
    """

    x: float
    what: str
    index: int


@dataclass(frozen=True)
class Layout:
    """Stations of every wire run of a line or of one periodic cell.

    Attributes
    ----------
    runs : tuple of (wire, key points)
        Each run is one continuous wire: ``wire`` is CONTACT, MESSENGER, STITCH or AUXILIARY.
    length : float
        Length of the line or cell [m].
    supports : tuple of float
        Station of every support, that which begins the next cell included [m].
    periodic : bool
        True when the last point of the line is the first one of the next cell.
    dropper_kind : tuple of int
        Which of the droppers that the line names stands there.
    dropper_x, dropper_height : tuple of float
        Station of every dropper and contact-wire height there [m]; the height is prescribed, or 0 where the line
        prescribes lengths and it is not known yet.
    dropper_on_stitch : tuple of bool
        True for droppers that hang from a stitch wire.
    contact_height, messenger_height : tuple of float
        Heights of both wires at every support [m]; 0 is the line's nominal contact-wire height.
    contact_side, messenger_side : tuple of float
        Offsets of both wires from the track's axis at every support [m].
    masses : tuple of (wire, float)
        Wire and mass [kg] of every point mass.
    elements : tuple of (ElementSpec, tuple of int)
        Spring supports, dampers and insulators, and which of the point masses, without mass, mark their clamps.
    sections : tuple of (int, int)
        First and last support of every tension section, whose values by support are listed section by section; empty
        for the one section of all supports.
    auxiliary_height, auxiliary_side : tuple of float
        Heights of the auxiliary wire at every support, and its offsets from the track's axis [m]; empty without one.
    dropper_is_main : tuple of bool
        True for main droppers, from messenger to auxiliary wire, the last ones of a period; empty without them.
    shared_clamps : tuple of (int, int)
        Dropper and main dropper that are clamped to one point of the auxiliary wire.
    mirrored : bool
        Whether a cell of an odd number of spans is the mirror image of the next.
    """

    runs: tuple[tuple[int, tuple[KeyPoint, ...]], ...]
    length: float
    supports: tuple[float, ...]
    periodic: bool
    dropper_kind: tuple[int, ...]
    dropper_x: tuple[float, ...]
    dropper_height: tuple[float, ...]
    dropper_on_stitch: tuple[bool, ...]
    contact_height: tuple[float, ...]
    messenger_height: tuple[float, ...]
    contact_side: tuple[float, ...]
    messenger_side: tuple[float, ...]
    masses: tuple[tuple[int, float], ...] = ()
    elements: tuple[tuple[ElementSpec, tuple[int, ...]], ...] = ()
    sections: tuple[tuple[int, int], ...] = ()
    auxiliary_height: tuple[float, ...] = ()
    auxiliary_side: tuple[float, ...] = ()
    dropper_is_main: tuple[bool, ...] = ()
    shared_clamps: tuple[tuple[int, int], ...] = ()
    mirrored: bool = True

    @property
    def sections_or_one(self) -> tuple[tuple[int, int], ...]:
        """First and last support of every tension section, or of the only one."""
        return self.sections or ((0, self.n_spans),)

    @property
    def wire_supports(self) -> tuple[int, ...]:
        """Number of the line's support of every value by support."""
        return tuple(s for first, last in self.sections_or_one for s in range(first, last + 1))

    @property
    def n_spans(self) -> int:
        """Number of spans."""
        return len(self.supports) - 1
