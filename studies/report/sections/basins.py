"""What the polish after a search gained, and the distinct basins that it ended in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dynamics.charts.numbers import number
from optimise.descent.basins import ended_by_itself, read_basins
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

    A polish that was stopped on its way has no basin, though older records may give it one.
    ``certainty`` is empty where no polish ended at a feasible design.
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
    polished = [{**p, "active": [_in_words(name, labels) for name in p["active"]]} for p in content["polished"]]
    settled = {p["basin"] for p in polished if _settled(p)}
    numbers = {basin: k for k, basin in enumerate(sorted(settled), start=1)}
    polished = [{**p, "basin": numbers[p["basin"]] if _settled(p) else None} for p in polished]
    return Basins(result.objectives[0], tuple(polished), len(settled), _certainty(result.objectives[0], polished))


def _settled(polished: Mapping[str, Any]) -> bool:
    """Whether a polish ended by itself at a feasible design."""
    return polished["basin"] is not None and ended_by_itself(polished["message"])


def certainty_lines(result: CampaignResult) -> list[str]:
    """How sure the best basin is, for the console; nothing where nothing was polished."""
    basins = basins_of(result)
    return [f"Polish: {basins.certainty}"] if basins is not None and basins.certainty else []


def _certainty(objective: Objective, polished: Sequence[Mapping[str, Any]]) -> str:
    """How sure the best basin is, in a sentence or two: how many starts ended by themselves, and where."""
    held = [p for p in polished if p["end_value"] is not None]
    stopped = [p for p in held if not ended_by_itself(p["message"])]
    basins: dict[int, list[Mapping[str, Any]]] = {}
    for p in held:
        if p["basin"] is not None:
            basins.setdefault(p["basin"], []).append(p)
    if not held:
        return ""
    left = _stopped(objective, stopped, len(polished))
    if not basins:
        return left
    best, *others = [
        min(basins[k], key=lambda p: (objective.cost(p["end_value"]), p["end_trial"])) for k in sorted(basins)
    ]
    value, ended = best["end_value"], len(basins[min(basins)])
    there = f"{ended} of {_starts(len(polished))} ended in the best basin"
    following = "no other basin was found"
    if others:
        other = others[0]["end_value"]
        following = (
            f"the next best has {value_text(other, 2)} {objective.unit} ({objective_change(objective, other, value)})"
        )
    meets = f"Its best design meets {', '.join(best['active']) or 'no limit and no bound of a variable'}."
    found = f"{there} ({objective.symbol} {value_text(value, 2)} {objective.unit}); {following}. {meets}"
    if not stopped:
        return found
    lower = any(objective.cost(p["end_value"]) < objective.cost(value) for p in stopped)
    sure = " By its figures that is beyond the best basin: the optimum is not known to be reached." if lower else ""
    return f"{found} {left}{sure}"


def _stopped(objective: Objective, stopped: Sequence[Mapping[str, Any]], starts: int) -> str:
    """Say how many polishes were stopped on their way, and the best that they came to; empty where none was."""
    if not stopped:
        return ""
    best = min((p["end_value"] for p in stopped), key=objective.cost)
    count = len(stopped)
    which = f"{count} of {_starts(starts)} {'was' if count == 1 else 'were'} stopped on the way"
    place = "its end is" if count == 1 else "their ends are"
    reached = f"{'with' if count == 1 else 'at best with'} {objective.symbol} {value_text(best, 2)} {objective.unit}"
    return f"{which}, {reached}: {place} not known to lie in a basin (polish.iterations)."


def _starts(count: int) -> str:
    return f"{count} start{'s' if count != 1 else ''}"


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
    ended = sum(p["basin"] is not None for p in basins.polished)
    where = "one basin" if basins.count == 1 else f"{basins.count} distinct basins"
    ends = (
        f", ending in {where}"
        if ended == starts
        else f"; {ended} of them ended by {'itself' if ended == 1 else 'themselves'}, in {where}"
    )
    text = (
        f"{designs} polished along gradients after the search, within the same bounds and limits"
        f"{ends if ended else '; none ended by itself'}. "
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
        "each range. Basins are numbered, the best first; a polish that was stopped on its way has none.",
    )  # fmt: skip
