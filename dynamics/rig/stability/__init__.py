"""Whether the loop settles, and which settings settle it fastest (Gil et al., section 4)."""
