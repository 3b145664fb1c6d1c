"""Reports: one self-contained HTML page per run folder, its figures also as PNG.

Run folder → content (plain data) → page (charts, tables, text) → report.html and figures/*.png.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from studies.jobs.simulation import RecordSpec
from studies.report.drawing.page import write_overlay, write_page
from studies.report.drawing.parts import Page

__all__ = ["write_comparison", "write_report"]

Kind = Literal["simulation", "campaign", "convergence", "sweep", "sensitivity"]


def write_report(kind: Kind, folder: Path, say: Callable[[str], None] = print) -> Path:
    """Write report.html and figures/ of a run from what its folder holds; return the page's path.

    What is to be said of a moving picture is handed to ``say``.

    Raises
    ------
    InputError
        If the folder does not hold a run of that kind.
    """
    return write_page(_page(kind, Path(folder)), Path(folder), say)


def _page(kind: Kind, folder: Path) -> Page:
    """Compose the page of a folder; each kind loads what it alone needs."""
    if kind == "simulation":
        from studies.report.pages.simulation_page import simulation_page
        from studies.report.readers.simulation_folder import read_simulation

        return simulation_page(read_simulation(folder))
    if kind == "campaign":
        from studies.report.pages.campaign_page import campaign_page
        from studies.report.readers.campaign_folder import read_campaign

        return campaign_page(read_campaign(folder))
    if kind == "convergence":
        from studies.report.pages.convergence_page import convergence_page
        from studies.report.readers.stored import command_of, read_json

        return convergence_page(read_json(folder / "summary.json"), command_of(folder, "convergence"))
    if kind == "sweep":
        from optimise.parameter_study.sweep import load_sweep
        from studies.report.pages.sweep_page import sweep_page

        return sweep_page(load_sweep(folder))
    from optimise.parameter_study.sensitivity import load_sensitivity
    from studies.report.pages.sensitivity_page import sensitivity_page

    return sensitivity_page(load_sensitivity(folder))


def write_comparison(paths: Sequence[str], record: RecordSpec, output: Path) -> Path:
    """Lay runs, campaigns and force records, or sweeps, over one another on one page; return the path of its picture.

    Raises
    ------
    InputError
        If a path holds nothing that can be compared with the others; nothing has been written.
    """
    from studies.report.pages.comparison_page import comparison_page
    from studies.report.pages.sweep_overlay import are_sweeps, sweep_overlay_page
    from studies.report.readers.comparison_content import read_comparison

    if are_sweeps(paths):
        return write_overlay(sweep_overlay_page(paths), output)
    return write_overlay(comparison_page(read_comparison(paths, record)), output)
