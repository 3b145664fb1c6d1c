"""Validated description of a run, and the outcomes that a run may have."""
