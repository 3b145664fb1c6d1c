"""Derivatives of a steady state's figures by everything that it depends on, from multipliers marched backwards."""
