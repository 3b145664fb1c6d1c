"""What a campaign's page opens with: what holds of its best design, what does not, and what is not known."""

from __future__ import annotations

import math

import numpy as np

from dynamics.charts.numbers import number
from optimise.afterwards.gain_left import ComparedRun, gains_left
from optimise.evaluation.verdict import BETTER, SAME, UNKNOWN, WORSE, verdict
from optimise.spec.objective_names import name_parts
from studies.report.content.pieces import OffDesign
from studies.report.drawing.parts import Section, Table
from studies.report.readers.page_content import CampaignContent
from studies.report.sections.assessment import assessment_in_words, assessment_table, unconfirmed
from studies.report.sections.numerical_error import objective_in_words
from studies.report.sections.off_design import ERRORS, OWN_CONDITION, condition_table
from studies.report.sections.tables import objective_change, plus_minus, value_text

__all__ = ["NO_ERROR", "gain_verdict", "gains_in_words", "lead_section", "off_design_in_words"]

HOLDS, NOT, OPEN = "holds", "does not hold", "not known"
NO_ERROR = "Its error is not estimated, so nobody can say whether the best design is better."
LEGEND = (
    f"Verdicts: “{HOLDS}” and “{NOT}” follow from the figures in the row; “{OPEN}” means that a figure or its error is "
    "missing, or that a value is within its error of a limit. "
    f"A lower σ is “{BETTER}” and a higher one “{WORSE}” only where it differs by more than both numerical "
    f"errors, the root of the sum of their squares; else it is “{SAME}”. “Unconfirmed”: nobody has compared the limits "
    "with the text of the standard."
)
NOTHING = "Nothing better in {} was found: the best design is the nominal line as it was given, which is judged here."
NOT_MADE = "The off-design table has not been made."
ELSEWHERE = "is better away from the search's own conditions too"
NOT_SLACK = "has no dropper slack at rest when fitted with errors"
Statement = tuple[str, str, str]


def lead_section(content: CampaignContent) -> Section:
    """Say of the best design what an engineer signs for, each with a verdict and its figures."""
    title = "What holds, and what does not"
    tables = () if content.assessment is None else (assessment_table(content.assessment),)
    if content.best is None:
        return Section(title, tables=tables)
    rows = (
        None if content.nothing_better else _gain(content),
        _limits(content),
        *(() if content.nothing_better else _against_nominal(content)),
        _standards(content),
    )
    statements = Table(
        title="",
        columns=("the best design", "verdict", "by these figures"),
        rows=tuple(row for row in rows if row is not None),
        align="lul",
        caption=LEGEND,
    )
    nothing = (NOTHING.format(content.designs.objectives[0].symbol),) if content.nothing_better else ()
    if nothing and content.off_design is None:
        nothing = (*nothing, NOT_MADE)
    return Section(title, text=nothing, tables=(statements, *tables))


def _against_nominal(content: CampaignContent) -> tuple[Statement | None, ...]:
    """What the best design has of its gain in every scenario, under other conditions, and as it is cut."""
    return _every_scenario(content), *_away(content.off_design), _as_cut(content)


def gain_verdict(content: CampaignContent) -> str:
    """Say whether the best design is better in the objective, by the confirmation or else by errors of both figures."""
    o, confirmed = content.designs.objectives[0], content.confirmation
    (before, after), base = content.designs.first_values, name_parts(o.name).base
    if content.condition and judged_in_scenarios(content):
        own, other = content.first_errors
        return verdict(o.cost(before), own, o.cost(after), other)
    if base != "sigma" and content.condition:  # what confirms it is of one condition alone
        return UNKNOWN
    if base != "sigma":
        known = () if confirmed is None else confirmed.objectives
        return next((each.verdict for each in known if each.objective.name == base), UNKNOWN)
    if confirmed is not None and confirmed.change_error_percent is not None:
        return confirmed.verdict
    sizes = _error_sizes(content)
    return UNKNOWN if content.condition else verdict(before, sizes[0], after, sizes[1])


def judged_in_scenarios(content: CampaignContent) -> bool:
    """Whether the first objective of nominal line and best design has an error over all scenarios of the search."""
    return all(map(math.isfinite, content.first_errors))


def _gain(content: CampaignContent) -> Statement:
    o = content.designs.objectives[0]
    before, after = map(float, content.designs.first_values)
    values = (plus_minus(x, e, 2) for x, e in zip((before, after), content.first_errors, strict=True))
    found = f"{o.symbol} {' → '.join(values)} {o.unit} by the search ({objective_change(o, after, before)})"
    word, in_scenarios = gain_verdict(content), bool(content.condition) and judged_in_scenarios(content)
    found += f": {word}" if in_scenarios and o.cost(after) < o.cost(before) else ""
    confirmed = content.confirmation
    if confirmed is None or confirmed.best.sigma_transient_N is None:
        found += "; the long transient has not confirmed it"
    else:
        change = plus_minus(confirmed.change_transient_percent, confirmed.change_error_percent, 1, sign=True)
        found += f"; σ by the {confirmed.by} {change} %"
    what = "has a lower σ than the nominal line" if o.name == "sigma" else f"is better in {o.symbol}"
    if not o.cost(after) < o.cost(before):
        return what, NOT, found
    own = objective_in_words(confirmed, name_parts(o.name).base)
    found += f"; {own}{f' (in {content.condition} alone)' if content.condition else ''}" if own else ""
    held = {BETTER: HOLDS, SAME: NOT, WORSE: NOT}.get(word, OPEN)
    alone = f" (in {content.condition} alone)" if content.condition else ""
    if in_scenarios:
        return what, held, f"{found}{alone}."
    return what, held, f"{found}. {NO_ERROR}" if word == UNKNOWN else f"{found}: {word}{alone}."


def _limits(content: CampaignContent) -> Statement:
    """Limits of the search, with what is left of each and how sure that is."""
    broken = [c.name for c in content.constraints if c.broken]
    missing = [c for c in content.constraints if not c.broken and (math.isnan(c.best) or not c.decided)]
    known = [c for c in content.constraints if math.isfinite(c.margin)]
    left = [f"{c.name} {plus_minus(c.margin, c.error or None, 1)} {c.unit}" for c in known]
    verdict_ = NOT if broken else OPEN if missing else HOLDS
    found = f"Not kept: {', '.join(broken)}. " if broken else ""
    bare = [c.name for c in missing if math.isfinite(c.margin) and c.error is None]
    unsure = f" No error is known of: {', '.join(bare)}." if bare else ""
    scaled = content.condition and any(c.error for c in known)
    unsure += f" Errors are taken in proportion from {content.condition}." if scaled else ""
    return "keeps the limits of the search", verdict_, f"{found}Margins left: {'; '.join(left)}.{unsure}"


def _every_scenario(content: CampaignContent) -> Statement | None:
    """Say in how many scenarios of the search the best design has the lower sigma, by the search's figures."""
    figures = content.choice.scenarios
    if figures is None or name_parts(content.designs.objectives[0].name).base != "sigma":
        return None
    changes = figures.sigma_changes_percent
    lower, known = int(np.count_nonzero(changes < 0.0)), changes[np.isfinite(changes)]
    what = "has the lower σ in every scenario of the search"
    if not known.size:
        return what, OPEN, "No scenario has figures of both designs."
    sizes = figures.relative_errors
    highest = changes + (100.0 + changes) * (_relative_error(content) if sizes is None else sizes)
    held = HOLDS if (highest < 0.0).all() else NOT if (highest >= 0.0).any() else OPEN
    size = f"{number(float(known.mean()), 1)} % on average, {number(float(known.max()), 1)} % at worst"
    whose = "taken from the case's own condition" if sizes is None else "each scenario's own"
    found = f"In {lower} of {changes.size}, by the search's solver: {size}; errors are {whose}."
    return what, held, found


def _relative_error(content: CampaignContent) -> float:
    """Numerical error of σ_best / σ_nominal relative to it [-], in the case's own condition; NaN where not known."""
    if content.confirmation is None:
        return math.nan
    lines = content.confirmation.nominal, content.confirmation.best
    return math.hypot(*(size / line.sigma_N for line, size in zip(lines, _error_sizes(content), strict=True)))


def _error_sizes(content: CampaignContent) -> tuple[float, float]:
    """Numerical errors of sigma of the nominal line and of the best design [N]; NaN where they are not known."""
    errors = (content.errors.get(name) for name in ("nominal", "best"))
    before, after = (math.nan if e is None or e["total_N"] is None else e["total_N"] for e in errors)
    return before, after


def gains_in_words(off_design: OffDesign) -> str:
    """Say what is left of the gain over a band of speeds, and on lines as fitted; empty where neither was run."""
    left = gains_left(off_design.runs)
    return f"The change of σ {'; '.join(gain.in_words for gain in left)}." if left else ""


def _away(off_design: OffDesign | None) -> tuple[Statement | None, ...]:
    """What is left of the gain, other conditions, and lines as fitted; not known before they were run."""
    if off_design is None:
        return tuple((what, OPEN, NOT_MADE) for what in (ELSEWHERE, NOT_SLACK))
    return _gain_left(off_design), _off_design(off_design), _fitted(off_design)


def _gain_left(off_design: OffDesign) -> Statement | None:
    """What is left of the gain over a band of speeds and on lines as fitted."""
    held = {gain.holds for gain in gains_left(off_design.runs)}
    verdict_ = NOT if False in held else OPEN if None in held else HOLDS
    return ("keeps a gain over speeds and as fitted", verdict_, gains_in_words(off_design)) if held else None


def _off_design(off_design: OffDesign) -> Statement:
    count, worse, same, unknown = off_design_counts(off_design)
    verdict_ = NOT if worse or same else OPEN if unknown or not count else HOLDS
    return ELSEWHERE, verdict_, off_design_in_words(off_design)


def off_design_counts(off_design: OffDesign) -> tuple[int, list[str], list[str], list[str]]:
    """Count the conditions, and name those where the best design is worse, the same, or where nothing is known."""
    # a size of error counts once, by its median; the search's own condition has a statement of its own
    listed = condition_table(off_design).rows
    rows = [row for row in listed if not row[0].endswith("largest") and OWN_CONDITION not in row[0]]
    named = {word: [row[0] for row in rows if row[4] == word] for word in (WORSE, SAME)}
    unknown = [row[0] for row in rows if row[4] not in (BETTER, WORSE, SAME)]
    return len(rows), named[WORSE], named[SAME], unknown


def off_design_in_words(off_design: OffDesign) -> str:
    """Say under how many of all conditions the best design is worse, better, the same, and not known, and which."""
    count, worse, same, unknown = off_design_counts(off_design)
    better = count - len(worse) - len(same) - len(unknown)
    parts = [
        f"worse under {len(worse)} ({'; '.join(worse)})" if worse else "",
        f"better under {better}" if better else "",
        f"{SAME} under {len(same)}" if same else "",
        f"not known under {len(unknown)} ({'; '.join(unknown)})" if unknown else "",
    ]
    if not count:
        return "No other condition than the search's own was run."
    return f"Of {count} other condition{'s' if count > 1 else ''}: {', '.join(filter(None, parts))}."


def _fitted(off_design: OffDesign) -> Statement | None:
    """Lines fitted with errors in which a dropper is slack at rest, of either design."""
    runs = tuple(r for kind in ERRORS for r in off_design.of(kind))
    if not runs:
        return None
    if any(slack is None for r in runs for slack in r.slack):
        found = "trust.json does not say which lines are slack; delete it and give the command again."
        return NOT_SLACK, OPEN, found
    sizes = dict.fromkeys((r.kind, r.value) for r in runs)
    found = "; ".join(_slack_lines(off_design.of(*key)) for key in sizes)
    held = NOT if any(r.slack[1] for r in runs) else HOLDS
    return NOT_SLACK, held, f"Lines with a slack dropper, nominal and best: {found}."


def _slack_lines(runs: tuple[ComparedRun, ...]) -> str:
    nominal, best = (sum(bool(r.slack[k]) for r in runs) for k in (0, 1))
    return f"{nominal} and {best} of {len(runs)} with {ERRORS[runs[0].kind][0]} of {runs[0].value:g} mm"


def _as_cut(content: CampaignContent) -> Statement | None:
    """The best design as a fitter cuts and places its droppers, to whole steps."""
    schedule = content.schedule
    if schedule is None or content.condition or content.designs.objectives[0].name != "sigma":
        return None
    runs = {r["rounded_mm"]: r["contact_force_std_N"] for r in schedule["runs"]}
    found = {f"cut to {mm:g} mm": runs.get(mm) for mm in sorted(r["rounded_mm"] for r in schedule["rounded_m"])}
    placed = schedule.get("stations_rounded", ())
    found |= {f"at stations to {r['rounded_mm']:g} mm": r["contact_force_std_N"] for r in placed}
    exact, before = runs.get(0.0), float(content.designs.nominal_values[0])
    size, own = _error_sizes(content)
    every = (exact, *found.values())
    words = {UNKNOWN if sigma is None else verdict(before, size, sigma, own) for sigma in every}
    held = NOT if words & {SAME, WORSE} else HOLDS if words == {BETTER} else OPEN
    listed = "; ".join(f"{value_text(sigma, 2)} N {how}" for how, sigma in found.items())
    what = "stays below the nominal line's σ as it is cut and placed"
    return what, held, f"σ {value_text(exact, 2)} N exactly; {listed}; nominal line {number(before, 2)} N."


def _standards(content: CampaignContent) -> Statement | None:
    assessment = content.assessment
    if assessment is None:
        return None
    criteria = assessment.designs[-1][1]
    held = NOT if any(not c.met for c in criteria if c.sure is not False) else HOLDS
    held = OPEN if held == HOLDS and any(c.sure is False for c in criteria) else held
    own = ", in the case's own condition" if content.condition else ""
    what = f"keeps the limits of the standards, as the file has them{own}"
    standing = ", unconfirmed" if unconfirmed(assessment) else ""
    return what, f"{held}{standing}", assessment_in_words(assessment)
