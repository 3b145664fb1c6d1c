"""Loose droppers of a line by stations as errors of their lengths: how much longer each is cut than the design says."""

from __future__ import annotations

from catenary.form_finding.defects import as_designed
from catenary.form_finding.equilibrium import open_line_equilibrium
from catenary.layout.dropper_places import DropperPlace, defect_places, dropper_places
from catenary.spec.line import CatenarySpec
from catenary.spec.section import DefectSpec

__all__ = ["with_loose_as_lengths"]


def with_loose_as_lengths(line: CatenarySpec) -> CatenarySpec:
    """Describe the defects of kind loose of a line by stations as what their lengths are wrong by, in their order."""
    own = line.section
    if own is None or not any(defect.kind == "loose" for defect in own.defects):
        return line
    cut, wanted = _lengths(line), _lengths(as_designed(line))

    def as_length(defect: DefectSpec) -> DefectSpec:
        (at,) = defect_places(line, (defect,))
        return defect.model_copy(update={"kind": "length", "by": cut[at] - wanted[at]})

    defects = tuple(as_length(defect) if defect.kind == "loose" else defect for defect in own.defects)
    return line.model_copy(update={"section": own.model_copy(update={"defects": defects})})


def _lengths(line: CatenarySpec) -> dict[DropperPlace, float]:
    """Lengths to which all droppers that hang are cut [m]."""
    hung = open_line_equilibrium(line, len(line.spans))
    return dict(zip(dropper_places(line), hung.dropper_unstretched_length.tolist(), strict=True))
