"""The line test of PantoCat's table 2, with a line and a pantograph that are in large part assumed."""

from studies.validation.ln2.comparison import compare

__all__ = ["compare"]
