"""Influence matrices of the infinite periodic line (paper 001, eqs 1, 11, 12)."""
