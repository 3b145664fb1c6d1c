"""What reports say, as plain frozen data."""
