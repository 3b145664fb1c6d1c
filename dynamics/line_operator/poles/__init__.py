"""Poles of a line below the real axis: found and counted once, then followed from line to line."""
