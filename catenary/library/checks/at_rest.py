"""A line by stations checked as a whole, and hung before it is accepted: what is wrong, named by row and cell."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import ValidationError

from catenary.form_finding.defects import as_designed
from catenary.form_finding.equilibrium import Equilibrium, EquilibriumStatus, open_line_equilibrium
from catenary.form_finding.nearest import nearest_heights
from catenary.library.checks.doubt import Doubt
from catenary.library.columns import Row
from catenary.library.line_file import LineFile
from catenary.library.stations import Hung
from catenary.linearised.static_checks import Fault, FaultKind, faults_at_rest
from catenary.spec.line import CatenarySpec
from catenary.spec.problems import find_problems

__all__ = ["Laid", "problems_at_rest", "problems_of_line"]

# N: rows of a span change the force of a dropper of the next one by some thousandths
FROM_OTHER_SPANS = 0.05


@dataclass(frozen=True)
class Laid:
    """A line laid over its type: what is checked as a whole.

    Attributes
    ----------
    content : dict
        Of the line, as its type would hold it.
    droppers : sequence of Hung
    rows : mapping of str to sequence of Row
        By table.
    supports : sequence of float
        Stations from the first support [m].
    origin : float
        Station of the first support as the file counts [m].
    doubt : Doubt
        What is not known of it while rows cannot be.
    """

    content: dict[str, Any]
    droppers: Sequence[Hung]
    rows: Mapping[str, Sequence[Row]]
    supports: Sequence[float]
    origin: float
    doubt: Doubt

    def known(self, stations: ArrayLike) -> NDArray[np.bool_]:
        """Whether it is known how the line hangs at stations from the first support [m]: in spans without doubt.

        A span hangs between its supports for itself: what stands in the next one moves none of its wires by a mm.
        """
        x = np.asarray(stations, dtype=np.float64)
        spans = [(self.supports[n - 1] - 1e-6, self.supports[n] + 1e-6) for n in self.doubt.hung]
        return ~np.any([(a <= x) & (x <= b) for a, b in spans], axis=0) if spans else np.ones(x.shape, dtype=np.bool_)


def problems_of_line(laid: Laid, file: LineFile, line: CatenarySpec) -> tuple[list[str], list[str]]:
    """Say what a line of a type cannot be, with file, row or cell.

    Returns
    -------
    list of str, list of str
        What is wrong in any case, then what may come of what is not known.
    """
    at = file.changed_at.get("temperature.sections", f"{file.path}: changes")
    sure: list[str] = []
    unsure: list[str] = []
    for sentence in find_problems(CatenarySpec, laid.content, line.model_dump(), lambda _: ""):
        warm = sentence.startswith("temperature")
        placed = f"{at}: {sentence}" if warm else _with_place(sentence, laid.droppers, laid.rows)
        allowed = laid.doubt.allows(sentence, laid.droppers, laid.supports)
        (sure if allowed else unsure).append(_counted(placed, file, laid.origin))
    return sure, unsure


def problems_at_rest(laid: Laid, file: LineFile) -> list[str]:
    """Say why a line does not hang, with its rows, wherever it does not rest on what is not known."""
    doubt = laid.doubt
    warm = doubt.ends and laid.content.get("temperature")
    if doubt.kind or warm or math.isinf(doubt.load) or len(doubt.hung) == len(laid.supports) - 1:
        return []
    try:
        line = CatenarySpec.model_validate(laid.content)
    except ValidationError:
        return []  # named as a whole
    said = _faults_by_row(line, laid)
    if doubt.main:
        said = (re.sub(r"main dropper \d+ ", "the main dropper ", each) for each in said)
    if doubt.places:  # droppers behind one that is left out have other numbers
        said = (re.sub(r"^(.*?droppers\.\w+)\[\d+\](.*)dropper \d+ ", r"\1\2the dropper ", each) for each in said)
    return [_counted(sentence, file, laid.origin) for sentence in said]


def _faults_by_row(line: CatenarySpec, laid: Laid) -> Iterator[str]:
    """Say what keeps a line from hanging as prescribed, a sentence for every dropper, its row in front.

    A line that form-finding does not find is not refused here: the solver says so in its result.
    """
    found, droppers = open_line_equilibrium(as_designed(line), len(line.spans)), laid.droppers
    if found.status is not EquilibriumStatus.OK:
        return
    faults = [fault for fault in faults_at_rest(found, laid.known) if _is_sure(fault, found, laid.doubt)]
    alone = all(fault.kind is FaultKind.SLACK for fault in faults)
    nearest = _nearest(found) if faults and alone and not laid.doubt.load else None
    for fault in faults:
        hit = re.search(r"\[(\d+)\]", fault.key)
        row = droppers[int(hit[1])].row if hit else None
        where = "" if row is None else f"{row.place('length' if 'lengths' in fault.key else 'height')}: "
        cure = "" if hit is None or nearest is None else f"; the nearest that hangs is {nearest[int(hit[1])]:.4f} m"
        yield f"{where}{fault.key} {fault.sentence}{cure}"


def _is_sure(fault: Fault, found: Equilibrium, doubt: Doubt) -> bool:
    """Whether a fault stays where masses that are not placed yet hang anywhere, and other rows in other spans.

    A weight on the contact wire adds at most itself to the force of a dropper, and no room over any.
    """
    if not doubt or fault.kind is FaultKind.SHORT:
        return True
    hit = re.search(r"\[(\d+)\]", fault.key)
    if fault.kind is FaultKind.SLACK and hit is not None:
        return float(found.dropper_force[int(hit[1])]) <= -doubt.load - FROM_OTHER_SPANS
    return not doubt.load


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
