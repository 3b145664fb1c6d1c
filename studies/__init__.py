"""Commands: one short module each."""
