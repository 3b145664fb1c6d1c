"""Hydra configuration, YAML only."""
