"""Runs before and after a search: cost, confirmation, off-design table."""
