"""What a person should know of a line at rest before it is run: a wire that hogs, droppers that hang loose."""

from __future__ import annotations

from catenary.spec.line import CatenarySpec
from catenary.spec.pre_sag import hogging_warnings

__all__ = ["rest_warnings"]


def rest_warnings(line: CatenarySpec) -> tuple[str, ...]:
    """Say what is unusual about a line at rest, a sentence each.

    A line whose dropper lengths are prescribed is hung for that; heights that no droppers can hold are refused.
    """
    defects = any(own is not None and (own.defects or own.wear) for own in (line.section, line.repeat))
    if line.droppers.prescribed != "lengths" and not defects:
        return hogging_warnings(line)
    from catenary.form_finding.equilibrium import equilibrium_at_rest
    from catenary.linearised.static_checks import loose_in_words

    loose = loose_in_words(line, equilibrium_at_rest(line))
    return (
        (f"Warning: line '{line.name}' at rest: {loose}; cut such droppers shorter unless they are to hang so",)
        if loose
        else ()
    )
