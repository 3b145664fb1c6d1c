"""A run as a person reads it: figures by name, histories with labels, a picture; the same for every solver."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from catenary.spec.given import given_path
from catenary.storage.files import refuse_other_suffix
from dynamics.charts.numbers import with_error
from dynamics.contact_force.statistics import ContactStatistics
from dynamics.results.solution import Solution
from dynamics.spec.case import CaseSpec

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from dynamics.accuracy.numerical_error import NumericalError
    from dynamics.pantograph.bodies import ArmsInMotion
    from dynamics.pantograph.on_head import HeadFigures
    from dynamics.results.by_span import SpanFigures
    from dynamics.results.by_wire import OverlapFigures, WireFigures

__all__ = ["NoFiguresError", "Run"]


class NoFiguresError(Exception):
    """A figure is asked of a run that has none, because its solver failed."""


@dataclass(frozen=True, repr=False)
class Run:
    """A solved case with its figures.

    Attributes
    ----------
    solution : Solution
        Result of the solver: plain arrays.
    error : NumericalError or None
        Estimated numerical error of the standard deviation, of a train's worst pantograph, and of the other figures
        that limits are set for (`others`); each pantograph's in `of_train`. None where none was asked for or there are
        no figures.
    wall_time_s : float
        Time that the solver took [s].
    """

    solution: Solution
    error: NumericalError | None
    wall_time_s: float

    @property
    def case(self) -> CaseSpec:
        """Case that the solver ran: line, pantograph, speed and numerics."""
        return self.solution.case

    @property
    def status(self) -> str:
        """Status of the solver: 'ok', 'not_periodic', or why the run has no figures."""
        return self.solution.status.value

    @property
    def message(self) -> str:
        """Message of the solver about its status; empty where it has none."""
        return self.solution.message

    @property
    def statistics(self) -> ContactStatistics:
        """All statistics of the leading pantograph.

        Raises
        ------
        NoFiguresError
            If the solver failed.
        """
        found = self.solution.statistics
        if found is None:
            raise NoFiguresError(f"this run has no figures: {self.status}. {self.message}".rstrip(". ") + ".")
        return found

    @property
    def contact_force_mean_N(self) -> float:
        """Mean of the contact force [N]."""
        return self.statistics.contact_force_mean_N

    @property
    def contact_force_std_N(self) -> float:
        """Standard deviation of the filtered contact force [N]."""
        return self.statistics.contact_force_std_N

    @property
    def contact_force_max_N(self) -> float:
        """Largest filtered contact force [N]."""
        return self.statistics.contact_force_max_N

    @property
    def contact_force_min_N(self) -> float:
        """Smallest filtered contact force [N]."""
        return self.statistics.contact_force_min_N

    @property
    def contact_loss_percent(self) -> float:
        """Share of time without contact [%]."""
        return self.statistics.contact_loss_percent

    @property
    def max_uplift_at_supports_mm(self) -> float:
        """Largest uplift of the contact wire at the supports [mm]."""
        return self.statistics.max_uplift_at_supports_mm

    @property
    def by_span(self) -> tuple[SpanFigures, ...]:
        """Figures of every evaluated span of an open line, or of a period of several, each pantograph's.

        Raises
        ------
        NoFiguresError
            If the solver failed.
        """
        from dynamics.results.by_span import figures_by_span

        _ = self.statistics
        return figures_by_span(self.solution)

    @property
    def by_wire(self) -> tuple[WireFigures, ...]:
        """Contact of each pantograph with the contact wire of each tension section; none where there is one section.

        Raises
        ------
        NoFiguresError
            If the solver failed.
        """
        from dynamics.results.by_wire import figures_by_wire

        _ = self.statistics
        return figures_by_wire(self.solution)

    @property
    def by_overlap(self) -> tuple[OverlapFigures, ...]:
        """Contact force of each pantograph in each overlap of tension sections, and how the wires hand it over.

        Raises
        ------
        NoFiguresError
            If the solver failed.
        """
        from dynamics.results.by_wire import figures_by_overlap

        _ = self.statistics
        return figures_by_overlap(self.solution)

    @property
    def on_head(self) -> tuple[HeadFigures, ...]:
        """Where the wire touches each pantograph's head, its roll, strips and wear; none in the plane.

        Raises
        ------
        NoFiguresError
            If the solver failed.
        """
        _ = self.statistics
        return self.solution.on_head

    @property
    def arms(self) -> tuple[ArmsInMotion, ...]:
        """Bodies and joints of each articulated pantograph on an open line over time; none elsewhere.

        Raises
        ------
        NoFiguresError
            If the solver failed.
        """
        _ = self.statistics
        return self.solution.arms

    @property
    def contact_force(self) -> xr.DataArray:
        """Contact force of the leading pantograph as computed, over its position along the track [N].

        ``run.contact_force.sel(position=30)`` is the value nearest to 30 m from the support.
        """
        return self._over_position("contact_force")

    @property
    def contact_force_filtered(self) -> xr.DataArray:
        """Low-pass filtered contact force of the leading pantograph, over its position along the track [N]."""
        return self._over_position("contact_force_filtered")

    def _over_position(self, name: str) -> xr.DataArray:
        from dynamics.results.over_position import over_position

        _ = self.statistics
        return over_position(self.solution, name)

    def to_xarray(self) -> xr.Dataset:
        """All histories with units and meanings, and what they were made from, as in ``result.nc``."""
        from dynamics.results.dataset import result_dataset

        return result_dataset(self.solution, self.case)

    def save(self, path: str | Path) -> Path:
        """Write what `to_xarray` gives as netCDF4, whole or not at all; returns the path.

        Raises
        ------
        InputError
            If the path does not end in ``.nc``.
        """
        from dynamics.results.dataset import write_result

        place = given_path("path", path)
        refuse_other_suffix(place, (".nc",), "netCDF4")
        write_result(place, self.solution, self.case)
        return place

    def plot(self) -> Figure:
        """Draw contact force and uplift; ``run.plot().savefig("run.png")`` keeps the picture."""
        from dynamics.results.figures import draw_run

        _ = self.statistics
        return draw_run(self.solution)

    def __repr__(self) -> str:
        """Name line, pantograph and speed, and the figures that matter most."""
        case = self.case
        what = f"{case.in_words}, {case.solver}"
        found = self.solution.statistics
        if found is None:
            return f"<run {what}: {self.status}>"
        error = None if self.error is None else self.error.of_train[0].total
        return (
            f"<run {what}: contact force {found.contact_force_mean_N:.2f} N, standard deviation "
            f"{with_error(found.contact_force_std_N, error, 2)} N, uplift {found.max_uplift_at_supports_mm:.1f} mm>"
        )

    def _repr_html_(self) -> str:
        from dynamics.charts.files import notebook_picture

        return notebook_picture(repr(self)[1:-1], None if self.solution.statistics is None else self.plot())
