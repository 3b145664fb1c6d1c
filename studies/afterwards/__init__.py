"""Steps after a search: confirmation and off-design table."""
