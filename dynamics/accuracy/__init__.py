"""How far a result is from that of finer numerics."""
