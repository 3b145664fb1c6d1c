"""Influence matrices of the infinite periodic line (Gil et al., eqs 1, 11, 12)."""
