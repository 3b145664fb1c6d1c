"""Memory of one step of the compiled march, kept from step to step so that nothing is allocated.

Symbols as in `dynamics.travelling_window.kernel`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.linear_algebra.vector_rows import Rows
from dynamics.travelling_window.layout import Floats, Ints

__all__ = ["Listed", "Pressed", "Scratch", "pressed_by"]


class Listed(NamedTuple):
    """Of each dropper found: stretch and rate without the forces sought, and how it feels contacts.

    The last is (contact, dropper).
    """

    start: Floats
    rate: Floats
    reach: Floats


class Pressed(NamedTuple):
    """Of every contact of a step (contact,).

    Force at its end and at its beginning [N]; heights of head and wire without the forces sought [m]; rate of the wire,
    its compliance, that of the head, the share of a missing force that a sweep adds, what a sweep of the droppers does
    to the rate; the rates by a push of another (felt by, from) of the wire, and of the strips of one head; and control
    forces at the end (pantograph,) [N].
    """

    force: Floats
    before: Floats
    head: Floats
    below: Floats
    wire: Floats
    own: Floats
    yields: Floats
    yielding: Floats
    felt: Floats
    mutual: Floats
    shared: Floats
    push: Floats


def pressed_by(contacts: int, pantographs: int) -> Pressed:
    """Memory of so many contacts of so many pantographs."""
    each, among = np.zeros((9, contacts)), np.zeros((2, contacts, contacts))
    return Pressed(*each, among[0], among[1], np.zeros(pantographs))  # pyright: ignore[reportCallIssue]


class Scratch(NamedTuple):
    """Memory of a step.

    w; droppers ``found`` (dropper, its number, span and part of the list within a span) and those of the step
    ``before``; wp (pantograph, mass); fb, and fd at the beginning of a step (dropper, span); stretches (dropper,
    column); squeezes (see `near_fields.squeezed_rows`); contacts.
    """

    w: Rows
    found: Ints
    wp: Floats
    fb: Floats
    fd_old: Floats
    stretch: Rows
    listed: Listed
    before: Ints
    squeeze: Rows
    pressed: Pressed
