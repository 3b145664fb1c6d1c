"""Pantographs: lumped masses."""
