"""Lines of equal spans in tension sections, and cases on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from catenary.library.line_content import line_content
from catenary.library.line_file import read_line_file
from catenary.spec.line import CatenarySpec
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import job_input
from studies.validation.gates.lines import LinesGate

__all__ = ["case_of", "in_sections"]


def in_sections(
    kind: CatenarySpec,
    spans: int,
    sections: Sequence[tuple[int, int]],
    supports: Sequence[Mapping[str, Any]] = (),
    **ends: float | str,
) -> CatenarySpec:
    """Line of equal spans of a type in tension sections A, B, ... from support to support.

    Parameters
    ----------
    kind : CatenarySpec
        Type of line.
    spans : int
    sections : sequence of (int, int)
        First and last support of each.
    supports : sequence of mapping
        Rows of supports that have something of their own, their stations included.
    **ends
        What holds the wires of each section, as columns of its row.
    """
    at = [kind.span_length * k for k in range(spans + 1)]
    own = [row["station"] for row in supports]
    rows = [*({"station": x} for x in at if x not in own), *supports]
    content = {
        "kind": "line",
        "type": kind.name,
        "supports": sorted(rows, key=lambda row: row["station"]),
        "sections": [
            {"name": chr(ord("A") + k), "from": at[a], "to": at[b], **ends} for k, (a, b) in enumerate(sections)
        ],
    }
    return CatenarySpec.model_validate(line_content(read_line_file(content, Path("lines")), kind))


def case_of(line: CatenarySpec, gate: LinesGate, open_line: Mapping[str, float], **given: object) -> CaseSpec:
    """Case of a gate on a line, its spans of an open line and what else differs from the gate by keyword."""
    typed = {"speed_kmh": gate.speed_kmh, "dt": gate.dt, "applied_force_N": gate.applied_force_N, **given}
    return job_input(CaseSpec, line, gate.pantograph, {**typed, "open_line": open_line})
