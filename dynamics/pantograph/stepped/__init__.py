"""Pantographs that step themselves, each in a process of its own: how they are asked, and how their head gives way."""
