"""Pantographs: masses, matrices, arms, heads and strips, controllers, and those that step themselves."""
