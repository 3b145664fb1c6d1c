"""Variable importance in a search: the optimiser's own shares, and the sensitivity study of the best design.

Importances come from trials that the search chose and only screen. The study in the campaign's folder `sensitivity`,
where there is one, has a sample of its own.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from catenary.errors import InputError
from dynamics.charts.numbers import number
from dynamics.charts.parts import Chart
from optimise.entry.input_paths import chosen_inputs, fitting_inputs
from optimise.evaluation.objectives import Objective
from optimise.parameter_study.sensitivity import load_sensitivity
from optimise.parameter_study.sensitivity_result import SensitivityResult
from optimise.record.campaign_folder import CampaignFolder
from optimise.search.importances import read_importances
from optimise.search.result import CampaignResult
from studies.report.drawing.parts import Section
from studies.report.sections.sensitivity.charts import bars, rows_chart
from studies.report.sections.sensitivity.study import sensitivity_summary

__all__ = ["VariableImportance", "importance_of", "importance_sections"]


@dataclass(frozen=True)
class VariableImportance:
    """Importances of the variables and what to do about them.

    Attributes
    ----------
    shares : tuple of (Objective, dict)
        Share of each variable [-] by its label, in each objective; empty where there is none.
    counts : dict
        Trials that are ``used``, how many of them are ``feasible``, and how many are the ``best``.
    reason : str
        Why there are no shares.
    command : str
        Command that runs a sensitivity study of the best design into the campaign's folder; empty without a design.
    inputs : str
        Choice of inputs in that command; empty where none fits the line and its pantograph.
    report_command : str
        Command that draws the page again.
    study : SensitivityResult, optional
        That study, where it is on record.
    remark : str
        Why a study in that folder is not shown.
    """

    shares: tuple[tuple[Objective, dict[str, float]], ...]
    counts: Mapping[str, Any]
    reason: str
    command: str
    inputs: str
    report_command: str
    study: SensitivityResult | None = None
    remark: str = ""


def importance_of(result: CampaignResult) -> VariableImportance:
    """Read what is on record in a campaign's folder."""
    place = CampaignFolder(result.folder)
    content = read_importances(place)
    shares, reason = _shares(content, result)
    study, remark = _study(result)
    command = ["catenary", "sensitivity", f"catenary={place.best_design_yaml}"]
    fitting = fitting_inputs(result.case)[:1]
    case = result.case if result.best is None else result.case_of(result.best)
    command += [*(chosen_inputs(case, choice) for choice in fitting), f"run_dir={place.sensitivity}"]
    return VariableImportance(
        shares=shares,
        counts=content,
        reason=reason,
        command="" if result.best is None else shlex.join(command),
        inputs="".join(fitting),
        report_command=shlex.join(["catenary", "report", f"run_dir={result.folder}"]),
        study=study,
        remark=remark,
    )


def _shares(
    content: dict[str, Any], result: CampaignResult
) -> tuple[tuple[tuple[Objective, dict[str, float]], ...], str]:
    """Shares on record, unless they are of another number of trials; or why there are none."""
    if content.get("trials") != sum(not r.polished for r in result.records):
        return (), "they are formed when the campaign ends"
    named = dict(zip(result.campaign.objectives, result.objectives, strict=True))
    labels = {v.name: v.label for v in result.space.variables}
    shares = tuple(
        (named[name], {labels.get(str(variable), str(variable)): share for variable, share in found.items()})
        for name, found in content["objectives"].items()
    )
    return shares, str(content["reason"])


def _study(result: CampaignResult) -> tuple[SensitivityResult | None, str]:
    """Study in the campaign's folder, if it is of the best design, or why it is not shown."""
    folder = CampaignFolder(result.folder).sensitivity
    if result.best is None or not folder.is_dir():
        return None, ""
    try:
        found = load_sensitivity(folder)
    except InputError as error:
        return None, f"The study in {folder.name}/ is not shown: {error}."
    if not found.points:
        return None, f"The study in {folder.name}/ has no point on record yet."
    if found.case.catenary != result.catenary_of(result.best):
        return None, f"The study in {folder.name}/ is of another line than the best design, and not shown."
    return found, ""


def importance_sections(importance: VariableImportance) -> tuple[Section, ...]:
    """Show the importances as what they are, the command that measures, and what it measured."""
    study, command = importance.study, "" if importance.study else importance.command
    first = Section(
        "Importance of the variables",
        text=tuple(filter(None, (_importances_text(importance), importance.remark, _next_text(importance)))),
        charts=tuple(_chart(objective, shares) for objective, shares in importance.shares),
        command=command,
    )
    if study is None:
        return (first,)
    case = study.case
    title = f"What the best design is sensitive to at {case.speed_kmh:g} km/h with {case.pantograph.name}"
    return first, sensitivity_summary(title, study)


def _importances_text(importance: VariableImportance) -> str:
    if not importance.shares:
        return f"No importances of the variables are shown: {importance.reason}."
    used, feasible, best = (importance.counts[name] for name in ("used", "feasible", "best"))
    limits = (
        f" Only {feasible} of the trials hold every limit, so the best are mostly those that break them "
        "least: the shares show which variables decide whether the limits hold."
    )
    return (
        f"Screening only: of the optimiser's own sample, {used} trials that did not fail, none independent; "
        f"it says nothing certain of an effect. By PED-ANOVA, how differently each variable is spread among the best "
        f"{best} than among all of them. A variable on which the search settled early hardly varies, and "
        f"seems to matter less than it does.{limits if feasible < best else ''}"
    )


def _next_text(importance: VariableImportance) -> str:
    if importance.study is not None:
        return "The sensitivity study of the best design below has a sample of its own."
    if not importance.command:
        return ""
    inputs = (
        f"its inputs are those of {importance.inputs} unless sensitivity.inputs names others, "
        "in ranges that hold this design's own values"
        if importance.inputs
        else "name its inputs by sensitivity.inputs={...}, since no choice of inputs= fits this line and pantograph"
    )
    return (
        f"What the best design is sensitive to, by a sample of its own, is measured by the command below; {inputs}. "
        f"{importance.report_command} then draws it here."
    )


def _chart(objective: Objective, shares: dict[str, float]) -> Chart:
    """Draw the share of each variable as a bar, the largest at the top."""
    names = sorted(shares, key=lambda name: shares[name])
    percent = 100.0 * np.array([shares[name] for name in names])
    notes = (f"{name}: {number(share, 1)} %" for name, share in zip(names, percent, strict=True))
    title = f"Screening only: importance for {objective.symbol} in the optimiser's own sample"
    caption = (
        "The shares of all variables add up to 100 %. Trials that break a limit count as worse than the nominal line; "
        "those that failed, and those of a polish, do not count."
    )
    curves = bars("share", (0.0, percent), "%", "muted", notes)
    about = f"importances_{objective.slug}", title, caption
    return rows_chart(about, "Share", curves, (0.0, 1.08 * 100.0 * max(shares.values())), names)
