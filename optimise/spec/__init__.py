"""Validated description of campaigns, sweeps and sensitivity studies."""
