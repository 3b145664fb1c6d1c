"""Tolerances of dropper lengths, and the lines by which they are checked."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DropperTolerance", "LengthTolerances", "WrongLines"]


@dataclass(frozen=True)
class DropperTolerance:
    """Tolerance of one dropper's length.

    Attributes
    ----------
    number : int
        Number of the dropper, from 0.
    tolerance : float, optional
        Error of the length, of either sign, at which sigma has risen by the share [m]; None without a figure.
    error : float, optional
        Error of the tolerance [m]; None where finer numerics were not asked for.
    more_than : float
        Without a figure: errors up to this one raise sigma by less [m].
    sense : int
        Which error has that rise: +1 the longer dropper, -1 the shorter; 0 without a figure.
    tested : tuple of (float, float)
        Errors [m] that were tried, and the rise of sigma with each [-].
    finer_rise : float, optional
        Rise at the tolerance on the finer numerics [-].
    message : str
        Why there is no figure.
    """

    number: int
    tolerance: float | None
    error: float | None
    more_than: float
    sense: int
    tested: tuple[tuple[float, float], ...]
    finer_rise: float | None = None
    message: str = ""

    @property
    def within(self) -> float:
        """Errors [m] that keep to the rise as far as is known."""
        return self.more_than if self.tolerance is None else self.tolerance


@dataclass(frozen=True)
class WrongLines:
    """Lines whose droppers are all wrong at once, each by any error within a share of its tolerance.

    Attributes
    ----------
    share : float
        Of every tolerance [-].
    rises : tuple of float or None
        Rise of sigma of every line [-]; None where it has no figures.
    """

    share: float
    rises: tuple[float | None, ...]

    def kept(self, limit: float) -> int:
        """Lines whose sigma rises by no more than a limit."""
        return sum(rise is not None and rise <= limit for rise in self.rises)


@dataclass(frozen=True)
class LengthTolerances:
    """Tolerances of all droppers of a line and what lines within them come to; the line's own sigma [N]."""

    sigma_N: float
    droppers: tuple[DropperTolerance, ...]
    lines: tuple[WrongLines, ...]
