"""Curvature of a contact wire at rest: pre-sag hangs it below the supports, the other sign hogs it."""

from __future__ import annotations

from catenary.spec.line import CatenarySpec

__all__ = ["hogging_warnings"]

# a height that is no more than a fitter's tolerance [m]
LEVEL = 1.0e-3


def hogging_warnings(line: CatenarySpec) -> tuple[str, ...]:
    """Sentence for a line that prescribes its contact wire above the supports; none for any other.

    Pre-sag is negative (heights relative to the support); a positive one is the likeliest slip of sign, and allowed.
    """
    heights = line.droppers.contact_wire_heights or ()
    above = [(height, number) for number, height in enumerate(heights, start=1) if height > LEVEL]
    if not above:
        return ()
    height, number = max(above)
    many = f"{len(above)} of {len(heights)} droppers hold" if len(above) > 1 else f"dropper {number} holds"
    return (
        f"Warning: line '{line.name}': {many} the contact wire above its height at the supports, by up to "
        f"{1e3 * height:.1f} mm (dropper {number}): pre-sag is negative in droppers.contact_wire_heights; change the "
        "sign unless the wire is to hog",
    )
