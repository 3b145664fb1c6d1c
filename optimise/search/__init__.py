"""The campaign: its driver and samplers, and what the search found."""
