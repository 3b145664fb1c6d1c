"""Exact derivatives of steady states that the line's operator found."""
