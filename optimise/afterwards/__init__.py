"""What is run before and after a search: cost, confirmation, the design away from its assumptions."""
