"""What comparisons are held against, as checked input."""
