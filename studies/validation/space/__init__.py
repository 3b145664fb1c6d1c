"""Curves and the contact in space, against closed forms."""

from studies.validation.space.comparison import compare

__all__ = ["compare"]
