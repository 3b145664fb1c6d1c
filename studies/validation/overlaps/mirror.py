"""An overlap and its mirror image: passed the other way the image gives the same run, at any speed.

From either side an overlap gives like runs only where a head creeps: a wire that is met sends waves out, and one that
is left does not, which turns with the way.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from catenary.elements.formulation import element_of
from catenary.form_finding.equations import element_coordinates, wire_property
from catenary.form_finding.equilibrium import Equilibrium, open_line_equilibrium
from catenary.form_finding.joined import joined
from catenary.layout.key_points import AUXILIARY, CONTACT, MESSENGER, KeyPoint
from catenary.layout.sections import parts_of
from catenary.spec.line import CatenarySpec
from dynamics.open_line.build import build_pantographs
from dynamics.open_line.run import march_along, prepare_line, run_whole_line
from studies.validation.gates.lines import LinesGate
from studies.validation.overlaps.built import case_of, in_sections

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dynamics.open_line.run import LineRun

__all__ = ["either_way", "image_of", "mirrored", "mirrored_at_speed"]

SPANS, SECTIONS = 9, ((0, 6), (3, 9))
# spans that count, and start and length of the run [spans]: over the middle, and through the whole overlap
MIDDLE, OVER = {"start": 3.0, "first_evaluated": 5, "last_evaluated": 5, "spans_after": 1}, (3.6, 1.5)
WHOLE, THROUGH = {"start": 1.0, "first_evaluated": 3, "last_evaluated": 7, "spans_after": 1}, (1.0, 7.0)
POINTS = 500
WIRES = {CONTACT: "contact_wire", MESSENGER: "messenger_wire", AUXILIARY: "auxiliary_wire"}


def mirrored(kind: CatenarySpec, gate: LinesGate) -> tuple[float | None, str]:
    """Largest difference [% of the applied force] of forces over an overlap and over its image passed the other way."""
    return _image(kind, gate, gate.creeping_kmh)


def mirrored_at_speed(kind: CatenarySpec, gate: LinesGate) -> tuple[float | None, str]:
    """The same through the whole overlap at full speed."""
    return _image(kind, gate, gate.speed_kmh)


def either_way(kind: CatenarySpec, gate: LinesGate, speed_kmh: float | None = None) -> tuple[float | None, str]:
    """Largest difference [% of the applied force] of forces over one overlap that is passed from either side.

    At another speed than the creeping one it is what turns with the way.
    """
    length, curves, speed = kind.span_length * SPANS, [], speed_kmh or gate.creeping_kmh
    x = kind.span_length * np.linspace(4.02, 4.98, POINTS)
    for support, name in ((4, "A"), (5, "B")):
        line = _raised(kind, gate, support, name)
        case = case_of(line, gate, MIDDLE, dt=gate.creeping_dt).model_copy(update={"speed_kmh": speed})
        run = run_whole_line(case, prepare_line(case, open_line_equilibrium(line, SPANS)), *OVER)
        if run.failure is not None:
            return None, _stopped(run)
        kept = run.histories
        curves.append(np.interp(x if name == "A" else length - x, kept.position[:, 0], kept.contact_force[:, 0]))
    return 100.0 * float(np.abs(curves[1] - curves[0]).max()) / gate.applied_force_N, ""


def _image(kind: CatenarySpec, gate: LinesGate, speed_kmh: float) -> tuple[float | None, str]:
    """Largest difference over one overlap, and over its image the other way, at one speed."""
    creeps = speed_kmh == gate.creeping_kmh
    spans, way, dt = (MIDDLE, OVER, gate.creeping_dt) if creeps else (WHOLE, THROUGH, gate.dt)
    line = _raised(kind, gate, 4, "A")
    found = open_line_equilibrium(line, SPANS)
    forces: list[NDArray[np.float64]] = []
    for eq, sense in ((found, 1.0), (image_of(found, _raised(kind, gate, 5, "B")), -1.0)):
        case = case_of(eq.spec, gate, spans, dt=dt).model_copy(update={"speed_kmh": speed_kmh})
        first = line.station(way[0])
        there = build_pantographs(case, first if sense > 0.0 else line.period - first)
        run = march_along(case, prepare_line(case, eq), there._replace(speed=sense * there.speed), (way[0], sum(way)))
        if run.failure is not None:
            return None, _stopped(run)
        forces.append(run.histories.wire_force[:, 0])
    apart = np.abs(forces[0] - forces[1][:, ::-1]).max()
    return 100.0 * float(apart) / gate.applied_force_N, ""


def _raised(kind: CatenarySpec, gate: LinesGate, support: int, name: str) -> CatenarySpec:
    """Line whose overlap is unlike its image: one wire stands higher at one of its supports."""
    station = kind.span_length * support
    raised = {"station": station, "section": name, "contact_height_mm": gate.raised_mm}
    other = {"station": station, "section": "B" if name == "A" else "A"}
    return in_sections(kind, SPANS, SECTIONS, [raised, other])


def image_of(eq: Equilibrium, image: CatenarySpec) -> Equilibrium:
    """Equilibrium of the mirror image of a line of tension sections, with the tensions that its wires have.

    A tension is named at the end where a wire begins; in the image that is where the wire of the line ends, some
    newtons off where one end is higher than the other.
    """
    found = []
    for part, own in zip(parts_of(image), reversed(eq.parts), strict=True):
        pulled = {n: getattr(part.line, n).model_copy(update={"tension": v}) for n, v in _far_tensions(own).items()}
        found.append(open_line_equilibrium(part.line.model_copy(update=pulled), len(part.line.spans)))
    return joined(image, found)


def _far_tensions(eq: Equilibrium) -> dict[str, float]:
    """Tension of every wire that passes a whole section, in the bay that the image names it in [N]."""
    mesh = eq.mesh
    EA, EI = (wire_property(eq.spec, mesh, name) for name in ("axial_stiffness", "bending_stiffness"))
    q = element_coordinates(mesh, eq.q)
    force, _, _ = element_of(eq.spec).forces(q, eq.elem_l0, EA, EI, np.zeros_like(EA))
    pull, group, found = np.linalg.norm(force.reshape(-1, 12)[:, 6:9], axis=1), 0, {}
    for wire, points in mesh.layout.runs:
        bays = len(points) - 1
        if wire in WIRES:
            last = _bay(points) if wire == MESSENGER else bays - 1
            count = getattr(getattr(eq.spec, WIRES[wire]), "count", 1)  # the tension of one of wires side by side
            found[WIRES[wire]] = float(pull[mesh.group_elems[group + last, 1]]) / count
        group += bays
    return found


def _bay(points: tuple[KeyPoint, ...]) -> int:
    """Last bay of a messenger wire before a stitch, or the last one."""
    before = [k for k, (_, b) in enumerate(pairwise(points)) if b.what == "clamp" and b.index % 2 == 0]
    return before[-1] if before else len(points) - 2


def _stopped(run: LineRun) -> str:
    assert run.failure is not None
    return f"a step did not converge at {run.failure.time:g} s"
