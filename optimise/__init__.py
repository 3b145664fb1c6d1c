"""What to change and how well it did."""
