"""Lines, trains and inputs drawn at random, each solved by the line's operator and marched."""

from studies.validation.random_runs.comparison import compare

__all__ = ["compare"]
