"""Numbers of an open line as its FMU reads them: banded matrices, contact wire, droppers."""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from catenary.layout.mesh import Z
from catenary.linearised.chain import AXIAL_HOLD
from dynamics.open_line.build import WholeLine, build_pantographs, build_system
from dynamics.open_line.system import BEAM, System
from dynamics.spec.case import CaseSpec

__all__ = ["LineNumbers", "line_numbers"]

MAGIC = 0x454E494C  # LINE


class LineNumbers(NamedTuple):
    """Content of ``resources/line.bin``, and what the description says of it.

    ``start``, ``end`` stations under the contact wire between which a pantograph may run [m].
    """

    content: bytes
    dofs: int
    band: int
    start: float
    end: float


def line_numbers(case: CaseSpec, line: WholeLine) -> LineNumbers:
    """Collect what steps a linearised open line in time with the case's dt, speed, start and applied force."""
    system = build_system(case, line, build_pantographs(case, 0.0))
    whole = csr_array(abs(line.mass) + abs(line.damping) + abs(line.stiffness))
    order = np.asarray(reverse_cuthill_mckee(whole, symmetric_mode=True), dtype=np.int64)
    place = np.empty(len(order) + 1, dtype=np.int64)
    place[order], place[-1] = np.arange(len(order)), -1  # a dof of -1 is held, and stays so
    found = whole.tocoo()
    band = int(np.abs(place[found.row] - place[found.col]).max())
    start = case.catenary.station(case.open_line.start)
    numbers = case.dt, AXIAL_HOLD, system.droppers.given_up, case.speed, start, case.pressed_N, 0.0, 0.0
    wire, droppers = system.contact_wire, system.droppers
    counts = MAGIC, len(order), band, len(wire.l0), len(droppers.force), len(line.along), 0, 0
    doubles = (
        *(_banded(matrix, place, band) for matrix in (line.mass, line.stiffness, line.damping)),
        _shapes(system),
        np.column_stack([droppers.force, droppers.stiffness, droppers.dashpot, droppers.weight]),
    )
    integers = place[wire.dof[:, [Z, 5, 6 + Z, 11]]], place[droppers.dof], place[line.along]
    content = struct.pack("<8q8d", *counts, *numbers)
    content += b"".join(np.ascontiguousarray(each, dtype="<f8").tobytes() for each in doubles)
    content += b"".join(np.ascontiguousarray(each, dtype="<i4").tobytes() for each in integers)
    return LineNumbers(content, len(order), band, start, float(wire.end[0]))


def _banded(matrix: csr_array, place: NDArray[np.int64], band: int) -> NDArray[np.float64]:
    """Lower band (row, band + 1) of a symmetric matrix in another order, the diagonal last."""
    found = csr_array(matrix).tocoo()
    row, column = place[found.row], place[found.col]
    lower = row >= column
    rows = np.zeros((matrix.shape[0], band + 1))
    np.add.at(rows, (row[lower], band + column[lower] - row[lower]), found.data[lower])
    return rows


def _shapes(system: System) -> NDArray[np.float64]:
    """Contact-wire elements (elem, 9): x1, x1', x2, x2' and length [m], and z1, z1', z2, z2' at rest.

    An element along which x runs linearly has the slopes that make the cubic do so.
    """
    wire = system.contact_wire
    rest = wire.rest[:, [0, 3, 6, 9, Z, 5, 6 + Z, 11]]
    if system.element == BEAM:
        rest[:, 1] = rest[:, 3] = (rest[:, 2] - rest[:, 0]) / wire.l0
    return np.column_stack([rest[:, :4], wire.l0, rest[:, 4:]])
