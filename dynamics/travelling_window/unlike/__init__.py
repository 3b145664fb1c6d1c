"""Spans that differ a little from one another, marched in a window of equal ones."""
