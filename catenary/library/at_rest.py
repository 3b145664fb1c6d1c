"""A line by stations hung before it is accepted: heights that no dropper can hold, named by row and cell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from catenary.form_finding.defects import as_designed
from catenary.form_finding.equilibrium import Equilibrium, EquilibriumStatus, open_line_equilibrium
from catenary.form_finding.nearest import nearest_heights
from catenary.library.stations import Hung
from catenary.linearised.static_checks import FaultKind, faults_at_rest
from catenary.spec.line import CatenarySpec

__all__ = ["faults_by_row"]


def faults_by_row(line: CatenarySpec, droppers: Sequence[Hung]) -> Iterator[str]:
    """Say what keeps a line from hanging as prescribed, a sentence for every dropper, its row in front.

    A line that form-finding does not find is not refused here: the solver says so in its result.
    """
    found = open_line_equilibrium(as_designed(line), len(line.spans))
    if found.status is not EquilibriumStatus.OK:
        return
    faults = faults_at_rest(found)
    alone = all(fault.kind is FaultKind.SLACK for fault in faults)
    nearest = _nearest(found) if faults and alone else None
    for fault in faults:
        hit = re.search(r"\[(\d+)\]", fault.key)
        row = droppers[int(hit[1])].row if hit else None
        where = "" if row is None else f"{row.place('length' if 'lengths' in fault.key else 'height')}: "
        cure = "" if hit is None or nearest is None else f"; the nearest that hangs is {nearest[int(hit[1])]:.4f} m"
        yield f"{where}{fault.key} {fault.sentence}{cure}"


def _nearest(found: Equilibrium) -> list[float] | None:
    """Nearest heights that hang, from the line between supports on as in rows (dropper,) [m]; None if not found."""
    near, given = nearest_heights(found), found.spec.droppers.contact_wire_heights
    if near.status is not EquilibriumStatus.OK:
        return None
    hung, asked = near.q[near.mesh.dropper_bottom, 2].tolist(), found.mesh.layout.dropper_height
    return [z + height - at for z, height, at in zip(hung, given, asked, strict=False)]
