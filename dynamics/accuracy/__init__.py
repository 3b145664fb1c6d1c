"""Numerical errors: the distance of a result from that of finer numerics."""
