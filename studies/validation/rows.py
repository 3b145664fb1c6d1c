"""Parts of a comparison with a source: rows with their verdicts, pictures and remarks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from dynamics.charts.parts import Chart
from studies.report.drawing.parts import Table

__all__ = ["Comparison", "Reference", "Row", "Verdict"]

Verdict = Literal["met", "MISSED", "known", "printed"]


@dataclass(frozen=True)
class Reference:
    """A number as a source prints it.

    Attributes
    ----------
    source : str
        Who prints it.
    text : str
        The number as printed, without its unit.
    """

    source: str
    text: str


@dataclass(frozen=True)
class Row:
    """One figure of this program and what was published.

    Attributes
    ----------
    quantity, case, unit : str
        What it is, of which case, in which unit.
    here : float or None
        This program's number; None where the solver failed.
    references : tuple of Reference
        What the sources print.
    allowed : tuple of two floats, or None
        Accepted range, its ends included; None for what is printed and not gated.
    reading : str
        Interpretation of the model where it differs from that of the whole comparison.
    known_miss : str or None
        Cause of a miss that is known; such a row does not gate.
    failure : str
        Why there is no number.
    digits : int
        Decimals to print.
    ends_known : bool
        Whether the known cause also says why there is no number.
    """

    quantity: str
    case: str
    unit: str
    here: float | None
    references: tuple[Reference, ...] = ()
    allowed: tuple[float, float] | None = None
    reading: str = ""
    known_miss: str | None = None
    failure: str = ""
    digits: int = 1
    ends_known: bool = False

    @property
    def value(self) -> float | None:
        """Number of this program; None where there is none, or one that is not finite."""
        return self.here if self.here is not None and math.isfinite(self.here) else None

    @property
    def inside(self) -> bool:
        """Whether there is a number and it lies in the accepted range."""
        value = self.value
        return value is not None and (self.allowed is None or self.allowed[0] <= value <= self.allowed[1])

    @property
    def verdict(self) -> Verdict:
        """Word for the row; a cause that outlives its miss is a mistake in the file of gates and counts as missed."""
        if self.value is None:
            return "known" if self.ends_known and self.known_miss is not None else "MISSED"
        if self.allowed is None:
            return "printed"
        if self.known_miss is not None:
            return "MISSED" if self.inside else "known"
        return "met" if self.inside else "MISSED"

    @property
    def remark(self) -> str:
        """Remark on the verdict."""
        if self.value is None:
            return self.known_miss if self.ends_known and self.known_miss is not None else self.failure
        if self.known_miss is None:
            return ""
        return "inside, though a miss is known: remove its known_miss" if self.inside else self.known_miss

    @property
    def here_text(self) -> str:
        """Number of this program as text."""
        return "–" if self.value is None else f"{self.value:.{self.digits}f}"

    @property
    def allowed_text(self) -> str:
        """Accepted range as text."""
        if self.allowed is None:
            return "–"
        low, high = (f"{x:.{self.digits}f}" for x in self.allowed)
        return low if low == high else f"{low} to {high}"

    @property
    def references_text(self) -> str:
        """Printed values of the sources, as text."""
        return ", ".join(f"{r.source} {r.text}" for r in self.references) or "–"

    def as_record(self) -> dict[str, Any]:
        """Content of the row in summary.json."""
        return {
            "quantity": self.quantity,
            "case": self.case,
            "unit": self.unit,
            "here": self.value,
            "references": [{"source": r.source, "printed": r.text} for r in self.references],
            "allowed": None if self.allowed is None else list(self.allowed),
            "verdict": self.verdict,
            "remark": self.remark,
            "reading": self.reading,
        }


@dataclass(frozen=True)
class Comparison:
    """All rows of one source.

    Attributes
    ----------
    key : str
        Name on the command line (``only``).
    title, source, reading : str
        What is compared, where its numbers stand, and how what the source leaves open is read.
    rows : tuple of Row
        In the order of the source.
    charts, tables
        Pictures, and tables beyond that of the rows.
    remarks : tuple of str
        Sentences on them.
    """

    key: str
    title: str
    source: str
    reading: str
    rows: tuple[Row, ...]
    charts: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def missed(self) -> int:
        """Number of gates missed."""
        return sum(row.verdict == "MISSED" for row in self.rows)
