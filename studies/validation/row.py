"""One figure of a validation beside its reference."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ValidationRow"]


@dataclass(frozen=True)
class ValidationRow:
    """One figure beside its reference.

    Attributes
    ----------
    quantity : str
        What it is, unit included.
    reference, here : float
        Published (or derived) value, and this program's.
    allowed : float
        Largest difference, in the quantity's unit.
    digits : int
        Decimals to print.
    known_miss : str, optional
        Why it is known to be missed; such a row does not gate.
    """

    quantity: str
    reference: float
    here: float
    allowed: float
    digits: int = 3
    known_miss: str | None = None

    @property
    def held(self) -> bool:
        """Whether the difference is allowed; a figure that is no number never is."""
        return abs(self.here - self.reference) <= self.allowed

    @property
    def missed(self) -> bool:
        """Whether the row fails the validation: missed without a known cause, or met in spite of one."""
        return self.held == (self.known_miss is not None)
