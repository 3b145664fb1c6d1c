"""Memory of one step of the compiled march, kept from step to step so that nothing is allocated.

Symbols as in `dynamics.travelling_window.kernel`.
"""

from __future__ import annotations

from typing import NamedTuple

from dynamics.linear_algebra.vector_rows import Rows
from dynamics.travelling_window.layout import Floats, Ints

__all__ = ["Listed", "Pressed", "Scratch"]


class Listed(NamedTuple):
    """Of each dropper found: stretch and rate without the forces sought, and how it feels contacts.

    The last is (pantograph, dropper).
    """

    start: Floats
    rate: Floats
    reach: Floats


class Pressed(NamedTuple):
    """Of every contact of a step (pantograph,).

    Force at its end and at its beginning [N]; heights of head and wire without the forces sought [m]; rate of the wire,
    its compliance, that of the head, the share of a missing force that a sweep adds, what a sweep of the droppers does
    to the rate; control force at the end [N]; and the rate by a push of another (felt by, from).
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
    push: Floats
    mutual: Floats


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
