"""Loose droppers of a line by stations as errors of their lengths: how much longer each is cut than the design says."""

from __future__ import annotations

from catenary.form_finding.defects import as_designed
from catenary.form_finding.equilibrium import Equilibrium, EquilibriumStatus, open_line_equilibrium
from catenary.layout.dropper_places import DropperPlace, defect_places, dropper_places
from catenary.spec.line import CatenarySpec
from catenary.spec.section import DefectSpec

__all__ = ["with_loose_as_lengths"]


def with_loose_as_lengths(line: CatenarySpec) -> CatenarySpec:
    """Describe the defects of kind loose of a line by stations as what their lengths are wrong by, in their order.

    A line whose design does not hang stays as it is: its runs say why.
    """
    own = line.section
    if own is None or not any(defect.kind == "loose" for defect in own.defects):
        return line
    sound = as_designed(line)
    design = open_line_equilibrium(sound, len(line.spans))
    if design.status is not EquilibriumStatus.OK or (design.dropper_force < 0.0).any():
        return line
    wanted, cut = _lengths(sound, design), _lengths(line, open_line_equilibrium(line, len(line.spans)))

    def as_length(defect: DefectSpec) -> DefectSpec:
        (at,) = defect_places(line, (defect,))
        return defect.model_copy(update={"kind": "length", "by": cut[at] - wanted[at]})

    defects = tuple(as_length(defect) if defect.kind == "loose" else defect for defect in own.defects)
    return line.model_copy(update={"section": own.model_copy(update={"defects": defects})})


def _lengths(line: CatenarySpec, hung: Equilibrium) -> dict[DropperPlace, float]:
    """Lengths to which all droppers that hang are cut [m]."""
    return dict(zip(dropper_places(line), hung.dropper_unstretched_length.tolist(), strict=True))
