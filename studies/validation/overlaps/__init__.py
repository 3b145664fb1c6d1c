"""Overlaps of two tension sections, against runs that must agree."""
