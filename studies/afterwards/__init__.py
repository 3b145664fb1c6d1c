"""What follows a search: confirmation, and the design away from its assumptions."""
