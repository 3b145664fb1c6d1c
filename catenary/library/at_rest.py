"""A line by stations checked as a whole, and hung before it is accepted: what is wrong, named by row and cell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from catenary.form_finding.defects import as_designed
from catenary.form_finding.equilibrium import Equilibrium, EquilibriumStatus, open_line_equilibrium
from catenary.form_finding.nearest import nearest_heights
from catenary.library.columns import Row
from catenary.library.line_file import LineFile
from catenary.library.stations import Hung
from catenary.linearised.static_checks import FaultKind, faults_at_rest
from catenary.spec.line import CatenarySpec
from catenary.spec.problems import find_problems

__all__ = ["problems_of_line"]


def problems_of_line(
    content: dict[str, Any],
    described: tuple[LineFile, CatenarySpec],
    droppers: Sequence[Hung],
    rows: Mapping[str, Sequence[Row]],
    origin: float,
    *,
    at_rest: bool = True,
) -> list[str]:
    """Say what a line cannot be, or why it does not hang, with file, row or cell.

    Parameters
    ----------
    content : dict
        Of the line, as its type would hold it.
    described : (LineFile, CatenarySpec)
        Its file and its type.
    droppers : sequence of Hung
    rows : mapping of str to sequence of Row
        By table.
    origin : float
        Station of the first support as the file counts [m].
    at_rest : bool
        Whether the line is hung, which needs all of its rows.
    """
    file, line = described
    at = file.changed_at.get("temperature.sections", f"{file.path}: changes")
    problems = [
        f"{at}: {sentence}" if sentence.startswith("temperature") else _with_place(sentence, droppers, rows)
        for sentence in find_problems(CatenarySpec, content, line.model_dump(), lambda _: "")
    ]
    if problems or not at_rest:
        return [_counted(sentence, file, origin) for sentence in problems]
    problems = list(_faults_by_row(CatenarySpec.model_validate(content), droppers))
    return [_counted(sentence, file, origin) for sentence in problems]


def _faults_by_row(line: CatenarySpec, droppers: Sequence[Hung]) -> Iterator[str]:
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


def _counted(sentence: str, file: LineFile, origin: float) -> str:
    """Sentence on a row by a line that counts from its first support, where the file begins at ``origin`` [m]."""
    of_a_row = sentence.startswith(str(file.path)) and re.search(r"\bat -?\d[\d.]* m\b|\bstation\b", sentence)
    if not origin or not of_a_row:
        return sentence
    return f"{sentence}; stations here count from the first support, which stands at {origin:.10g} m"


def _with_place(sentence: str, droppers: Sequence[Hung], rows: Mapping[str, Sequence[Row]]) -> str:
    """Sentence with the place of the row that it is about in front."""
    tables = "masses|elements|wear|defects|kinks|tension_sections"
    hit = re.match(rf"(?:droppers\.\w+|section\.({tables}))\[(\d+)\](?:\.(\w+))?", sentence)
    if hit is None:
        return sentence
    name, k = "sections" if hit[1] == "tension_sections" else hit[1], int(hit[2])
    row = rows[name][k] if name else droppers[k].row
    return sentence if row is None else f"{row.place(hit[3])}: {sentence}"
