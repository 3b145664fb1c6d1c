"""Whether the loop settles, and which settings settle it fastest (paper 001, section 4)."""
