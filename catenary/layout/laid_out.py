"""From a line that repeats to the same line with every span and dropper of its period named."""

from __future__ import annotations

from catenary.spec.line import CatenarySpec
from catenary.spec.parts.auxiliary import AuxiliarySpec
from catenary.spec.section import SectionSpec

__all__ = ["laid_out"]


def laid_out(line: CatenarySpec) -> CatenarySpec:
    """The same line with every span and dropper of its period named, its defects among its sections' own.

    A line that names them all, or has no period of its own, is returned as it is.
    """
    repeat = line.repeat
    if repeat is None or line.section is not None:
        return line
    times, droppers, period = repeat.spans // len(line.spans), line.droppers, line.period
    every = droppers.model_copy(
        update={
            "positions": tuple(n * period + x for n in range(times) for x in droppers.positions),
            "contact_wire_heights": droppers.contact_wire_heights * times,
            "lengths": droppers.lengths * times,
        }
    )
    return line.model_copy(
        update={
            "auxiliary_wire": _auxiliary(line.auxiliary_wire, times, period),
            "further_spans": (line.spans * times)[1:],
            "droppers": every,
            "section": SectionSpec(defects=repeat.defects, wear=repeat.wear, kinks=repeat.kinks),
            "repeat": repeat.model_copy(update={"defects": (), "wear": (), "kinks": ()}),
        }
    )


def _auxiliary(own: AuxiliarySpec | None, times: int, period: float) -> AuxiliarySpec | None:
    """Auxiliary wire with all main droppers of so many periods [m]."""
    if own is None:
        return None
    main = own.droppers
    every = {
        "positions": tuple(n * period + x for n in range(times) for x in main.positions),
        "auxiliary_wire_heights": main.auxiliary_wire_heights * times,
        "lengths": main.lengths * times,
    }
    return own.model_copy(update={"droppers": main.model_copy(update=every)})
