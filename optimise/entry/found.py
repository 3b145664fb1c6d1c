"""Results of a campaign in Python: its designs with their lines and figures, their files, and all trials."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catenary.spec.given import given_path
from catenary.spec.line import CatenarySpec
from catenary.storage.files import refuse_other_suffix
from dynamics.rig.exported import ExportedBundle, bundle_case, refuse_unfit_bundle, write_case
from dynamics.spec.case import RIG_STEP, CaseSpec
from optimise.record.trial import TrialRecord
from optimise.search.result import CampaignResult, write_line

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from dynamics.run import Run
    from optimise.afterwards.confirm import Confirmation

__all__ = ["Design", "FoundDesigns", "NoDesignError"]


class NoDesignError(Exception):
    """The best design is asked of a campaign that has none, since no design held all limits."""


@dataclass(frozen=True, repr=False)
class Design:
    """A design of a campaign.

    Attributes
    ----------
    number : int
        Number of the trial; 0 is the nominal line.
    line : CatenarySpec
        The complete line.
    case : CaseSpec
        The campaign's case with that line, and with the design's gains where these vary (`case.pantograph`).
    statistics : dict
        Figures as the search had them, names with units; empty without figures.
    sigma_N : float
        Standard deviation of the contact force in the search [N], not a number without figures.
    feasible : bool
        Whether it holds all limits.
    """

    number: int
    line: CatenarySpec
    case: CaseSpec
    statistics: dict[str, float]
    sigma_N: float
    feasible: bool

    def save(self, path: str | Path) -> Path:
        """Write the complete line as YAML, whole or not at all; returns the path.

        Raises
        ------
        InputError
            If the path ends in neither ``.yaml`` nor ``.yml``.
        """
        place = given_path("path", path)
        refuse_other_suffix(place, (".yaml", ".yml"), "YAML")
        write_line(self.line, place)
        return place

    def simulate(self, *, error_estimate: bool = True) -> Run:
        """Run the design once more in the campaign's conditions, by the numerics of a single run."""
        from dynamics.simulation import run_case

        usual = {k: v for k, v in self.case.model_dump().items() if k not in ("dt", "periodic", "transient")}
        return run_case(CaseSpec.model_validate(usual), error_estimate=error_estimate)

    def export_bundle(self, folder: str | Path) -> ExportedBundle:
        """Write the design's rig bundle, as ``catenary export`` does, on the clock of the rig.

        Raises
        ------
        InputError
            If the folder holds other files, or the speed would have to change by more than 0.3 %.
        """
        case = bundle_case(self.case, {"dt": RIG_STEP})
        place = given_path("folder", folder)
        refuse_unfit_bundle(case, place)
        return write_case(case, place)

    def __repr__(self) -> str:
        """Name the design and its standard deviation."""
        held = "" if self.feasible else ", not feasible"
        which = f"design {self.number} of {self.line.name}" + ("" if self.number else ", the nominal line")
        return f"<{which}: standard deviation {self.sigma_N:.2f} N{held}>"

    def _repr_html_(self) -> str:
        return self.line._repr_html_().replace("<caption>", f"<caption>{repr(self)[1:-1]}<br>")


@dataclass(frozen=True, repr=False)
class FoundDesigns:
    """Results of a campaign, read from its folder.

    Attributes
    ----------
    result : CampaignResult
        Its input and its trials.
    """

    result: CampaignResult

    @property
    def folder(self) -> Path:
        """Folder of the campaign; the same call, or the same command, resumes it."""
        return self.result.folder

    @property
    def nominal(self) -> Design:
        """The line as it was given: trial 0."""
        return self._design(self.result.nominal)

    @property
    def best(self) -> Design:
        """Best feasible design; with several objectives the one best in the first.

        Raises
        ------
        NoDesignError
            If no design holds all limits.
        """
        if self.result.best is None:
            raise NoDesignError(
                f"no design of campaign '{self.result.campaign.name}' holds all limits: relax limits, widen design, "
                "or run more trials"
            )
        return self._design(self.result.best)

    @property
    def front(self) -> tuple[Design, ...]:
        """Feasible designs that none betters in all objectives, best in the first objective first."""
        return tuple(map(self._design, self.result.front))

    @property
    def gain_percent(self) -> float:
        """Change of the standard deviation from the nominal line to the best design, in the search [%]."""
        return 100.0 * (self.best.sigma_N / self.nominal.sigma_N - 1.0)

    @property
    def trials(self) -> xr.Dataset:
        """Every trial with its design, figures and state, as in ``trials.nc``."""
        from optimise.search.dataset import trials_dataset

        return trials_dataset(self.result)

    def export_bundle(self, folder: str | Path) -> ExportedBundle:
        """Write the best design's rig bundle; see `Design.export_bundle`."""
        return self.best.export_bundle(folder)

    def plot(self) -> Figure:
        """Draw the history of the search; ``found.plot().savefig("search.png")`` keeps the picture.

        Raises
        ------
        NoDesignError
            If no trial has a value of the first objective.
        """
        from dynamics.charts.drawing import charts_figure
        from optimise.search.history import search_chart, search_history

        chart = search_chart(search_history(self.result))
        if chart is None:
            raise NoDesignError(
                f"campaign '{self.result.campaign.name}' has no trial with figures: there is no picture"
            )
        return charts_figure([chart], f"{self.result.campaign.name}: {self.result.case.in_words}")

    def confirm(self) -> Confirmation:
        """Run nominal line and best design again on finer numerics, as ``catenary optimise`` does after a search.

        Each line takes two runs of the long transient, some minutes; the campaign's workers run them. Each goes on
        record in the campaign's folder when it ends, so that neither this call nor the command runs it again.

        Returns
        -------
        Confirmation
            Both standard deviations, the change between them with its error [%], and the verdict.

        Raises
        ------
        NoDesignError
            If no design holds all limits.
        """
        from optimise.afterwards.confirm import confirm
        from optimise.afterwards.confirming_runs import transients
        from optimise.afterwards.finished_runs import finished_runs
        from optimise.afterwards.solved_cases import solve_cases

        numbers = {0, self.best.number}
        records = [record for record in self.result.records if record.number in numbers]
        cases = [(case, False) for record in records for case in transients(self.result, record, True)]
        solved = solve_cases(cases, self.result.campaign.cluster, finished_runs(self.folder))
        found = confirm(self.result, lambda case: next(run.solution for run in solved if run.case == case))
        assert found is not None
        return found

    def _design(self, record: TrialRecord) -> Design:
        outcome, case = record.outcome, self.result.case_of(record)
        figures: dict[str, Any] = {} if outcome is None else dict(outcome.statistics)
        sigma = float("nan") if outcome is None or outcome.sigma_N is None else outcome.sigma_N
        feasible = outcome is not None and outcome.feasible
        return Design(record.number, case.catenary, case, figures, sigma, feasible)

    def __repr__(self) -> str:
        """Name the campaign, how many designs it has evaluated and the best."""
        campaign, done = self.result.campaign, len(self.result.records)
        if self.result.best is None:
            found = "no feasible design"
        elif self.result.front == [self.result.nominal]:
            found = f"none better than the nominal line, {self.nominal.sigma_N:.2f} N"
        else:
            found = f"best {self.best.sigma_N:.2f} N ({self.gain_percent:+.1f} %), nominal {self.nominal.sigma_N:.2f} N"
        return f"<campaign {campaign.name}: {done} designs, {found}, in {self.folder}>"

    def _repr_html_(self) -> str:
        """Words of the campaign above the history of its search."""
        from dynamics.charts.files import notebook_picture

        try:
            figure = self.plot()
        except NoDesignError:
            figure = None
        return notebook_picture(repr(self)[1:-1], figure)
