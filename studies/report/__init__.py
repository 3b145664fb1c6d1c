"""Reports: one self-contained HTML page per run folder, its figures also as PNG.

Run folder → content (plain data) → page (charts, tables, text) → report.html and figures/*.png.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from studies.jobs.simulation import RecordSpec
from studies.report.drawing.page import write_overlay, write_page

__all__ = [
    "write_campaign_report",
    "write_comparison",
    "write_convergence_report",
    "write_sensitivity_report",
    "write_simulation_report",
    "write_sweep_report",
]


def write_simulation_report(folder: Path, say: Callable[[str], None] = print) -> Path:
    """Write report.html and figures/ of a simulation from what its folder holds; return the page's path.

    What is to be said of its moving picture is handed to ``say``.

    Raises
    ------
    InputError
        If the folder does not hold a simulation.
    """
    from studies.report.pages.simulation_page import simulation_page
    from studies.report.readers.simulation_folder import read_simulation

    return write_page(simulation_page(read_simulation(Path(folder))), Path(folder), say)


def write_campaign_report(folder: Path) -> Path:
    """Write report.html and figures/ of a campaign from what its folder holds; return the page's path.

    Raises
    ------
    InputError
        If the folder does not hold a campaign.
    """
    from studies.report.pages.campaign_page import campaign_page
    from studies.report.readers.campaign_folder import read_campaign

    return write_page(campaign_page(read_campaign(Path(folder))), Path(folder))


def write_convergence_report(folder: Path) -> Path:
    """Write report.html and figures/ of a study of convergence from its summary.json; return the page's path.

    Raises
    ------
    InputError
        If the folder does not hold such a study.
    """
    from studies.report.pages.convergence_page import convergence_page
    from studies.report.readers.stored import command_of, read_json

    folder = Path(folder)
    page = convergence_page(read_json(folder / "summary.json"), command_of(folder, "convergence"))
    return write_page(page, folder)


def write_sweep_report(folder: Path) -> Path:
    """Write report.html and figures/ of a sweep from what is on record in its folder; return the page's path.

    Raises
    ------
    InputError
        If the folder does not hold a sweep.
    """
    from optimise.parameter_study.sweep import load_sweep
    from studies.report.pages.sweep_page import sweep_page

    return write_page(sweep_page(load_sweep(Path(folder))), Path(folder))


def write_sensitivity_report(folder: Path) -> Path:
    """Write report.html and figures/ of a sensitivity study from its record; return the page's path.

    Raises
    ------
    InputError
        If the folder does not hold a sensitivity study.
    """
    from optimise.parameter_study.sensitivity import load_sensitivity
    from studies.report.pages.sensitivity_page import sensitivity_page

    return write_page(sensitivity_page(load_sensitivity(Path(folder))), Path(folder))


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
