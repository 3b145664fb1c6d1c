"""The campaign: samplers, polish, and what the search found."""
