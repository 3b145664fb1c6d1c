"""Gates of the comparisons, as validated input."""
