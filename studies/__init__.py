"""What a person runs: one short module per command."""
