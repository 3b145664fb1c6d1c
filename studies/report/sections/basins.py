"""What the polish after a search gained, and the distinct basins that it ended in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dynamics.charts.numbers import number
from optimise.descent.basins import read_basins
from optimise.evaluation.constraints import BLOWN, CONSTRAINTS, SCENARIO_SIGMA
from optimise.evaluation.objectives import Objective
from optimise.record.campaign_folder import CampaignFolder
from optimise.search.result import CampaignResult
from studies.report.drawing.parts import Section, Table
from studies.report.sections.tables import objective_change, value_text

__all__ = ["Basins", "basins_of", "basins_section", "certainty_lines"]

# what a limit is called where there is a column for what holds a design back
LIMITS: dict[str, str] = dict(
    zip(
        (*CONSTRAINTS, BLOWN, SCENARIO_SIGMA),
        ("uplift", "dropper force", "loss of contact", "blow-off", "worst scenario"),
        strict=True,
    )
)


@dataclass(frozen=True)
class Basins:
    """Polished designs as `basins.json` has them, how many distinct basins they ended in, and how sure the best one is.

    The last is empty in records of versions that did not say it, and where no polish ended at a feasible design.
    """

    objective: Objective
    polished: tuple[dict[str, Any], ...]
    count: int
    certainty: str


def basins_of(result: CampaignResult) -> Basins | None:
    """Read what is on record; None where nothing was polished."""
    content = read_basins(CampaignFolder(result.folder))
    if not content.get("polished"):
        return None
    labels = LIMITS | {v.name: v.label for v in result.space.variables}
    polished = ({**p, "active": [_in_words(name, labels) for name in p["active"]]} for p in content["polished"])
    objective, certainty = result.objectives[0], content.get("certainty") or {}
    met = [_in_words(name, labels) for name in certainty.get("active", ())]
    sure = _certainty(objective, certainty, met) if certainty.get("in_best_basin") else ""
    return Basins(objective, tuple(polished), len(content["basins"]), sure)


def certainty_lines(result: CampaignResult) -> list[str]:
    """How sure the best basin is, for the console; nothing where nothing was polished."""
    basins = basins_of(result)
    return [f"Polish: {basins.certainty}"] if basins is not None and basins.certainty else []


def _certainty(objective: Objective, certainty: Mapping[str, Any], met: list[str]) -> str:
    """How sure the best basin is, in a sentence or two."""
    starts, ended, best = certainty["starts"], certainty["in_best_basin"], certainty["best_value"]
    other = certainty["next_best_value"]
    there = f"{ended} of {starts} start{'s' if starts > 1 else ''} ended in the best basin"
    has = f"{there} ({objective.symbol} {value_text(best, 2)} {objective.unit})"
    following = (
        "no other basin was found"
        if other is None
        else (f"the next best has {value_text(other, 2)} {objective.unit} ({objective_change(objective, other, best)})")
    )
    return f"{has}; {following}. Its best design meets {', '.join(met) or 'no limit and no bound of a variable'}."


def _in_words(name: str, labels: dict[str, str]) -> str:
    """A limit, or a variable with the end of its range, as pages call it."""
    key, _, end = name.partition(" ")
    return f"{labels.get(key, key)} {end}".rstrip()


def basins_section(basins: Basins | None) -> Section:
    """Say how many designs ended in how many basins, and show every polish; nothing where nothing was polished."""
    title = "Polish and basins"
    if basins is None:
        return Section(title)
    starts = len(basins.polished)
    designs = "One design was" if starts == 1 else f"{starts} distinct designs were"
    ends = "one basin" if basins.count == 1 else f"{basins.count} distinct basins"
    text = (
        f"{designs} polished along gradients after the search, within the same bounds and limits, ending in {ends}. "
        "The solution is held to a tolerance of its own meanwhile, so a gain is read from the start as polished."
    )
    texts = (text, basins.certainty) if basins.certainty else (text,)
    return Section(title, text=texts, tables=(_basins_table(basins),))


def _basins_table(basins: Basins) -> Table:
    """Show every polish: where it began and ended, what it gained, how far it went, and what holds it back."""
    o = basins.objective
    rows = []
    for p in basins.polished:
        started, end = p["start_value_as_polished"], p["end_value"]
        gained = "–" if started is None or end is None else objective_change(o, end, started)
        held = ", ".join(p["active"]) or "nothing"
        apart = "–" if p["distance"] is None else number(p["distance"], 3)
        rows.append(
            (
                f"trial {p['start_trial']}", value_text(p["start_value"], 2), value_text(started, 2),
                "–" if p["end_trial"] is None else f"trial {p['end_trial']}", value_text(end, 2), gained, apart,
                str(p["evaluations"]), "–" if p["basin"] is None else str(p["basin"]), held, p["message"],
            )
        )  # fmt: skip
    return Table(
        title="Polished designs and their basins",
        columns=(
            "start", f"{o.symbol} on record\n[{o.unit}]", f"as polished\n[{o.unit}]", "end", f"{o.symbol}\n[{o.unit}]",
            "change", "distance", "evaluations", "basin", "limited by", "how it ended",
        ),
        rows=tuple(rows),
        align="lrrlrrrrrll",
        caption="The distance is the root mean square, over the variables, of the way from start to end as a share of "
        "each range. Basins are numbered, the best first.",
    )  # fmt: skip
