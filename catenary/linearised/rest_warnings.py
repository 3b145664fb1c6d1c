"""What a person should know of a line at rest before it is run: a wire that hogs, droppers that hang loose."""

from __future__ import annotations

from catenary.spec.line import CatenarySpec
from catenary.spec.pre_sag import hogging_warnings

__all__ = ["rest_warnings"]


def rest_warnings(line: CatenarySpec) -> tuple[str, ...]:
    """Say what is unusual about a line at rest, a sentence each.

    A line whose dropper lengths are prescribed is hung for that; heights that no droppers can hold are refused.
    """
    if line.droppers.prescribed != "lengths":
        return hogging_warnings(line)
    from catenary.form_finding.equilibrium import periodic_equilibrium
    from catenary.linearised.static_checks import loose_in_words

    loose = loose_in_words(periodic_equilibrium(line))
    return (
        (f"Warning: line '{line.name}' at rest: {loose}; cut such droppers shorter unless they are to hang so",)
        if loose
        else ()
    )
