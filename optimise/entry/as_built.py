"""As-built lines and correction lists from Python, as ``catenary correct`` finds them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from catenary.errors import InputError
from catenary.layout.dropper_places import places_by_design
from catenary.library.columns import read_rows
from catenary.library.line_file import LineFile
from catenary.library.lines import line_file_of, load_line
from catenary.library.with_defects import write_with_defects
from catenary.spec.checked import checked
from catenary.spec.given import given_block, given_path
from catenary.spec.line import CatenarySpec
from catenary.spec.section import DefectSpec
from catenary.storage.configuration import chosen_file, group_options
from catenary.survey.fitted_lengths import fitted_lengths
from catenary.survey.measured_heights import MeasuredHeights, measured_heights
from catenary.survey.section_fit import FittedLengths
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import CaseChanges, Line, Pantograph, job_input
from optimise.correction_list.find import Corrections, find_corrections, refuse_uncorrectable
from optimise.entry.progress_line import ProgressLine
from optimise.spec.cluster import ClusterSpec
from optimise.spec.correction import CorrectionLimitsSpec, SurveySpec

# of what is left of heights, over their accuracy: deviations that the root mean square may be off, and the largest
MORE, FARTHEST = 3.0, 5.0

__all__ = ["AsBuilt", "as_built", "as_built_line", "corrections"]


@dataclass(frozen=True, eq=False)
class AsBuilt:
    """A line as it is built.

    Attributes
    ----------
    line : CatenarySpec
        The design with the wrong lengths as defects: every command runs it.
    wrong : tuple of DefectSpec
        Droppers whose length differs from the design's by more than the tolerance, and by more than twice its own
        uncertainty.
    doubtful : int
        Droppers beyond the tolerance alone.
    unexplained : bool
        Whether heights differ from those found by more than their accuracy explains: something else than lengths is
        wrong.
    fit : FittedLengths
        Lengths of all droppers, and the heights that they lead to.
    measured : MeasuredHeights
    file : LineFile or None
        File of the design, if it came from one.
    """

    line: CatenarySpec
    wrong: tuple[DefectSpec, ...]
    doubtful: int
    unexplained: bool
    fit: FittedLengths
    measured: MeasuredHeights
    file: LineFile | None

    def __repr__(self) -> str:
        """Name the line, and say how many droppers are cut wrong."""
        return (
            f"<as built {self.line.name}: {len(self.wrong)} wrong lengths, {self.doubtful} doubtful, measured heights "
            f"met within {self.residual_rms_mm:.2f} mm RMS>"
        )

    @property
    def residual_rms_mm(self) -> float:
        """Root mean square of height found less height measured [mm]."""
        return 1e3 * float(((self.fit.found - self.measured.height) ** 2).mean() ** 0.5)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the line as a line file; returns its path.

        Raises
        ------
        InputError
            If the design did not come from a file, or the path does not end in ``.yaml``.
        """
        place = given_path("path", path)
        if self.file is None or place.suffix.lower() not in (".yaml", ".yml"):
            what = "the design must come from a line file" if self.file is None else "path must end in .yaml"
            raise InputError([f"{what}: got '{place}'"])
        section = self.line.section
        description = f"As built: {len(self.wrong)} droppers of {self.file.name} are cut wrong."
        write_with_defects(place, self.file, section.defects if section else (), place.stem, description)
        return place


def as_built(line: str | os.PathLike[str] | CatenarySpec, measured: str | os.PathLike[str], **survey: float) -> AsBuilt:
    """Find the dropper lengths that explain measured heights of the contact wire.

    Parameters
    ----------
    line : path, name or CatenarySpec
        The design, a line by stations. Stations in the table count as in its file, or from the first support.
    measured : path
        CSV or XLSX with the columns station and height, and section where the wires of two pass.
    survey
        ``nominal_height_m``, ``accuracy_mm``, ``spread_mm``, ``tolerance_mm``, as on the command line.

    Raises
    ------
    InputError
        If the line is not one by stations, or the table cannot be read.
    """
    wanted = checked(SurveySpec, dict(survey), SurveySpec().model_dump())
    table = given_path("measured", measured)
    if isinstance(line, CatenarySpec):
        return as_built_line(line, None, table, wanted)
    return as_built_line(load_line(line), line_file(os.fspath(line)), table, wanted)


def line_file(name: str) -> LineFile | None:
    """File of a line by stations that a name on the command line chooses; None where it is one of the library."""
    path = None if name in group_options("catenary") else chosen_file("catenary", name)
    return None if path is None else line_file_of(path)


def as_built_line(line: CatenarySpec, file: LineFile | None, table: Path, wanted: SurveySpec) -> AsBuilt:
    """Find the as-built line of a design, the stations of whose file may begin anywhere."""
    origin = 0.0
    if file is not None:
        origin = read_rows("supports", file.tables["supports"], [])[0].values["station"]
    sections = () if line.section is None else line.section.tension_sections
    measured = measured_heights(table, line.supports, origin, wanted.nominal_height_m, sections)
    fit = fitted_lengths(line, measured, 1e-3 * wanted.accuracy_mm, 1e-3 * wanted.spread_mm)
    places = list(places_by_design(line))
    certain = fit.wrong(1e-3 * wanted.tolerance_mm)
    wrong = tuple(
        DefectSpec(
            span=places[k].span, dropper=places[k].number, kind="length", by=by, section=places[k].section or None
        )
        for k, by in zip(fit.dropper[certain].tolist(), fit.error[certain].round(4).tolist(), strict=True)
    )
    doubtful = int((fit.beyond(1e-3 * wanted.tolerance_mm) & ~certain).sum())
    assert line.section is not None
    section = line.section.model_copy(update={"defects": (*line.section.defects, *wrong)})
    built = line.model_copy(update={"section": section})
    return AsBuilt(built, wrong, doubtful, _unexplained(fit, measured, 1e-3 * wanted.accuracy_mm), fit, measured, file)


def _unexplained(fit: FittedLengths, measured: MeasuredHeights, accuracy: float) -> bool:
    """Whether the root mean square of what is left, or the largest of it, is more than noise so large would leave."""
    left = np.abs(fit.found - measured.height) / accuracy
    return bool((left**2).mean() ** 0.5 > 1.0 + MORE / np.sqrt(2.0 * len(left)) or left.max() > FARTHEST)


def corrections(
    line: Line,
    pantograph: Pantograph,
    speed_kmh: float,
    *,
    limits: Mapping[str, Any] | None = None,
    cluster: str = "local",
    **changes: Unpack[CaseChanges],
) -> Corrections:
    """Find the fewest droppers of an as-built line to cut again so that limits are met.

    Parameters
    ----------
    line : CatenarySpec, name or path
        A line by stations; its defects of kind length and loose can be corrected.
    pantograph : spec, name or path
    speed_kmh : float
        Train speed [km/h].
    limits : mapping, optional
        ``sigma_N``, ``worst_span_sigma_N``, ``uplift_mm``; without any, 1.02 times the sigma of the design.
    cluster : str
        ``local``, two worker processes, or ``serial``, in this process.
    changes
        Other keys of the case, as `dynamics.simulate` takes them.

    Raises
    ------
    InputError
        If a key is not known, or values cannot be or do not go together.
    NoLineFiguresError
        If a line that must be run has no figures.
    """
    case = job_input(CaseSpec, line, pantograph, {"speed_kmh": speed_kmh, **changes})
    held = checked(
        CorrectionLimitsSpec,
        {} if limits is None else given_block("limits", limits),
        CorrectionLimitsSpec().model_dump(),
    )
    workers = checked(ClusterSpec, {"kind": cluster}, ClusterSpec().model_dump())
    refuse_uncorrectable(case)
    shown = ProgressLine(sys.stderr)
    try:
        return find_corrections(case, held, workers, shown.write)
    finally:
        shown.end()
