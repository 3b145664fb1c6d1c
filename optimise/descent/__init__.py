"""The best designs of a search improved along gradients, the basins that they end in, and distances of designs."""
