"""By how much each dropper's length may be wrong, and what lines whose droppers are all wrong come to."""

from __future__ import annotations

from dataclasses import dataclass

from dynamics.charts.numbers import number
from studies.report.drawing.parts import Table

__all__ = ["DropperTolerance", "LengthTolerances", "tolerance_table"]

NONE = "–"


@dataclass(frozen=True)
class DropperTolerance:
    """Tolerance of one dropper's length [mm] with its error [mm] and the way that is wrong; None where not known.

    ``more_than`` stands where errors up to it raise sigma by less; ``both`` is the lesser of this dropper's and of the
    one in its place where trains run the other way.
    """

    dropper: int
    position: float
    tolerance: float | None
    error: float | None
    more_than: float | None
    wrong_way: str
    both: float | None
    message: str


@dataclass(frozen=True)
class LengthTolerances:
    """Tolerances of all droppers for a rise of sigma [%], and the lines by which they are checked.

    ``lines`` has the share of the tolerances within which all droppers are wrong, how many lines keep to the rise, and
    how many there are.
    """

    rise_percent: float
    droppers: tuple[DropperTolerance, ...]
    lines: tuple[tuple[float, int, int], ...]


def tolerance_table(found: LengthTolerances) -> Table:
    """Show the tolerance of every dropper, and below it the check."""
    both = any(d.both is not None for d in found.droppers)
    rows = []
    for d in found.droppers:
        row = (str(d.dropper), number(d.position, 3), _tolerance(d), d.wrong_way or NONE)
        rows.append((*row, _both(d, found)) if both else row)
    checked = "; ".join(
        f"within {_within(share)} {kept} of {count} lines keep to it" for share, kept, count in found.lines
    )
    check = f" With all droppers wrong at once, {checked}." if checked else ""
    reasons = {d.message for d in found.droppers if d.message}
    return Table(
        title="Tolerance of lengths",
        columns=(
            "dropper",
            "station\n[m]",
            "length may be wrong\nby [mm]",
            "σ rises with\nthe dropper",
            *BOTH[: int(both)],
        ),
        rows=tuple(rows),
        align="lrrl" + "r" * int(both),
        caption=f"An error of that one length, the way that is named and in every span, raises σ by "
        f"{found.rise_percent:g} %; no smaller one that was tried does, either way. The ± is what finer numerics "
        "change. Trains that run the other way meet the dropper of the other half: for both ways the lesser counts."
        f"{check}" + "".join(f" No figure: {text}." for text in sorted(reasons)),
    )


BOTH = ("for trains\nboth ways [mm]",)


def _tolerance(d: DropperTolerance) -> str:
    if d.tolerance is not None:
        error = "" if d.error is None else f" ± {number(max(0.1, d.error), 1)}"
        return f"{number(d.tolerance, 1)}{error}"
    return f"more than {number(d.more_than, 1)}" if d.more_than else "not known"


def _both(d: DropperTolerance, found: LengthTolerances) -> str:
    """Lesser of both ways; more than that where neither has a figure."""
    if not d.both:
        return NONE
    known = [o.tolerance for o in found.droppers if o.tolerance is not None]
    figure = any(abs(t - d.both) < 1e-9 for t in known)
    return number(d.both, 1) if figure else f"more than {number(d.both, 1)}"


def _within(share: float) -> str:
    return "their tolerances" if share == 1.0 else "half of these" if share == 0.5 else f"{share:g} times these"
