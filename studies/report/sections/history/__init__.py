"""A run over time."""
