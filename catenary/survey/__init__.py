"""Measured heights of a line that is built, and the dropper lengths that explain them."""
