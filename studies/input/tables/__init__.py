"""Tables and records of numbers from a user's files."""
