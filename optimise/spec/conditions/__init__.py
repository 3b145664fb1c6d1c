"""Conditions that a campaign lists as scenarios, one kind a module."""
