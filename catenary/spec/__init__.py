"""Validated description of a line, as a user writes it."""
